import Subtitles

/// The font size of subtitles.
public enum SubtitleFontSize: Hashable, Sendable {
  /// A percentage of the picture's height, from 1 to 100.
  case percentOfPictureHeight(UInt8)
  /// A number of pixels, from 1 to 255.
  case pixels(UInt8)
}

/// The position and font size of a subtitle track (QuickTime File Format, "Subtitle track header size and placement").
///
/// The track is a strip along the lower edge of the picture, with the picture's width. If cues have other placements,
/// the track covers the whole picture.
///
///     let geometry = SubtitleGeometry(pictureWidth: 1280, pictureHeight: 720)
///     print(geometry.height, geometry.top, geometry.fontSize)  // 108 612 36
package struct SubtitleGeometry: Hashable, Sendable {
  /// The width of the track and of the picture, in pixels.
  package let width: UInt16
  /// The height of the track in pixels. It is the picture's height, or 15 % of the picture's height, rounded and at
  /// least 1.
  package let height: UInt16
  /// The distance of the track from the top of the picture, in pixels. It is the vertical translation in the track's
  /// matrix.
  package let top: UInt16
  /// The font size in pixels. Defaults to 5 % of the picture's height, rounded and limited to 1…255.
  package private(set) var fontSize: UInt8

  private let pictureHeight: UInt16
  private let stripHeight: UInt16

  /// Creates a strip along the lower edge of a picture. The size of the picture is in pixels, after the track matrix.
  ///
  /// Text boxes use signed 16-bit numbers, so sizes are limited to 32 767.
  package init(pictureWidth: UInt32, pictureHeight: UInt32) {
    let width = UInt16(clamping: min(pictureWidth, 32_767))
    let pictureHeight = max(1, min(pictureHeight, 32_767))
    let strip = UInt16(clamping: max(1, (3 * pictureHeight + 10) / 20))
    self.init(
      width: max(1, width), height: strip, top: UInt16(clamping: pictureHeight) - strip,
      fontSize: Self.fontSize(percent: 5, ofPictureHeight: pictureHeight),
      pictureHeight: UInt16(clamping: pictureHeight),
      stripHeight: strip)
  }

  private init(
    width: UInt16, height: UInt16, top: UInt16, fontSize: UInt8, pictureHeight: UInt16, stripHeight: UInt16
  ) {
    self.width = width
    self.height = height
    self.top = top
    self.fontSize = fontSize
    self.pictureHeight = pictureHeight
    self.stripHeight = stripHeight
  }

  /// The geometry for a movie without a picture. It equals the geometry for 1280 × 720.
  package static let withoutPicture = SubtitleGeometry(pictureWidth: 1_280, pictureHeight: 720)

  /// The geometry of a track that covers the whole picture, with an unchanged font size.
  package var coveringWholePicture: SubtitleGeometry {
    SubtitleGeometry(
      width: width, height: pictureHeight, top: 0, fontSize: fontSize, pictureHeight: pictureHeight,
      stripHeight: stripHeight)
  }

  /// Returns the geometry with the font size `size`.
  package func withFontSize(_ size: SubtitleFontSize) -> SubtitleGeometry {
    var geometry = self
    switch size {
    case .percentOfPictureHeight(let percent):
      geometry.fontSize = Self.fontSize(percent: UInt32(percent), ofPictureHeight: UInt32(pictureHeight))
    case .pixels(let pixels): geometry.fontSize = max(1, pixels)
    }
    return geometry
  }

  private static func fontSize(percent: UInt32, ofPictureHeight height: UInt32) -> UInt8 {
    // The product cannot overflow, because both factors are far below 2¹⁶.
    UInt8(clamping: max(1, (height * percent + 50) / 100))
  }

  /// The region of the track, in pixels of the track.
  package var textBox: Tx3gTextBox {
    Tx3gTextBox(top: 0, left: 0, bottom: Int16(clamping: height), right: Int16(clamping: width))
  }

  /// Returns the text box for a number of lines on a track that covers the whole picture.
  ///
  /// The box is as wide as the track, as the format requires. It is as high as the strip, or higher if the lines need
  /// more space, and does not extend below the picture. Some players only check whether the box begins in the upper
  /// half.
  func textBox(_ placement: Cue.Placement.Vertical, lineCount: Int) -> Tx3gTextBox {
    // The line height is assumed to be 1.2 times the font size.
    let lines = min(lineCount, Int(height)) * Int(fontSize) * 6 / 5
    let boxHeight = min(max(Int(stripHeight), lines), Int(height))
    let spareHeight = Int(height) - boxHeight
    let top: Int
    switch placement {
    case .top: top = 0
    case .middle: top = spareHeight / 2
    case .bottom: top = spareHeight
    case .fromTop(let hundredths):
      top = min((min(max(0, hundredths), 10_000) * Int(height) + 5_000) / 10_000, spareHeight)
    }
    return Tx3gTextBox(
      top: Int16(clamping: top), left: 0, bottom: Int16(clamping: top + boxHeight),
      right: Int16(clamping: width))
  }

  /// Whether a line may be too long for the picture. Wide characters count as two columns.
  ///
  /// Letters are assumed to be half as wide as high.
  func mayWrap(columnCount: Int) -> Bool { columnCount > 2 * Int(width) / max(1, Int(fontSize)) }
}

import Subtitles

/// The size of subtitle letters.
public enum SubtitleFontSize: Hashable, Sendable {
  /// In relation to the picture, 1 to 100.
  case percentOfPictureHeight(UInt8)
  /// 1 to 255.
  case pixels(UInt8)
}

/// The place of a subtitle track on the picture, and the size of its letters (QuickTime File Format, "Subtitle track
/// header size and placement"): a strip as wide as the picture along its lower edge, or the whole picture if cues have
/// other places too.
///
///     let geometry = SubtitleGeometry(pictureWidth: 1280, pictureHeight: 720)
///     print(geometry.height, geometry.top, geometry.fontSize)  // 108 612 36
package struct SubtitleGeometry: Hashable, Sendable {
  /// The track's width in pixels: that of the picture.
  package let width: UInt16
  /// The track's height in pixels: 15 % of the picture's, halves rounded up, at least 1; or the picture's.
  package let height: UInt16
  /// The distance of the track from the top of the picture: the vertical translation of its matrix.
  package let top: UInt16
  /// The size of letters in pixels: 5 % of the picture's height, nearest, between 1 and 255, unless set.
  package private(set) var fontSize: UInt8

  private let pictureHeight: UInt16
  private let stripHeight: UInt16

  /// The strip along the lower edge of a picture of this size in pixels, after its matrix.
  ///
  /// Text boxes have 16 bits with a sign, so a side beyond 32 767 counts as that.
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

  /// The geometry for a movie without a picture: that of 1280 × 720.
  package static let withoutPicture = SubtitleGeometry(pictureWidth: 1_280, pictureHeight: 720)

  /// The geometry with the same letters on a track that covers the whole picture.
  package var overWholePicture: SubtitleGeometry {
    SubtitleGeometry(
      width: width, height: pictureHeight, top: 0, fontSize: fontSize, pictureHeight: pictureHeight,
      stripHeight: stripHeight)
  }

  /// Returns the geometry with letters of this size.
  package func with(_ size: SubtitleFontSize) -> SubtitleGeometry {
    var geometry = self
    switch size {
    case .percentOfPictureHeight(let percent):
      geometry.fontSize = Self.fontSize(percent: UInt32(percent), ofPictureHeight: UInt32(pictureHeight))
    case .pixels(let pixels): geometry.fontSize = max(1, pixels)
    }
    return geometry
  }

  private static func fontSize(percent: UInt32, ofPictureHeight height: UInt32) -> UInt8 {
    UInt8(clamping: max(1, (height * percent + 50) / 100))  // Both factors are far below 16 bits.
  }

  /// The track's whole region, in its own pixels.
  package var textBox: Tx3gTextBox {
    Tx3gTextBox(top: 0, left: 0, bottom: Int16(clamping: height), right: Int16(clamping: width))
  }

  /// The box of a text of `lineCount` lines on a track that covers the whole picture.
  ///
  /// As wide as the track, as the format asks, and as high as the strip, more where the lines need it; never so low
  /// that lines end below the picture. Some players look at nothing but whether the box begins in the upper half.
  func textBox(_ placement: CuePlacement.Vertical, lineCount: Int) -> Tx3gTextBox {
    // Lines are about 1.2 times as high as letters.
    let lines = min(lineCount, Int(height)) * Int(fontSize) * 6 / 5
    let boxHeight = min(max(Int(stripHeight), lines), Int(height))
    let spare = Int(height) - boxHeight
    let top: Int
    switch placement {
    case .top: top = 0
    case .middle: top = spare / 2
    case .bottom: top = spare
    case .below(let hundredths):
      top = min((min(max(0, hundredths), 10_000) * Int(height) + 5_000) / 10_000, spare)
    }
    return Tx3gTextBox(
      top: Int16(clamping: top), left: 0, bottom: Int16(clamping: top + boxHeight),
      right: Int16(clamping: width))
  }

  /// Whether a line of so many columns, a wide character counting two, may not fit beside the picture's edges.
  ///
  /// Letters are about half as wide as they are high.
  func mayWrap(columnCount: Int) -> Bool { columnCount > 2 * Int(width) / max(1, Int(fontSize)) }
}

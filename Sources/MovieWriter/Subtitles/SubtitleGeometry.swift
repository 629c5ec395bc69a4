public import MovieBox

/// Where a subtitle track lies on the picture and how large its letters are (QuickTime File Format, "Subtitle track
/// header size and placement"): a strip as wide as the picture along its lower edge.
///
///     let geometry = SubtitleGeometry(pictureWidth: 1280, pictureHeight: 720)
///     print(geometry.height, geometry.top, geometry.fontSize)  // 108 612 36
public struct SubtitleGeometry: Hashable, Sendable {
  /// The track's width in pixels: that of the picture.
  public let width: UInt16
  /// The track's height in pixels: 15 % of the picture's, halves rounded up, at least 1.
  public let height: UInt16
  /// How far below the top of the picture the track begins: the vertical translation of its matrix.
  public let top: UInt16
  /// The size of letters in pixels: 5 % of the picture's height, nearest, between 1 and 255.
  public let fontSize: UInt8

  /// The geometry for a picture of this size in pixels, after its matrix.
  ///
  /// Text boxes have 16 bits with a sign, so a side beyond 32 767 counts as that.
  public init(pictureWidth: UInt32, pictureHeight: UInt32) {
    let width = UInt16(clamping: min(pictureWidth, 32_767))
    let pictureHeight = max(1, min(pictureHeight, 32_767))
    let height = max(1, (3 * pictureHeight + 10) / 20)
    self.width = max(1, width)
    self.height = UInt16(clamping: height)
    top = UInt16(clamping: pictureHeight - height)
    fontSize = UInt8(clamping: max(1, (pictureHeight + 10) / 20))
  }

  /// What is used in a movie without a picture: that of 1280 × 720.
  public static let withoutPicture = SubtitleGeometry(pictureWidth: 1_280, pictureHeight: 720)

  /// The track's whole region, in its own pixels.
  public var textBox: Tx3gTextBox {
    Tx3gTextBox(top: 0, left: 0, bottom: Int16(clamping: height), right: Int16(clamping: width))
  }
}

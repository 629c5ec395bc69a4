/// A picture format in metadata, detected from the first bytes of a picture. The type that an item declares is often
/// wrong.
package enum PictureFormat: String, CaseIterable, Sendable {
  case jpeg = "JPEG"
  case png = "PNG"
  case gif = "GIF"
  case bmp = "BMP"

  /// Detects the format of a picture, or returns `nil` if the format is unknown.
  package init?(_ bytes: Bytes) {
    let start = Array(bytes.prefix(8))
    guard let format = Self.allCases.first(where: { start.starts(with: $0.signature) }) else { return nil }
    self = format
  }

  /// Creates the format for a well-known type (QTFF "Well-Known Types"), or returns `nil` if the type is not a known
  /// picture format.
  package init?(typeCode: UInt32) {
    guard let format = Self.allCases.first(where: { $0.typeCode == typeCode }) else { return nil }
    self = format
  }

  package var typeCode: UInt32 {
    switch self {
    case .jpeg: 13
    case .png: 14
    case .gif: 12
    case .bmp: 27
    }
  }

  /// The media type for HTTP.
  package var mediaType: String { "image/" + rawValue.lowercased() }

  private var signature: [UInt8] {
    switch self {
    case .jpeg: [0xFF, 0xD8, 0xFF]
    case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    case .gif: Array("GIF8".utf8)
    case .bmp: Array("BM".utf8)
    }
  }

  /// Returns the width and height that a JPEG or PNG picture declares, in pixels. Returns `nil` for other formats and
  /// damaged pictures.
  package static func size(of picture: Bytes) -> (width: UInt16, height: UInt16)? {
    switch PictureFormat(picture) {
    case .png:
      // The first chunk, IHDR, begins with the width and the height (PNG specification, 11.2.2).
      guard let width = picture.load(at: 16, as: UInt32.self), let height = picture.load(at: 20, as: UInt32.self)
      else { return nil }
      return size(width, height)
    case .jpeg: return jpegSize(picture)
    default: return nil
    }
  }

  /// Reads the segments after the start marker until a start-of-frame segment (ITU-T T.81, B.1.1.3 and B.2.2).
  private static func jpegSize(_ picture: Bytes) -> (width: UInt16, height: UInt16)? {
    var position = 2
    while let marker = picture.load(at: position, as: UInt16.self) {
      switch marker {
      case 0xFFFF: position += 1  // A fill byte.
      case 0xFF01, 0xFFD0...0xFFD8: position += 2
      case 0xFFC0...0xFFCF where ![0xFFC4, 0xFFC8, 0xFFCC].contains(marker):
        guard let height = picture.load(at: position + 5, as: UInt16.self),
          let width = picture.load(at: position + 7, as: UInt16.self)
        else { return nil }
        return size(UInt32(width), UInt32(height))
      case 0xFF02...0xFFFE:
        guard let length = picture.load(at: position + 2, as: UInt16.self), length >= 2 else { return nil }
        position += 2 + Int(length)
      default: return nil
      }
    }
    return nil
  }

  private static func size(_ width: UInt32, _ height: UInt32) -> (width: UInt16, height: UInt16)? {
    guard let width = UInt16(exactly: width), let height = UInt16(exactly: height), width > 0, height > 0 else {
      return nil
    }
    return (width, height)
  }

  /// Removes private and unneeded data from a JPEG or PNG picture. GIF and BMP pictures are returned unchanged. Returns
  /// `nil` if the bytes are not a picture or contain no readable image data.
  ///
  /// Removes EXIF data (including the location), XMP, IPTC, comments, thumbnails, and data after the end of the
  /// picture, such as the film of a motion photo. Keeps all data needed for display: color data (ICC, Adobe), density
  /// and transparency. The orientation is part of EXIF and is removed, but players ignore it for covers. Requires
  /// linear time.
  package static func removingPrivateData(_ picture: Bytes) -> Bytes? {
    switch PictureFormat(picture) {
    case .jpeg: jpegWithoutPrivateData(picture)
    case .png: pngWithoutPrivateData(picture)
    case .gif, .bmp: picture
    case nil: nil
    }
  }

  /// Copies segments up to the end of the image. Bytes between segments, which readers skip, are not copied. If the
  /// picture is truncated, copies its complete segments and the available scan data (ITU-T T.81, B.1.1).
  private static func jpegWithoutPrivateData(_ picture: Bytes) -> Bytes? {
    var writer = ByteWriter()
    writer.write(UInt16(0xFFD8))
    var position = 2
    var hasScan = false
    segments: while let marker = picture.load(at: position, as: UInt16.self) {
      let start = position
      switch marker {
      case 0xFFD9:
        writer.write(marker)
        break segments
      case 0xFF01, 0xFFD0...0xFFD8: position += 2
      case 0xFFC0...0xFFFE:
        guard let length = picture.load(at: position + 2, as: UInt16.self), length >= 2,
          Int(length) <= picture.count - position - 2
        else { break segments }
        position += 2 + Int(length)
        if marker == 0xFFDA {
          let end = endOfScan(picture, from: position)
          if end > position { hasScan = true }
          position = end
        }
      default:  // A fill byte, or a byte that is not a marker.
        position += 1
        continue
      }
      guard isNeededForDisplay(marker, picture.dropFirst(start + 4)) else { continue }
      writer.write(picture.slice(at: start, count: position - start) ?? Bytes())
    }
    return hasScan ? Bytes(writer.bytes) : nil
  }

  /// Returns the position of the first marker after the data of a scan. Within the data, each 0xFF is followed by 0 or
  /// is part of a restart marker.
  private static func endOfScan(_ picture: Bytes, from start: Int) -> Int {
    var position = start
    while position < picture.count {
      guard picture[position] == 0xFF else {
        position += 1
        continue
      }
      guard let next = picture.load(at: position + 1, as: UInt8.self) else { break }
      if next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) { return position }
      position += next == 0xFF ? 1 : 2
    }
    return picture.count
  }

  /// Whether a segment is needed for display. The needed application segments contain JFIF, a color profile, or
  /// Adobe's declaration of the color encoding.
  private static func isNeededForDisplay(_ marker: UInt16, _ payload: Bytes) -> Bool {
    switch marker {
    case 0xFFE0: !payload.starts(with: "JFXX".utf8)  // A thumbnail.
    case 0xFFE2: payload.starts(with: "ICC_PROFILE".utf8)
    case 0xFFEE: payload.starts(with: "Adobe".utf8)
    case 0xFFE1...0xFFEF, 0xFFFE: false
    default: true
    }
  }

  /// Copies the needed chunks up to the last chunk or a truncated chunk (PNG specification, 5.3).
  private static func pngWithoutPrivateData(_ picture: Bytes) -> Bytes? {
    var writer = ByteWriter()
    writer.write(picture.slice(at: 0, count: 8) ?? Bytes())
    var position = 8
    var hasImage = false
    while let length = picture.load(at: position, as: UInt32.self),
      let code = picture.load(at: position + 4, as: UInt32.self)
    {
      let type = FourCC(rawValue: code)
      let byteCount = UInt64(length) + 12  // The count includes the type and the checksum.
      guard byteCount <= UInt64(picture.count - position) else { break }
      // A chunk is critical if its type begins with a capital letter.
      let isNeeded = code & 0x2000_0000 == 0 || visibleChunks.contains(type)
      let count = Int(clamping: byteCount)
      if isNeeded { writer.write(picture.slice(at: position, count: count) ?? Bytes()) }
      if type == "IDAT" { hasImage = true }
      guard type != "IEND" else { break }
      position += count
    }
    return hasImage ? Bytes(writer.bytes) : nil
  }

  /// Ancillary chunks that affect the appearance.
  private static let visibleChunks: Set<FourCC> = [
    "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "pHYs", "cICP", "mDCV", "cLLI", "acTL", "fcTL", "fdAT",
  ]
}

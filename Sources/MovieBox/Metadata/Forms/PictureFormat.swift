/// The picture formats that metadata has, known by their first bytes: the type that an item gives is often wrong.
package enum PictureFormat: String, CaseIterable, Sendable {
  case jpeg = "JPEG"
  case png = "PNG"
  case gif = "GIF"
  case bmp = "BMP"

  /// The format of these bytes; `nil` for others.
  package init?(_ bytes: Bytes) {
    let start = Array(bytes.prefix(8))
    guard let format = Self.allCases.first(where: { start.starts(with: $0.signature) }) else { return nil }
    self = format
  }

  /// The format of a well-known type (QTFF "Well-Known Types"); `nil` for others.
  package init?(typeCode: UInt32) {
    guard let format = Self.allCases.first(where: { $0.typeCode == typeCode }) else { return nil }
    self = format
  }

  /// The code of the well-known type.
  package var typeCode: UInt32 {
    switch self {
    case .jpeg: 13
    case .png: 14
    case .gif: 12
    case .bmp: 27
    }
  }

  /// The media type in HTTP.
  package var mediaType: String { "image/" + rawValue.lowercased() }

  private var signature: [UInt8] {
    switch self {
    case .jpeg: [0xFF, 0xD8, 0xFF]
    case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    case .gif: Array("GIF8".utf8)
    case .bmp: Array("BM".utf8)
    }
  }

  /// The width and height that a JPEG or PNG picture says it has, in pixels; `nil` for others, and for broken ones.
  package static func size(of picture: Bytes) -> (width: UInt16, height: UInt16)? {
    switch PictureFormat(picture) {
    case .png:
      // The first chunk is IHDR (PNG specification, 11.2.2).
      guard let width = picture.load(at: 16, as: UInt32.self), let height = picture.load(at: 20, as: UInt32.self)
      else { return nil }
      return size(width, height)
    case .jpeg: return sizeOfJPEG(picture)
    default: return nil
    }
  }

  /// Segments from the second byte on, up to a start of frame (ITU-T T.81, B.1.1.3 and B.2.2).
  private static func sizeOfJPEG(_ picture: Bytes) -> (width: UInt16, height: UInt16)? {
    var position = 2
    while let marker = picture.load(at: position, as: UInt16.self) {
      switch marker {
      case 0xFFFF: position += 1  // Fill bytes.
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

  /// A JPEG or PNG picture without what is in it beside the picture: EXIF with the place where it was taken, XMP, IPTC,
  /// comments, thumbnails, and what follows its end, such as the film of a motion photo. GIF and BMP are as they
  /// were; `nil` for what is no picture, and for one without any data of its image that can be read.
  ///
  /// What is needed to show it stays: the colors (ICC, Adobe), the density, transparency. How it was held is in EXIF, and
  /// goes; players show covers as they are stored. Costs one pass over the bytes.
  package static func withoutNotes(_ picture: Bytes) -> Bytes? {
    switch PictureFormat(picture) {
    case .jpeg: plainJPEG(picture)
    case .png: plainPNG(picture)
    case .gif, .bmp: picture
    case nil: nil
    }
  }

  /// Segments up to the end of the image, without what stands between them, which readers skip; of a picture that is cut
  /// off those that are whole, and what is there of a scan (ITU-T T.81, B.1.1).
  private static func plainJPEG(_ picture: Bytes) -> Bytes? {
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
      default:  // No marker, or a fill byte before one.
        position += 1
        continue
      }
      guard showsPicture(marker, picture.dropFirst(start + 4)) else { continue }
      writer.write(picture.slice(at: start, count: position - start) ?? Bytes())
    }
    return hasScan ? Bytes(writer.bytes) : nil
  }

  /// The first marker after the data of a scan: in that, 0 follows each 0xFF, or a marker that belongs to it.
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

  /// Whether a segment is part of the picture: of those of applications JFIF's, color profiles, and Adobe's, which says
  /// how colors are stored.
  private static func showsPicture(_ marker: UInt16, _ payload: Bytes) -> Bool {
    switch marker {
    case 0xFFE0: !payload.starts(with: "JFXX".utf8)  // A thumbnail.
    case 0xFFE2: payload.starts(with: "ICC_PROFILE".utf8)
    case 0xFFEE: payload.starts(with: "Adobe".utf8)
    case 0xFFE1...0xFFEF, 0xFFFE: false
    default: true
    }
  }

  /// Chunks up to the last, or to one that is cut off (PNG specification, 5.3).
  private static func plainPNG(_ picture: Bytes) -> Bytes? {
    var writer = ByteWriter()
    writer.write(picture.slice(at: 0, count: 8) ?? Bytes())
    var position = 8
    var hasImage = false
    while let length = picture.load(at: position, as: UInt32.self),
      let code = picture.load(at: position + 4, as: UInt32.self)
    {
      let type = FourCC(rawValue: code)
      let byteCount = UInt64(length) + 12  // With the type and the check sum.
      guard byteCount <= UInt64(picture.count - position) else { break }
      let isNeeded = code & 0x2000_0000 == 0 || shownChunks.contains(type)  // A capital begins what a picture needs.
      let count = Int(clamping: byteCount)
      if isNeeded { writer.write(picture.slice(at: position, count: count) ?? Bytes()) }
      if type == "IDAT" { hasImage = true }
      guard type != "IEND" else { break }
      position += count
    }
    return hasImage ? Bytes(writer.bytes) : nil
  }

  /// Chunks that a picture can do without, and that say nothing but how it looks.
  private static let shownChunks: Set<FourCC> = [
    "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "pHYs", "cICP", "mDCV", "cLLI", "acTL", "fcTL", "fdAT",
  ]
}

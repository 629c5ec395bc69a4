extension PictureFormat {
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

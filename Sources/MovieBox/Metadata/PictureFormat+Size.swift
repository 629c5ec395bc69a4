extension PictureFormat {
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
}

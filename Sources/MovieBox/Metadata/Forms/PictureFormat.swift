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

  /// What HTTP calls it.
  package var mediaType: String { "image/" + rawValue.lowercased() }

  private var signature: [UInt8] {
    switch self {
    case .jpeg: [0xFF, 0xD8, 0xFF]
    case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    case .gif: Array("GIF8".utf8)
    case .bmp: Array("BM".utf8)
    }
  }
}

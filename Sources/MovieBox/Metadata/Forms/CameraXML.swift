import Subtitles

/// The XML document of a Sony camera about a recording, in a `meta` atom beside the movie atom with the handler `nrtm`
/// ("non-real-time metadata").
///
/// The document belongs to the file and not to the movie, and its numbers refer to the recording as the camera made it.
/// So its facts are read and never written.
struct CameraXML {
  /// The facts, by their keys.
  private(set) var facts: [(key: String, text: String)] = []

  /// A larger document is not looked into: those of cameras have a few kilobytes.
  static let largestByteCount = 1 << 20

  /// The attributes that are facts: the element, its attribute, the key.
  private static let attributes: [(element: String, attribute: String, key: String)] = [
    ("CreationDate", "value", "CreationDate"), ("Device", "manufacturer", "Device.manufacturer"),
    ("Device", "modelName", "Device.modelName"), ("Device", "serialNo", "Device.serialNo"),
    ("Lens", "modelName", "Lens.modelName"), ("Title", "usAscii", "Title"),
  ]

  /// Reads the document, or returns `nil` if it is not one of these.
  init?(_ bytes: Bytes) {
    guard let utf8 = Self.document(in: bytes) else { return nil }
    let root: XMLElement
    do throws(SubtitleError) {
      root = try XMLElement(document: utf8, keepsAttributes: true)
    } catch {
      return nil
    }
    guard root.localName == "NonRealTimeMeta" else { return nil }
    for (element, attribute, key) in Self.attributes {
      // Further elements of a name describe other devices.
      guard let text = root.children.first(where: { $0.localName == element })?.attributes[attribute], !text.isEmpty
      else { continue }
      facts.append((key, text))
    }
  }

  /// The bytes of an XML document, or `nil` if they do not begin as one. A version and flags may precede it.
  static func document(in bytes: Bytes) -> [UInt8]? {
    guard bytes.count <= largestByteCount else { return nil }
    let start = bytes.prefix(8).firstIndex { $0 == UInt8(ascii: "<") || $0 == 0xEF }
    guard let start else { return nil }
    var utf8 = Array(bytes.dropFirst(start - bytes.startIndex))
    if utf8.starts(with: [0xEF, 0xBB, 0xBF]) { utf8.removeFirst(3) }
    while utf8.last == 0 { utf8.removeLast() }
    return utf8.first == UInt8(ascii: "<") ? utf8 : nil
  }

  /// Whether bytes begin as an XML document does.
  static func isDocument(_ head: Bytes) -> Bool {
    let text = head.prefix { $0 != 0 }
    return [Array("<?xml".utf8), [0xEF, 0xBB, 0xBF] + Array("<?xml".utf8)].contains { text.starts(with: $0) }
  }
}

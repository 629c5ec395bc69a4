// The sample descriptions of boxed timed metadata (`mebx`). They declare the identifiers and types of all items.
//
// A description is a table of keys. Each key has a local ID, which is the type of the item's atom in the samples. Key
// boxes and their children come in any order, and unknown children are ignored.

import Subtitles

/// A key that a timed metadata track declares for the items in its samples (`mebx`).
public struct TimedMetadataKey: Hashable, Sendable {
  /// The identifier, such as `mdta/com.apple.quicktime.video-orientation`. The space `fiel` contains the fields of
  /// structured values.
  public let identifier: MetadataIdentifier
  /// The code of the values' well-known type (QTFF "Well-Known Types"), or `nil` if the key declares no type. For a
  /// named type, this is the code of its base type.
  public let typeCode: UInt32?
  /// The name of the values' type, such as `com.apple.quicktime.detected-face`, or `nil` for a well-known type.
  public let typeName: String?
  /// The language of the values, or `nil` if the key declares none.
  public let language: LanguageTag?
  /// The local ID of the key. It is the type of the key's items in samples.
  package let localID: UInt32

  /// Creates a key for an item that is written.
  init(_ item: MetadataItem, localID: UInt32) {
    identifier = item.identifier
    // AVFoundation's readers expect a type. The default is the type for bytes, because it fits every value.
    typeCode = item.typeCode ?? 0
    typeName = item.details["type"]
    language = item.language
    self.localID = localID
  }

  /// Parses a key box, or returns `nil` if the box does not declare an identifier.
  fileprivate init?(_ box: AtomList.Element) {
    var identifier: MetadataIdentifier?
    var (typeCode, baseCode, typeName, language): (UInt32?, UInt32?, String?, LanguageTag?)
    for child in AtomList(box.payload) {
      switch child.type {
      case "keyd":
        guard identifier == nil, let space = child.payload.load(at: 0, as: UInt32.self) else { continue }
        identifier = MetadataIdentifier(
          .init(rawValue: FourCC(rawValue: space).description), key: Self.text(child.payload.dropFirst(4)))
      case "dtyp":
        switch Self.dataType(child.payload) {
        case .code(let code)?: typeCode = typeCode ?? code
        case .name(let name)?: typeName = typeName ?? name
        case nil: break
        }
      case "ctps":
        for base in AtomList(child.payload) where base.type == "dtyp" && baseCode == nil {
          if case .code(let code)? = Self.dataType(base.payload) { baseCode = code }
        }
      case "loca": language = language ?? LanguageTag(Self.text(child.payload))
      default: break
      }
    }
    guard let identifier, !identifier.key.isEmpty else { return nil }
    self.identifier = identifier
    self.typeName = typeName
    self.typeCode = typeCode ?? baseCode ?? typeName.flatMap { Self.baseTypes[$0] }
    self.language = language
    localID = box.type.rawValue
  }

  private enum DataType {
    case code(UInt32)
    case name(String)
  }

  private static func dataType(_ payload: Bytes) -> DataType? {
    switch payload.load(at: 0, as: UInt32.self) {
    case 0: payload.load(at: 4, as: UInt32.self).map { .code($0) }
    case 1: .name(text(payload.dropFirst(4)))
    default: nil
    }
  }

  /// Returns the text up to the first null character.
  private static func text(_ bytes: Bytes) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The codes of named types for which writers may omit the base type.
  private static let baseTypes: [String: UInt32] = [
    "com.apple.metadata.datatype.UTF-8": 1, "com.apple.metadata.datatype.UTF-16": 2,
    "com.apple.metadata.datatype.raw-data": 0, "com.apple.metadata.datatype.int8": 65,
    "com.apple.metadata.datatype.int16": 66, "com.apple.metadata.datatype.int32": 67,
    "com.apple.metadata.datatype.int64": 74, "com.apple.metadata.datatype.uint8": 75,
    "com.apple.metadata.datatype.uint16": 76, "com.apple.metadata.datatype.uint32": 77,
    "com.apple.metadata.datatype.uint64": 78, "com.apple.metadata.datatype.float32": 23,
    "com.apple.metadata.datatype.float64": 24,
  ]

  /// The name of the type, such as `UTF-8` or `detected-face`, or `nil` if the key declares no type.
  package var typeDescription: String? {
    typeName ?? typeCode.map { Self.typeNames[$0] ?? "type \($0)" }
  }

  private static let typeNames: [UInt32: String] = [
    0: "bytes", 1: "UTF-8", 2: "UTF-16", 21: "integer", 22: "unsigned integer", 23: "float32", 24: "float64",
    65: "int8", 66: "int16", 67: "int32", 70: "point", 71: "size", 72: "rectangle", 74: "int64", 75: "uint8",
    76: "uint16", 77: "uint32", 78: "uint64", 79: "matrix", 80: "polygon", 83: "perspective matrix",
  ]
}

extension SampleEntry {
  /// The keys that a `mebx` sample description declares, and the reason why its list of keys is incomplete, or `nil` if
  /// it is complete. The list is empty for other formats.
  package func readTimedMetadataKeys() -> (keys: [TimedMetadataKey], problem: String?) {
    guard format == "mebx" else { return ([], nil) }
    var keys: [TimedMetadataKey] = []
    var problem: String?
    for table in AtomList(body) where table.type == "keys" {
      var boxes = AtomList(table.payload)
      while let box = boxes.next() {
        if let key = TimedMetadataKey(box) {
          keys.append(key)
        } else {
          problem = problem ?? "key \(box.type.rawValue) declares no identifier"
        }
      }
      if !boxes.rest.allSatisfy({ $0 == 0 }) {
        problem = problem ?? "the list of keys ends with \(boxes.rest.count) bytes that are not a key"
      }
    }
    return (keys, problem)
  }

  /// The keys that a `mebx` sample description declares. The array is empty for other formats.
  package var timedMetadataKeys: [TimedMetadataKey] { readTimedMetadataKeys().keys }
}

import MovieBox
import MovieWriter
import Subtitles

/// A file of timed metadata in the form that `timed --json` prints.
struct TimedItemsFile {
  /// The groups of each track of the file, in the order in which the tracks occur. Groups without a track form one
  /// track.
  private(set) var tracks: [[TimedMetadataGroup]] = []

  private let file: String

  /// Parses a file: an object with `groups`, or an array of groups. The file may begin with a byte order mark.
  init(_ bytes: Bytes, named file: String) throws {
    self.file = file
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let value = try JSONValue(
      bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes, allowsRepeatedMembers: false)
    guard let groups = value["groups"]?.array ?? value.array else {
      throw error("the file contains no groups; movtool timed FILE --identifier 'mdta/*' --json prints some")
    }
    var indices: [UInt32?: Int] = [:]
    for (number, value) in groups.enumerated() {
      let name = "group \(number + 1)"
      let group = try group(value, name)
      let track = value["track"]?.word
      if let index = indices[track] {
        tracks[index].append(group)
      } else {
        indices[track] = tracks.count
        tracks.append([group])
      }
    }
  }

  private func error(_ reason: String) -> ToolError {
    ToolError(.badData, code: "timed-items", file: file, reason)
  }

  /// Throws an error about the first member with an unknown name.
  private func checkMembers(of value: JSONValue, among names: Set<String>, _ name: String) throws {
    guard case .object(let members) = value else { throw error("\(name) is not an object") }
    if let unknown = members.keys.filter({ !names.contains($0) }).min() {
      throw error("\(name) has the unknown member \(excerpt(unknown.utf8))")
    }
  }

  private static let groupMembers: Set = ["track", "startMicroseconds", "endMicroseconds", "problem", "items"]
  private static let itemMembers: Set = [
    "identifier", "typeCode", "string", "number", "hex", "language", "details", "offset", "items",
  ]

  private func group(_ value: JSONValue, _ name: String) throws -> TimedMetadataGroup {
    try checkMembers(of: value, among: Self.groupMembers, name)
    guard let start = try integer("startMicroseconds", of: value, name) else {
      throw error("\(name) has no startMicroseconds")
    }
    let end = try integer("endMicroseconds", of: value, name) ?? .max
    if let track = value["track"], track.word == nil {
      throw error("\"track\" of \(name) is not a whole number from 0 to \(UInt32.max)")
    }
    guard start < end else { throw error("\(name) ends at \(end) µs, not after its start at \(start) µs") }
    let place = "\(name) at \(TimedText.seconds(start))"
    if let problem = try readString("problem", of: value, place) {
      throw error("\(place) was not read completely: \(problem)")
    }
    guard let values = try readArray("items", of: value, place) else {
      throw error("\(place) has no items; an empty array of items is a gap")
    }
    let items = try values.map { try item($0, place) }
    return TimedMetadataGroup(microseconds: start..<end, items: items)
  }

  private func integer(_ member: String, of value: JSONValue, _ name: String) throws -> Int64? {
    guard let value = value[member] else { return nil }
    guard let number = value.wholeNumber.flatMap({ Int64(exactly: $0) }) else {
      throw error("\"\(member)\" of \(name) is not a whole number of microseconds")
    }
    return number
  }

  private func readString(_ member: String, of value: JSONValue, _ name: String) throws -> String? {
    guard let value = value[member] else { return nil }
    guard let text = value.string else { throw error("\"\(member)\" of \(name) is not a string") }
    return text
  }

  private func readArray(_ member: String, of value: JSONValue, _ name: String) throws -> [JSONValue]? {
    guard let value = value[member] else { return nil }
    guard let values = value.array else { throw error("\"\(member)\" of \(name) is not an array") }
    return values
  }

  // MARK: - Items

  private func item(_ value: JSONValue, _ place: String, isNested: Bool = false) throws -> MetadataItem {
    try checkMembers(of: value, among: Self.itemMembers, "an item of \(place)")
    guard let key = value["identifier"]?.string else { throw error("an item of \(place) has no identifier") }
    guard let identifier = MetadataIdentifier(key) else {
      throw error("the identifier \(key) of \(place) does not have the form mdta/com.example.key")
    }
    guard isNested || identifier.space == .quickTimeMetadata else {
      var error = error("the item \(key) of \(place) cannot be written; only mdta/com.example.key can")
      error.hint = "movtool timed FILE --identifier 'mdta/*' --json prints the items that can be written"
      throw error
    }
    let name = "\(key) of \(place)"
    var language: LanguageTag?
    if let tag = try readString("language", of: value, name) {
      guard let parsed = LanguageTag(tag) else { throw error("the language \(tag) of \(name) is not a language tag") }
      language = parsed
    }
    let typeName = try typeName(of: value, name)
    if value["number"] != nil, value["number"]?.number == nil { throw error("\"number\" of \(name) is not a number") }
    let (text, digits) = (try readString("string", of: value, name), try readString("hex", of: value, name))
    if let offset = value["offset"], offset.wholeNumber == nil {
      throw error("\"offset\" of \(name) is not a whole number")
    }
    let number = value["number"]?.number
    if let number, Double(number)?.isFinite != true { throw error("\"number\" of \(name) is too large") }
    let string = text ?? number
    // Without a type, numbers are double precision, texts are UTF-8, and hexadecimal digits are bytes.
    let typeCode = try typeCode(of: value, name) ?? (number != nil ? 24 : string != nil ? 1 : 0)
    let wholeNumber = value["number"]?.wholeNumber
    if value["typeCode"] == nil, value["hex"] == nil, let whole = wholeNumber.flatMap({ Int64(exactly: $0) }),
      Int128(Double(whole)) != Int128(whole)
    {
      throw error("\"number\" of \(name) is too long for floating point; specify typeCode 74, a 64-bit integer")
    }
    let nestedItems = try (readArray("items", of: value, name) ?? []).map { try item($0, place, isNested: true) }
    func made(_ bytes: Bytes) -> MetadataItem {
      MetadataItem(
        identifier, bytes: bytes, typeCode: typeCode, typeName: typeName, language: language, nestedItems: nestedItems)
    }
    if let digits {
      guard let bytes = Hexadecimal.bytes(digits.utf8.filter { $0 != Ascii.space }) else {
        throw error("\"hex\" of \(name) does not consist of pairs of digits")
      }
      let item = made(Bytes(bytes))
      let isSameText = text.map { $0 == item.stringValue } ?? true
      let isSameNumber = number.map { Double($0) == item.numberValue } ?? true
      guard isSameText, isSameNumber else {
        throw error(
          "\"hex\" of \(name) differs from \(isSameText ? "\"number\"" : "\"string\""); delete \"hex\" to write the other value"
        )
      }
      return item
    }
    guard let string else { throw error("\(name) has no value: specify string, number or hex") }
    if let number, Double(string) != Double(number) {
      throw error("\"string\" and \"number\" of \(name) differ; delete one of them")
    }
    // Accept whole numbers that are written as 72.0 or 7.2e1, as some programs do.
    let whole = MetadataValue.isWholeNumber(typeCode: typeCode) ? wholeNumber.map { String($0) } : nil
    let candidates = [string, whole].lazy.compactMap { $0.flatMap { MetadataValue.text($0).bytes(ofType: typeCode) } }
    guard let bytes = candidates.first else {
      throw error("\(excerpt(string.utf8)) of \(name) does not fit type \(typeCode)")
    }
    return made(bytes)
  }

  /// Returns the name of an item's own type, or `nil` if it has none.
  private func typeName(of value: JSONValue, _ name: String) throws -> String? {
    guard let details = value["details"] else { return nil }
    try checkMembers(of: details, among: ["type"], "details of \(name)")
    guard let type = details["type"] else { return nil }
    guard let text = type.string, !text.isEmpty else {
      throw error("\"type\" in \"details\" of \(name) is not the name of a type")
    }
    return text
  }

  private func typeCode(of value: JSONValue, _ name: String) throws -> UInt32? {
    guard let value = value["typeCode"] else { return nil }
    guard let code = value.word else {
      throw error("\"typeCode\" of \(name) is not a whole number from 0 to \(UInt32.max)")
    }
    return code
  }
}

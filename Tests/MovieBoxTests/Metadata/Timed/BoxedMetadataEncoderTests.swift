import TestSupport
import Testing

@testable import MovieBox

/// Items as samples of boxed timed metadata.
struct BoxedMetadataEncoderTests {
  private static let face = "com.apple.quicktime.detected-face"
  private static let keys = atom("keys") {
    TestMetadataKey(9, face, type: 69, named: face).bytes
    TestMetadataKey(5, face + ".bounds", space: "fiel", type: 72).bytes
    TestMetadataKey(7, face + ".face-id", space: "fiel", type: 77).bytes
    TestMetadataKey(3, "com.example.tree", type: 0).bytes
  }

  private static func decode(_ sample: [UInt8], _ description: [UInt8] = keys) -> TimedMetadataSample {
    TimedMetadataSample(format: "mebx", description: Bytes(description), Bytes(sample))
  }

  /// A sample with two faces, whose local IDs are parameters.
  private static func faces(_ face: Int, _ bounds: Int, _ id: Int) -> [UInt8] {
    atom(numbered: face) {
      atom("crec") {
        for number in [11, 12] {
          atom("cits") {
            atom(numbered: bounds) { u32(0x3E80_0000, 0x3F00_0000, 0x3F80_0000, number) }
            atom(numbered: id) { u32(number) }
          }
        }
        atom("ccnt") { u32(2) }
      }
    }
  }

  @Test func structuredValuesGetTheIDsOfTheNewDescription() throws {
    let items = Self.decode(Self.faces(9, 5, 7)).items
    var encoder = BoxedMetadataEncoder()
    #expect(try encoder.encode(items) == Self.faces(1, 2, 3))
    #expect(encoder.keys.map(\.localID) == [1, 2, 3] && encoder.keys[0].typeName == Self.face)
    #expect(encoder.keys.map(\.typeCode) == [69, 72, 77])
    // The entry has a header of 16 bytes.
    let decoded = Self.decode(try encoder.encode(items), Array(encoder.sampleEntry.dropFirst(16)))
    #expect(decoded.keys == encoder.keys)
    #expect(
      decoded.items[0].nestedItems.map { $0.nestedItems.map(\.value) }
        == items[0].nestedItems.map { $0.nestedItems.map(\.value) })
  }

  @Test func usesTheKeysOfADescription() throws {
    let sample = Self.faces(9, 5, 7) + atom(numbered: 3) { [1, 2] }
    let decoded = Self.decode(sample)
    var encoder = BoxedMetadataEncoder(decoded.keys)
    #expect(try encoder.encode(decoded.items) == sample)
    #expect(encoder.keys.count == 4)
  }

  @Test func roundTripsDeeplyNestedValues() throws {
    var sample = atom(numbered: 3) { [1] }
    for _ in 0..<200 { sample = atom(numbered: 3) { atom("cits") { sample } } }
    let keys = atom("keys") {
      TestMetadataKey(3, "com.example.tree", type: 0).bytes
      TestMetadataKey(4, "com.example.tree", space: "fiel", type: 0).bytes
    }
    let inner = Self.decode(sample, keys)
    var encoder = BoxedMetadataEncoder(inner.keys)
    // The field is a top-level key, so it is refused instead of being written with another meaning.
    #expect(throws: BoxedMetadataEncoder.Failure.self) { try encoder.encode(inner.items) }
    var fields = atom(numbered: 4) { [1] }
    for _ in 0..<200 { fields = atom(numbered: 4) { atom("cits") { fields } } }
    let whole = atom(numbered: 3) { atom("cits") { fields } }
    #expect(try encoder.encode(Self.decode(whole, keys).items) == whole)
  }

  /// Lists in lists need a header of eight bytes each, so a sample could contain a million levels.
  @Test func copiesDeepListsAsBytes() throws {
    let record = atom("cits") { atom(numbered: 5) { u32(0x3E80_0000, 0x3F00_0000, 0x3F80_0000, 0) } }
    var lists: [UInt8] = []
    let depth = 100_000
    for level in 0..<depth { lists += u32((depth - level) * 8) + code("crec") }
    let sample = atom(numbered: 9) { record + lists }
    let decoded = Self.decode(sample)
    #expect(decoded.items.first?.nestedItems.count == 1)
    var encoder = BoxedMetadataEncoder(decoded.keys)
    #expect(try encoder.encode(decoded.items) == sample)
  }

  @Test func refusesItemsWithoutAKey() throws {
    var encoder = BoxedMetadataEncoder()
    for sample in [atom(numbered: 77) { [1] }, Self.faces(9, 5, 78)] {
      let items = Self.decode(sample).items
      #expect(throws: BoxedMetadataEncoder.Failure.self) { try encoder.encode(items) }
    }
  }

  @Test func refusesRecordsThatDoNotMatchTheBytes() throws {
    let items = Self.decode(Self.faces(9, 5, 7)).items
    func changed(_ bytes: [UInt8], _ records: ArraySlice<MetadataItem>) -> MetadataItem {
      MetadataItem(
        items[0].identifier, bytes: Bytes(bytes), typeCode: 69, typeName: Self.face, language: nil,
        nestedItems: Array(records))
    }
    var encoder = BoxedMetadataEncoder()
    for item in [
      changed(items[0].bytes.array, items[0].nestedItems.prefix(1)), changed([], items[0].nestedItems[...]),
      changed([1, 2, 3], items[0].nestedItems.prefix(1)),
    ] {
      #expect(throws: BoxedMetadataEncoder.Failure.self) { try encoder.encode([item]) }
    }
  }

  @Test func oneIDForEachIdentifierTypeAndLanguage() throws {
    let key = try #require(MetadataIdentifier("mdta/com.example.a"))
    let items = [
      MetadataItem(key, .text("a")), MetadataItem(key, .text("b")), MetadataItem(key, .integer(1), typeCode: 65),
      MetadataItem(key, .text("c"), language: LanguageTag("de")),
      MetadataItem(key, .text("d"), typeName: "com.example.t"),
      MetadataItem(key, .data(Bytes()), typeCode: 0),
    ].compactMap { $0 }
    var encoder = BoxedMetadataEncoder()
    let sample = try encoder.encode(items)
    #expect(
      sample == atom(numbered: 1) { text("a") } + atom(numbered: 1) { text("b") } + atom(numbered: 2) { [1] }
        + atom(numbered: 3) { text("c") } + atom(numbered: 4) { text("d") } + atom(numbered: 5))
    #expect(try encoder.encode([]) == atom(numbered: 0))
    let nul = MetadataItem(MetadataIdentifier(.quickTimeMetadata, key: "a\0b"), .text("a"))
    #expect(throws: BoxedMetadataEncoder.Failure.self) { try encoder.encode([nul].compactMap { $0 }) }
  }
}

extension BoxedMetadataEncoder {
  /// Returns a sample.
  fileprivate mutating func encode(_ items: [MetadataItem]) throws -> [UInt8] {
    var data = ByteWriter()
    try encode(items, to: &data)
    return data.bytes
  }
}

import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Metadata in the formats of cameras: XML next to the movie atom, texts in user data.
struct CameraMetadataTests {
  private static let document = """
    <?xml version="1.0" encoding="UTF-8"?>
    <NonRealTimeMeta xmlns="urn:schemas-professionalDisc:nonRealTimeMeta:ver.2.00" lastUpdate="2022-05-01T12:00:09+02:00">
      <Duration value="250"/>
      <CreationDate value="2022-05-01T12:00:00+02:00" />
      <Device manufacturer='Sony' modelName="ILCE-7M4 &amp; co" serialNo="4294967295"/>
    </NonRealTimeMeta>
    """

  private func metadata(handler: String, _ payload: [UInt8]) -> [UInt8] {
    fullAtom("meta") { fullAtom("hdlr") { zeros(4) + code(handler) + zeros(13) } + atom("xml ") { payload } }
  }

  private func items(_ pieces: [UInt8]...) throws -> [MetadataItem] {
    let movie = TestMovie.simple.with { $0.layout += pieces.map { .bytes($0) } }
    let source = MemorySource(Bytes(movie.bytes()))
    return try Movie(of: source).metadata(from: source)
  }

  @Test(arguments: [[], zeros(4)])
  func readsSonysDocument(_ prefix: [UInt8]) throws {
    let found = try items(metadata(handler: "nrtm", prefix + text(Self.document) + [0]))
    let values = Dictionary(found.map { ($0.identifier.description, $0.stringValue) }) { first, _ in first }
    #expect(
      values == [
        "nrtm/CreationDate": "2022-05-01T12:00:00+02:00", "nrtm/Device.manufacturer": "Sony",
        "nrtm/Device.modelName": "ILCE-7M4 & co", "nrtm/Device.serialNo": "4294967295",
      ])
    #expect(found.compactMap { $0.identifier.common?.key } == ["creationDate", "make", "model"])
    #expect(found.first { $0.identifier.common?.key == "creationDate" }?.dateValue != nil)
  }

  @Test func listsOtherXMLAsAWhole() throws {
    let other = text("<?xml version=\"1.0\"?><a b='c'/>")
    let hostile = text(
      "<!DOCTYPE x [<!ENTITY a \"aa\">]><NonRealTimeMeta><Device modelName=\"&a;\"/></NonRealTimeMeta>")
    let found = try items(
      metadata(handler: "nrtm", hostile), metadata(handler: "abcd", other),
      atom("uuid") { [UInt8](1...16) + other + other },
      atom("uuid") { [UInt8](1...16) + zeros(60) })
    #expect(found.map(\.identifier.description) == ["xml/nrtm", "xml/abcd", "xml/uuid"])
    #expect(found.map(\.bytes.count) == [hostile.count, other.count, 2 * other.count])
    #expect(found.allSatisfy { $0.dataValue != nil && $0.stringValue == nil })
  }

  @Test func ignoresMalformedAttributes() throws {
    func values(_ names: [String], _ document: String) throws -> [String?] {
      var reader = XMLReader(Array(document.utf8), code: .gpx)
      #expect(try reader.nextElement(atDepth: 1))
      return try names.map { name in
        try reader.attribute(Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
      }
    }
    #expect(try values(["b", "c", "d:e"], "<a b=\"1\" c = '2' d:e=\"&lt;&#65;\"/>") == ["1", "2", "<A"])
    #expect(try values(["b", "c", "d"], "<a b='/' c=\"x>y\"></a>") == ["/", "x>y", nil])
    #expect(throws: SubtitleError.self) { try values(["b"], "<a b=\"&unknown;\"/>") }
    let names = (0..<1000).map { "a\($0)" }
    let many = try values(names, "<a \(names.map { $0 + "='1'" }.joined(separator: " "))/>")
    #expect(many.count { $0 != nil } == XMLReader.maximumAttributeCount)
  }

  @Test func readsTextsOfGoProAndSamsung() throws {
    let movie = TestMovie.simple.with {
      $0.userData =
        atom("FIRM") { text("HD7.01.01.90.00") } + atom("LENS") { text("LAJ7061916200337") }
        + atom("SDLN") { text("SEQ_PLAY") + zeros(4) } + atom("smrd") { text("TRUEBLUE") }
        + atom("VERS") { text("1.2") }
        + atom("CAME") { [0xFF, 0, 1, 2] }
    }
    let values = try Movie(of: MemorySource(Bytes(movie.bytes()))).metadata.map(\.stringValue)
    #expect(values == ["HD7.01.01.90.00", "LAJ7061916200337", "SEQ_PLAY", "TRUEBLUE", "1.2", nil])
  }

  @Test func listsItemsWithoutValuesButNotFreeSpace() throws {
    let name = fullAtom("mean") { text("com.apple.iTunes") } + fullAtom("name") { text("EMPTY") }
    let movie = TestMovie.simple.with {
      $0.userData =
        atom("free") { zeros(20) } + atom("skip") { [1, 2, 3] }
        + fullAtom("meta") {
          fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(13) }
          atom("ilst") { atom("----") { name } }
        }
    }
    let items = try Movie(of: MemorySource(Bytes(movie.bytes()))).metadata
    #expect(items.map(\.identifier.description) == ["itlk/com.apple.iTunes.EMPTY"])
    #expect(items.first?.bytes.isEmpty == true)
  }
}

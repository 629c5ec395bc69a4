import Foundation
import TestSupport
import Testing

@testable import movtool

struct MetadataCommandTests {
  private let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

  /// A movie with a title in two languages, a place, a cover and something that nobody knows.
  private func shop() throws -> Workshop {
    var movie = TestMovie.simple
    movie.userData = TestSupport.movie {
      atom("©nam") { u16(5, 0x15C7) + text("Title") + u16(5, 0x10B5) + text("Titel") }
      atom("©xyz") { u16(18, 0x15C7) + text("+51.5333-000.1261/") }
      atom("FIRM") { [1, 2, 3] }
      fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
        atom("ilst") { atom("covr") { atom("data") { u32(13, 0) + picture } } }
      }
    }
    movie.tracks[1].userData = atom("©nam") { u16(5, 0x15C7) + text("Sound") }
    return try Workshop(movie)
  }

  @Test func factsAreATable() throws {
    let output = try shop().run("metadata @in.mov").output
    #expect(
      output.count == 7 && output[1].hasPrefix("title") && output[1].contains("Title")
        && output[1].hasSuffix("udta/%A9nam"))
    #expect(output[4].contains("3 bytes: 01 02 03") && output[5].contains("JPEG picture, 7 bytes"))
  }

  @Test(arguments: [
    ("--common", ["Title", "Titel", "+51.5333-000.1261/", "JPEG", "Sound"]), ("--space itsk", ["JPEG"]),
    ("--track audio", ["Sound"]), ("--identifier common/title --language de,en", ["Titel", "Title", "Sound"]),
    ("--language fr", ["3 bytes", "JPEG"]), ("--identifier udta/F*", ["3 bytes"]),
  ])
  func itemsAreChosen(_ options: String, _ values: [String]) throws {
    let lines = try shop().run("metadata @in.mov \(options)").output.dropFirst()
    #expect(lines.count == values.count && zip(lines, values).allSatisfy { $0.contains($1) })
  }

  @Test func jsonIsLossless() throws {
    let shop = try shop()
    let items = try #require(shop.run("metadata @in.mov --json").json["items"] as? [[String: Any]])
    #expect(items.map { $0["string"] as? String } == ["Title", "Titel", "+51.5333-000.1261/", nil, nil, "Sound"])
    #expect(items[4]["hex"] as? String == "ffd8ffe0010203" && items[4]["typeCode"] as? Int == 13)
    #expect(items[5]["track"] as? Int == 2 && items[0]["common"] as? String == "common/title")
  }

  @Test func pictureIsWritten() throws {
    let shop = try shop()
    #expect(shop.run("metadata @in.mov --artwork -o @cover.jpg").output == ["wrote cover.jpg: JPEG picture, 7 bytes"])
    #expect(try shop.folder.read("cover.jpg") == picture)
    #expect(shop.run("metadata @in.mov --artwork -o @cover.jpg").exitCode == .cannotCreate)
    #expect(shop.run("metadata @in.mov --artwork -o @cover.jpg --force").exitCode == .done)
    #expect(shop.run("metadata @in.mov --artwork -o @in.mov --force").exitCode == .usage)
    #expect(shop.run("metadata @in.mov --artwork --space udta -o @none.jpg").exitCode == .no)
  }

  @Test(arguments: [
    "--artwork", "-o x", "--space nowhere", "--identifier title", "--language '??'", "--artwork -o x --json",
  ])
  func whatMakesNoSenseIsRefused(_ options: String) throws {
    #expect(try shop().run("metadata @in.mov \(options)").exitCode == .usage)
  }
}

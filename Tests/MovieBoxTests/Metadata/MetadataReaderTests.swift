import MovieBox
import TestSupport
import Testing

/// Metadata in the form of each vocabulary.
struct MetadataReaderTests {
  private func items(_ change: (inout TestMovie) -> Void) throws -> [MetadataItem] {
    var movie = TestMovie.simple
    change(&movie)
    let source = MemorySource(Bytes(movie.bytes()))
    return try Movie(of: source).metadata(from: source)
  }

  /// Returns a value with its type, country and language.
  private func data(_ type: Int, _ bytes: [UInt8], locale: [UInt8] = zeros(4)) -> [UInt8] {
    atom("data") { u32(type) + locale + bytes }
  }

  private func handler(_ type: String) -> [UInt8] {
    fullAtom("hdlr") { zeros(4) + code(type) + zeros(12) + [0] }
  }

  private func keys(_ keys: [String]) -> [UInt8] {
    fullAtom("keys") {
      u32(keys.count)
      keys.flatMap { key in u32(key.utf8.count + 8) + code("mdta") + text(key) }
    }
  }

  /// `loci` stores 65536ths of a degree, and always an altitude.
  @Test func prefersTheMostExactLocation() throws {
    for (altitude, others, stated) in [
      (0, [], "+48.13699+011.57750/"), (0, ["+48.1370+011.5775/"], "+48.1370+011.5775/"),
      (520, ["+48.1370+011.5775/"], "+48.13700+011.57750+520.000/"),
      (0, ["+48.2000+011.5775/"], "+48.13699+011.57750/"),
      // The location with the most digits, preferably one with an altitude.
      (520, ["+48.1370+011.5775+520/", "+48.13700+011.57749+519.5/"], "+48.13700+011.57749+519.5/"),
      (520, ["+48.1370+011.5775/", "+48.1370+011.5775+519.5/"], "+48.1370+011.5775+519.5/"),
    ] as [(Int, [String], String)] {
      let items = try items {
        ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"])
        $0.userData = TestSupport.movie {
          fullAtom("loci") {
            u16(0x55C4) + [0, 0] + u32(758_743, 3_154_706, altitude << 16) + text("earth") + [0, 0]
          }
          others.flatMap { other in atom("©xyz") { u16(other.utf8.count, 0x15C7) + text(other) } }
        }
      }
      #expect(DecimalLocations(items).withMostExactLocation(try #require(items.first)).stringValue == stated)
    }
  }

  /// 180 degrees east and west are the same meridian.
  @Test func comparesLocationsAcrossTheDateLine() throws {
    let items = try items {
      ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"])
      $0.userData = TestSupport.movie {
        fullAtom("loci") { u16(0x55C4) + [0, 0] + u32(-180 << 16, 0, 0) + text("earth") + [0, 0] }
        atom("©xyz") { u16(19, 0x15C7) + text("+00.0000+179.99999/") }
      }
    }
    #expect(
      DecimalLocations(items).withMostExactLocation(try #require(items.first)).stringValue == "+00.0000+179.99999/")
  }

  @Test func readsQuickTimeMetadataInBothForms() throws {
    let inside = TestSupport.movie {
      handler("mdta")
      keys(["com.apple.quicktime.make", "com.apple.quicktime.location.ISO6709", "com.example.score"])
      atom("ilst") {
        atom(numbered: 1) { data(1, text("Apple")) }
        atom(numbered: 2) { data(1, text("+37.3938+126.9636+043.639/")) }
        atom(numbered: 3) {
          data(21, u16(-2))
          data(23, u32(0x3F00_0000))
        }
        atom(numbered: 4) { data(1, text("beyond the keys")) }
        atom(numbered: 1) { data(1, text("Pear"), locale: u16(0x5553, 0x15C7)) }
      }
    }
    for meta in [atom("meta") { inside }, fullAtom("meta") { inside }] {
      let items = try items { $0.movieAtoms = meta }
      #expect(
        items.map(\.identifier.description) == [
          "mdta/com.apple.quicktime.make", "mdta/com.apple.quicktime.location.ISO6709", "mdta/com.example.score",
          "mdta/com.example.score", "mdta/com.apple.quicktime.make",
        ])
      #expect(
        items.map(\.value) == [
          .text("Apple"), .text("+37.3938+126.9636+043.639/"), .integer(-2), .number(0.5), .text("Pear"),
        ])
      #expect(items.map { $0.language?.description } == [nil, nil, nil, nil, "en-US"])
      let place = try #require(items[1].locationValue)
      #expect(place.latitude == 37.3938 && place.longitude == 126.9636 && place.altitude == 43.639)
      #expect(items.allSatisfy { $0.path.hasPrefix("moov/meta/ilst/") && $0.trackID == nil })
    }
  }

  @Test func readsITunesMetadata() throws {
    let items = try items {
      $0.userData = fullAtom("meta") {
        handler("mdir")
        atom("ilst") {
          atom("©nam") { data(1, text("Grüße")) }
          atom("trkn") { data(0, u16(0, 3, 12, 0)) }
          atom("covr") {
            data(13, [0xFF, 0xD8, 0xFF, 0xE0])
            data(0, [0x89] + text("PNG\r\n\u{1A}\n"))
          }
          atom("----") {
            fullAtom("mean") { text("com.apple.iTunes") }
            fullAtom("name") { text("ISRC") }
            data(1, text("DE-A"))
          }
          atom("tmpo") { data(21, [0, 0, 0, 0, 120]) }
        }
      }
    }
    #expect(
      items.map(\.identifier.description) == [
        "itsk/%A9nam", "itsk/trkn", "itsk/covr", "itsk/covr", "itlk/com.apple.iTunes.ISRC", "itsk/tmpo",
      ])
    #expect(items.map(\.stringValue) == ["Grüße", "3/12", nil, nil, "DE-A", nil])
    #expect(items[2].dataValue?.count == 4 && items[1].numberValue == 3)
    #expect(items.map(\.isWellFormed) == [true, true, true, true, true, false])
    #expect(items.matching("common/artwork").count == 2)
  }

  @Test func readsUTF16ByItsMark() throws {
    let items = try items {
      $0.userData = fullAtom("meta") {
        handler("mdir")
        atom("ilst") {
          atom("©nam") { data(2, [0x00, 0x48, 0x00, 0x69]) }
          atom("©alb") { data(2, [0xFE, 0xFF, 0x00, 0x48, 0x00, 0x69]) }
          atom("©ART") { data(2, [0xFF, 0xFE, 0x48, 0x00, 0x69, 0x00]) }
        }
      }
    }
    #expect(items.map(\.stringValue) == ["Hi", "Hi", "Hi"])
  }

  @Test func readsUserDataOfBothDialects() throws {
    let userData = TestSupport.movie {
      atom("©xyz") { u16(18, 0x15C7) + text("+51.5333-000.1261/") }
      fullAtom("titl") { u16(0x10B5) + cString("Ein Titel") }
      fullAtom("yrrc") { u16(2024) }
      fullAtom("loci") {
        u16(0x55C4) + [0, 0] + u32(-7_815_450, 2_232_141, 65_536) + cString("earth") + [0]
      }
      atom("FIRM") { text("HD7.01") + [0, 0xFF] }
      fullAtom("kywd") { u16(0x15C7) + [2, 3] + cString("ab") + [2] + cString("c") }
      atom("date") { text("2026-01-09T18:32:07+0900") }
    }
    for dialect in [TestMovie.Dialect.quickTime, .iso] {
      let items = try items { ($0.dialect, $0.userData) = (dialect, userData) }
      // Items unknown to 3GPP belong to the vocabulary of the file's type.
      let other = dialect == .quickTime ? "udta/FIRM" : "uiso/FIRM"
      #expect(
        items.map(\.identifier.description) == [
          "udta/%A9xyz", "uiso/titl", "uiso/yrrc", "uiso/loci", other, "uiso/kywd", "uiso/date",
        ])
      #expect(
        items.map(\.stringValue) == [
          "+51.5333-000.1261/", "Ein Titel", "2024", "+34.05977-119.25430+001.000/", nil, "ab, c",
          "2026-01-09T18:32:07+0900",
        ])
      #expect(items[1].language?.description == "de")
      #expect(items[0].locationValue?.longitude == -0.1261)
    }
  }

  @Test func readsItemsOfTracksAndTheFile() throws {
    var movie = TestMovie.simple
    movie.tracks[1].userData = atom("©nam") { u16(5, 0) + text("Sound") }
    movie.fileItem = nil
    let xmp =
      [0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC] as [UInt8]
    movie.layout += [.bytes(atom("uuid") { xmp + text("<x:xmpmeta/>") })]
    let source = MemorySource(Bytes(movie.bytes()))
    let items = try Movie(of: source).metadata(from: source)
    #expect(items.map(\.trackID) == [2, nil] && items.map(\.stringValue) == ["Sound", "<x:xmpmeta/>"])
    #expect(items[1].identifier.description == "xmp/packet" && items[1].path == "uuid")
    #expect(try Movie(of: source).metadata.count == 1)
  }

  @Test func readsFramesOfID3() throws {
    func frame(_ type: String, _ body: [UInt8]) -> [UInt8] { code(type) + u32(body.count) + zeros(2) + body }
    let frames = TestSupport.movie {
      frame("TIT2", [3] + text("Title"))
      frame("TXXX", [0] + cString("key") + text("value"))
      frame("COMM", [1] + text("deu") + u16(0xFEFF, 0) + u16(0xFEFF, 0x48, 0x69))
      frame("APIC", [0] + cString("image/jpeg") + [3] + cString("Front") + [0xFF, 0xD8, 0xFF])
      frame("PRIV", cString("owner") + [1, 2])
    }
    let tag = text("ID3") + [4, 0, 0] + [0, 0, UInt8(frames.count >> 7), UInt8(frames.count & 0x7F)] + frames
    let items = try items {
      $0.movieAtoms = fullAtom("meta") {
        handler("ID32")
        fullAtom("ID32") { u16(0x55C4) + tag }
      }
    }
    #expect(items.map(\.identifier.description) == ["id3/TIT2", "id3/TXXX", "id3/COMM", "id3/APIC", "id3/PRIV"])
    #expect(items.map(\.stringValue) == ["Title", "value", "Hi", nil, nil])
    #expect(items[1].details == ["description": "key"] && items[2].language?.description == "de")
    #expect(items[3].details["mediaType"] == "image/jpeg" && items[3].dataValue?.count == 3)
    #expect(items[4].details == ["owner": "owner"])
  }

  @Test func locatesItemsOfALongList() throws {
    let items = try items {
      $0.userData =
        atom("©cmt") { u16(1, 0) + text("x") }
        + fullAtom("meta") {
          handler("mdir")
          atom("ilst") {
            atom("©ART") { data(1, text("A")) + data(1, text("B")) }
            for number in 0..<3000 { atom("tmpo") { data(21, u16(number)) } }
            atom("©ART") { data(1, text("C")) }
          }
        }
    }
    #expect(
      items.prefix(4).map(\.path) == [
        "moov/udta/©cmt", "moov/udta/meta/ilst/©ART[1]/data[1]", "moov/udta/meta/ilst/©ART[1]/data[2]",
        "moov/udta/meta/ilst/tmpo[1]/data",
      ])
    #expect(items.suffix(2).map(\.path) == ["moov/udta/meta/ilst/tmpo[3000]/data", "moov/udta/meta/ilst/©ART[2]/data"])
  }

  /// Reading any bytes ends, and every item keeps its bytes.
  @Test func survivesTruncatedAndOddMetadata() throws {
    let whole = TestSupport.movie {
      atom("©nam") { u16(5, 0) + text("Title") }
      fullAtom("loci") { u16(0x55C4) + [0, 0] + u32(0, 0, 0) + cString("earth") + [0] }
      atom("Xtra") { u32(30, 4) + text("WM/X") + u32(1) + u32(14) + u16(0x13) + zeros(8) }
      fullAtom("meta") {
        handler("ID32")
        fullAtom("ID32") { u16(0x55C4) + text("ID3") + [3, 0, 0x40, 0, 0, 1, 0] + zeros(20) }
        atom("keys") { u32(0, 1, 200) }
        atom("ilst") { atom(numbered: 1) { atom("data") { zeros(3) } } }
      }
    }
    var random = SystemRandomNumberGenerator()
    for length in 0...whole.count {
      _ = try items { $0.userData = Array(whole.prefix(length)) }
      var changed = whole
      for _ in 0..<3 {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      for item in try items({ $0.userData = changed }) { #expect(item.path.hasPrefix("moov/udta")) }
    }
  }
}

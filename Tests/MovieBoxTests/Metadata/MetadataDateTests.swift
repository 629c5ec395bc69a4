import Foundation
import TestSupport
import Testing

@testable import MovieBox

struct MetadataDateTests {
  @Test(
    arguments: [
      ("2026", 2026, nil, nil, nil, nil), ("2026-01", 2026, 1, nil, nil, nil), ("2026-01-09", 2026, 1, 9, nil, nil),
      ("20240229", 2024, 2, 29, nil, nil), ("2026-01-09T18:32", 2026, 1, 9, 66_720, nil),
      ("2026-01-09T18:32:07Z", 2026, 1, 9, 66_727, 0), ("2026-01-09T18:32:07.5+0900", 2026, 1, 9, 66_727.5, 32_400),
      ("2026-01-09 18:32:07-03:30", 2026, 1, 9, 66_727, -12_600),
      ("20260109T183207,25+09", 2026, 1, 9, 66_727.25, 32_400),
      ("2016-12-31T23:59:60Z", 2016, 12, 31, 86_400, 0), ("2026-01-09T18", 2026, 1, 9, 64_800, nil),
    ] as [(String, Int, Int?, Int?, Double?, Int?)])
  func readsDatesOfISO8601(
    _ text: String, _ year: Int, _ month: Int?, _ day: Int?, _ seconds: Double?, _ zone: Int?
  ) throws {
    let date = try #require(MetadataDate(text))
    #expect(date.year == year && date.month == month && date.day == day)
    #expect(date.secondsOfDay == seconds && date.secondsFromUTC == zone)
  }

  @Test(arguments: [
    "", "soon", "26", "2026-13", "2026-02-30", "2026-1-9", "2023-02-29", "2026-01-09T", "2026-01-09T25:00",
    "2026-01-09T18:60", "2026-01-09T18:32:07+", "2026-01-09T18:32:07+24", "2026-01T18:32", "2026-01-09T18:32.5",
    "2026-01-09Z", "２０２６", "2026-01-09T18:3é:00", "2026-01-09T24:00:01", "-2026", "2026-01-09T18:32:07.Z",
    "202601", "2026010", "202601091", "2026-01-", "2026T18", "2026-01-09T1832:07", "2026-01-09T18:3207",
    "2026-01-09T18:32:07Z01", "2026-01-09T18:32:07+01:00:01", "2026-01-09T18:32:60", "2026-01-09T24:00:00.5",
    "2026-01-09T18:32:07ZZ", "2026-01-09T18:32:07+0", " 2026", "2026-01-09  18:32",
  ])
  func rejectsOtherTextsAsDates(_ text: String) {
    #expect(MetadataDate(text) == nil)
  }

  @Test func readsFractionsAsSwiftDoes() throws {
    let long = String(repeating: "3", count: 1000)
    for digits in ["5", "395", "000001", "123456789", "1234567890123456789", "9999999999999999", "0", long] {
      let date = try #require(MetadataDate("2026-01-09T18:32:07.\(digits)Z"))
      let fraction = try #require(Double("0." + digits))
      #expect(date.secondsOfDay == 66_727 + fraction)
    }
  }

  /// Foundation's calendar serves as a witness.
  @Test func agreesWithFoundationsCalendar() throws {
    let formatter = ISO8601DateFormatter()
    // Foundation uses the Julian calendar before 1582.
    for days in stride(from: -140_000, through: 200_000, by: 97) {
      let seconds = Int64(days) * 86_400 + Int64((days &* 7919) & 0xFFFF)
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(try #require(MetadataDate(text)).secondsSince1970 == Double(seconds))
      #expect(MetadataDate(secondsSince1970: seconds) == MetadataDate(text))
    }
  }

  @Test func readsDatesInAllVocabularies() throws {
    var movie = TestMovie.simple
    movie.dialect = .iso
    movie.userData = TestSupport.movie {
      fullAtom("yrrc") { u16(2024) }
      atom("©day") { u16(4, 0x55C4) + text("2019") }
      atom("©nam") { u16(4, 0x55C4) + text("Home") }
      atom("Xtra") {
        // Tenths of microseconds since 1601, then a plain number.
        let time = (11_644_473_600 + 86_400) * 10_000_000
        for (name, type) in [("WM/EncodingTime", 0x15), ("WM/Other", 0x13)] {
          let value = u32(14) + u16(type) + u64(UInt64(time)).reversed()
          let size = 12 + name.utf8.count + value.count
          u32(size, name.utf8.count) + text(name) + u32(1) + value
        }
      }
    }
    let items = try Movie(of: MemorySource(Bytes(movie.bytes()))).metadata
    #expect(items.map { $0.dateValue?.year } == [2024, 2019, nil, 1970, nil])
    #expect(items[3].dateValue?.secondsSince1970 == 86_400)
  }

  @Test func acceptsOneMomentInTwoTimeZones() throws {
    func disagrees(_ first: String, _ second: String) throws -> Bool {
      var movie = TestMovie.simple
      movie.userData = TestSupport.movie {
        fullAtom("meta") {
          fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
          atom("ilst") { atom("©day") { atom("data") { u32(1, 0) + text(first) } } }
        }
        atom("©day") { u16(second.utf8.count, 0x55C4) + text(second) }
      }
      return try !Movie(of: MemorySource(Bytes(movie.bytes()))).metadata.disagreeing.isEmpty
    }
    #expect(try !disagrees("2019-05-17T10:00:00+0200", "2019-05-17T08:00:00Z"))
    #expect(try !disagrees("2019-05-17T10:00:00+0200", "2019"))
    #expect(try disagrees("2019-05-17T10:00:00+0200", "2019-05-17T10:00:00Z"))
    #expect(try disagrees("2019-05-17", "2018"))
  }

  @Test func comparesItemsByLanguage() throws {
    // English, Austrian German and French in two vocabularies, one of which has no countries.
    func contradictions(_ german: String, _ french: String) throws -> [String] {
      let (eng, deu, fra) = (0x15C7, 0x10B5, 0x1A41)
      let titles = [("One", eng, 0), ("Eins", deu, 0x4154), ("Un", fra, 0)]
      let movie = TestMovie.simple.with { movie in
        movie.movieAtoms = atom("meta") {
          fullAtom("hdlr") { zeros(4) + code("mdta") + zeros(13) }
          fullAtom("keys") { u32(1) + atom("mdta") { text("com.apple.quicktime.title") } }
          atom("ilst") {
            for (title, language, country) in titles {
              atom(numbered: 1) { atom("data") { u32(1) + u16(country, language) + text(title) } }
            }
          }
        }
        movie.userData = atom("©nam") {
          for (title, language) in [("One", eng), (german, deu), (french, fra)] {
            u16(title.utf8.count, language) + text(title)
          }
        }
      }
      return try Movie(of: MemorySource(Bytes(movie.bytes()))).metadata.contradictions.map {
        $0.language?.description ?? "any"
      }
    }
    #expect(try contradictions("Eins", "Un") == [])
    #expect(try contradictions("Zwei", "Un") == ["de-AT"])
    #expect(try contradictions("Zwei", "Deux") == ["de-AT", "fr"])
  }
}

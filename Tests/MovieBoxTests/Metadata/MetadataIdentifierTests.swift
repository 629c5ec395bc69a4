import MovieBox
import Testing

struct MetadataIdentifierTests {
  @Test(arguments: [
    ("udta/©nam", "udta/%A9nam"), ("udta/%A9nam", "udta/%A9nam"), ("itsk/covr", "itsk/covr"),
    ("mdta/com.apple.quicktime.make", "mdta/com.apple.quicktime.make"), ("itsk/----", "itsk/----"),
    ("uiso/a%20bc", "uiso/a%20bc"), ("itlk/com.apple.iTunes.ISRC", "itlk/com.apple.iTunes.ISRC"),
  ])
  func normalizesIdentifiers(_ text: String, _ canonical: String) throws {
    #expect(try #require(MetadataIdentifier(text)).description == canonical)
  }

  @Test(arguments: ["", "title", "/x", "udta/", "udta/abc", "udta/abcde", "udta/%Zzab", "udta/%A9na", "udta/ä123"])
  func rejectsOtherTextsAsIdentifiers(_ text: String) {
    #expect(MetadataIdentifier(text) == nil)
  }

  @Test(arguments: [
    ("mdta/com.apple.*", true), ("mdta/*make", true), ("*", true), ("mdta/com.apple.quicktime.make", true),
    ("mdta/com.apple", false), ("udta/*", false), ("*.mak", false), ("m*a/*.q*e.m*", true),
  ])
  func matchesPatterns(_ pattern: String, _ isMatch: Bool) throws {
    #expect(try #require(MetadataIdentifier("mdta/com.apple.quicktime.make")).matches(pattern) == isMatch)
  }

  /// `ffmpeg -movflags use_metadata_tags` writes its own names as keys.
  @Test func recognizesFFmpegNamesAsFacts() throws {
    for (name, fact) in [("title", "title"), ("encoder", "software"), ("genre", "type"), ("date", "creationDate")] {
      #expect(MetadataIdentifier("mdta/\(name)")?.common?.key == fact)
    }
    #expect(MetadataIdentifier("mdta/major_brand")?.common == nil && MetadataIdentifier("udta/name")?.common == nil)
    // They are never written where they are not.
    let title = try #require(MetadataIdentifier("common/title"))
    #expect(!title.spellings.contains { $0.key == "title" })
  }

  @Test func relatesIdentifiersOfAFact() {
    for text in ["udta/©nam", "itsk/©nam", "uiso/titl", "mdta/com.apple.quicktime.title", "id3/TIT2", "common/title"] {
      #expect(MetadataIdentifier(text)?.common?.description == "common/title")
    }
    #expect(MetadataIdentifier("itsk/trkn")?.common == nil)
  }

  @Test(arguments: [
    ("+37.3938+126.9636+043.639/", 37.3938, 126.9636, 43.639), ("+51.5333-000.1261/", 51.5333, -0.1261, nil),
    ("+51.5932-0.2431/", 51.5932, -0.2431, nil),
    ("+4012.22-07500.25/", 40.203_666_666_666_67, -75.004_166_666_666_67, nil),
    ("+401213.1-0750015.1+2.79CRSWGS_84/", 40.203_638_888_888_89, -75.004_194_444_444_44, 2.79),
    ("+10+020", 10, 20, nil),
  ])
  func readsLocationsOfISO6709(_ text: String, _ latitude: Double, _ longitude: Double, _ altitude: Double?) throws {
    let place = try #require(GeographicLocation(text))
    #expect(abs(place.latitude - latitude) < 1e-9 && abs(place.longitude - longitude) < 1e-9)
    #expect(place.altitude == altitude)
  }

  @Test(arguments: ["", "here", "+91+000/", "+10/", "+10+181/", "+1.2.3+4/", "+10+20+x/", "10+20"])
  func rejectsOtherTextsAsLocations(_ text: String) {
    #expect(GeographicLocation(text) == nil)
  }
}

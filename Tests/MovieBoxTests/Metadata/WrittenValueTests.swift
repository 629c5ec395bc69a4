import MovieBox
import Testing

/// Values in the spellings of people and other programs.
struct WrittenValueTests {
  @Test(arguments: [
    ("2024:01:20 10:26:09+01:00", "2024-01-20T10:26:09+0100"), ("2024:01:20 10:26:09.25Z", "2024-01-20T10:26:09.250Z"),
    ("2024:01:20 10:26:09", "2024-01-20T10:26:09"), ("2024:01:20", "2024-01-20"),
    ("2024-01-20 10:26:09 +0100", "2024-01-20T10:26:09+0100"),
    ("2024-01-20T10:26:09-03:30", "2024-01-20T10:26:09-0330"),
    ("Sat Jan 20 10:26:09 2024 +0100", "2024-01-20T10:26:09+0100"), ("Sat Jan 6 10:26:09 2024", "2024-01-06T10:26:09"),
    ("Sat, 20 Jan 2024 10:26:09 +0100", "2024-01-20T10:26:09+0100"), ("20 January 2024", "2024-01-20"),
    ("1705742769 +0100", "2024-01-20T10:26:09+0100"), ("@1705742769 -0830", "2024-01-20T00:56:09-0830"),
    ("2024-01-20 10:26:09 UTC", "2024-01-20T10:26:09Z"), ("2024-01-20T10:26 +0100", "2024-01-20T10:26:00+0100"),
    ("2024", "2024"), ("2024-01", "2024-01"), ("2016-12-31T23:59:60Z", "2016-12-31T23:59:60Z"),
    ("2024:01", "2024-01"), ("2024:01:31 24:00:00", "2024-02-01T00:00:00"),
    ("2024-12-31T24:00Z", "2025-01-01T00:00:00Z"),
    ("Sat, 20 Jan 2024 10:26:09 +0100 (CET)", "2024-01-20T10:26:09+0100"),
  ])
  func readsDatesOfOtherPrograms(_ text: String, _ date: String) throws {
    #expect(WrittenValue.date(text)?.description == date)
    #expect(WrittenValue.date(date) == WrittenValue.date(text))
  }

  @Test(arguments: [
    "", " ", "soon", "0000:00:00 00:00:00", "2024:13:20 10:26:09", "2024:1:20", "2024:01:20 10:26:09 CET",
    "Sat Foo 20 10:26:09 2024", "Sat", "20 Jan", "1705742769", "1705742769 CET", "12 +0100",
    "2024:01:20 10:26:09 +01:00 x",
    "99999999999999999999 +0100", "2024-02-30 10:00 +0100", "T", "2024-01-20T", "😀 Jan 20 2024",
  ])
  func rejectsOtherTextsAsDates(_ text: String) {
    #expect(WrittenValue.date(text) == nil)
  }

  @Test(arguments: [
    ("48.137,11.575", "+48.13700+011.57500/"), ("48.137, 11.575, 520", "+48.13700+011.57500+520.000/"),
    ("48.137 11.575", "+48.13700+011.57500/"), ("48 deg 8' 13.00\" N, 11 deg 34' 30.00\" E", "+48.13694+011.57500/"),
    ("48 deg 8' 13.00\" N, 11 deg 34' 30.00\" E, 520 m Above Sea Level", "+48.13694+011.57500+520.000/"),
    ("48 deg 8' 13.00\" S, 11 deg 34' 30.00\" W, 3.5 m Below Sea Level", "-48.13694-011.57500-003.500/"),
    ("48°8'13\"N 11°34'30\"E", "+48.13694+011.57500/"), ("geo:48.1,11.5", "+48.10000+011.50000/"),
    ("GEO:48.1,11.5,520;crs=wgs84;u=35", "+48.10000+011.50000+520.000/"),
    ("geo:48.1,11.5?z=16", "+48.10000+011.50000/"),
    ("N48.137 E11.575", "+48.13700+011.57500/"), ("S 48°8'13\", W 11°34'30\"", "-48.13694-011.57500/"),
    ("48.137,11.575,520m", "+48.13700+011.57500+520.000/"), ("48.137, 11.575, 520 m", "+48.13700+011.57500+520.000/"),
    ("+48.1370+011.5750/", "+48.13700+011.57500/"), ("48,137", "+48.00000+137.00000/"),
  ])
  func readsLocationsOfOtherPrograms(_ text: String, _ place: String) {
    #expect(WrittenValue.location(text)?.description == place)
  }

  @Test(arguments: [
    "", "Munich", "geo:", "geo:48.1", "geo:91,0", "geo:48.1,11.5;crs=moon", "48 deg 8' N, 11 deg E, x m", "1,2,3,4",
    "48 deg 61' N, 11 deg E", "48.1,nan", "48 deg 8' 13.00\" N, 11 deg 34' 30.00\" E, 520 m above",
  ])
  func rejectsOtherTextsAsLocations(_ text: String) {
    #expect(WrittenValue.location(text) == nil)
  }

  @Test(arguments: [
    ("48,137", true), ("48, 137", true), ("-33,151", true), ("48.0,137", false), ("48,137,500", false),
    ("48 137", false),
    ("48,", false), ("+48+137/", false),
  ])
  func recognizesAmbiguousWholeNumbers(_ text: String, _ isAmbiguous: Bool) {
    #expect(WrittenValue.isAmbiguousLocation(text) == isAmbiguous)
  }

  @Test func readsLanguagesAndRatios() {
    #expect(WrittenValue.language("pt_BR")?.description == "pt-BR" && WrittenValue.language("?") == nil)
    #expect(WrittenValue.ratio("23.976")?.numerator == 24_000 && WrittenValue.ratio("fast") == nil)
    #expect(
      CueTiming.Scale("25/23.976") == CueTiming.Scale(25 * 1001, over: 24_000) && CueTiming.Scale("1000") == nil)
  }

  @Test(
    arguments: [
      ("2026-01-09T18:32:07+0900", 8 * 3600, "2026-01-10T02:32:07+0900"),
      ("2026-01-09 18:32:07.125-03:30", -86_400, "2026-01-08 18:32:07.125-03:30"),
      ("20260109T183207Z", 60, "20260109T183307Z"), ("2026-12-31T23:59", 60, "2027-01-01T00:00"),
      ("2026-01-09T18Z", 3600, "2026-01-09T19Z"), ("2026-01-09T18Z", 1800, "2026-01-09T18:30:00Z"),
      ("2026-01-09T18:32,5+09", 45, nil), ("2026-01-09", 60, nil), ("2026", 60, nil), ("soon", 60, nil),
      ("0001-01-01T00:00:00Z", -1, nil), ("9999-12-31T23:59:59Z", 1, nil), ("2026-01-09T18:32:07Z", Int64.max, nil),
    ] as [(String, Int64, String?)])
  func shiftsTimesInTheirSpelling(_ text: String, _ seconds: Int64, _ moved: String?) {
    #expect(MetadataDate.shifting(text, bySeconds: seconds) == moved)
  }
}

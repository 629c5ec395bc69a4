import MovieBox
import Subtitles
import TestSupport
import Testing

/// Routes in GPX files, as groups of timed metadata.
struct GPXRouteTests {
  private static let start = 1_557_166_507.0  // 2019-05-06T18:15:07Z

  private static func point(
    _ seconds: Double, _ latitude: String = "48.5", _ longitude: String = "11.5", _ inside: String = ""
  ) -> String {
    let time = UTCText.text(secondsSince1970: start + seconds)
    return "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">\(inside)<time>\(time)</time></trkpt>"
  }

  private static func gpx(_ segments: String..., root: String = "gpx") -> [UInt8] {
    Array(("<\(root)><trk>" + segments.map { "<trkseg>\($0)</trkseg>" }.joined() + "</trk></gpx>").utf8)
  }

  private static func groups(
    _ utf8: [UInt8], from start: Double = start, lasting duration: Int64 = 60_000_000, rate: Double? = nil
  ) throws -> [(Range<Int64>, String)] {
    try GPXRoute(utf8).groups(startingAt: start, lasting: duration, rate: rate).map { group in
      #expect(group.items.count == 1 && group.items[0].typeCode == 1)
      #expect(group.items[0].identifier.description == "mdta/com.apple.quicktime.location.ISO6709")
      return (group.microseconds, group.items[0].stringValue ?? "")
    }
  }

  @Test func pointsLastUntilTheNextPoint() throws {
    let groups = try Self.groups(
      Self.gpx(
        Self.point(1, "33.1268403", "-117.3274043", "<ele>-19.468</ele>")
          + Self.point(1.5, "33.1268", "-7", "<ele>7</ele>") + Self.point(4, "-0.00001", "0")))
    #expect(groups.map(\.0) == [1_000_000..<1_500_000, 1_500_000..<4_000_000, 4_000_000..<5_000_000])
    #expect(
      groups.map(\.1) == [
        "+33.1268403-117.3274043-019.468/", "+33.12680-007.00000+007.000/", "-00.00001+000.00000/",
      ])
  }

  @Test func readsVersion10AndPrefixes() throws {
    let old = "gpx version=\"1.0\" xmlns=\"http://www.topografix.com/GPX/1/0\""
    #expect(try Self.groups(Self.gpx(Self.point(0), root: old)).count == 1)
    let prefixed = """
      <g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><g:trk><g:trkseg><g:trkpt lat="1" lon="2">
      <trkpt lat="9" lon="9"/><g:time> 2019-05-06T20:15:07+02:00 </g:time></g:trkpt></g:trkseg></g:trk></g:gpx>
      """
    #expect(try Self.groups(Array(prefixed.utf8)).map(\.1) == ["+01.00000+002.00000/"])
  }

  /// Extensions may contain points of other namespaces.
  @Test func ignoresOtherNamespaces() throws {
    let foreign = "<trkpt xmlns=\"urn:x\" lat=\"1\" lon=\"1\"/><extensions><trkpt/></extensions>"
    #expect(try GPXRoute(Self.gpx(foreign + Self.point(0))).pointCount == 1)
  }

  /// The text of an element may be divided, and only the first date and elevation of a point count.
  @Test func readsDividedTextsAndTheFirstChild() throws {
    let time = "<time>2019-05-06T<!-- c -->18:15:07<![CDATA[Z]]><x>1</x></time><time>no</time>"
    let elevation = "\n<ele>1<x/>2</ele><ele/><extensions><ele>x</ele></extensions>"
    let point = "<trkpt lon='2' lat='&#49;'>\(elevation)\(time)</trkpt>"
    let route = "<gpx><rte><trkseg/></rte><trk/><trk><trkseg/></trk><trk><x/><trkseg>\(point)</trkseg></trk></gpx>"
    #expect(try Self.groups(Array(route.utf8)).map(\.1) == ["+01.00000+002.00000+012.000/"])
  }

  @Test func segmentsAndPausesAreGaps() throws {
    let groups = try Self.groups(
      Self.gpx(Self.point(20) + Self.point(20.5), Self.point(0) + Self.point(2) + Self.point(12.5) + Self.point(13)))
    #expect(
      groups.map(\.0) == [
        0..<2_000_000, 2_000_000..<3_000_000, 12_500_000..<13_000_000, 13_000_000..<13_500_000,
        20_000_000..<20_500_000, 20_500_000..<21_000_000,
      ])
    // A pause of ten seconds is not a gap.
    #expect(
      try Self.groups(Self.gpx(Self.point(0) + Self.point(10))).map(\.0) == [0..<10_000_000, 10_000_000..<11_000_000])
    // The last point of a segment leaves half of a short break.
    let short = Self.gpx(Self.point(0) + Self.point(1), Self.point(1.2))
    #expect(
      try Self.groups(short).map(\.0) == [0..<1_000_000, 1_000_000..<1_100_000, 1_200_000..<2_200_000])
    #expect(try Self.groups(short, rate: 1).map(\.0) == [0..<1_000_000, 1_000_000..<1_100_000, 1_200_000..<2_200_000])
    // A break of a second or more leaves more than half.
    let long = Self.gpx(Self.point(0) + Self.point(1), Self.point(4))
    #expect(try Self.groups(long).map(\.0) == [0..<1_000_000, 1_000_000..<2_000_000, 4_000_000..<5_000_000])
  }

  @Test func interpolatesAtARateAndAtTheStartOfTheMovie() throws {
    let route = Self.gpx(Self.point(-1, "0", "0", "<ele>0</ele>") + Self.point(1, "2", "4", "<ele>10</ele>"))
    #expect(
      try Self.groups(route).map(\.1) == ["+01.00000+002.00000+005.000/", "+02.00000+004.00000+010.000/"])
    let groups = try Self.groups(route, rate: 2)
    #expect(groups.map(\.0) == [0..<500_000, 500_000..<1_000_000, 1_000_000..<1_500_000])
    #expect(groups[1].1 == "+01.50000+003.00000+007.500/")
    // The first point may be between two multiples of the interval.
    let late = Self.gpx(Self.point(0.25, "0", "0") + Self.point(1, "3", "0"))
    #expect(try Self.groups(late, rate: 2).map(\.0.lowerBound) == [250_000, 500_000, 1_000_000])
    #expect(try Self.groups(late, rate: 2)[1].1 == "+01.00000+000.00000/")
  }

  /// The last point of a segment is written at its own time, even if it is between two multiples of the interval.
  @Test func writesTheLastPointAtItsOwnTime() throws {
    let route = Self.gpx(
      Self.point(0, "1", "1") + Self.point(0.95, "2", "2"), Self.point(5, "3") + Self.point(7.5, "4"))
    let groups = try Self.groups(route, rate: 1)
    #expect(
      groups.map(\.0) == [
        0..<950_000, 950_000..<1_950_000, 5_000_000..<6_000_000, 6_000_000..<7_000_000, 7_000_000..<7_500_000,
        7_500_000..<8_500_000,
      ])
    #expect(groups[1].1 == "+02.00000+002.00000/" && groups[5].1 == "+04.00000+011.50000/", "\(groups)")
    // The last location covers at most half of a break, and ends with the movie.
    let short = Self.gpx(Self.point(0, "1") + Self.point(0.9, "2"), Self.point(1.1, "3"))
    #expect(try Self.groups(short, rate: 1).map(\.0) == [0..<900_000, 900_000..<1_000_000, 1_100_000..<2_100_000])
    let cut = Self.gpx(Self.point(0, "1") + Self.point(1.6, "2"))
    #expect(
      try Self.groups(cut, lasting: 2_000_000, rate: 1).map(\.0) == [
        0..<1_000_000, 1_000_000..<1_600_000, 1_600_000..<2_000_000,
      ])
    // A last point at or after the end of the movie is not written.
    #expect(
      try Self.groups(cut, lasting: 1_600_000, rate: 1).map(\.0) == [0..<1_000_000, 1_000_000..<1_600_000])
  }

  /// Rounding errors do not accumulate, and interpolated numbers have at most nine decimals.
  @Test func interpolatesAtARateThatIsAFraction() throws {
    let route = Self.gpx(Self.point(0, "0", "0") + Self.point(9.009, "1", "3"))
    let groups = try Self.groups(route, rate: 30_000.0 / 1_001)
    #expect(groups.count == 271 && groups[269].0.lowerBound == 8_975_633 && groups[270].0.lowerBound == 9_009_000)
    #expect(groups[1].1 == "+00.003703741+000.011111222/")
  }

  /// A coordinate keeps its decimals, up to the precision of 64-bit numbers.
  @Test(arguments: [
    ("48.123456789", "+48.123456789"), ("48.1234567891", "+48.1234567891"), ("-7.5", "-07.50000"),
    ("0.0000001", "+00.0000001"), ("-0", "+00.00000"), ("89.99999999999999", "+89.99999999999999"),
    (" +12.34567 ", "+12.34567"), ("1e1", "+10.00000"), ("48.12345678901234567890", "+48.123456789012344"),
  ])
  func keepsDecimals(latitude: String, text: String) throws {
    #expect(try Self.groups(Self.gpx(Self.point(0, latitude, "0"))).map(\.1) == [text + "+000.00000/"])
  }

  /// The shorter way from 179° to -179° crosses 180°.
  @Test func crossesTheDateLine() throws {
    let east = Self.gpx(Self.point(0, "0", "179") + Self.point(2, "0", "-179"))
    #expect(
      try Self.groups(east, rate: 2).map(\.1).prefix(4) == [
        "+00.00000+179.00000/", "+00.00000+179.50000/", "+00.00000+180.00000/", "+00.00000-179.50000/",
      ])
    let west = Self.gpx(Self.point(0, "0", "-179.5") + Self.point(1, "0", "179.5"))
    #expect(try Self.groups(west, from: Self.start + 0.25).first?.1 == "+00.00000-179.75000/")
  }

  @Test func omitsPointsOutsideTheMovieAndRepetitions() throws {
    let route = Self.gpx(Self.point(-3) + Self.point(-2) + Self.point(-2, "1", "1") + Self.point(5))
    #expect(try GPXRoute(route).repeatedPointCount == 1)
    #expect(try Self.groups(route, lasting: 4_000_000).map(\.0) == [0..<4_000_000])
    #expect(try Self.groups(route, from: Self.start + 6).isEmpty)
    // The repeated point is not counted. A point at the end of the movie is outside.
    let read = try GPXRoute(route)
    for (start, duration, count) in [(0.0, 6, 2), (0, 5, 3), (0, 4, 3), (-3, 9, 0), (6, 1, 3)] {
      let outsideCount = read.outsidePointCount(startingAt: Self.start + start, lasting: Int64(duration) * 1_000_000)
      #expect(outsideCount == count)
    }
    #expect(read.outsidePointCount(startingAt: -1e300, lasting: .max) == 3)
  }

  /// A gap of a microsecond keeps segments with a common date apart, and both points with this date are written.
  @Test func keepsSegmentsWithACommonDateApart() throws {
    let route = Self.gpx(Self.point(0, "1") + Self.point(2, "2"), Self.point(2, "3") + Self.point(3, "4"))
    let read = try GPXRoute(route)
    #expect(read.repeatedPointCount == 0 && read.pointCount == 4)
    for rate in [nil, 0.5, 10] {
      let groups = try Self.groups(route, rate: rate)
      let second = try #require(groups.firstIndex { $0.0.lowerBound > 2_000_000 })
      #expect(groups[second - 1].0 == 2_000_000..<2_000_001 && groups[second].0.lowerBound == 2_000_002, "\(groups)")
      #expect(groups[second - 1].1.hasPrefix("+02.") && groups[second].1.hasPrefix("+03."))
    }
    // A segment of a single point, and a break that is shorter than a gap.
    let later = Self.point(2, "4").replacing(".000Z", with: ".000001Z")
    let single = Self.gpx(Self.point(0, "1") + Self.point(2, "2"), Self.point(2, "3"), later)
    #expect(
      try Self.groups(single).map(\.0) == [
        0..<2_000_000, 2_000_000..<2_000_001, 2_000_002..<2_000_003, 2_000_004..<3_000_004,
      ])
    let apart = later.replacing(".000001Z", with: ".000009Z")
    #expect(
      try Self.groups(Self.gpx(Self.point(0) + Self.point(2), apart)).map(\.0) == [
        0..<2_000_000, 2_000_000..<2_000_004, 2_000_009..<3_000_009,
      ])
  }

  @Test(arguments: [
    ("<gpx><trk><trkseg>\n<trkpt lat='1' lon='2'/></trkseg></trk></gpx>", 2, "no date"),
    ("<gpx><trk><trkseg><trkpt lat='1'>\n</trkpt></trkseg></trk></gpx>", 1, "no latitude and longitude"),
    (
      "<gpx><trk><trkseg><trkpt lat='1e999' lon='0'><time>2019-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>", 1,
      "not on Earth"
    ),
    (
      "<gpx><trk><trkseg><trkpt lat='91' lon='0'><time>2019-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>", 1,
      "not on Earth"
    ),
    (
      "<gpx><trk><trkseg><trkpt lat='nan' lon='0'><time>2019-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>", 1,
      "no latitude"
    ),
    (
      "<gpx><trk><trkseg><trkpt lat='1' lon='0'><time>yesterday</time></trkpt></trkseg></trk></gpx>", 1, "is not a date"
    ),
    (
      "<gpx><trk><trkseg><trkpt lat='1' lon='0'><ele>high</ele><time>2019-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>",
      1, "elevation"
    ),
    (
      "<gpx><trk><trkseg><trkpt lat='1' lon='0'><ele>1e15</ele><time>2019-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>",
      1, "the elevation \"1e15\" exceeds the limit of 1000000000 m"
    ),
    ("<gpx><wpt lat='1' lon='2'/></gpx>", 1, "no points in a track"),
    ("<kml/>", 1, "instead of gpx"), ("<gpx xmlns='urn:other'/>", 1, "not GPX 1.0 or 1.1"),
    ("<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx>&a;</gpx>", 1, "document type"), ("<gpx>&a;</gpx>", 1, "entity"),
    ("<gpx><trk>", 1, "not closed"), ("", 1, "no element"),
  ])
  func rejectsInvalidFiles(document: String, line: Int, words: String) throws {
    do throws(SubtitleError) {
      _ = try GPXRoute(Array(document.utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.line == line && error.reason.contains(words), "\(error)")
      #expect(error.code == .gpx)
    }
  }

  /// A document type declaration without declarations is skipped, and its file is not read.
  @Test(arguments: ["<!DOCTYPE gpx>", "<!DOCTYPE gpx SYSTEM 'http://example.com/gpx.dtd'>"])
  func skipsDocumentTypes(declaration: String) throws {
    #expect(try GPXRoute(Array(declaration.utf8) + Self.gpx(Self.point(0))).pointCount == 1)
  }

  @Test func rejectsTimesThatGoBack() throws {
    for route in [
      Self.gpx(Self.point(2) + "\n" + Self.point(1)),
      Self.gpx(Self.point(0) + Self.point(5), "\n" + Self.point(4) + Self.point(6)),
    ] {
      #expect(throws: SubtitleError.self) { try GPXRoute(route) }
    }
  }

  @Test func boundsDepthCountAndRate() throws {
    let deep = String(repeating: "<a>", count: 100)
    do throws(SubtitleError) {
      _ = try GPXRoute(Array(("<gpx>" + deep).utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.code == .limit)
    }
    // A route may have more elements than other XML documents.
    let many = Self.gpx(Self.point(0) + String(repeating: "<a/>", count: 600_000))
    #expect(try GPXRoute(many).pointCount == 1)
    // A point and its parents and date are five elements.
    let few = Self.gpx(Self.point(0) + "<a/>")
    #expect(try GPXRoute(few, elementCountLimit: 6).pointCount == 1)
    do throws(SubtitleError) {
      _ = try GPXRoute(few, elementCountLimit: 5)
      Issue.record("accepted")
    } catch {
      #expect(error.code == .limit)
    }
    let route = try GPXRoute(Self.gpx(Self.point(0) + Self.point(9)))
    for rate in [0, -1, 1_001, Double.nan, .infinity, 1e-300] {
      #expect(throws: MovieError.self) { try route.groups(startingAt: Self.start, lasting: 1_000_000, rate: rate) }
    }
    // A date far from the movie has no time in microseconds.
    #expect(try route.groups(startingAt: -1e300, lasting: .max).isEmpty)
    #expect(try route.groups(startingAt: 1e300, lasting: .max).isEmpty)
    let large = Self.point(0).replacing(
      "<time>", with: "<name>" + String(repeating: "x", count: 5 << 20) + "</name><time>")
    #expect(try GPXRoute(Self.gpx(large)).pointCount == 1)
  }

  /// A written route is read with equal points.
  @Test func readsTheRouteThatWasWritten() throws {
    let places = ["+33.1268403-117.3274043-019.468/", "+33.12684031-117.32740429-019.4/", "-00.000011+179.999999999/"]
    let movie = TestMovie(tracks: [.route(id: 1, places)]).with {
      $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.creationdate", "2019-05-06T18:15:07Z")])
    }
    let source = MemorySource(Bytes(movie.build().bytes))
    let read = try Movie(of: source)
    let dated = try #require(try read.route(from: source).flatMap { DatedRoute($0, in: read) })
    let groups = try Self.groups(dated.gpx(named: "a"))
    #expect(groups.map(\.0) == [0..<1_000_000, 1_000_000..<2_000_000, 2_000_000..<3_000_000])
    #expect(groups.map { GeographicLocation($0.1) } == places.map { GeographicLocation($0) })
  }
}

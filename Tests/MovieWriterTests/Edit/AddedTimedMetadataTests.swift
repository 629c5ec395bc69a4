import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Tracks of boxed timed metadata that an edit adds: their bytes, their times, and their verification.
struct AddedTimedMetadataTests {
  private static func item(
    _ key: String, _ value: MetadataValue, type: UInt32? = nil, named name: String? = nil, language: String? = nil
  ) throws -> MetadataItem {
    let identifier = try #require(MetadataIdentifier("mdta/com.example." + key))
    return try #require(
      MetadataItem(
        identifier, value, typeCode: type, typeName: name, language: language.flatMap { LanguageTag($0) }))
  }

  private static func group(_ range: Range<Int64>, _ items: MetadataItem...) -> TimedMetadataGroup {
    TimedMetadataGroup(microseconds: range, items: items)
  }

  /// Returns the movie as a new file, and edited in place.
  private static func outputs(_ edit: MovieEdit) throws -> [[UInt8]] {
    let source = try edit.joinedSource()
    return [
      try edit.outputPlan(of: source).rendered(from: source),
      try edit.inPlacePlan(of: source).rendered().rendered(from: source),
    ]
  }

  /// Returns the groups of a track as a player reads them.
  private static func groups(_ bytes: [UInt8], track id: UInt32) throws -> [TimedMetadataGroup] {
    let source = MemorySource(Bytes(bytes))
    var reader = try TimedMetadataReader(
      try Movie(of: source), in: [id], identifiers: [], range: nil, from: source)
    var groups: [TimedMetadataGroup] = []
    while let batch = try reader.nextGroups() { groups += batch }
    return groups
  }

  /// The gaps before and after the group would become millions of samples.
  @Test func refusesImpossibleDurations() throws {
    let movie = TestMovie.talk.with { ($0.timeScale, $0.duration) = (1, 0xFFFF_FFFE) }
    var edit = try MovieEdit(of: movie.source)
    let count = edit.tracks.count
    let group = Self.group(0..<1_000_000, try Self.item("rate", .integer(72)))
    #expect(throws: MovieError.self) { try edit.addTimedMetadata([group]) }
    #expect(edit.tracks.count == count)
  }

  /// A conversion to these types drops timed metadata.
  @Test(arguments: ["3gp5", "3g2a"]) func refusesFilesForMobilePhones(_ brand: String) throws {
    let movie = TestMovie.talk.with { ($0.dialect, $0.brands) = (.iso, [brand, brand]) }
    var edit = try MovieEdit(of: movie.source)
    let count = edit.tracks.count
    let group = Self.group(0..<1_000_000, try Self.item("rate", .integer(72)))
    let refusal = #expect(throws: MovieError.self) { try edit.addTimedMetadata([group]) }
    #expect(refusal?.code == .unsupported)
    let keys = [TestMetadataKey(1, "com.example.note", type: 1)]
    let film = TestMovie.talk.with {
      $0.tracks.append(.boxed(id: 9, keys, [atom(numbered: 1) { text("a") }, atom(numbered: 1) { text("b") }]))
    }
    let source = MemorySource(Bytes(film.bytes()))
    let other = try Movie(of: source)
    let track = try #require(other.track(9))
    let importRefusal = #expect(throws: MovieError.self) {
      try edit.addTracks([TrackInput(track)], of: other, from: source)
    }
    #expect(importRefusal?.code == .unsupported)
    #expect(edit.tracks.count == count)
  }

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func writesKeysAndSamples(_ dialect: TestMovie.Dialect) throws {
    var edit = try MovieEdit(of: TestMovie.talk.with { $0.dialect = dialect }.source)
    let id = try edit.addTimedMetadata([
      Self.group(500_000..<1_000_000, try Self.item("rate", .integer(72), type: 66, named: "com.example.beats")),
      Self.group(1_000_000..<1_500_000, try Self.item("note", .text("Größe"), language: "de-CH")),
    ])
    for bytes in try Self.outputs(edit) {
      let reader = try SecondReader(bytes)
      let track = try #require(reader.track(id))
      #expect(track.handler == "meta" && track.formats == ["mebx"] && track.isEnabled)
      #expect(track.group == 0 && track.width == 0 && track.volume == 0 && track.timeScale == 1_000_000)
      #expect(track.references("cdsc") == [1] && track.duration == reader.track(1)?.duration)
      let media = "moov/trak#5/mdia/minf"
      #expect((reader.atom(media + "/gmhd/gmin") != nil) == (dialect == .quickTime))
      #expect((reader.atom(media + "/nmhd") != nil) == (dialect == .iso))
      let description = try reader.content(of: try #require(reader.atom(media + "/stbl/stsd")))
      let keys = atom("keys") {
        atom(numbered: 1) {
          atom("keyd") { text("mdtacom.example.rate") }
          atom("dtyp") { u32(1) + text("com.example.beats") }
          atom("ctps") { atom("dtyp") { u32(0, 66) } }
        }
        atom(numbered: 2) {
          atom("keyd") { text("mdtacom.example.note") }
          atom("dtyp") { u32(0, 1) }
          atom("loca") { cString("de-CH") }
        }
      }
      #expect(description == u32(0, 1) + atom("mebx") { zeros(6) + u16(1) + keys })
      let gap = atom(numbered: 0)
      #expect(
        try track.samples.map { try reader.bytes(of: $0) } == [
          gap, atom(numbered: 1) { u16(72) }, atom(numbered: 2) { text("Größe") }, gap,
        ])
      #expect(track.samples.map(\.presentationTime) == [0, 500_000, 1_000_000, 1_500_000])
      #expect(track.samples.map(\.duration) == [500_000, 500_000, 500_000, 500_000])
    }
  }

  @Test func changesNothingElse() throws {
    let allowed = AllowedChanges().with { $0.addedTracks = [5] }
    for new in try TestMovie.talk.edited(
      allowing: allowed, { try $0.addTimedMetadata([Self.group(0..<1, try Self.item("a", .text("b")))]) })
    {
      #expect(new.track(5)?.mediaType == .metadata)
    }
  }

  @Test func describesTheRequestedTracks() throws {
    let groups = [Self.group(0..<1_000, try Self.item("a", .text("b")))]
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let whole = try edit.addTimedMetadata(groups, describing: [])
    let audio = try edit.addTimedMetadata(groups, describing: [2, 3])
    #expect(edit.tracks.first { $0.id == whole }?.references["cdsc"] == nil)
    #expect(edit.tracks.first { $0.id == audio }?.references["cdsc"] == [2, 3])
    #expect(throws: MovieError.self) { try edit.addTimedMetadata(groups, describing: [99]) }
    #expect(edit.tracks.count == 6)
    // A removed picture cannot be described.
    try edit.remove(1)
    let late = try edit.addTimedMetadata(groups)
    #expect(edit.tracks.first { $0.id == late }?.references["cdsc"] == nil)
  }

  /// Overlapping groups are divided at each boundary. The later group replaces the items of its identifier and language.
  @Test func mergesOverlappingGroups() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let id = try edit.addTimedMetadata([
      Self.group(
        600_000..<1_200_000, try Self.item("a", .text("later")), try Self.item("b", .text("deutsch"), language: "de")),
      Self.group(
        0..<1_000_000, try Self.item("a", .text("first")), try Self.item("b", .text("plain")),
        try Self.item("c", .text("c"))),
    ])
    for bytes in try Self.outputs(edit) {
      let groups = try Self.groups(bytes, track: id)
      #expect(
        groups.map(\.microseconds) == [0..<600_000, 600_000..<1_000_000, 1_000_000..<1_200_000, 1_200_000..<2_000_000])
      #expect(
        groups.map { $0.items.map { $0.stringValue ?? "" } } == [
          ["first", "plain", "c"], ["plain", "c", "later", "deutsch"], ["later", "deutsch"], [],
        ])
    }
    let notices = edit.notices.filter { $0.kind == .timedMetadata }
    #expect(notices.map(\.isWarning) == [true] && notices[0].message.contains("1 item is replaced"))
  }

  @Test func openGroupsLastUntilTheNextGroupOrTheEndOfTheMovie() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let id = try edit.addTimedMetadata([
      Self.group(500_000..<Int64.max, try Self.item("a", .text("1"))),
      Self.group(1_500_000..<Int64.max, try Self.item("a", .text("2"))),
      Self.group(2_000_000..<Int64.max, try Self.item("a", .text("3"))),
    ])
    let groups = try Self.groups(try Self.outputs(edit)[0], track: id)
    #expect(groups.map(\.microseconds) == [0..<500_000, 500_000..<1_500_000, 1_500_000..<2_000_000])
    #expect(groups.map { $0.items.first?.stringValue } == [nil, "1", "2"])
    let outside = "1 group of timed metadata outside the movie is omitted from track \(id)"
    #expect(edit.notices.contains { $0.kind == .timedMetadata && $0.message == outside })
  }

  /// The movie lasts two seconds.
  @Test func notesGroupsThatExtendBeyondTheMovie() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let item = try Self.item("a", .text("b"))
    let id = try edit.addTimedMetadata([
      Self.group(-500_000..<500_000, item), Self.group(500_000..<600_000), Self.group(600_000..<700_000, item),
      Self.group(1_500_000..<2_000_001, item), Self.group(2_000_000..<3_000_000, item),
    ])
    let groups = try Self.groups(try Self.outputs(edit)[0], track: id)
    #expect(
      groups.filter { !$0.items.isEmpty }.map(\.microseconds)
        == [0..<500_000, 600_000..<700_000, 1_500_000..<2_000_000])
    #expect(edit.tracks.first { $0.id == id }?.timedGroupCount == 3)
    #expect(edit.tracks.first?.timedGroupCount == nil)
    let notices = edit.notices.filter { $0.kind == .timedMetadata }
    #expect(notices.map(\.isWarning) == [true, false])
    #expect(notices[1].message == "2 groups of timed metadata in track \(id) are shortened to the length of the movie")
    // Groups that end with the movie, and groups without an end, are not shortened.
    var whole = try MovieEdit(of: TestMovie.talk.source)
    try whole.addTimedMetadata([Self.group(0..<2_000_000, item), Self.group(1_000_000..<Int64.max, item)])
    #expect(whole.notices.allSatisfy { !$0.message.contains("shortened") })
  }

  @Test func namesTheItemThatCannotBeWritten() throws {
    let identifier = try #require(MetadataIdentifier("mdta/com.example.count"))
    #expect(MetadataItem(identifier, .text("many"), typeCode: 67) == nil)
    #expect(MetadataItem(identifier, .integer(40_000), typeCode: 66) == nil)
    let short = MetadataItem(
      identifier, bytes: Bytes([1]), typeCode: 67, typeName: nil, language: nil)
    let user = try #require(MetadataIdentifier("udta/©nam").flatMap { MetadataItem($0, .text("a")) })
    for (bad, words) in [
      (short, "count at 00:00:01.500 has a value that does not fit its type, int32"), (user, "mdta/com.example"),
    ] {
      var edit = try MovieEdit(of: TestMovie.talk.source)
      do {
        try edit.addTimedMetadata([
          Self.group(0..<1_000_000, try Self.item("a", .text("b"))), Self.group(1_500_000..<1_600_000, bad),
        ])
        Issue.record("accepted")
      } catch let error as MovieError {
        #expect(error.code == .invalidEdit && error.reason.contains(words), "\(error.reason)")
      }
      #expect(edit.tracks.count == 4)
    }
  }

  @Test func rejectsGroupsOutsideTheMovie() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let item = try Self.item("a", .text("b"))
    for groups in [[], [Self.group(2_000_000..<3_000_000, item)], [Self.group(-5..<0, item)]] {
      #expect(throws: MovieError.self) { try edit.addTimedMetadata(groups) }
    }
  }

  /// A movie of 5 000 s.
  private static let longMovie = TestMovie(tracks: [
    TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 600 * 5_000)] }
  ])

  /// A sample lasts at most 2³¹ − 1 microseconds, so a longer group is divided. Readers join its samples.
  @Test func dividesLongGroups() throws {
    var edit = try MovieEdit(of: Self.longMovie.source)
    let id = try edit.addTimedMetadata([Self.group(0..<Int64.max, try Self.item("a", .text("b")))])
    let bytes = try Self.outputs(edit)[0]
    let track = try #require(try SecondReader(bytes).track(id))
    #expect(track.samples.map(\.duration) == [2_147_483_647, 2_147_483_647, 705_032_706])
    let groups = try Self.groups(bytes, track: id)
    #expect(groups.map(\.microseconds) == [0..<5_000_000_000] && groups[0].items.first?.stringValue == "b")
    // A time range selects the joined group.
    let source = MemorySource(Bytes(bytes))
    var reader = try TimedMetadataReader(
      try Movie(of: source), in: [id], identifiers: [], range: 4_999_000_000..<Int64.max, from: source)
    #expect(try reader.nextGroups()?.map(\.microseconds) == [0..<5_000_000_000])
  }

  /// Long groups and gaps are read as they were written, beside short groups with equal items.
  @Test func readsLongGroupsAsTheyWereWritten() throws {
    let longest: Int64 = 2_147_483_647
    let (a, b) = (try Self.item("a", .text("a")), try Self.item("a", .text("b")))
    for groups in [
      [Self.group(0..<1_000, a), Self.group(1_000..<2_000, a), Self.group(2_000..<5_000_000_000, a)],
      [Self.group(0..<longest, a), Self.group(longest..<5_000_000_000, b)],
      [Self.group(0..<2 * longest, a), Self.group(2 * longest..<5_000_000_000)],
      [Self.group(0..<longest + 1, a), Self.group(longest + 1..<5_000_000_000, a)],
      [Self.group(0..<longest - 1, a), Self.group(longest - 1..<5_000_000_000, a)],
    ] {
      var edit = try MovieEdit(of: Self.longMovie.source)
      let id = try edit.addTimedMetadata(groups)
      for bytes in try Self.outputs(edit) {
        let read = try Self.groups(bytes, track: id)
        #expect(read.map(\.microseconds) == groups.map(\.microseconds))
        #expect(read.map { $0.items.map(\.stringValue) } == groups.map { $0.items.map(\.stringValue) })
      }
    }
    // Nothing in the file separates equal groups if the first has the longest duration of a sample.
    var edit = try MovieEdit(of: Self.longMovie.source)
    let id = try edit.addTimedMetadata([Self.group(0..<longest, a), Self.group(longest..<longest + 9, a)])
    #expect(
      try Self.groups(Self.outputs(edit)[0], track: id).map(\.microseconds) == [
        0..<longest + 9, longest + 9..<5_000_000_000,
      ])
  }

  /// Segments of a route that have a common date are read as segments.
  @Test func keepsSegmentsOfARouteApart() throws {
    func point(_ seconds: Int, _ latitude: Int) -> String {
      "<trkpt lat=\"\(latitude)\" lon=\"1\"><time>2019-05-06T18:15:0\(seconds)Z</time></trkpt>"
    }
    let gpx =
      "<gpx><trk><trkseg>\(point(0, 1))\(point(1, 2))</trkseg><trkseg>\(point(1, 3))</trkseg>"
      + "<trkseg>\(point(1, 4))\(point(2, 5))</trkseg></trk></gpx>"
    let route = try GPXRoute(Array(gpx.utf8))
    let groups = try route.groups(startingAt: route.secondsSince1970.lowerBound, lasting: 5_000_000_000)
    var edit = try MovieEdit(of: Self.longMovie.source)
    let id = try edit.addTimedMetadata(groups)
    for bytes in try Self.outputs(edit) {
      let source = MemorySource(Bytes(bytes))
      let read = try #require(try Movie(of: source).route(in: [id], from: source))
      #expect(read.segments.map { $0.map(\.location.latitude) } == [[1, 2], [3], [4, 5]])
      #expect(read.points.map(\.milliseconds) == [0, 1_000, 1_000, 1_000, 2_000])
    }
  }

  /// Groups → track → groups, with random items, times, gaps and overlaps.
  @Test(arguments: 0..<40)
  func readsTheGroupsThatWereWritten(seed: UInt64) throws {
    var chance = Chance(seed: seed)
    var groups: [TimedMetadataGroup] = []
    var time = Int64.random(in: 0...1_000, using: &chance)
    while time < 2_000_000 {
      let end = time + Int64.random(in: 1...300_000, using: &chance)
      let items = try (0..<Int.random(in: 0...4, using: &chance)).map { _ in try Self.randomItem(&chance) }
      groups.append(TimedMetadataGroup(microseconds: time..<min(end, 2_000_000), items: items))
      time = end + (chance.once(in: 3) ? Int64.random(in: 1...100_000, using: &chance) : 0)
    }
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let id = try edit.addTimedMetadata(groups.shuffled(using: &chance))
    for bytes in try Self.outputs(edit) {
      let read = try Self.groups(bytes, track: id)
      #expect(read.first?.microseconds.lowerBound == 0 && read.last?.microseconds.upperBound == 2_000_000)
      #expect(zip(read, read.dropFirst()).allSatisfy { $0.microseconds.upperBound == $1.microseconds.lowerBound })
      let ranges = Set(groups.map(\.microseconds))
      // All other groups fill the times between the requested groups.
      #expect(read.filter { !ranges.contains($0.microseconds) }.allSatisfy { $0.items.isEmpty && $0.problem == nil })
      let written = read.filter { ranges.contains($0.microseconds) }
      #expect(written.map(\.microseconds) == groups.map(\.microseconds))
      for (one, other) in zip(written, groups) {
        #expect(one.items.map(\.identifier) == other.items.map(\.identifier))
        #expect(one.items.map(\.bytes) == other.items.map(\.bytes))
        #expect(one.items.map(\.value) == other.items.map(\.value))
        #expect(one.items.map(\.typeCode) == other.items.map(\.typeCode))
        #expect(one.items.map(\.language) == other.items.map(\.language))
        #expect(one.items.map(\.details) == other.items.map(\.details))
      }
    }
  }

  private static func randomItem(_ chance: inout Chance) throws -> MetadataItem {
    let values: [(MetadataValue, UInt32)] = [
      (.text("a"), 1), (.text("日本"), 2), (.integer(-1), 65), (.integer(-300), 66), (.integer(1 << 40), 74),
      (.unsignedInteger(200), 75), (.number(0.1), 24), (.number(0.5), 23), (.numbers([1, 2]), 70),
      (.numbers([1, 2, 3, 4]), 72), (.data(Bytes([1, 2, 3])), 0), (.text(""), 1),
    ]
    let (value, type) = try #require(values.randomElement(using: &chance))
    return try item(
      ["x", "y", "z"].randomElement(using: &chance) ?? "x", value, type: type,
      named: chance.once(in: 4) ? "com.example.type" : nil, language: chance.once(in: 3) ? "fr" : nil)
  }

  /// The check reads the planned track, and refuses other items and times than the requested ones.
  @Test func refusesAPlanWithOtherItems() throws {
    let movie = TestMovie.talk
    func edit(_ text: String, _ range: Range<Int64>) throws -> MovieEdit {
      var edit = try MovieEdit(of: movie.source)
      try edit.addTimedMetadata([Self.group(range, try Self.item("a", .text(text)))])
      return edit
    }
    let requested = try edit("one", 0..<1_000_000)
    let resolved = try requested.resolved(isInterleaved: false)
    func check(_ edit: MovieEdit) throws {
      let plan = try edit.outputPlan()
      let planned = try Movie(of: PlannedSource(plan, of: movie.source))
      let checker = PlanChecker(
        resolved: resolved, source: movie.source, plan: plan, planned: planned, strategy: .rewrite(OutputLayout()))
      try TimedMetadataCheck(checker: checker).check()
    }
    for wrong in [try edit("two", 0..<1_000_000), try edit("one", 0..<999_999)] {
      #expect(throws: MovieError.self) { try check(wrong) }
    }
    try check(requested)
  }

  /// The compiled example of the documentation.
  @Test func compilesTheExampleOfTheDocumentation() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    guard let key = MetadataIdentifier("mdta/com.example.heart-rate"),
      let item = MetadataItem(key, .integer(72), typeCode: 67)
    else { return }
    let group = TimedMetadataGroup(microseconds: 0..<2_000_000, items: [item])
    try edit.addTimedMetadata([group])
    #expect(edit.tracks.count == 5)
  }
}

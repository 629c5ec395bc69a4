import TestSupport
import Testing

@testable import MovieBox

struct TimedMetadataTests {
  static func movie(_ tracks: [TestTrack]) throws -> (Movie, MemorySource) {
    let source = MemorySource(Bytes(TestMovie(tracks: tracks).build().bytes))
    return (try Movie(of: source), source)
  }

  static func groups(
    _ tracks: [TestTrack], in ids: Set<UInt32>? = nil, identifiers: [String] = [], range: Range<Int64>? = nil
  ) async throws -> [TimedMetadataGroup] {
    let (movie, source) = try movie(tracks)
    var groups: [TimedMetadataGroup] = []
    for try await group in try movie.timedMetadata(in: ids, identifiers: identifiers, range: range, from: source) {
      groups.append(group)
    }
    return groups
  }

  private static let keys = [
    TestMetadataKey(3, "com.example.title", type: 1, language: "de"),
    TestMetadataKey(1, "com.apple.quicktime.video-orientation", type: 66),
    TestMetadataKey(9, "com.example.count", type: 77, named: "com.example.counter"),
  ]

  @Test func readsItemsWithTypesLanguagesAndTimes() async throws {
    let groups = try await Self.groups([
      .boxed(
        id: 1, Self.keys,
        [
          atom(numbered: 1) { u16(6) } + atom(numbered: 3) { text("Anfang") },
          atom(numbered: 0),
          atom(numbered: 9) { u32(70_000) } + atom(numbered: 3) { text("a") } + atom(numbered: 3) { text("b") },
        ])
    ])
    #expect(groups.map(\.microseconds) == [0..<1_000_000, 1_000_000..<2_000_000, 2_000_000..<3_000_000])
    #expect(groups.allSatisfy { $0.trackID == 1 && $0.problem == nil })
    #expect(groups[0].items.map(\.value) == [.integer(6), .text("Anfang")])
    #expect(groups[0].items[1].language?.description == "de" && groups[0].items[1].typeCode == 1)
    #expect(groups[1].items.isEmpty)
    #expect(groups[2].items.map(\.value) == [.unsignedInteger(70_000), .text("a"), .text("b")])
    #expect(groups[2].items[0].details == ["type": "com.example.counter"])
    #expect(groups[2].items[1].identifier.description == "mdta/com.example.title")
  }

  /// A few bytes of an edit list can present the same large sample a million times.
  @Test func limitsTheBytesOfRepeatedSamples() async throws {
    func groups(editCount: Int) async throws -> [TimedMetadataGroup] {
      let sample = atom(numbered: 3) { zeros(100_000) }
      return try await Self.groups([
        TestTrack.boxed(id: 1, Self.keys, [sample]).with {
          $0.edits = Array(repeating: TestEdit(duration: 600, mediaTime: 0), count: editCount)
        }
      ])
    }
    #expect(try await groups(editCount: 60).count == 60)
    let error = await #expect(throws: MovieError.self) { _ = try await groups(editCount: 80) }
    #expect(error?.code == .limit)
  }

  @Test func readsFieldsOfStructuredValues() async throws {
    let face = "com.apple.quicktime.detected-face"
    let keys = [
      TestMetadataKey(1, face, type: 69, named: face), TestMetadataKey(2, face + ".bounds", space: "fiel", type: 72),
      TestMetadataKey(4, face + ".face-id", space: "fiel", type: 77),
    ]
    let record = { (id: Int) in
      atom("cits") {
        atom(numbered: 2) { u32(0x3E80_0000, 0x3F00_0000, 0x3F80_0000, 0) }
        atom(numbered: 4) { u32(id) }
      }
    }
    let groups = try await Self.groups([
      .boxed(id: 1, keys, [atom(numbered: 1) { atom("crec") { record(11) + record(12) } }])
    ])
    let faces = try #require(groups.first?.items.first?.nestedItems)
    #expect(faces.map { $0.nestedItems.last?.numberValue } == [11, 12])
    #expect(faces.first?.nestedItems.first?.value == .numbers([0.25, 0.5, 1, 0]))
    #expect(faces.first?.nestedItems.first?.identifier.description == "fiel/\(face).bounds")
  }

  @Test func keepsItemsOfUnknownIDsAsBytes() async throws {
    let groups = try await Self.groups([.boxed(id: 1, Self.keys, [atom(numbered: 77) { text("?") }])])
    #expect(groups[0].items.map(\.identifier.description) == ["mebx/77"])
    #expect(groups[0].items[0].bytes == Bytes(Array("?".utf8)) && groups[0].problem == nil)
  }

  @Test func mapsTimesThroughEditLists() async throws {
    let track = TestTrack.boxed(id: 1, Self.keys, (0..<3).map { number in atom(numbered: 1) { u16(number) } }).with {
      $0.edits = [TestEdit(duration: 900, mediaTime: -1), TestEdit(duration: 900, mediaTime: 1_500)]
    }
    let groups = try await Self.groups([track])
    #expect(groups.map(\.microseconds) == [1_500_000..<2_000_000, 2_000_000..<3_000_000])
    #expect(groups.map { $0.items[0].value } == [.integer(1), .integer(2)])
  }

  /// Times of a video with 30 000/1001 frames per second are not whole milliseconds.
  @Test func returnsMicroseconds() async throws {
    let track = TestTrack.boxed(id: 1, Self.keys, [atom(numbered: 1) { u16(6) }, atom(numbered: 0)]).with {
      $0.timeScale = 30_000
      $0.samples[0].duration = 1_001
    }
    #expect(try await Self.groups([track]).first?.microseconds == 0..<33_367)
  }

  @Test func mergesTracksAndSelectsTimesAndIdentifiers() async throws {
    let first = TestTrack.boxed(id: 1, Self.keys, (0..<4).map { number in atom(numbered: 1) { u16(number) } })
    let second = TestTrack.boxed(id: 2, Self.keys, (0..<4).map { number in atom(numbered: 3) { text("\(number)") } })
    let all = try await Self.groups([first, second])
    #expect(all.map(\.trackID) == [1, 2, 1, 2, 1, 2, 1, 2])
    let selected = try await Self.groups(
      [first, second], identifiers: ["mdta/com.example.*"], range: 1_500_000..<2_000_001)
    // The keys of track 1 include the identifier, so its samples are gaps.
    #expect(selected.filter { $0.trackID == 2 }.map { $0.items.first?.stringValue } == ["1", "2"])
    #expect(selected.filter { $0.trackID == 1 }.allSatisfy { $0.items.isEmpty })
    #expect(try await Self.groups([first, second], in: [2]).count == 4)
    #expect(try await Self.groups([first], identifiers: ["mdta/other"]).isEmpty)
  }

  /// A sample without a duration is valid until the next sample, and the last until the end of the movie.
  @Test func extendsSamplesWithoutDuration() async throws {
    let track = TestTrack.boxed(id: 2, Self.keys, (0..<2).map { number in atom(numbered: 1) { u16(number) } }).with {
      $0.samples[1].duration = 0
    }
    let picture = TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] }
    let groups = try await Self.groups([picture, track])
    let (movie, _) = try Self.movie([picture, track])
    let end = try #require(movie.endMilliseconds(nil))
    #expect(groups.map(\.microseconds) == [0..<1_000_000, 1_000_000..<end * 1_000])
  }

  /// The list contains the end that the last sample has if it is read.
  @Test(arguments: [0, 1], [false, true])
  func listsTheEndOfSamplesWithoutDuration(firstDuration: Int, isFragmented: Bool) throws {
    let samples = [firstDuration * 1_000, 0].map { TestSample(content: atom(numbered: 1) { u16(6) }, duration: $0) }
    let track = TestTrack.boxed(id: 2, Self.keys, []).with { $0.samples = isFragmented ? [] : samples }
    let picture = TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] }
    let movie = TestMovie(tracks: [picture, track])
    let fragment = TestFragment([.init(id: 2, decodeTime: 0, runs: [.init(samples)])])
    let source = MemorySource(Bytes(isFragmented ? movie.bytes(fragments: [fragment]) : movie.build().bytes))
    let read = try Movie(of: source)
    let listed = try #require(try read.timedMetadataTracks(from: source).first?.microseconds)
    var reader = try TimedMetadataReader(read, in: nil, identifiers: [], range: nil, from: source)
    let groups = try #require(try reader.nextGroups())
    #expect(groups.count == 2 && listed == 0..<(groups.last?.microseconds.upperBound ?? 0))
    #expect(listed.upperBound == 10_000_000)
  }

  @Test func readsOtherFormats() async throws {
    let uri = TestTrack.timed(
      "urim", id: 1, description: fullAtom("uri ") { cString("urn:example:meta") }, [[1, 2, 3]])
    let text = TestTrack.timed("mett", id: 2, description: cString("") + cString("text/plain"), [Array("hello".utf8)])
    let xml = TestTrack.timed(
      "metx", id: 3, description: cString("") + cString("urn:example:xml") + cString(""), [Array("<a/>".utf8)])
    let items = try await Self.groups([uri, text, xml]).flatMap(\.items)
    #expect(
      items.map(\.identifier.description) == ["urim/urn:example:meta", "mett/text/plain", "metx/urn:example:xml"])
    #expect(items.map(\.value) == [.data(Bytes([1, 2, 3])), .text("hello"), .text("<a/>")])
  }

  @Test(arguments: [
    (0, 30, 1_800, "00:01:00:00"), (1, 30, 1_800, "00:01:00;02"), (1, 30, 17_982, "00:10:00;00"),
    (1, 60, 3_600, "00:01:00;04"), (0, 25, 90_000, "01:00:00:00"),
  ])
  func readsTimeCodes(flags: Int, frames: Int, number: Int, text: String) async throws {
    let track = TestTrack.timed(
      "tmcd", id: 1, description: u32(0, flags, frames * 1_000, flags == 1 ? 1_001 : 1_000) + u8(frames, 0),
      [u32(number)])
    let item = try #require(try await Self.groups([track]).first?.items.first)
    #expect(item.stringValue == text && item.identifier.description == "tmcd/timecode")
    #expect(item.details["dropFrame"] == (flags == 1 ? "yes" : "no"))
    #expect(item.details["framesPerSecond"] == (flags == 1 ? (frames == 30 ? "29.97" : "59.94") : "\(frames)"))
  }

  @Test func listsTracksWithoutReadingSamples() throws {
    let track = TestTrack.boxed(id: 4, Self.keys, [atom(numbered: 1) { u16(6) }, atom(numbered: 0)]).with {
      $0.references = [TestReference("cdsc", 1)]
    }
    let picture = TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] }
    let (movie, source) = try Self.movie([picture, track])
    let list = try movie.timedMetadataTracks(from: source)
    #expect(list.map(\.trackID) == [4] && list[0].format == "mebx" && list[0].sampleCount == 2)
    #expect(list[0].describedTrackIDs == [1] && list[0].microseconds == 0..<2_000_000)
    #expect(list[0].keys.map(\.typeDescription) == ["UTF-8", "int16", "com.example.counter"])
  }

  // MARK: - Bad input

  @Test(arguments: [0, 7, 0xFFFF_FFFF]) func endsTheKeysAtAnInvalidBox(size: Int) async throws {
    let good = TestMetadataKey(1, "com.example.title", type: 1)
    let description = atom("keys") { good.bytes + u32(size, 2) + zeros(4) }
    let groups = try await Self.groups([
      .timed("mebx", id: 1, description: description, [atom(numbered: 1) { text("a") }])
    ])
    #expect(groups[0].items.map(\.stringValue) == ["a"] && groups[0].problem?.contains("keys") == true)
  }

  @Test func usesTheFirstKeyOfAnID() async throws {
    let keys = [TestMetadataKey(1, "com.example.a", type: 1), TestMetadataKey(1, "com.example.b", type: 1)]
    let groups = try await Self.groups([.boxed(id: 1, keys, [atom(numbered: 1) { text("x") }])])
    #expect(groups[0].items.map(\.identifier.key) == ["com.example.a"])
  }

  @Test func reportsBytesAfterTheItems() async throws {
    let sample = atom(numbered: 1) { u16(6) } + u32(900, 1)
    let groups = try await Self.groups([.boxed(id: 1, Self.keys, [sample, []])])
    #expect(groups[0].items.count == 1 && groups[0].problem?.contains("8 bytes") == true)
    #expect(groups[1].items.isEmpty && groups[1].problem != nil)
  }

  @Test func keepsDeeplyNestedValuesAsBytes() async throws {
    var value = atom(numbered: 1) { text("deep") }
    for _ in 0..<500 { value = atom(numbered: 1) { atom("cits") { value } } }
    let keys = [TestMetadataKey(1, "com.example.tree", type: 0)]
    var item = try #require(try await Self.groups([.boxed(id: 1, keys, [value])]).first?.items.first)
    var depth = 0
    while let inner = item.nestedItems.first {
      item = inner
      depth += 1
    }
    #expect(depth > 0 && depth <= 2 * BoxedMetadataDecoder.depthLimit && !item.bytes.isEmpty)
  }

  @Test func readsAMillionItemsInASample() async throws {
    let sample = [UInt8]((0..<1_000_000).lazy.flatMap { _ in [0, 0, 0, 9, 0, 0, 0, 5, 1] as [UInt8] })
    let decoder = BoxedMetadataDecoder(SampleEntry(format: "mebx", body: Bytes()))
    let decoded = decoder.decode(Bytes(sample), at: TimedSamplePlace(trackID: 1, path: "", offset: 0))
    #expect(decoded.items.count == 1_000_000)
  }

  @Test func survivesAnyChangedByteOfTheDescription() throws {
    let bytes = TestMovie(tracks: [.boxed(id: 1, Self.keys, [atom(numbered: 1) { u16(6) }])]).build().bytes
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: "stsd".utf8) })
    for index in start..<min(start + 200, bytes.count) {
      for value: UInt8 in [0, 7, 0xFF] {
        var changed = bytes
        changed[index] = value
        let source = MemorySource(Bytes(changed))
        do {
          let movie = try Movie(of: source)
          var reader = try TimedMetadataReader(movie, in: nil, identifiers: [], range: nil, from: source)
          while try reader.nextGroups() != nil {}
        } catch {
          #expect(error is MovieError, "\(error)")
        }
      }
    }
  }

  /// Only the samples of the requested range are read.
  @Test func readsOnlyTheSamplesOfTheRange() throws {
    let track = TestTrack.boxed(id: 1, Self.keys, (0..<1_000).map { number in atom(numbered: 1) { u16(number) } })
    let (movie, source) = try Self.movie([track])
    let counting = CountingSource(source.bytes.array)
    var reader = try TimedMetadataReader(
      movie, in: nil, identifiers: [], range: 500_000_000..<510_000_000, from: counting)
    var count = 0
    while let groups = try reader.nextGroups() { count += groups.count }
    #expect(count == 10 && counting.reads.map(\.count) == [100])
  }
}

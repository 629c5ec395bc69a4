import MovieBox
import MovieStreaming
import MovieWriter
import TestSupport
import Testing

struct StreamPlanTests {
  /// According to an independent reader, each rendition has the samples of the movie: bytes, order and times, delayed by a
  /// constant.
  @Test(arguments: [false, true]) func writesTheMoviesSamplesIntoSegments(_ isSingleFile: Bool) throws {
    let movie = StreamableMovie.talk.bytes()
    let streamed = try Streamed(movie, StreamOptions(isSingleFile: isSingleFile))
    let original = try SecondReader(movie)
    #expect(streamed.plan.delayIn90kHz == 3_600)  // A picture of 40 ms; the audio priming is shorter.
    for (folder, id, priming) in [("video", 1, 512), ("audio-en", 2, 1_024), ("audio-es", 3, 1_024)]
      as [(String, UInt32, Int64)]
    {
      let reader = try SecondReader(streamed.joined(folder))
      let (new, old) = (try #require(reader.tracks.first), try #require(original.track(id)))
      let delay = Int64(streamed.plan.delayIn90kHz) * Int64(old.timeScale) / 90_000
      #expect(new.timeScale == old.timeScale)
      #expect(new.samples.map(\.presentationTime) == old.samples.map { $0.presentationTime - priming + delay })
      #expect(new.samples.map(\.duration) == old.samples.map(\.duration))
      #expect(new.samples.map(\.isSync) == old.samples.map(\.isSync))
      #expect(try new.samples.map(reader.bytes(of:)) == old.samples.map(original.bytes(of:)))
      #expect(new.samples.allSatisfy { $0.decodeTime >= 0 && $0.presentationTime >= $0.decodeTime })
    }
  }

  @Test func describesTheMovieInThePlaylist() throws {
    let streamed = try Streamed(StreamableMovie.talk)
    let lines = try streamed.lines(streamed.plan.entryPath)
    #expect(
      lines.filter { $0.hasPrefix("#EXT-X-MEDIA:") } == [
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio-en/playlist.m3u8""#,
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Español",LANGUAGE="es",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="audio-es/playlist.m3u8""#,
        #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="English",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="subtitles-en/playlist.m3u8""#,
      ])
    let variant = try #require(lines.first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
    #expect(variant.contains(#"CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=25.000,VIDEO-RANGE=SDR"#))
    #expect(variant.hasSuffix(#"AUDIO="audio",SUBTITLES="subtitles",CLOSED-CAPTIONS=NONE"#))
  }

  @Test func startsSegmentsAtKeyPicturesInAllRenditions() throws {
    let streamed = try Streamed(StreamableMovie.talk)
    for folder in ["video", "audio-en", "audio-es", "subtitles-en"] {
      let lines = try streamed.lines(folder + "/playlist.m3u8")
      let durations = lines.filter { $0.hasPrefix("#EXTINF:") }
      // The last picture on which others depend is shown after a missing one.
      #expect(durations == ["#EXTINF:6.000,", "#EXTINF:6.000,", "#EXTINF:6.000,", "#EXTINF:6.040,"], "\(folder)")
      #expect(lines.contains("#EXT-X-TARGETDURATION:6") && lines.contains("#EXT-X-PLAYLIST-TYPE:VOD"))
    }
  }

  /// With a variable frame rate, a player must handle the rate of the busiest second.
  @Test(arguments: [
    (100, 14, "25.000"), (24, 100, "20.161"), (100, 1, "25.000"), (500, 2, "24.416"), (1_000, 200, "25.000"),
  ])
  func declaresTheFrameRateOfTheBusiestSecond(_ quick: Int, _ slow: Int, _ rate: String) throws {
    let picture = StreamableMovie.picture(frameCount: quick + slow).with { track in
      for index in quick..<quick + slow { track.samples[index].duration *= 7 }
      track.edits = []
    }
    let lines = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso }).lines("main.m3u8")
    let variant = try #require(lines.first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
    #expect(variant.contains("FRAME-RATE=\(rate),"), "\(variant)")
  }

  /// Slow motion: many pictures in half a second, later few.
  @Test func countsShortBurstsOfPictures() throws {
    let picture = StreamableMovie.picture(frameCount: 200).with { track in
      for index in 0..<100 { track.samples[index].duration = 64 }
      track.edits = []
    }
    let line = try streamLine(Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso }))
    // 100 pictures of 1/200 s and 13 of 1/25 s: 113 pictures in 1.02 s.
    #expect(line.contains("FRAME-RATE=110.784,"), "\(line)")
  }

  /// Durations in tables that exceed the number of samples.
  @Test func ignoresDurationsBeyondTheSamples() throws {
    let picture = StreamableMovie.picture(frameCount: 150).with { track in
      track.samples[149].duration = 1
      track.edits = []
    }
    var bytes = TestMovie(tracks: [picture]).with { $0.dialect = .iso }.bytes()
    let (old, new) = (u32(149, 512, 1, 1), u32(149, 512, 1_000_000_000, 1))
    let place = try #require((0...bytes.count - old.count).first { bytes[$0..<$0 + old.count].elementsEqual(old) })
    bytes.replaceSubrange(place..<place + old.count, with: new)
    let line = try streamLine(Streamed(bytes))
    #expect(line.contains("FRAME-RATE=25.167,"), "\(line)")
  }

  private func streamLine(_ streamed: Streamed) throws -> String {
    try #require(try streamed.lines("main.m3u8").first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
  }

  private func generated(_ file: StreamPlan.File) -> [Bytes] {
    file.contents.compactMap { if case .generated(let bytes) = $0 { bytes } else { nil } }
  }

  /// Tracks of a long film are segmented on two threads, with the same result as on one.
  @Test func segmentsTracksInParallelWithEqualResults() throws {
    let picture = StreamableMovie.picture(frameCount: 20_000)
    let sound = StreamableMovie.sound(id: 2, "eng", packetCount: 2_000)
    let both = try Streamed(TestMovie(tracks: [picture, sound]).with { $0.dialect = .iso })
    let alone = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso })
    #expect(both.plan.delayIn90kHz == alone.plan.delayIn90kHz)
    let paths = alone.plan.files.map(\.path).filter { $0.hasPrefix("video/") }
    #expect(paths.count == 137)
    for path in paths {
      let (one, other) = (try #require(both.plan.file(path)), try #require(alone.plan.file(path)))
      #expect(one.byteCount == other.byteCount && generated(one) == generated(other), "\(path)")
    }
    #expect(try both.lines("audio-en/playlist.m3u8").count { $0.hasPrefix("#EXTINF:6.000,") } == 7)
  }

  /// Each key picture is a range from the start of a fragment to the end of its first sample.
  @Test func listsEveryKeyPictureForTrickPlay() throws {
    let streamed = try Streamed(StreamableMovie.talk)
    let lines = try streamed.lines("video/iframes.m3u8")
    #expect(lines.contains("#EXT-X-I-FRAMES-ONLY"))
    let ranges = lines.filter { $0.hasPrefix("#EXT-X-BYTERANGE:") }
    #expect(ranges.count == 12)
    let first = try #require(ranges.first).dropFirst("#EXT-X-BYTERANGE:".count).split(separator: "@").map(String.init)
    let segment = try streamed.bytes("video/segment-1.m4s")
    let count = try #require(Int(first[0]))
    #expect(first[1] == "0" && Array(segment[4..<8]) == code("moof"))
    #expect(Array(segment[(count - 300)..<count]) == TestSample.pattern(track: 1, number: 1, byteCount: 300))
  }

  /// The declared rates of a variant equal those computed from the files.
  @Test func declaresTheBandwidthOfTheFiles() throws {
    let streamed = try Streamed(StreamableMovie.talk)
    func sizes(_ folder: String) -> [UInt64] {
      streamed.plan.files.filter { $0.path.hasPrefix(folder) && [.media, .text].contains($0.kind) }.map(\.byteCount)
    }
    // Segments last six seconds, the last 40 ms more. No two of them fit into one and a half target durations.
    func rate(_ byteCount: UInt64, _ milliseconds: UInt64) -> UInt64 {
      (byteCount * 8_000 + milliseconds - 1) / milliseconds
    }
    func peak(_ folder: String) -> UInt64 { zip(sizes(folder), [6_000, 6_000, 6_000, 6_040]).map(rate).max() ?? 0 }
    func average(_ folder: String) -> UInt64 { rate(sizes(folder).reduce(0, +), 24_040) }
    let sound = max(peak("audio-en/"), peak("audio-es/"))
    let averageSound = max(average("audio-en/"), average("audio-es/"))
    let line = try #require(try streamed.lines("main.m3u8").first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
    #expect(line.hasPrefix("#EXT-X-STREAM-INF:BANDWIDTH=\(peak("video/") + sound + peak("subtitles-en/")),"))
    #expect(line.contains("AVERAGE-BANDWIDTH=\(average("video/") + averageSound + average("subtitles-en/")),"))
  }

  @Test func writesCuesIntoEverySegmentThatShowsThem() throws {
    let streamed = try Streamed(StreamableMovie.talk)
    let start = ["WEBVTT", "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:3600", ""]
    let first = ["00:00:01.000 --> 00:00:02.000", "First", ""]
    let across = ["00:00:05.500 --> 00:00:07.000", "Across", ""]
    let last = ["00:00:12.000 --> 00:00:12.500", "At the cut", ""]
    // A blank line ends the last cue too.
    #expect(try streamed.lines("subtitles-en/segment-1.vtt") == start + first + across + [""])
    #expect(try streamed.lines("subtitles-en/segment-2.vtt") == start + across + [""])
    #expect(try streamed.lines("subtitles-en/segment-3.vtt") == start + last + [""])
    #expect(try streamed.lines("subtitles-en/segment-4.vtt") == start + [""])
  }

  @Test func rejectsEditListsThatFragmentsCannotExpress() throws {
    let edits: [[TestEdit]] = [
      [TestEdit(duration: 600, mediaTime: 512), TestEdit(duration: 600, mediaTime: 512)],  // Plays twice.
      [TestEdit(duration: 600, mediaTime: 512, rate: 0x8000)],
      [
        TestEdit(duration: 6_000, mediaTime: 512), TestEdit(duration: 60, mediaTime: -1),
        TestEdit(duration: 600, mediaTime: 128_512),
      ],
      [
        TestEdit(duration: 6_000, mediaTime: 512), TestEdit(duration: 60, mediaTime: -1),
        TestEdit(duration: 8_400, mediaTime: 128_512), TestEdit(duration: 60, mediaTime: -1),
      ],
    ]
    for list in edits {
      let movie = StreamableMovie.talk.with { $0.tracks[0].edits = list }
      #expect(throws: MovieError.self) {
        do {
          _ = try Streamed(movie)
        } catch let error as MovieError {
          #expect(error.code == .unsupported && error.path == "moov/trak[1]/edts/elst" && error.offset != nil)
          throw error
        }
      }
    }
  }

  @Test func treatsAnEditWithoutDurationAsTheRestOfTheMedia() throws {
    let movie = StreamableMovie.talk.with {
      $0.tracks[0].edits = [TestEdit(duration: 6_000, mediaTime: 512), TestEdit(duration: 0, mediaTime: 128_512)]
    }
    #expect(try Streamed(movie).plan.files.count == Streamed(StreamableMovie.talk).plan.files.count)
  }

  @Test func ignoresTrailingAndZeroLengthEmptyEdits() throws {
    let movie = StreamableMovie.talk.with {
      $0.tracks[0].edits = [
        TestEdit(duration: 6_000, mediaTime: 512), TestEdit(duration: 0, mediaTime: -1),
        TestEdit(duration: 8_400, mediaTime: 128_512), TestEdit(duration: 500, mediaTime: -1),
        TestEdit(duration: 700, mediaTime: -1),
      ]
    }
    let (edited, whole) = (try Streamed(movie), try Streamed(StreamableMovie.talk))
    #expect(try edited.lines("video/playlist.m3u8") == whole.lines("video/playlist.m3u8"))
    for number in 1...4 {
      let path = "video/segment-\(number).m4s"
      #expect(try edited.bytes(path) == whole.bytes(path), "\(path)")
    }
  }

  /// Separate segments concatenate to the single file.
  @Test func concatenatesSegmentsInASingleFile() throws {
    let (parted, single) = (
      try Streamed(StreamableMovie.talk), try Streamed(StreamableMovie.talk, StreamOptions(isSingleFile: true))
    )
    for folder in ["video", "audio-en", "audio-es"] {
      let paths = parted.plan.files.map(\.path).filter { $0.hasPrefix(folder + "/") && !$0.hasSuffix(".m3u8") }
      #expect(paths.first == "\(folder)/init.mp4" && paths.count > 2)
      #expect(try paths.flatMap { try parted.bytes($0) } == single.bytes("\(folder)/media.mp4"), "\(folder)")
    }
  }

  /// Sources in memory with equal lengths have equal identities. The tags of their media must differ nevertheless.
  @Test func assignsDifferentTagsToEditsOfEqualLength() throws {
    func tag(creationTime: UInt8) throws -> String? {
      var bytes = StreamableMovie.talk.bytes()
      let mvhd = try #require(bytes.firstRange(of: Array("mvhd".utf8)))
      bytes[mvhd.upperBound + 7] = creationTime
      let source = MemorySource(Bytes(bytes))
      return try StreamPlan(of: Movie(of: source), from: source).response("video/segment-1.m4s")?.entityTag
    }
    #expect(try tag(creationTime: 1) == tag(creationTime: 1))
    #expect(try tag(creationTime: 1) != tag(creationTime: 2))
  }

  @Test func describesResponsesWithLengthTagAndRange() throws {
    let streamed = try Streamed(StreamableMovie.talk)
    let whole = try #require(streamed.plan.response("video/segment-1.m4s"))
    #expect(whole.byteCount == whole.range.count && whole.contentType == "video/mp4")
    let part = try #require(streamed.plan.response("video/segment-1.m4s", range: ByteRange(10..<1_000_000)))
    #expect(part.range == ByteRange(10..<whole.byteCount) && part.entityTag == whole.entityTag)
    #expect(part.extents.reduce(0) { $0 + $1.content.byteCount } == part.range.count)
    #expect(streamed.plan.response("video/segment-9.m4s") == nil)
    #expect(streamed.plan.response("main.m3u8", range: ByteRange(1_000_000..<1_000_001)) == nil)
    let other = try #require(streamed.plan.response("video/segment-2.m4s"))
    #expect(other.entityTag != whole.entityTag)
    // The extents contain the bytes of the file, for any requested range.
    let bytes = try streamed.bytes("video/segment-1.m4s")
    for range in [0..<1, 0..<UInt64(bytes.count), 40..<900, 1_000..<1_001, UInt64(bytes.count) - 1..<9_999_999] {
      let answer = try #require(streamed.plan.response("video/segment-1.m4s", range: ByteRange(range)))
      #expect(answer.extents.first?.offset == answer.range.offset)
      let got = try answer.extents.flatMap { extent -> [UInt8] in
        switch extent.content {
        case .generated(let bytes): return bytes.array
        case .source(let range): return try streamed.source.read(range).array
        case .zeros(let count): return Array(repeating: 0, count: Int(count))
        }
      }
      #expect(got == Array(bytes[Int(answer.range.offset)..<Int(answer.range.end)]))
    }
  }

  /// If a tag stayed the same while bytes change, a cache would mix segments of two presentations.
  @Test func assignsDifferentTagsToDifferentPresentations() throws {
    let presentations = try [
      StreamOptions(), StreamOptions(segmentMilliseconds: 4_000), StreamOptions(isSingleFile: true),
      StreamOptions(isAudioOnly: true), StreamOptions(styles: [.init(name: "a", declaration: "color: red")]),
    ].map { try Streamed(StreamableMovie.talk, $0) }
    var known: [String: [UInt8]] = [:]
    for streamed in presentations {
      for file in streamed.plan.files {
        let tag = try #require(streamed.plan.response(file.path)).entityTag
        let bytes = try streamed.bytes(file.path)
        #expect(known.updateValue(bytes, forKey: tag) ?? bytes == bytes, "\(file.path)")
      }
    }
  }
}

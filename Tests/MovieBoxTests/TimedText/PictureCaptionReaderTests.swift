import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Captions in pictures become cues, in the order in which the pictures are presented.
struct PictureCaptionReaderTests {
  /// Pop-on captions: `HI` appears with the picture 6, and disappears with the picture 12.
  private static let codes: [(Int, Int)] = [
    (0x94, 0x20), (0x94, 0x20), (0x94, 0x70), (0x94, 0x70), (0xC8, 0x49), (0x80, 0x80), (0x94, 0x2F), (0x94, 0x2F),
    (0x80, 0x80), (0x80, 0x80), (0x80, 0x80), (0x80, 0x80), (0x94, 0x2C), (0x94, 0x2C),
  ]

  /// The triples of each picture in order of presentation.
  private static func triples(_ codes: [(Int, Int)], type: Int = 0) -> [[CaptionedPicture.Triple]] {
    codes.map { [(type, $0.0, $0.1)] }
  }

  /// Pictures at 25 a second, of which each pair is decoded in the reverse order.
  private static func pictures(
    _ triples: [[CaptionedPicture.Triple]], isReordered: Bool = true, isHEVC: Bool = false
  ) -> [TestSample] {
    let pictures = triples.map { triples in
      TestSample(content: CaptionedPicture(triples).with { $0.isHEVC = isHEVC }.bytes, duration: 40)
    }
    guard isReordered else { return pictures }
    return stride(from: 0, to: pictures.count - 1, by: 2).flatMap { index in
      var (first, second) = (pictures[index], pictures[index + 1])
      (second.compositionOffset, first.compositionOffset) = (80, 0)
      return [second, first]
    }
  }

  private static func track(_ samples: [TestSample], isHEVC: Bool = false) -> TestTrack {
    TestTrack(.video, id: 1).with {
      ($0.width, $0.height) = (64, 36)
      $0.timeScale = 1_000
      $0.samples = samples
      let configuration = isHEVC ? SampleEntry.hvcC() : SampleEntry.avcC
      $0.sampleEntries = [SampleEntry.video(isHEVC ? "hev1" : "avc1", width: 64, height: 36, extensions: configuration)]
    }
  }

  private static func movie(_ samples: [TestSample], isHEVC: Bool = false) -> TestMovie {
    TestMovie(tracks: [track(samples, isHEVC: isHEVC)]).with {
      $0.dialect = .iso
      $0.timeScale = 1_000
    }
  }

  private func read(_ bytes: [UInt8], _ limits: SubtitleLimits = SubtitleLimits()) throws -> DecodedPictureCaptions {
    let source = MemorySource(Bytes(bytes))
    let presented = try Movie(of: source).includingFragments(from: source)
    // The tests of damage may remove the track.
    guard let track = presented.movie.tracks.first else { throw MovieError(.unsupported, "no track") }
    return try PictureCaptionReader(track, of: presented.movie, fragments: presented.fragments, limits: limits)
      .read(from: source)
  }

  private func cues(_ bytes: [UInt8], _ channel: CaptionChannel? = nil) throws -> [String] {
    try read(bytes).text(of: channel).cues.map { "\($0.startMilliseconds)-\($0.endMilliseconds) \($0.text.text)" }
  }

  /// Twelve bytes of a table can declare two billion samples.
  @Test func rejectsMoreSamplesThanBytes() throws {
    var bytes: [UInt8] = Self.movie(Self.pictures(Self.triples(Self.codes))).bytes()
    let table = try #require(bytes.indices.first { bytes[$0...].starts(with: code("stsz")) })
    bytes.replaceSubrange(table + 8..<table + 16, with: u32(1, 0x7FFF_FFFF))
    let error = #expect(throws: MovieError.self) { try read(bytes) }
    #expect(error?.code == .limit)
  }

  @Test(arguments: [false, true], [false, true])
  func readsPicturesInTheOrderOfPresentation(_ isReordered: Bool, _ isHEVC: Bool) throws {
    let samples = Self.pictures(Self.triples(Self.codes), isReordered: isReordered, isHEVC: isHEVC)
    // Reordered pictures are presented a picture later.
    let delay = isReordered ? 40 : 0
    #expect(
      try cues(Self.movie(samples, isHEVC: isHEVC).bytes()) == ["\(240 + delay)-\(480 + delay) HI"])
  }

  @Test func readsFragmentsWithSeveralRuns() throws {
    let samples = Self.pictures(Self.triples(Self.codes))
    let movie = Self.movie(samples)
    let parts = [samples[0..<3], samples[3..<4], samples[4..<9], samples[9...]].map(Array.init)
    let fragments = [
      TestFragment([.init(id: 1, decodeTime: 0, runs: [.init(parts[0]), .init(parts[1])])]),
      // Two track fragments of the same track.
      TestFragment([
        .init(id: 1, decodeTime: 160, runs: [.init(parts[2])]), .init(id: 1, decodeTime: 360, runs: [.init(parts[3])]),
      ]),
    ]
    let cues = try cues(movie.initial.bytes(fragments: fragments))
    #expect(cues.map { $0.split(separator: " ").last } == ["HI"])
    #expect(cues == ["240-480 HI"] || cues == ["280-520 HI"])
  }

  @Test func appliesTheEditList() throws {
    let movie = Self.movie(Self.pictures(Self.triples(Self.codes)))
    func edited(_ edits: TestEdit...) throws -> [String] {
      try cues(movie.with { $0.tracks[0].edits = edits }.bytes())
    }
    // The delay of reordered pictures is removed, or a second of nothing precedes.
    #expect(try edited(TestEdit(duration: 520, mediaTime: 40)) == ["240-480 HI"])
    #expect(
      try edited(TestEdit(duration: 1_000, mediaTime: -1), TestEdit(duration: 560, mediaTime: 0)) == ["1280-1520 HI"])
    #expect(try edited(TestEdit(duration: 300, mediaTime: 100)) == ["180-300 HI"])
  }

  /// Without an edit list, the pictures end later than the movie, by the delay of reordered pictures.
  @Test func aCaptionEndsWithTheMovie() throws {
    let samples = Self.pictures(Self.triples(Array(Self.codes.prefix { $0 != (0x94, 0x2C) })))
    let movie = Self.movie(samples)
    let ticks = samples.reduce(0) { $0 + $1.duration }
    #expect(try cues(movie.bytes()).map { $0.split(separator: " ").last } == ["HI"])
    #expect(try cues(movie.bytes()).first?.hasPrefix("280-\(ticks) ") == true)
  }

  /// At 23.976 pictures a second, some pictures carry several pairs.
  @Test func readsSeveralPairsOfAPictureInTheirOrder() throws {
    let text: [CaptionedPicture.Triple] = [
      (0, 0x94, 0x20), (0, 0x94, 0x70), (0, 0xC8, 0x49), (0, 0xC8, 0x49), (0, 0xC8, 0x80), (0, 0x94, 0x2F),
    ]
    let clear: [CaptionedPicture.Triple] = [(0, 0x94, 0x2C)]
    let pictures = [Array(text[0..<3]), Array(text[3...]), [], clear, []]
    #expect(try cues(Self.movie(Self.pictures(pictures, isReordered: false)).bytes()) == ["40-120 HIHIH"])
  }

  /// A phone may record pictures at irregular times. The codes of a caption may then share a picture.
  @Test func pairsOfIrregularPicturesShowCaptionsInTime() throws {
    let load = [(0x94, 0x20), (0x94, 0x20), (0x94, 0x70), (0x94, 0x70)] + Array(repeating: (0xC8, 0x49), count: 8)
    let (show, erase) = ([(0x94, 0x2F), (0x94, 0x2F)], [(0x94, 0x2C), (0x94, 0x2C)])
    func written(_ pictures: [(duration: Int, codes: [(Int, Int)])]) throws -> (starts: [Int64], delays: [String]) {
      let samples = pictures.map { picture in
        TestSample(
          content: CaptionedPicture(picture.codes.map { (0, $0.0, $0.1) }).bytes, duration: picture.duration)
      }
      let text = try read(Self.movie(samples).bytes()).text(of: .cc1)
      let source = try #require(text.file.captions)
      #expect(source.rate == .line21)
      let screens = try DecodedCaptions(source.fields).screens(of: .cc1)
      return (screens.map(\.time), text.notices.filter { $0.kind == .delayedCaptions }.map(\.message))
    }
    // The caption appears at 533 ms, in frame 16, and disappears at 1000 ms, in frame 30.
    let inTime = try written([(500, []), (33, load), (467, show), (400, erase), (100, [])])
    #expect(inTime.starts == [16, 30] && inTime.delays.isEmpty)
    // End Of Caption shows nothing if no caption is loaded, so it is never late.
    let unloaded = try written([(500, erase + show), (33, load), (467, show), (400, erase), (100, [])])
    #expect(unloaded.starts == [16, 30] && unloaded.delays.isEmpty)
    // Its 12 pairs cannot precede 100 ms, which is frame 3.
    let late = try written([(67, []), (33, load), (900, show), (400, erase), (100, [])])
    #expect(late.starts == [12, 30])
    #expect(
      late.delays == [
        "track 1: 1 caption of CC1 appears up to 300 ms late, because the codes before it are still being "
          + "sent at 29.97 frames a second"
      ])
  }

  /// Not every picture contains a pair. A third copy, or a copy after four frames, is executed again.
  @Test func aRepetitionAfterAnEmptyPictureCountsOnce() throws {
    let (begin, next): (CaptionedPicture.Triple, CaptionedPicture.Triple) = ((0, 0x94, 0x25), (0, 0x94, 0xAD))
    func shown(_ returns: [[CaptionedPicture.Triple]]) throws -> [String] {
      let first: [[CaptionedPicture.Triple]] = [[begin], [next], [(0, 0xC8, 0x49)]]
      let pictures = Self.pictures(first + returns + [[(0, 0xC8, 0x4F)], []], isReordered: false)
      return try read(Self.movie(pictures).bytes()).text(of: nil).cues.map(\.text.text)
    }
    #expect(try shown([[next], [next]]) == ["HI", "HI\nHO"])
    #expect(try shown([[next], [], [next]]) == ["HI", "HI\nHO"])
    #expect(try shown([[next], [], [], [next]]) == ["HI", "HI\nHO"])
    #expect(try shown([[next], [], [], [], [next]]) == ["HI", "HO"])
    #expect(try shown([[next], [], [next], [], [next]]) == ["HI", "HO"])
  }

  @Test func readsEachChannel() throws {
    // The codes of the second field begin with 15 instead of 14.
    let other = Self.codes.map { code in
      code == (0xC8, 0x49) ? (0xCE, 0x4F) : (code.0 == 0x94 ? 0x15 : code.0, code.1)
    }
    let both = zip(Self.triples(Self.codes), Self.triples(other, type: 1)).map { $0 + $1 }
    let bytes = Self.movie(Self.pictures(both)).bytes()
    let captions = try read(bytes)
    #expect(captions.channels == [.cc1, .cc3])
    #expect(try cues(bytes) == ["280-520 HI"])
    #expect(try cues(bytes, .cc3) == ["280-520 NO"])
    #expect(try cues(bytes, .cc2) == [])
    #expect(try captions.text().notices.map(\.kind) == [.otherServices])
  }

  @Test func listsServicesOfCEA708WithoutTheirText() throws {
    let packet: [CaptionedPicture.Triple] = [(3, 0x02, 0x22), (2, 0x41, 0x42)]
    let captions = try read(Self.movie(Self.pictures([packet, packet])).bytes())
    #expect(captions.channels == [] && captions.digitalServices == [1])
    #expect(try captions.text().notices.first?.message.contains("all captions are CEA-708 (service 1)") == true)
  }

  @Test func refusesOtherFormats() throws {
    let source = MemorySource(Bytes(TestMovie.simple.bytes()))
    let movie = try Movie(of: source)
    for track in movie.tracks where !PictureCaptionReader.canRead(track, of: movie) {
      #expect(throws: MovieError.self) { try PictureCaptionReader(track, of: movie) }
    }
    let encrypted = Self.movie(Self.pictures(Self.triples(Self.codes))).with {
      $0.tracks[0].sampleEntries = [SampleEntry.video("encv", width: 64, height: 36, extensions: SampleEntry.avcC)]
    }
    let read = try Movie(of: MemorySource(Bytes(encrypted.bytes())))
    #expect(!PictureCaptionReader.canRead(read.tracks[0], of: read))
  }

  @Test func endsTheLastCaptionWithTheMedia() throws {
    let codes = Array(Self.codes.prefix(12))
    let short = Self.movie(Self.pictures(Self.triples(codes), isReordered: false)).bytes()
    #expect(try cues(short) == ["240-480 HI"])
    #expect(try read(short).text().notices == [])
    let idle = Array(repeating: (0x80, 0x80), count: 500)
    let long = Self.movie(Self.pictures(Self.triples(codes + idle), isReordered: false)).bytes()
    #expect(try cues(long) == ["240-16240 HI"])
    #expect(try read(long).text().notices.map(\.kind) == [.endMoved])
  }

  // MARK: - Reads

  private func manyPictures(_ count: Int, sliceByteCount: Int, settingsByteCount: Int = 0) -> [TestSample] {
    (0..<count).map { index in
      let picture = CaptionedPicture([(0, Self.codes[index % 14].0, Self.codes[index % 14].1)]).with {
        $0.sliceByteCount = sliceByteCount
        if settingsByteCount > 0 { $0.unitsBefore = [u8(0x67) + [UInt8](repeating: 5, count: settingsByteCount)] }
      }
      return TestSample(content: picture.bytes, duration: 40)
    }
  }

  @Test func readsOnlyTheBeginningsOfLargePictures() throws {
    let bytes = Self.movie(manyPictures(588, sliceByteCount: 16_000)).bytes()
    let source = CountingSource(bytes)
    let movie = try Movie(of: source)
    let before = source.reads.count
    let text = try PictureCaptionReader(movie.tracks[0], of: movie).read(from: source).text()
    #expect(text.cues.count == 588 / 14)
    let reads = source.reads.dropFirst(before)
    #expect(reads.count <= 588)
    #expect(reads.reduce(0) { $0 + $1.count } < UInt64(bytes.count) / 10)
  }

  @Test func readsSmallPicturesTogether() throws {
    let source = CountingSource(Self.movie(manyPictures(1_000, sliceByteCount: 300)).bytes())
    let movie = try Movie(of: source)
    let before = source.reads.count
    _ = try PictureCaptionReader(movie.tracks[0], of: movie).read(from: source)
    #expect(source.reads.count - before <= 10)
  }

  @Test func readsFurtherIfCaptionsFollowLater() throws {
    let source = CountingSource(Self.movie(manyPictures(28, sliceByteCount: 50_000, settingsByteCount: 5_000)).bytes())
    let movie = try Movie(of: source)
    let text = try PictureCaptionReader(movie.tracks[0], of: movie).read(from: source).text()
    #expect(text.cues.map(\.text.text) == ["HI", "HI"])
  }

  // MARK: - Damage

  @Test func skipsDamagedAndMissingPicturesWithANotice() throws {
    var samples = Self.pictures(Self.triples(Self.codes), isReordered: false)
    let claims = CaptionedPicture([(0, 0x94, 0x2C)]).with { $0.claimedCount = 31 }
    samples[9] = TestSample(content: claims.bytes, duration: 40)
    samples[10] = TestSample(content: u32(0xFFFF) + u8(6), duration: 40)
    samples[11] = TestSample(0, duration: 40)
    let text = try read(Self.movie(samples).bytes()).text()
    #expect(text.cues.map(\.text.text) == ["HI"])
    #expect(text.notices.map(\.kind) == [.damagedSample])
    let cut = Self.movie(samples).with { $0.layout = .movieFirst }.bytes().dropLast(60)
    #expect(try read(Array(cut)).text().notices.contains { $0.message.contains("past the end of the file") })
  }

  @Test func limitsPairsAndReads() throws {
    let samples = Self.pictures(Self.triples(Self.codes))
    var limits = SubtitleLimits()
    limits.sampleByteCount = 16 * 5
    #expect(throws: MovieError.self) { try read(Self.movie(samples).bytes(), limits) }
  }

  @Test func damagedBytesNeverTrap() throws {
    let whole = Self.movie(Self.pictures(Self.triples(Self.codes))).with { $0.layout = .movieLast }.bytes()
    let media = 40..<Self.codes.count * 60
    for index in media where index < whole.count {
      var changed = whole
      changed[index] = UInt8(truncatingIfNeeded: index &* 37)
      do { _ = try read(changed).text() } catch is MovieError {}
    }
  }
}

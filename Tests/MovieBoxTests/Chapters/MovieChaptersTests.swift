import Foundation
import MovieBox
import Subtitles
import TestSupport
import Testing

/// Chapters of a movie: every form, and their combination.
struct MovieChaptersTests {
  private func read(_ movie: TestMovie, readsImages: Bool = false) throws -> ChapterList {
    let source = MemorySource(Bytes(movie.bytes()))
    return try Movie(of: source).chapters(from: source, readsImages: readsImages)
  }

  /// Returns video and audio with a text track (3) to which both refer.
  private func movie(_ samples: [TestSample], _ change: (inout TestTrack) -> Void = { _ in }) -> TestMovie {
    TestMovie.simple.with {
      for index in 0..<2 { $0.tracks[index].references = [TestReference("chap", 3)] }
      var track = TestTrack(.text, id: 3).with {
        $0.isEnabled = false
        $0.samples = samples
      }
      change(&track)
      $0.tracks.append(track)
    }
  }

  private func lines(_ list: ChapterList) -> [String] {
    list.chapters.map { chapter in
      let titles = chapter.titles.map { "\($0.text)(\($0.language?.description ?? "-"))" }.joined(separator: " ")
      return "\(chapter.startMilliseconds)-\(chapter.endMilliseconds.map(String.init) ?? "") \(titles)"
    }
  }

  // MARK: - Text tracks

  private static let encd = atom("encd") { u32(0x100) }
  private static let ffmpegEntry: [UInt8] = {
    var entry = SampleEntry.timedText()
    entry.replaceSubrange(4..<8, with: code("text"))
    return entry
  }()

  @Test(
    arguments: [
      (Array("Prölog".utf8), encd, nil), (Array("Prölog".utf8), [], nil),
      (u8(0x50, 0x72, 0x9A, 0x6C, 0x6F, 0x67), [], nil),  // Mac Roman
      (u16(0xFEFF, 0x50, 0x72, 0xF6, 0x6C, 0x6F, 0x67), [], nil),
      (u16(0xFFFE, 0x5000, 0x7200, 0xF600, 0x6C00, 0x6F00, 0x6700), [], nil),
      (u16(0x50, 0x72, 0xF6, 0x6C, 0x6F, 0x67), encd, nil),
      (Array("Prölog".utf8), encd, ffmpegEntry), (Array("Prölog".utf8), [], SampleEntry.timedText()),
    ] as [([UInt8], [UInt8], [UInt8]?)])
  func readsTitlesInEveryEncoding(_ bytes: [UInt8], _ extra: [UInt8], _ entry: [UInt8]?) throws {
    let samples = [
      TestSample.chapter(bytes, extra: extra, duration: 500), .chapter(bytes, extra: extra, duration: 1500),
    ]
    let list = try read(movie(samples) { if let entry { $0.sampleEntries = [entry] } })
    #expect(lines(list) == ["0-500 Prölog(-)", "500-2000 Prölog(-)"] && list.notices.isEmpty)
    #expect(list.forms.map(\.kind) == [.titles] && list.forms[0].trackID == 3 && list.forms[0].count == 2)
  }

  @Test func ignoresEmptySamples() throws {
    let list = try read(
      movie([.chapter("", duration: 300), .chapter("One", duration: 700), .chapter([], duration: 1000)]))
    #expect(lines(list) == ["300-1000 One(-)"])
  }

  @Test func appliesEditListsToChapters() throws {
    let list = try read(
      movie([.chapter("One", duration: 1000), .chapter("Two", duration: 1000)]) {
        $0.edits = [TestEdit(duration: 300, mediaTime: -1), TestEdit(duration: 900, mediaTime: 500)]
      })
    #expect(lines(list) == ["500-1000 One(-)", "1000-2000 Two(-)"])
  }

  @Test func extendsALastSampleWithoutDurationToTheEnd() throws {
    let list = try read(movie([.chapter("One", duration: 500), .chapter("Two", duration: 0)]))
    #expect(lines(list) == ["0-500 One(-)", "500-2000 Two(-)"])
  }

  /// A sample without duration has a title, so it is a chapter.
  @Test func reportsChaptersWithoutDuration() throws {
    let samples: [TestSample] = [
      .chapter("Zero", duration: 0), .chapter("One", duration: 500), .chapter("Flash", duration: 0),
      .chapter("Two", duration: 1500), .chapter("End", duration: 0),
    ]
    let whole = ["0-0 Zero(-)", "0-500 One(-)", "500-500 Flash(-)", "500-2000 Two(-)", "2000-2000 End(-)"]
    for edits in [[], [TestEdit(duration: 1200, mediaTime: 0)]] {
      let list = try read(movie(samples) { $0.edits = edits })
      #expect(lines(list) == whole)
      #expect(list.notices.map(\.code) == ["chapter-without-length"])
      #expect(
        list.notices.first?.message
          == "chapter 1 \"Zero\" at 00:00:00.000 has no duration, and 2 more: most players skip such chapters")
    }
    // Media after the end of the movie contains no chapters.
    let cut = try read(movie(samples) { $0.edits = [TestEdit(duration: 600, mediaTime: 0)] })
    #expect(lines(cut) == ["0-0 Zero(-)", "0-500 One(-)", "500-500 Flash(-)", "500-1000 Two(-)"])
    // A sample without a title is not a chapter.
    let silent = try read(
      movie([.chapter("One", duration: 500), .chapter("", duration: 0), .chapter("Two", duration: 1500)]))
    #expect(lines(silent) == ["0-500 One(-)", "500-2000 Two(-)"] && silent.notices.isEmpty)
  }

  @Test func keepsTitlesOfChaptersWithoutDurationInEveryLanguage() throws {
    let two = movie([.chapter("Flash", duration: 0), .chapter("One", duration: 2000)]) { $0.language = .packed("eng") }
      .with {
        $0.tracks[0].references = [TestReference("chap", 3, 4)]
        $0.tracks.append(
          TestTrack(.text, id: 4).with {
            ($0.isEnabled, $0.language) = (false, .packed("deu"))
            $0.samples = [.chapter("Blitz", duration: 0), .chapter("Eins", duration: 2000)]
          })
      }
    #expect(lines(try read(two)) == ["0-0 Flash(en) Blitz(de)", "0-2000 One(en) Eins(de)"])
  }

  @Test func mergesLanguagesIntoChapters() throws {
    let two = movie([.chapter("One", duration: 500), .chapter("Two", duration: 1500)]) { $0.language = .packed("eng") }
      .with {
        $0.tracks[0].references = [TestReference("chap", 3, 4)]
        $0.tracks.append(
          TestTrack(.text, id: 4).with {
            ($0.isEnabled, $0.language) = (false, .packed("deu"))
            $0.samples = [.chapter("Eins", duration: 500), .chapter("Zwei", duration: 1500)]
          })
      }
    let list = try read(two)
    #expect(lines(list) == ["0-500 One(en) Eins(de)", "500-2000 Two(en) Zwei(de)"] && list.notices.isEmpty)
    #expect(list.chapters[0].title(preferring: ["de-CH", "en"].compactMap { LanguageTag($0) }) == "Eins")
    let other = two.with { $0.tracks[3].samples = [.chapter("Eins", duration: 700), .chapter("Zwei", duration: 1300)] }
    let differing = try read(other)
    #expect(differing.chapters.count == 3 && differing.notices.contains { $0.code == "chapters-differ" })
  }

  @Test func readsChaptersInFragments() throws {
    let whole = movie([.chapter("One", duration: 500), .chapter("Two", duration: 1500)])
    let parts = whole.tracks.map { track in
      TestFragment.Track(id: track.id, decodeTime: 0, runs: [.init(track.samples)])
    }
    let bytes = whole.initial.with { $0.dialect = .iso }.bytes(fragments: [TestFragment(parts)])
    let source = MemorySource(Bytes(bytes))
    #expect(lines(try Movie(of: source).chapters(from: source)) == ["0-500 One(-)", "500-2000 Two(-)"])
  }

  // MARK: - Pictures and links

  @Test(arguments: [true, false]) func readsTitlesLinksAndPicturesOfAPodcast(_ linksAreTimedText: Bool) throws {
    let movie = TestMovie.podcast(linksAreTimedText: linksAreTimedText)
    let list = try read(movie)
    #expect(lines(list) == ["0-500 Hello(en)", "500-2000 Interview(en)"] && list.notices.isEmpty)
    #expect(list.chapters.map(\.link) == ["http://a.example/1", "http://a.example/2"])
    #expect(list.forms.map(\.kind) == [.titles, .links, .images] && list.forms.map(\.trackID) == [2, 3, 4])
    let pictures = movie.tracks[3].samples.compactMap(\.content)
    #expect(list.chapters.map(\.image) == pictures.map { .inMovie(byteCount: UInt64($0.count)) })
    #expect(try read(movie, readsImages: true).chapters.map(\.image) == pictures.map { .data(Bytes($0)) })
  }

  /// The claimed size is not allocated.
  @Test func limitsTheSizeOfPictures() throws {
    let folder = try TemporaryFolder()
    var bytes = TestMovie.podcast().bytes()
    let sizes = try #require(SecondReader(bytes).atom("moov/trak#4/mdia/minf/stbl/stsz"))
    let place = Int(sizes.contentOffset) + 4  // The size of all samples.
    bytes.replaceSubrange(place..<place + 4, with: u32(300 << 20))
    let path = try folder.write(bytes, as: "large.m4a")
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: 1 << 30)  // Sparse.
    try file.close()
    let source = try FileSource(path: path)
    let movie = try Movie(of: source)
    #expect(
      try movie.chapters(from: source).chapters.map(\.image) == [
        .inMovie(byteCount: 300 << 20), .inMovie(byteCount: 300 << 20),
      ])
    let error = #expect(throws: MovieError.self) { try movie.chapters(from: source, readsImages: true) }
    #expect(error?.code == .limit)
  }

  @Test func ignoresAFilmListedAsPictures() throws {
    let list = try read(TestMovie.podcast().with { $0.tracks[3].sampleEntries = nil })
    #expect(list.chapters.map(\.image) == [nil, nil] && list.notices.map(\.code) == ["film-as-chapters"])
  }

  /// If only some samples of a link track have a link, the texts are the titles.
  @Test func readsLinksOfSomeChapters() throws {
    let movie = TestMovie.podcast().with {
      let href = atom("href") { u16(0, 5) + pascalString("http://a.example/1") + u8(0) }
      $0.tracks[2].samples = [
        .chapter(Array("Hello".utf8), extra: href, duration: 500), .chapter("Interview", duration: 1500),
      ]
    }
    let list = try read(movie)
    #expect(lines(list) == ["0-500 Hello(en)", "500-2000 Interview(en)"])
    #expect(list.chapters.map(\.link) == ["http://a.example/1", nil])
    #expect(list.forms.map(\.kind) == [.titles, .links, .images] && list.forms[1].count == 1)
    #expect(try list.forms[1].repeatsTitles && !read(.podcast()).forms[1].repeatsTitles)
    // With a title that differs from the titles, the track is a second title track.
    let other = try read(movie.with { $0.tracks[2].samples[1] = .chapter("Talk", duration: 1500) })
    #expect(other.forms.map(\.kind) == [.titles, .titles, .images])
  }

  @Test func reportsTracksBeyondTheLimit() throws {
    let count = ChapterLimits.trackCount + 1
    let movie = TestMovie.simple.with { movie in
      var listed = TestReference("chap")
      listed.tracks = (0..<count).map { UInt32($0 + 3) }
      movie.tracks[0].references = [listed]
      for index in 0..<count {
        movie.tracks.append(
          TestTrack(.text, id: UInt32(index + 3)).with {
            ($0.isEnabled, $0.samples) = (false, [.chapter("\(index)", duration: 2000)])
          })
      }
    }
    let list = try read(movie)
    #expect(list.forms.count == ChapterLimits.trackCount && list.chapters.count == 1)
    #expect(list.notices.map(\.code) == ["unreadable-chapters"])
    #expect(
      list.notices[0].message == "\(count) tracks are listed as chapters (chap): only the first "
        + "\(count - 1) are read")
  }

  // MARK: - The list in user data

  private func nero(_ entries: (Int, String)...) -> [UInt8] {
    fullAtom("chpl", version: 1) {
      u32(0) + u8(entries.count) + entries.flatMap { u64(UInt64($0.0) * 10_000) + pascalString($0.1) }
    }
  }

  @Test func readsTheListInUserDataWithoutTitleTracks() throws {
    let list = try read(TestMovie.simple.with { $0.userData = nero((1000, "Two"), (0, "One")) })
    #expect(lines(list) == ["0- One(-)", "1000- Two(-)"] && list.forms.map(\.kind) == [.nero])
    #expect(list.end(of: 0) == 1000 && list.end(of: 1) == 2000)
  }

  @Test func prefersTracksAndReportsDifferences() throws {
    let chapters = movie([.chapter("One", duration: 500), .chapter("Two", duration: 1500)])
    let same = try read(chapters.with { $0.userData = nero((0, "One"), (495, "Two")) })
    #expect(lines(same) == ["0-500 One(-)", "500-2000 Two(-)"] && same.notices.isEmpty && !same.forms[1].differs)
    for other in [nero((0, "One")), nero((0, "One"), (800, "Two")), nero((0, "One"), (500, "2"))] {
      let list = try read(chapters.with { $0.userData = other })
      #expect(lines(list) == lines(same) && list.forms[1].differs && list.notices.map(\.code) == ["chapters-differ"])
    }
  }

  // MARK: - Damage

  /// A few bytes can show samples again and again. All tracks share a limit.
  @Test func limitsChaptersRepeatedByEdits() throws {
    func track(_ id: UInt32, sampleCount: Int, editCount: Int, hasTextLastAlone: Bool = false) -> TestTrack {
      TestTrack(.text, id: id).with {
        $0.isEnabled = false
        $0.samples = (1...sampleCount).map {
          .chapter(hasTextLastAlone && $0 < sampleCount ? "" : "One", duration: 1)
        }
        $0.edits = Array(repeating: TestEdit(duration: sampleCount, mediaTime: 0), count: editCount)
      }
    }
    func list(_ tracks: [TestTrack]) throws -> ChapterList {
      try read(
        TestMovie.simple.with { movie in
          var listed = TestReference("chap")
          listed.tracks = tracks.map(\.id)
          movie.tracks[0].references = [listed]
          movie.tracks += tracks
        })
    }
    let many = try list([track(3, sampleCount: 100, editCount: 201)])
    #expect(many.chapters.isEmpty && many.notices.map(\.code) == ["unreadable-chapters"])
    #expect(many.notices[0].message.contains("the edits of chapter track 3 show more than 20000 chapters"))
    let count = ChapterLimits.visitCount / 20_000
    let full = try list(
      (0...count).map { track(UInt32($0 + 3), sampleCount: 100, editCount: 200, hasTextLastAlone: true) })
    #expect(full.forms.count == count && full.notices.map(\.code) == ["unreadable-chapters"])
  }

  @Test func reportsUnreadableTracks() throws {
    let chapters = movie([.chapter("One", duration: 500), .chapter("Two", duration: 1500)])
    for broken in [
      chapters.with { $0.tracks[2].externalOffsets = [0x7FFF_0000] },
      chapters.with {
        $0.tracks[2].sampleEntries = [SampleEntry.timecode(timeScale: 1, frameDuration: 1, framesPerSecond: 1)]
      },
      TestMovie.simple.with { $0.userData = fullAtom("chpl") },
    ] {
      let list = try read(broken)
      #expect(list.chapters.isEmpty && list.notices.count == 1, "\(list)")
    }
    let cut = try read(movie([TestSample(content: u16(9) + text("Cut"), duration: 2000)]))
    #expect(lines(cut) == ["0-2000 Cut(-)"] && cut.notices.map(\.code) == ["damaged-chapter"])
    let damaged = try read(movie((0..<3).map { _ in TestSample(content: u16(9) + text("Cut"), duration: 500) }))
    #expect(damaged.chapters.count == 3 && damaged.notices.count == 1, "\(damaged)")
    #expect(damaged.notices[0].message.hasSuffix("; 2 more of its samples are damaged"))
    #expect(try read(.simple).chapters.isEmpty)
  }
}

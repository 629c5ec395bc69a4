import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// The order of media in a new file: new samples between old ones, sorted chunks, and dropped unused bytes.
struct MediaArrangementTests {
  /// Ten seconds of video and audio with a chunk of each every half second.
  private static let film = TestMovie(tracks: [
    TestTrack(.video, id: 1).with {
      $0.samples = .pictures(120, around: 900, duration: 50)
      $0.chunking = [6]
    },
    TestTrack(.sound, id: 2).with {
      $0.samples = .varied(80, around: 100, duration: 1000)
      $0.chunking = [4]
    },
  ])

  /// Subtitles that change about every second.
  private static let cues = (0..<9).map {
    Cue(startMilliseconds: 1000 * $0 + 200, endMilliseconds: 1000 * $0 + 900, text: StyledText("Cue \($0)"))
  }

  private func edit(_ source: some RandomAccessSource) throws -> MovieEdit {
    var edit = try MovieEdit(of: source)
    _ = try edit.add(SubtitleInput(cues: Self.cues, language: LanguageTag("en")))
    return edit
  }

  private func remux(_ bytes: [UInt8], _ layout: OutputLayout) throws -> [UInt8] {
    let source = MemorySource(Bytes(bytes))
    return try MovieEdit(of: source).outputPlan(of: source, layout).rendered(from: source)
  }

  @Test(arguments: [[TestMovie.Piece]](arrayLiteral: .movieLast, .movieFirst, .movieBetween), [false, true])
  func placesNewSamplesBetweenSimultaneousChunks(_ pieces: [TestMovie.Piece], _ isFastStart: Bool) throws {
    let old = Self.film.with { $0.layout = pieces }.bytes()
    let source = MemorySource(Bytes(old))
    let new = try SecondReader(
      edit(source).outputPlan(of: source, OutputLayout(isFastStart: isFastStart)).rendered(from: source))
    let allowed = AllowedChanges.adding(3).with {
      $0.movieMoved = isFastStart
      $0.freeSpace = false
    }
    #expect(try differences(old: SecondReader(old), new: new, allowing: allowed) == [])
    #expect(new.topLevel.count { $0.type == "mdat" } == pieces.count { if case .media = $0 { true } else { false } })

    let subtitles = try #require(new.track(3))
    let pictures = try #require(new.track(1))
    #expect(subtitles.samples.last.map { $0.chunk > 7 } == true)
    for sample in subtitles.samples where sample.byteCount > 0 {
      // Simultaneous media is within a second of film.
      let seconds = Double(sample.decodeTime) / 1000
      let before = pictures.samples.last { $0.offset < sample.offset }.map { Double($0.decodeTime) / 600 } ?? 0
      let after = pictures.samples.first { $0.offset > sample.offset }.map { Double($0.decodeTime) / 600 } ?? 10
      #expect(before <= seconds + 1 && after >= seconds - 1, "\(before) \(seconds) \(after)")
    }
  }

  @Test func interleavesChunksByTimeOnRequest() throws {
    let apart = Self.film.with {
      $0.storesTrackAfterTrack = true
      $0.layout = [.fileType, .media(.ordinary), .media(.ordinary), .movie(.ordinary)]
    }
    let old = apart.bytes()
    let new = try remux(old, OutputLayout(interleaving: .all))
    #expect(try differences(old: old, new: new, allowing: Self.rearranged) == [])
    let reader = try SecondReader(new)
    #expect(reader.topLevel.map(\.type) == ["ftyp", "mdat", "moov"])
    let chunks = reader.tracks.flatMap { track in
      Dictionary(grouping: track.samples, by: \.chunk).values.compactMap { samples in
        samples.first.map { ($0.offset, Double($0.decodeTime) / Double(track.timeScale)) }
      }
    }
    let times = chunks.sorted { $0.0 < $1.0 }.map(\.1)
    #expect(times == times.sorted())
    #expect(try remux(new, OutputLayout(interleaving: .all)) == new)
  }

  private static let rearranged = AllowedChanges().with {
    $0.mediaDataRearranged = true
    $0.movieMoved = true
  }

  @Test func remuxesToTheSameBytesTwice() throws {
    for movie in [TestMovie.simple, .talk, .torture, Self.film.with { $0.layout = .movieBetween }] {
      for fastStart in [false, true] {
        for interleaving in [OutputLayout.Interleaving.none, .newSamples, .all] {
          for compact in [false, true] {
            let layout = OutputLayout(isFastStart: fastStart, interleaving: interleaving, isCompact: compact)
            let once = try remux(movie.bytes(), layout)
            #expect(try differences(old: movie.bytes(), new: once, allowing: Self.rearranged) == [])
            #expect(try remux(once, layout) == once)
          }
        }
      }
    }
  }

  @Test func writesOnlyUsedBytesToCompactFiles() throws {
    let movie = Self.film.with { $0.layout = [.fileType, .free(500), .media(.ordinary), .movie(.ordinary), .free(9)] }
    let source = movie.source
    var bytes = try edit(source).inPlacePlan(of: source).rendered().rendered(from: source)
    // An old movie is unused, and so are bytes of media data to which no sample refers.
    bytes += atom("mdat") { zeros(4000) }
    let compact = try remux(bytes, OutputLayout(isCompact: true))
    #expect(try differences(old: bytes, new: compact, allowing: Self.rearranged) == [])
    let reader = try SecondReader(compact)
    #expect(reader.topLevel.map(\.type) == ["ftyp", "mdat", "moov", "mdat"])
    let named = reader.tracks.flatMap(\.samples).reduce(0) { $0 + $1.byteCount }
    #expect(reader.topLevel.filter { $0.type == "mdat" }.reduce(0) { $0 + Int($1.end - $1.contentOffset) } == named)
  }

  @Test func keepsUsedFreeSpaceInCompactFiles() throws {
    let samples = try TestMovie.simple.with { $0.layout = .movieFirst }.bytes().patched("mdat", -4, code("free"))
    let camera = TestMovie.simple.with {
      $0.movieAtoms = atom("gps ") { zeros(16) }
      $0.layout = [.fileType, .movie(.ordinary), .free(40), .media(.ordinary)]
    }
    for old in [samples, camera.bytes()] {
      let new = try SecondReader(remux(old, OutputLayout(isCompact: true)))
      #expect(new.topLevel.map(\.type) == (try SecondReader(old).topLevel.map(\.type)))
      #expect(try differences(old: SecondReader(old), new: new) == [])
    }
  }

  @Test func dropsMediaOfRemovedTracks() throws {
    let old = Self.film.bytes()
    let source = MemorySource(Bytes(old))
    var edit = try MovieEdit(of: source)
    try edit.remove(1)
    let new = try edit.outputPlan(of: source).rendered(from: source)
    let allowed = Self.rearranged.with { $0.removedTracks = [1] }
    #expect(try differences(old: old, new: new, allowing: allowed) == [])
    let media = try #require(try SecondReader(new).topLevel.first { $0.type == "mdat" })
    let sound = try #require(try SecondReader(new).track(2)).samples.reduce(0) { $0 + $1.byteCount }
    #expect(Int(media.end - media.contentOffset) == sound)
    // In place, the bytes are kept, and the movie is the same.
    let inPlace = try edit.inPlacePlan(of: source).rendered().rendered(from: source)
    #expect(try differences(old: inPlace, new: new, allowing: Self.rearranged) == [])
  }

  @Test func keepsMediaWithOtherReferences() throws {
    // Auxiliary information and items are in the media data, where no chunk refers to them.
    let old = TestMovie.torture.bytes()
    for interleaving in [OutputLayout.Interleaving.none, .all] {
      let new = try remux(old, OutputLayout(interleaving: interleaving, isCompact: true))
      #expect(try differences(old: old, new: new, allowing: Self.rearranged) == [])
    }
  }

  @Test func keepsMediaOfFileItems() throws {
    let movie = TestMovie.simple.with {
      $0.fileItem = text("a picture of the film")
      $0.layout = [.fileType, .itemTable, .media(.ordinary), .movie(.ordinary)]
    }
    let old = movie.bytes()
    for layout in [OutputLayout(isCompact: true), OutputLayout(interleaving: .all, isCompact: true)] {
      let new = try remux(old, layout)
      #expect(try differences(old: old, new: new, allowing: Self.rearranged) == [])
    }
  }

  /// Returns a movie whose file-level item is in the first chunk of a track.
  private func withItem(inTrack id: UInt32) throws -> [UInt8] {
    func meta(_ position: UInt64) -> [UInt8] {
      fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("pict") + zeros(13) }
        fullAtom("iloc") { [0x44, 0x00] + u16(1) + u16(1) + u16(0) + u16(1) + u32(Int(position)) + u32(10) }
      }
    }
    func build(_ position: UInt64) -> BuiltMovie {
      Self.film.with { $0.layout = [.fileType, .bytes(meta(position)), .media(.ordinary), .movie(.ordinary)] }.build()
    }
    let position = try #require(build(0).chunkOffsets[id]?.first)
    return build(position + 5).bytes
  }

  @Test func keepsSamplesOfARemovedTrackUsedByAnItem() throws {
    let old = try withItem(inTrack: 1)
    let source = MemorySource(Bytes(old))
    var edit = try MovieEdit(of: source)
    try edit.remove(1)
    let new = try edit.outputPlan(of: source).rendered(from: source)
    #expect(try differences(old: old, new: new, allowing: Self.rearranged.with { $0.removedTracks = [1] }) == [])
    // All other chunks of the track are dropped.
    #expect(new.count < old.count - 90_000)
  }

  @Test func detectsLostAndReorderedMedia() throws {
    let source = Self.film.source
    let edit = try MovieEdit(of: source)
    let resolved = try edit.resolved(isInterleaved: false)
    let sorted = try edit.outputPlan(of: source, OutputLayout(interleaving: .all))
    let media = try #require(edit.movie.layout.first("mdat")).payloadRange
    let whole = try edit.outputPlan(of: source, OutputLayout(interleaving: .none))
    func expectFailure(_ contents: [OutputPlan.Content], _ reason: String) throws {
      let plan = try OutputPlan(of: source.identity(), contents)
      #expect {
        try PlanChecker.check(plan, of: resolved, strategy: .rewrite(OutputLayout(interleaving: .none)), source: source)
      } throws: {
        isMovieError($0, .planCheckFailed) && ($0 as? MovieError)?.reason.contains(reason) == true
      }
    }
    #expect(throws: Never.self) {
      try PlanChecker.check(sorted, of: resolved, strategy: .rewrite(OutputLayout(interleaving: .all)), source: source)
    }
    // The header is unchanged. The last byte of the media data differs, or comes first.
    let start = whole.extents(in: ByteRange(0..<media.offset)).map(\.content)
    let end = whole.extents(in: ByteRange(media.end..<whole.byteCount)).map(\.content)
    try expectFailure(start + [.source(ByteRange(media.offset..<media.end - 1)), .zeros(1)] + end, "new bytes")
    let last = ByteRange(media.end - 1..<media.end)
    try expectFailure(
      start + [.source(last), .source(ByteRange(media.offset..<media.end - 1))] + end, "out of order")
  }
}

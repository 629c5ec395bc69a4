import MovieBox
import TestSupport
import Testing

struct MovieTests {
  private func read(_ movie: TestMovie) throws -> Movie {
    try Movie(of: MemorySource(Bytes(movie.bytes())))
  }

  @Test func recognizesTheDialectByBrands() throws {
    for (brands, dialect) in [
      ([], Dialect.quickTime), (["qt  "], .quickTime), (["isom", "iso2", "qt  "], .quickTime),
      (["mp42", "isom", "mp42"], .iso), (["M4V "], .iso),
    ] {
      let movie = try read(TestMovie.simple.with { $0.brands = brands })
      #expect(movie.dialect == dialect, "\(brands)")
      #expect(movie.fileType?.majorBrand.description == brands.first)
    }
  }

  @Test func readsPropertiesOfTracks() throws {
    let movie = try read(.talk)
    #expect(movie.tracks.map(\.id) == [1, 2, 3, 4])
    #expect(movie.tracks.map(\.mediaType) == [.video, .audio, .audio, .subtitle])
    #expect(movie.tracks.map(\.alternateGroup) == [0, 1, 1, 2])
    #expect(movie.tracks.map(\.isEnabled) == [true, true, false, true])
    #expect(movie.tracks.map(\.language?.description) == [nil, "en", "es", "es"])
    #expect(movie.track(4)?.formats == ["tx3g"])
    #expect(movie.track(4)?.header.layer == -1)
    #expect(movie.track(1)?.pictureSize.width == 1280)
    #expect(movie.track(5) == nil)
    #expect(movie.header.nextTrackID == 5)
    #expect(movie.findings == [])
  }

  @Test func recordsTheAtomOfEveryPart() throws {
    let movie = try read(.torture)
    for track in movie.tracks {
      #expect(movie.tree[track.atom].type == "trak")
      for reference in track.references { #expect(movie.tree[reference.atom].type == reference.type) }
    }
    #expect(movie.movieAtom.range == movie.tree.range(of: movie.tree.root))
  }

  @Test func prefersTheDurationOfTheHeaderToTheLongestTrack() throws {
    let simple = TestMovie.simple  // Two seconds at 600.
    #expect(try read(simple).durationInMovieTicks == 1200)
    #expect(try read(simple.with { $0.duration = 7 }).durationInMovieTicks == 7)
    #expect(try read(simple.with { $0.duration = 0 }).durationInMovieTicks == 1200)
    #expect(try read(simple.with { $0.duration = 0xFFFF_FFFF }).durationInMovieTicks == 1200)
    #expect(
      try read(
        simple.with {
          $0.duration = -1
          $0.usesLongTimes = true
        }
      ).durationInMovieTicks == 1200)
    let longer = simple.with {
      $0.duration = 0
      $0.tracks[1].edits = [TestEdit(duration: 5000, mediaTime: 0)]
    }
    #expect(try read(longer).durationInMovieTicks == 5000)
  }

  @Test func startsThePresentationAfterEmptyEditsAndPriming() throws {
    func track(_ edits: [TestEdit]) throws -> Track {
      try #require(read(TestMovie.simple.with { $0.tracks[1].edits = edits }).track(2))
    }
    let plain = try track([])
    #expect(plain.presentationStartInMovieTicks == 0 && plain.presentationStartInMediaTicks == 0)
    let primed = try track([TestEdit(duration: 1200, mediaTime: 1024)])
    #expect(primed.presentationStartInMovieTicks == 0 && primed.presentationStartInMediaTicks == 1024)
    let late = try track([
      TestEdit(duration: 30, mediaTime: -1), TestEdit(duration: 20, mediaTime: -1),
      TestEdit(duration: 1000, mediaTime: 64), TestEdit(duration: 40, mediaTime: -1),
    ])
    #expect(late.presentationStartInMovieTicks == 50 && late.presentationStartInMediaTicks == 64)
    let empty = try track([TestEdit(duration: 30, mediaTime: -1)])
    #expect(empty.presentationStartInMovieTicks == 30 && empty.presentationStartInMediaTicks == 0)
    // All ones represent an unknown duration.
    let unknown = try track([
      TestEdit(duration: 0xFFFF_FFFF, mediaTime: -1), TestEdit(duration: 20, mediaTime: -1),
      TestEdit(duration: 1000, mediaTime: 64),
    ])
    #expect(unknown.presentationStartInMovieTicks == 20)
    #expect(unknown.presentationEndInMovieTicks(movieTimeScale: 600) == 1020)
    // The sum of three does not fit in 64 bits.
    for (count, start) in [(1, UInt64(Int64.max)), (2, .max - 1), (3, .max)] {
      let entries = (0..<count).flatMap { _ in u64(UInt64(Int64.max), .max) + u32(65536) }
      let hostile = TestMovie.simple.with {
        $0.tracks[1].trackAtoms = atom("edts") { fullAtom("elst", version: 1) { u32(count) + entries } }
      }
      #expect(try read(hostile).track(2)?.presentationStartInMovieTicks == start)
    }
  }

  @Test func appliesTheRotationToTheSize() throws {
    let movie = try read(
      TestMovie.simple.with {
        ($0.tracks[0].width, $0.tracks[0].height) = (1920, 1080)
        $0.tracks[0].matrix = [0, 0x10000, 0, -0x10000, 0, 0, 1080 << 16, 0, 0x4000_0000]
      })
    let size = try #require(movie.track(1)?.pictureSize)
    #expect(size.width == 1080 && size.height == 1920)
  }

  @Test func roundsTimesDownBetweenScales() {
    #expect((1001 as UInt64).scaled(by: 600, over: 1000) == 600)
    #expect(UInt64.max.scaled(by: 1000, over: 1000) == .max)
    #expect(UInt64.max.scaled(by: 1001, over: 1000) == nil)
    #expect((1 as UInt64).scaled(by: 1, over: 0) == nil)
    #expect((0 as UInt64).scaled(by: 0, over: 0) == nil)
  }

  @Test func prefersTitlesByKind() throws {
    let items: [(kind: String, bytes: [UInt8])] = [
      ("tnam", atom("tnam") { u32(0) + u16(0x15C7) + cString("tnam") }),
      ("titl", fullAtom("titl") { u16(0x15C7) + cString("titl") }),
      ("name", atom("name") { text("name") }),
      ("©nam", atom("©nam") { internationalText("©nam") }),
    ]
    for first in items.indices {
      let userData = items[first...].reversed().flatMap(\.bytes)
      let movie = try read(TestMovie.simple.with { $0.tracks[0].userData = userData })
      #expect(movie.track(1)?.title == items[first].kind)
    }
    let none = try read(
      TestMovie.simple.with { $0.tracks[0].userData = atom("name") + atom("©cmt") { internationalText("x") } })
    #expect(none.track(1)?.title == nil)
  }

  @Test func ignoresInvalidUserData() throws {
    let movie = try read(
      TestMovie.simple.with {
        $0.tracks[0].userData = atom("tnam") { u8(1) } + atom("name") { text("Title") } + atom("kind") { u8(9) }
      })
    #expect(movie.track(1)?.title == "Title")
  }

  @Test func keepsDistinctCharacteristicsInOrder() throws {
    func tags(_ tags: [UInt8]...) throws -> Movie {
      try read(TestMovie.talk.with { $0.tracks[3].userData = tags.flatMap { tag in atom("tagc") { tag } } })
    }
    let sdh = try tags(
      text("public.accessibility.describes-music-and-sound"), text("public.accessibility.transcribes-spoken-dialog"),
      text("com.example.own"), text("com.example.own"))
    #expect(
      sdh.track(4)?.taggedCharacteristics.map(\.rawValue) == [
        "public.accessibility.describes-music-and-sound", "public.accessibility.transcribes-spoken-dialog",
        "com.example.own",
      ])
    #expect(sdh.track(4)?.isSDH == true && sdh.findings.isEmpty)
    let half = try tags(text("public.accessibility.describes-music-and-sound"))
    #expect(half.track(4)?.isSDH == false)
    let terminated = try tags(cString("public.easy-to-read"))
    #expect(terminated.findings.map(\.severity) == [.warning])
    #expect(terminated.findings.first?.error.path == "moov/trak[4]/udta/tagc")
  }

  @Test func requiresBothBitsForForcedOnly() throws {
    for (flags, only, some) in [
      (0, false, false), (0x4000_0000, false, true), (0x8000_0000, false, false), (0xC000_0000, true, true),
    ] {
      for format in ["tx3g", "text"] {  // FFmpeg writes `text` with the body of `tx3g`.
        var entry = SampleEntry.timedText(displayFlags: flags)
        entry.replaceSubrange(4..<8, with: code(format))
        let track = try #require(read(TestMovie.talk.with { $0.tracks[3].sampleEntries = [entry] }).track(4))
        #expect(track.containsOnlyForcedSubtitles == only && track.containsSomeForcedSubtitles == some)
        #expect(track.characteristics.contains(.containsOnlyForcedSubtitles) == only)
      }
    }
  }

  @Test func reportsReferencesToMissingTracks() throws {
    let movie = try read(
      TestMovie.simple.with { $0.tracks[1].references = [TestReference("folw", 0, 9), TestReference("fall", 1)] })
    #expect(movie.findings.map(\.error.reason) == ["refers to track 9, which does not exist"])
    #expect(movie.findings.first?.error.path == "moov/trak[2]/tref/folw")
    #expect(movie.track(2)?.referenced("folw") == [9])
  }

  @Test func limitsFindings() throws {
    let movie = try read(
      TestMovie.simple.with {
        $0.tracks[1].references = [TestReference("folw", 9)]
        $0.tracks[1].references[0].tracks = (10..<500).map { UInt32($0) }
      })
    #expect(movie.findings.count == MovieLimits().defectCount)
  }

  @Test func reportsTracksWithEqualIDs() throws {
    let movie = try read(
      TestMovie(tracks: [TestTrack(.video, id: 1), TestTrack(.sound, id: 1), TestTrack(.text, id: 1)]))
    let findings = movie.findings.filter { $0.rule.id == "track.id" }
    #expect(findings.map(\.severity) == [.error, .error])
    #expect(findings.map(\.error.path) == ["moov/trak[2]", "moov/trak[3]"])
  }

  @Test func reportsTheStateOfTheFile() throws {
    let stray = try read(TestMovie.simple.with { $0.layout.append(.bytes([1, 2, 3])) })
    #expect(stray.findings.map(\.severity) == [.note])
    let torn = try read(TestMovie.simple.with { $0.layout.append(.bytes(atom("free", claiming: 100))) })
    #expect(torn.findings.map(\.severity) == [.note])
    let copy = try read(TestMovie.simple.with { $0.layout.append(.movie(.ordinary)) })
    #expect(copy.findings.map(\.rule.id) == ["file.two-movie-atoms"])
    let error = #expect(throws: MovieError.self) {
      try read(TestMovie.simple.with { $0.layout += [.fileType, .movie(.ordinary)] })
    }
    #expect(error?.code == .unsupported && error?.reason.contains("more than one movie atom") == true)
  }

  @Test func explainsWhyAFileIsNotAMovie() {
    for (bytes, reason) in [
      (
        atom("ftyp") { code("heic") + u32(0) } + atom("meta"),
        "is an image file, not a movie: it has no movie atom (moov)"
      ),
      (
        atom("ftyp") { code("qt  ") + u32(0) } + atom("mdat"),
        "has no movie atom (moov) among its atoms: ftyp, mdat; no tool can read its media without another movie of the "
          + "same recorder"
      ),
    ] {
      #expect(throws: MovieError(.notAMovie, at: 0, reason)) { try Movie(of: MemorySource(Bytes(bytes))) }
    }
    #expect(throws: MovieError(.notAMovie, "the file is empty")) { try Movie(of: MemorySource(Bytes([]))) }
    let cut = atom("ftyp") { code("qt  ") + u32(0) } + atom("mdat", claiming: 100) { zeros(8) }
    let reason =
      "the file is truncated: its last atom declares 100 bytes, but has only 16; the movie atom (moov) that should follow is "
      + "missing; "
      + "no tool can read its media without another movie of the same recorder"
    #expect(throws: MovieError(.truncated, at: 16, in: "mdat", reason)) { try Movie(of: MemorySource(Bytes(cut))) }
    for type in ["styp", "sidx", "moof"] {
      #expect {
        try Movie(of: MemorySource(Bytes(atom(type) + atom("mdat"))))
      } throws: {
        let error = $0 as? MovieError
        return error?.code == .notAMovie
          && error?.description.hasPrefix("is a media segment without a movie atom (moov); ") == true
      }
    }
    #expect { try Movie(of: MemorySource(Bytes(text("RIFF this is not a movie")))) } throws: {
      ($0 as? MovieError)?.code == .notAMovie
    }
  }

  @Test func rejectsATruncatedMovieAtom() {
    let bytes = TestMovie.simple.bytes()
    #expect { try Movie(of: MemorySource(Bytes(Array(bytes.dropLast())))) } throws: {
      ($0 as? MovieError)?.code == .truncated
    }
  }

  @Test func readsAMovieWithInvalidUserData() throws {
    let movie = try read(TestMovie.simple.with { $0.userData = atom("name", claiming: 500) })
    #expect(movie.findings.map(\.error.path) == ["moov/udta/name"])
    #expect { try read(TestMovie.simple.with { $0.tracks[0].mediaAtoms = atom("XXXX", claiming: 500) }) } throws: {
      ($0 as? MovieError)?.code == .malformed
    }
  }

  @Test func printsMediaTypesAndCharacteristicsAsCodes() {
    #expect("\(MediaType.video) \(MediaType.subtitle) \(FourCC("moov"))" == "vide sbtl moov")
    #expect("\(MediaCharacteristic.easyToRead)" == "public.easy-to-read")
  }
}

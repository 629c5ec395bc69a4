import TestSupport
import Testing

struct TestMovieTests {
  private static let layouts: [[TestMovie.Piece]] = [
    .movieLast, .movieFirst, .movieBetween, [.fileType, .media(.extended), .movie(.extended), .free(40)],
    [.movie(.ordinary), .wide, .media(.toTheEnd)], [.fileType, .media(.ordinary), .free(8), .movie(.toTheEnd)],
    [
      .fileType, .itemTable, .media(.ordinary), .media(.ordinary), .media(.ordinary), .movie(.ordinary),
      .bytes([1, 2, 3]),
    ],
  ]

  @Test(arguments: layouts.indices)
  func writesSamplesAtTheirDeclaredPositions(layout: Int) throws {
    let description = TestMovie.talk.with {
      $0.layout = Self.layouts[layout]
      $0.fileItem = text("an item of the file")
    }
    try expectSamples(of: description)
  }

  @Test func describesTheSameSamplesInEveryFormOfTable() throws {
    try expectSamples(
      of: TestMovie(tracks: [
        TestTrack(.video, id: 7).with {
          $0.usesLongOffsets = true
          $0.usesLongTimes = true
          $0.edits = [TestEdit(duration: 600, mediaTime: 50)]
          $0.chunking = [0, 1, 5, 2]
        },
        TestTrack(.sound, id: 3).with { $0.sizeTable = .stz2(bits: 16) },
        TestTrack(.sound, id: 4).with { $0.sizeTable = .stz2(bits: 8) },
        TestTrack(.other(handler: "meta"), id: 5).with {
          $0.samples = .varied(5, around: 3, duration: 100)
          $0.sizeTable = .stz2(bits: 4)
        },
        TestTrack(.text, id: 6), TestTrack(.timecode, id: 8),
      ]))
  }

  @Test func writesISOFormsForISOMovies() throws {
    let bytes = TestMovie.talk.with {
      $0.dialect = .iso
      $0.movieItem = text("an item")
    }.bytes()
    let reader = try SecondReader(bytes)
    #expect(reader.topLevel.map(\.type) == ["ftyp", "wide", "mdat", "moov"])
    #expect(reader.atom("moov/meta")?.fieldByteCount == 4)
    #expect(reader.track(4)?.language == "spa")
  }

  @Test func containsEverythingInTheTortureMovie() throws {
    let reader = try SecondReader(TestMovie.torture.bytes())
    let types = Set(reader.atoms.map(\.type))
    for type in ["tapt", "load", "uuid", "LOOP", "elng", "tagc", "folw", "tmcd", "keys", "ilst", "sgpd", "sbgp"] {
      #expect(types.contains(type), "no \(type)")
    }
    for path in [
      "XTOP", "moov/XMOV", "moov/udta/ZZZZ", "moov/trak#1/XTRK", "moov/trak#1/mdia/XMDI", "moov/trak#1/mdia/minf/XMIN",
      "moov/trak#1/mdia/minf/stbl/XSTB", "moov/trak#2/udta/XUDT", "moov/meta/keys",
    ] {
      #expect(reader.atom(path) != nil, "no \(path)")
    }
    #expect(reader.track(3)?.isEnabled == false)
    #expect(reader.track(2)?.references("folw") == [3])
    #expect(reader.track(3)?.characteristics == ["public.easy-to-read", "public.main-program-content"])
    #expect(reader.track(3)?.extendedLanguage == "es-419")
    try expectSamples(of: .torture)
  }

  @Test func movesMediaBeyondFourGibibytesByAHole() throws {
    let folder = try TemporaryFolder()
    let movie = TestMovie.simple.with {
      $0.layout = [.fileType, .hole(5 << 30), .media(.ordinary), .movie(.ordinary)]
      for index in $0.tracks.indices { $0.tracks[index].usesLongOffsets = true }
    }
    let reader = try SecondReader(path: folder.write(movie, as: "big.mov"))
    #expect(reader.store.count > 5 << 30)
    let sample = try #require(reader.track(1)?.samples.last)
    #expect(sample.offset > 5 << 30)
    #expect(try reader.bytes(of: sample) == movie.tracks[0].bytes(ofSample: 23))
  }

  @Test(arguments: [false, true])
  func writesAMovieThatFFmpegPlays(movieFirst: Bool) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    let movie = TestMovie.playable.with { if movieFirst { $0.layout = .movieFirst } }
    let path = try folder.write(movie.bytes(), as: "playable.mov")
    let pictures = try ffmpeg.run(["-v", "error", "-i", path, "-map", "0:v", "-f", "rawvideo", "-"])
    #expect(pictures.errorText == "")
    #expect(pictures.output == movie.tracks[0].samples.indices.flatMap { movie.tracks[0].bytes(ofSample: $0) })
    let sound = try ffmpeg.run(["-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-"])
    #expect(sound.output == movie.tracks[1].samples.indices.flatMap { movie.tracks[1].bytes(ofSample: $0) })
  }

  @Test func writesAMovieThatMediaInfoReads() throws {
    let mediainfo = try Witness.require("mediainfo")
    let folder = try TemporaryFolder()
    let path = try folder.write(TestMovie.playable.bytes(), as: "playable.mov")
    let result = try mediainfo.run(["--Output=General;%VideoCount% %AudioCount% %Duration%", path])
    #expect(result.outputText.hasPrefix("1 1 2000"))
  }

  /// Checks that the second reader finds each sample's bytes at the builder's positions.
  private func expectSamples(of movie: TestMovie) throws {
    let built = movie.build()
    let reader = try SecondReader(built.bytes)
    #expect(reader.tracks.map(\.id) == movie.tracks.map(\.id))
    for (track, read) in zip(movie.tracks, reader.tracks) {
      #expect(read.samples.count == track.samples.count)
      #expect(Set(read.samples.map(\.chunk)).count == track.chunks.count { !$0.isEmpty })
      var time = 0
      for (index, sample) in read.samples.enumerated() {
        #expect(try reader.bytes(of: sample) == track.bytes(ofSample: index))
        #expect(sample.decodeTime == time)
        #expect(sample.presentationTime == Int64(time + track.samples[index].compositionOffset))
        #expect(sample.isSync == track.samples[index].isSync)
        time += track.samples[index].duration
      }
      for (chunk, offset) in (built.chunkOffsets[track.id] ?? []).enumerated() where !track.chunks[chunk].isEmpty {
        #expect(read.samples.first { $0.chunk == chunk }?.offset == offset)
      }
    }
  }
}

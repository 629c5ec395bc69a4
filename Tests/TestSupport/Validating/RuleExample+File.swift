extension RuleExample {
  package static var all: [RuleExample] {
    get throws {
      try files + brands + metadata + movies + durations + tables + media + languages + groups + references + forced
        + chapters
        + subtitles + geometry + timelines + texts + captions + timedMetadata + characteristics + formats
    }
  }

  private static var files: [RuleExample] {
    [
      RuleExample(
        "file.truncated-atom",
        breaking: TestMovie.right.with { $0.layout += [.bytes(atom("uuid", claiming: 100) { zeros(16) })] }.bytes()),
      RuleExample("file.truncated-free-space") { $0.layout += [.bytes(atom("free", claiming: 100))] },
      RuleExample("file.trailing-bytes") { $0.layout += [.bytes([1, 2, 3])] },
      RuleExample("file.two-movie-atoms") { $0.layout += [.movie(.ordinary)] },
      RuleExample("file.interrupted-edit", and: ["file.trailing-bytes"]) {
        $0.layout += [
          .bytes([1, 2, 3]), .bytes(atom("free", claiming: 500) { text("free for movtool") + zeros(20) }),
        ]
      },
      RuleExample(
        "file.cut-off", and: ["file.truncated-atom", "media.misplaced"],
        breaking: Array(TestMovie.right.with { $0.layout = .movieFirst }.bytes().dropLast(1))),
      RuleExample("file.alternate-movies") { $0.movieAtoms = alternateMovies(["small.mov"]) },
      RuleExample("file.broken-atom") { $0.userData = atom("name", claiming: 99) { text("x") } },
    ]
  }

  private static var brands: [RuleExample] {
    get throws {
      [
        RuleExample("brand.not-first") { $0.layout = [.wide, .fileType, .media(.ordinary), .movie(.ordinary)] },
        RuleExample("brand.mov-without-qt", fileName: "film.MOV", breaking: TestMovie.rightISO.bytes()),
        RuleExample("brand.qt-not-compatible") { $0.brands = ["qt  ", "mp42"] },
        RuleExample("brand.not-iso", for: .iso) { $0.brands = ["qt  "] },
        try RuleExample("brand.quicktime-handler", for: .iso, at: "moov/trak#2/mdia/hdlr", 4, code("mhlr")),
        try RuleExample("brand.iso-handler", at: "moov/trak#2/mdia/hdlr", 4, zeros(4)),
        RuleExample("brand.sound-in-wave", for: .iso) {
          $0.tracks[1].sampleEntries = [
            SampleEntry.soundVersion1(
              "mp4a", channels: 2, rate: 8000, packet: (1024, 0, 0), compressionID: -2,
              extensions: atom("wave") {
                atom("frma") { text("mp4a") }
                SampleEntry.esds(rate: 8_000, channels: 2)
              })
          ]
        },
        RuleExample("brand.metadata-form", for: .iso) {
          $0.movieAtoms = atom("meta") {
            fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(13) }
            atom("ilst") { atom("©nam") { atom("data") { u32(1, 0) + text("Title") } } }
          }
        },
      ]
    }
  }

  private static var metadata: [RuleExample] {
    get throws {
      let list = atom("ilst") { atom("©nam") { atom("data") { u32(1, 0) + text("Title") } } }
      return [
        RuleExample("metadata.no-handler") { $0.userData = fullAtom("meta") { list } },
        RuleExample("metadata.item-without-key") {
          $0.movieAtoms = atom("meta") {
            fullAtom("hdlr") { zeros(4) + code("mdta") + zeros(13) }
            fullAtom("keys") { u32(1) + atom("mdta") { text("com.example.key") } }
            atom("ilst") { atom(numbered: 2) { atom("data") { u32(1, 0) + text("lost") } } }
          }
        },
        RuleExample("metadata.value-form") {
          $0.userData = fullAtom("meta") {
            fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(13) }
            atom("ilst") { atom("tmpo") { atom("data") { u32(21, 0) + zeros(5) } } }
          }
        },
        RuleExample("metadata.key-without-domain") { $0.movieAtoms = mdtaMetadata([("encoder", "x")]) },
        RuleExample("metadata.facts-disagree") {
          $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.title", "One")])
          $0.userData = atom("©nam") { u16(3, 0x15C7) + text("Two") }
        },
        // Seconds since 1970: 2024-01-20.
        try RuleExample("movie.date-implausible", at: "moov/mvhd", 4, u32(1_705_742_769)),
        RuleExample("movie.date-contradicts-tags") {
          $0.userData = atom("©day") { u16(20, 0x55C4) + text("2024-01-20T10:26:09Z") }
        },
        RuleExample("metadata.malformed-value") {
          $0.movieAtoms = mdtaMetadata([
            ("com.apple.quicktime.location.ISO6709", "Munich"), ("com.apple.quicktime.creationdate", "Spring"),
          ])
        },
      ]
    }
  }

  private static var movies: [RuleExample] {
    get throws {
      [
        try RuleExample("movie.time-scale", at: "moov/mvhd", 12, u32(0)),
        try RuleExample("track.time-scale", at: "moov/trak#1/mdia/mdhd", 12, u32(0)),
        try RuleExample("track.id", keeps: .simple, at: "moov/trak#2/tkhd", 12, u32(1)),
        try RuleExample("track.id-zero", keeps: .simple, at: "moov/trak#2/tkhd", 12, u32(0)),
        RuleExample("movie.next-track-id") { $0.nextTrackID = 7 },
        try RuleExample("track.no-handler", keeps: .simple, at: "moov/trak#2/mdia/hdlr", -4, code("hdl_")),
        RuleExample("track.poster-flag", for: .iso) { $0.tracks[0].otherFlags = 0xA },
        RuleExample("track.long-media-header") { $0.tracks[0].usesLongTimes = true },
      ]
    }
  }

  private static var durations: [RuleExample] {
    get throws {
      [
        RuleExample("movie.duration") { $0.duration = 1262 },
        try RuleExample("track.duration", at: "moov/trak#2/tkhd", 20, u32(1000)),
        try RuleExample("track.media-duration", at: "moov/trak#1/mdia/mdhd", 16, u32(1140)),
        RuleExample("track.last-duration") { movie in
          movie.tracks[1].samples.indices.last.map { movie.tracks[1].samples[$0].duration = 0 }
        },
        RuleExample("edit.last-empty") {
          $0.tracks[1].edits = [TestEdit(duration: 600, mediaTime: 0), TestEdit(duration: 600, mediaTime: -1)]
        },
        RuleExample("edit.rate") { $0.tracks[1].edits = [TestEdit(duration: 1200, mediaTime: 0, rate: 0)] },
        RuleExample("edit.beyond-media") { $0.tracks[1].edits = [TestEdit(duration: 1200, mediaTime: 16000)] },
      ]
    }
  }

  private static var tables: [RuleExample] {
    get throws {
      let stbl = "moov/trak#1/mdia/minf/stbl/"
      return [
        try RuleExample("table.stts", at: stbl + "stts", 8, u32(25)),
        try RuleExample("table.ctts", at: stbl + "ctts", 8, u32(9)),
        try RuleExample("table.stsc", at: stbl + "stsc", 8, u32(2)),
        try RuleExample("table.stss", at: stbl + "stss", 12, u32(1)),
        try RuleExample(
          "table.co64", and: ["media.misplaced"], keeps: .right.with { $0.tracks[0].usesLongOffsets = true },
          at: stbl + "co64", 8, u64(.max)),
        RuleExample("table.sbgp-repeated") {
          $0.tracks[0].sampleTableAtoms = movie {
            fullAtom("sgpd", version: 1) { code("rap ") + u32(1, 1) + u8(0) }
            fullAtom("sbgp") { code("rap ") + u32(1, 1, 1) }
            fullAtom("sbgp") { code("rap ") + u32(1, 1, 1) }
          }
        },
        RuleExample("description.unreadable", and: ["description.configuration"]) {
          $0.tracks[1].sampleEntries = [
            atom("mp4a") {
              zeros(6)
              u16(1)
            }
          ]
        },
        RuleExample("description.data-reference") {
          $0.tracks[0].sampleEntries = [
            SampleEntry.video(width: 1280, height: 720, dataReference: 2, extensions: SampleEntry.avcC)
          ]
        },
      ]
    }
  }

  private static var media: [RuleExample] {
    get throws {
      let stco = "moov/trak#1/mdia/minf/stbl/stco"
      let fragment = TestFragment([.init(id: 9, runs: [.init(.varied(3, around: 20, duration: 50))])])
      let fragmented = TestMovie(tracks: [TestTrack(.video, id: 1)])
      let right = TestFragment([.init(id: 1, runs: [.init(.varied(3, around: 20, duration: 50))])])
      let wrong = TestFragment([
        .init(id: 1, runs: [TestFragment.Run(.varied(3, around: 20, duration: 50)).with { $0.claimedOffset = 100_000 }])
      ])
      return [
        try RuleExample("media.misplaced", at: stco, 8, u32(1_000_000)),
        try RuleExample("media.outside-mdat", at: "mdat", -4, code("free")),
        try RuleExample("media.overlap", at: stco, 8, u32(60)),
        RuleExample("media.external") {
          $0.tracks[1].externalOffsets = $0.tracks[1].chunks.map { UInt64($0.lowerBound) }
        },
        RuleExample("fragment.broken", breaking: fragmented.bytes(fragments: [right, fragment])),
        RuleExample("fragment.misplaced", breaking: fragmented.bytes(fragments: [wrong])),
      ]
    }
  }
}

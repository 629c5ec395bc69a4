import TestSupport

/// Movies that exist on every machine: built movies in many layouts, and the movies of `TestMedia`.
enum ReadyMovies {
  /// The files of `TestMedia`.
  static let files = ["interview.mov", "interview.mp4", "spanish.mov"]

  /// A movie and its name in messages.
  struct Built: Sendable, CustomStringConvertible {
    let description: String
    let movie: TestMovie
    /// Whether it can be edited in place.
    let isEditableInPlace: Bool
  }

  static let built: [Built] = [
    movie("simple", .simple),
    movie("talk", .talk),
    movie("playable", .playable),
    movie("torture", .torture),
    movie("torture, fast start", .torture, .movieFirst, inPlace: false),
    movie("torture, between", .torture, .movieBetween),
    movie("torture, 64-bit headers", .torture, [.fileType, .wide, .media(.extended), .movie(.extended)]),
    movie("torture, media to the end", .torture, [.fileType, .movie(.ordinary), .media(.toTheEnd)], inPlace: false),
    movie("torture, movie to the end", .torture, [.fileType, .media(.ordinary), .movie(.toTheEnd)], inPlace: false),
    movie(
      "torture, three media atoms", .torture,
      [
        .fileType, .media(.ordinary), .free(40), .media(.extended), .bytes(atom("junk")), .media(.ordinary),
        .movie(.ordinary), .free(100),
      ]),
    movie(
      "torture, media around the movie", .torture,
      [.fileType, .free(20), .media(.ordinary), .movie(.ordinary), .free(16), .media(.extended), .media(.toTheEnd)],
      inPlace: false),
    movie("torture, stray bytes", .torture, .movieLast + [.bytes([1, 2, 3])], inPlace: false),
    movie(
      "torture, trailer", .torture, .movieLast + [.bytes(atom("XTOP")), .bytes(text("trailer from its end: 42"))]),
    movie("torture, trailer, fast start", .torture, .movieFirst + [.bytes(text("trailer"))], inPlace: false),
    movie("talk, ISO", TestMovie.talk.with { $0.dialect = .iso }),
    movie("talk, ISO, fast start", TestMovie.talk.with { $0.dialect = .iso }, .movieFirst, inPlace: false),
    movie("no ftyp", TestMovie.simple.with { $0.brands = [] }, [.wide, .media(.ordinary), .movie(.ordinary)]),
    movie("long times and offsets", longForms),
    movie("compact sizes", compactSizes, .movieFirst, inPlace: false),
    movie("media elsewhere", externalMedia, .movieFirst, inPlace: false),
    movie("auxiliary information and items", positions),
    movie(
      "auxiliary information and items, fast start", positions,
      [.fileType, .itemTable, .movie(.ordinary), .media(.ordinary)], inPlace: false),
    movie("no duration", TestMovie.simple.with { $0.duration = 0 }),
    movie("track IDs used up", TestMovie.simple.with { $0.nextTrackID = .max }),
    movie("time scale of NTSC", ntsc),
  ]

  private static func movie(
    _ name: String, _ movie: TestMovie, _ layout: [TestMovie.Piece]? = nil, inPlace: Bool = true
  ) -> Built {
    Built(
      description: name, movie: movie.with { if let layout { $0.layout = layout } }, isEditableInPlace: inPlace)
  }

  private static var longForms: TestMovie {
    TestMovie.talk.with { movie in
      movie.usesLongTimes = true
      for index in movie.tracks.indices {
        movie.tracks[index].usesLongTimes = true
        movie.tracks[index].usesLongOffsets = true
      }
    }
  }

  private static var compactSizes: TestMovie {
    TestMovie.simple.with { movie in
      movie.tracks[0].sizeTable = .stz2(bits: 16)
      movie.tracks[1].sizeTable = .stz2(bits: 8)
    }
  }

  private static var externalMedia: TestMovie {
    TestMovie.simple.with { movie in
      movie.tracks[1].externalOffsets = movie.tracks[1].chunks.indices.map { UInt64($0) * 1000 }
    }
  }

  private static var positions: TestMovie {
    TestMovie.simple.with { movie in
      movie.dialect = .iso
      movie.layout = [.fileType, .media(.ordinary), .movie(.ordinary), .itemTable]
      movie.fileItem = text("an item of the file")
      movie.movieItem = text("an item of the movie")
      movie.tracks[0].auxiliaryByteCount = 8
      movie.tracks[0].item = text("an item of the track")
    }
  }

  private static var ntsc: TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.timeScale = 24000
        $0.samples = .pictures(49, around: 40, duration: 1001)
      }
    ]).with { $0.timeScale = 24000 }
  }
}

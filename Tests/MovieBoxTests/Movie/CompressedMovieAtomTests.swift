import TestSupport
import Testing

@testable import MovieBox

struct CompressedMovieAtomTests {
  private func read(_ bytes: [UInt8], limits: MovieLimits = MovieLimits()) throws -> Movie {
    try Movie(of: MemorySource(Bytes(bytes)), limits: limits)
  }

  private func error(_ bytes: [UInt8], limits: MovieLimits = MovieLimits()) -> MovieError? {
    #expect(throws: MovieError.self) { try read(bytes, limits: limits) }
  }

  private func expectTwins(_ compressed: Movie, _ plain: Movie) throws {
    #expect(compressed.hasCompressedMovieAtom && !plain.hasCompressedMovieAtom)
    #expect(compressed.tree.bytes == plain.tree.bytes)
    #expect(compressed.tree.atoms == plain.tree.atoms)
    #expect(compressed.header == plain.header && compressed.dialect == plain.dialect)
    #expect(compressed.findings.count == plain.findings.count)
    #expect(compressed.misplacedSamples().isEmpty)
    #expect(compressed.tracks.map(\.header) == plain.tracks.map(\.header))
    #expect(compressed.tracks.map(\.title) == plain.tracks.map(\.title))
    for (one, other) in zip(compressed.tracks, plain.tracks) {
      #expect(Array(one.samples.chunks) == Array(other.samples.chunks))
    }
  }

  @Test(arguments: [TestMovie.simple, .talk, .torture])
  func readsACompressedMovieAtomLikeAPlainOne(movie: TestMovie) throws {
    // The media is first, so it has equal positions in both files.
    let compressed = movie.with { $0.hasCompressedMovieAtom = true }
    try expectTwins(read(compressed.bytes()), read(movie.bytes()))
    let python = try Witness.require("python3")
    for layout in [movie.layout, .movieFirst, .movieBetween] {
      let plain = movie.with { $0.layout = layout }.bytes()
      try expectTwins(read(withCompressedHeader(plain) { try python.zlib($0) }), read(plain))
    }
  }

  @Test func locatesTheMovieAtomInTheFile() throws {
    let bytes = TestMovie.simple.with { $0.hasCompressedMovieAtom = true }.bytes()
    let moov = try #require(try SecondReader(bytes).atom("moov"))
    for header in [HeaderForm.ordinary, .extended, .toTheEnd] {
      let movie = try read(
        TestMovie.simple.with {
          $0.hasCompressedMovieAtom = true
          $0.layout = [.fileType, .wide, .media(.ordinary), .movie(header)]
        }.bytes())
      #expect(movie.movieAtom.range.offset == moov.offset)
      #expect(movie.movieAtom.range.end == movie.layout.identity.byteCount)
      #expect(movie.hasCompressedMovieAtom && movie.tree.bytes.count < movie.movieAtom.range.count)
    }
  }

  @Test func countsPositionsInTheInflatedMovieAtom() throws {
    let movie = try read(TestMovie.simple.with { $0.hasCompressedMovieAtom = true }.bytes())
    let tree = movie.tree
    #expect(tree.enclosingPath == "moov/cmov/cmvd")
    #expect(tree.range(of: tree.root) == ByteRange(0..<UInt64(tree.bytes.count)))
    for index in tree.atoms.indices {
      #expect(tree.index(at: tree.path(of: index)) == index)
      #expect(tree.path(of: index).hasPrefix("moov/cmov/cmvd/moov"))
    }
    #expect(tree.index(at: "moov/trak[2]/mdia") == tree.index(at: "moov/cmov/cmvd/moov/trak[2]/mdia"))
    #expect(tree.index(at: "moov/cmov/cmvd") == nil)
  }

  @Test func marksErrorsInsideTheInflatedMovieAtom() throws {
    let inner = error(
      TestMovie.simple.with {
        $0.hasCompressedMovieAtom = true
        $0.tracks[0].mediaAtoms = atom("XXXX", claiming: 500)
      }.bytes())
    #expect(inner?.path == "moov/cmov/cmvd/moov/trak[1]/mdia/XXXX")
    #expect(inner?.description.contains("of the inflated movie atom: declares 500 bytes") == true)
    let empty = atom("moov")
    let bare = error(compressedMoov(zlib: storedZlib(empty), inflatedByteCount: 8))
    #expect(bare == MovieError(.malformed, at: 0, in: "moov/cmov/cmvd/moov", "has no mvhd"))
  }

  @Test func locatesErrorsOfCompressedDataInTheFile() {
    // moov 8, cmov 8, dcom 12, cmvd 8: the stream begins at 40, after the uncompressed size.
    let plain = atom("moov")
    let stream = storedZlib(plain)
    let free = atom("free") { zeros(92) }
    var broken = stream
    broken[stream.count - 1] ^= 1
    #expect(
      error(free + compressedMoov(zlib: broken, inflatedByteCount: 8))
        == MovieError(
          .malformed, at: 100 + 40 + UInt64(stream.count - 4), in: "moov/cmov/cmvd",
          "the checksum (Adler-32) does not match the inflated bytes"))
    #expect(error(compressedMoov(zlib: stream, inflatedByteCount: 9))?.code == .malformed)
    #expect(error(compressedMoov(zlib: stream, inflatedByteCount: 7))?.code == .malformed)
    #expect(error(compressedMoov(zlib: stream, inflatedByteCount: 0xFFFF_FFFF))?.code == .limit)
    #expect(error(compressedMoov(zlib: [], inflatedByteCount: 8))?.code == .truncated)
  }

  @Test func appliesTheLimitToTheInflatedMovieAtom() throws {
    let bytes = TestMovie.simple.with { $0.hasCompressedMovieAtom = true }.bytes()
    let movie = try read(bytes)
    var limits = MovieLimits()
    limits.movieByteCount = movie.movieAtom.range.count
    #expect(throws: Never.self) { try read(bytes, limits: limits) }
    let python = try Witness.require("python3")
    let plain = TestMovie.simple.bytes()
    let small = try withCompressedHeader(plain) { try python.zlib($0) }
    limits.movieByteCount = UInt64(movie.tree.bytes.count)
    #expect(throws: Never.self) { try read(small, limits: limits) }
    limits.inflatedByteCount = limits.movieByteCount
    #expect(throws: Never.self) { try read(small, limits: limits) }
    for limit in [\MovieLimits.movieByteCount, \.inflatedByteCount] {
      var less = limits
      less[keyPath: limit] -= 1
      let refusal = error(small, limits: less)
      #expect(refusal?.code == .limit && refusal?.path == "moov/cmov/cmvd")
    }
  }

  /// A megabyte of zeros compresses to a kilobyte. The atom is rejected before memory is allocated.
  @Test func rejectsADecompressionBomb() throws {
    let python = try Witness.require("python3")
    let moov = try #require(SecondReader(TestMovie.simple.bytes()).atom("moov"))
    let header = try SecondReader(TestMovie.simple.bytes()).content(of: moov)
    let bomb = atom("moov") { header + atom("free") { zeros(33 << 20) } }
    let refusal = try error(compressedMoov(zlib: python.zlib(bomb), inflatedByteCount: bomb.count))
    #expect(refusal?.code == .limit && refusal?.reason.contains("the limit is 33554432") == true)
  }

  @Test func namesAnotherAlgorithm() {
    let refusal = error(compressedMoov(algorithm: "lzma", zlib: [], inflatedByteCount: 0))
    #expect(refusal?.code == .unsupported && refusal?.path == "moov/cmov/dcom")
    #expect(refusal?.reason.contains("lzma") == true)
  }

  @Test func rejectsADoublyCompressedMovieAtom() {
    let once = compressedMoov(zlib: storedZlib(atom("moov")), inflatedByteCount: 8)
    let twice = error(compressedMoov(zlib: storedZlib(once), inflatedByteCount: once.count))
    #expect(twice?.code == .unsupported && twice?.path == "moov/cmov/cmvd/moov/cmov")
  }

  @Test func requiresASingleInflatedMovieAtom() {
    for inflated in [
      [], zeros(8), atom("trak"), atom("moov") + atom("free"), atom("moov", claiming: 9),
      atom("moov", header: .toTheEnd),
    ] {
      let error = error(compressedMoov(zlib: storedZlib(inflated), inflatedByteCount: inflated.count))
      #expect([.malformed, .truncated].contains(error?.code))
      #expect(error?.path.hasPrefix("moov/cmov/cmvd") == true)
    }
  }

  @Test func rejectsOtherAtomsBesideACompressedMovieAtom() throws {
    let plain = try read(TestMovie.simple.bytes()).tree.bytes.array
    let dcom = atom("dcom") { code("zlib") }
    let cmvd = atom("cmvd") { u32(plain.count) + storedZlib(plain) }
    func header(_ inside: [UInt8], _ beside: [UInt8] = []) -> [UInt8] {
      TestMovie.simple.bytes().prefix { _ in false } + atom("moov") { atom("cmov") { inside } + beside }
    }
    func tree(_ bytes: [UInt8]) throws -> AtomTree {
      let source = MemorySource(Bytes(bytes))
      return try Movie.movieTree(of: source, layout: FileLayout(of: source))
    }
    for good in [
      header(dcom + cmvd), header(cmvd + dcom), header(dcom + atom("free") + cmvd + atom("skip") + atom("free")),
      header(dcom + cmvd, atom("free") { zeros(9) } + zeros(4)),
    ] {
      #expect(try tree(good).bytes.array == plain)
    }
    for bad in [
      header(dcom + cmvd, atom("udta")), header(dcom + cmvd, [1]), header(dcom + cmvd + cmvd),
      header(dcom + cmvd + atom("XXXX")), header(dcom + cmvd, atom("cmov") { dcom + cmvd }),
    ] {
      #expect { try tree(bad) } throws: { ($0 as? MovieError)?.code == .unsupported }
    }
    for bad in [
      header(dcom), header(cmvd), header([]), header(dcom + atom("cmvd", claiming: 500) { u32(8) }),
    ] {
      #expect { try tree(bad) } throws: { ($0 as? MovieError)?.code == .malformed }
    }
    #expect { try tree(header(atom("dcom") + cmvd)) } throws: { ($0 as? MovieError)?.code == .truncated }
    #expect { try tree(header(dcom + atom("cmvd"))) } throws: { ($0 as? MovieError)?.code == .truncated }
  }

  @Test func survivesEveryBrokenByteOfACompressedMovieAtom() throws {
    let python = try Witness.require("python3")
    let bytes = try withCompressedHeader(TestMovie(tracks: []).bytes()) { try python.zlib($0) }
    let movie = try read(bytes)
    for index in Int(movie.movieAtom.range.offset)..<bytes.count {
      for bit in 0..<8 {
        var broken = bytes
        broken[index] ^= 1 << UInt8(bit)
        do {
          #expect(try read(broken).tree.bytes == movie.tree.bytes)
        } catch {
          #expect(error is MovieError)
        }
      }
    }
  }

  @Test func agreesWithOtherPrograms() throws {
    let ffprobe = try Witness.require("ffprobe")
    let folder = try TemporaryFolder()
    func packets(_ movie: TestMovie, _ name: String) throws -> String {
      let path = try folder.write(movie, as: name)
      let result = try ffprobe.run([
        "-v", "error", "-show_packets", "-show_data_hash", "md5", "-show_streams", "-of", "compact", path,
      ])
      #expect(result.code == 0 && result.errorText.isEmpty, "\(result.errorText)")
      return result.outputText
    }
    let plain = try packets(.playable, "plain.mov")
    #expect(plain.contains("packet"))
    #expect(try packets(TestMovie.playable.with { $0.hasCompressedMovieAtom = true }, "compressed.mov") == plain)
  }
}

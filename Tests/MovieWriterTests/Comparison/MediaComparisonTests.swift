import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

@Suite struct MediaComparisonTests {
  /// Two interleaved tracks of several blocks.
  private static let large = TestMovie.simple.with {
    for index in 0..<2 {
      $0.tracks[index].samples = .varied(300, around: 5000, duration: 10)
      $0.tracks[index].chunking = [1]
    }
  }
  private static let blockByteCount = 1 << 20

  /// Returns the reads that begin in `mdat`.
  private func mediaReads(_ source: CountingSource) throws -> [ByteRange] {
    let layout = try FileLayout(of: source)
    let media = try #require(layout.first("mdat")).range
    return source.reads.filter { $0.count > 1024 && media.contains($0) || $0.count >= UInt64(Self.blockByteCount) }
  }

  @Test func readsEqualFilesOnceInBlocks() throws {
    let bytes = Self.large.bytes()
    let (one, other) = (CountingSource(bytes), CountingSource(bytes))
    #expect(try MovieComparison(one, other).isSameBytes)
    let blocks = (bytes.count + Self.blockByteCount - 1) / Self.blockByteCount
    #expect(blocks == 3)
    #expect(
      one.reads.filter { $0.count > 64 << 10 || $0.end == UInt64(bytes.count) && $0.count > 1024 }.count <= blocks + 1)
    #expect(one.reads.count <= blocks + 8 && other.reads.count <= blocks + 8)
  }

  @Test func readsNeighbouringSamplesTogether() throws {
    let (one, other) = (
      CountingSource(Self.large.bytes()), CountingSource(Self.large.with { $0.layout = .movieFirst }.bytes())
    )
    let comparison = try MovieComparison(one, other)
    #expect(comparison.differences.isEmpty)
    // 600 chunks form one run of 3 MB, which is read in blocks.
    #expect(one.reads.count <= 16 && other.reads.count <= 16, "\(one.reads.count) \(other.reads.count)")
    #expect(one.reads.allSatisfy { $0.count <= UInt64(Self.blockByteCount) })
  }

  /// The first and last byte of each chunk is changed in turn in a movie whose chunks moved. Chunks of an added track lie
  /// between the chunks of the other tracks, so that these move by different distances.
  @Test(arguments: [false, true]) func findsAChangedByteInMovedMedia(addsTrack: Bool) throws {
    let old = TestMovie.simple
    let new = old.with {
      $0.layout = .movieFirst
      if addsTrack { $0.tracks.append(TestTrack(.sound, id: 9)) }
    }
    let (oldBytes, bytes) = (old.bytes(), new.bytes())
    func changedBytes(_ movie: [UInt8]) throws -> [String] {
      let found = try ComparedMovies(oldBytes, movie)
      #expect(found.comparison.remarks.contains { $0.kind == .mediaElsewhere })
      return found.lines.filter { $0.contains("bytes") }
    }
    #expect(try changedBytes(bytes) == [])
    let movie = try Movie(of: MemorySource(Bytes(bytes)))
    for track in movie.tracks where old.tracks.contains(where: { $0.id == track.id }) {
      for range in track.samples.chunks.compactMap(\.byteRange) {
        for offset in [range.offset, range.end - 1] {
          var changed = bytes
          changed[Int(offset)] ^= 1
          #expect(try changedBytes(changed) == ["changed bytes@\(track.id)"], "byte \(offset)")
        }
      }
    }
  }

  /// Two files are compared in parts of 64 KiB, and other sources in blocks of 1 MiB.
  @Test func findsAChangedByteAtTheBoundariesOfParts() throws {
    let folder = try TemporaryFolder()
    let old = try FileSource(path: folder.write(Self.large.bytes(), as: "old.mov"))
    let bytes = Self.large.with { $0.layout = .movieFirst }.bytes()
    func differenceCount(_ bytes: [UInt8]) throws -> Int {
      try MovieComparison(old, FileSource(path: folder.write(bytes, as: "new.mov"))).differences.count
    }
    #expect(try differenceCount(bytes) == 0)
    let chunks = try Movie(of: MemorySource(Bytes(bytes))).tracks.flatMap { $0.samples.chunks.compactMap(\.byteRange) }
    let media = try ByteRange(#require(chunks.map(\.offset).min())..<#require(chunks.map(\.end).max()))
    for distance in [0, (1 << 16) - 1, 1 << 16, Self.blockByteCount - 1, Self.blockByteCount, Int(media.count) - 1] {
      var changed = bytes
      changed[Int(media.offset) + distance] ^= 1
      #expect(try differenceCount(changed) == 1, "\(distance)")
    }
  }

  @Test func readsKnownEqualMediaOnce() throws {
    let bytes = Self.large.bytes()
    var changed = bytes
    changed[bytes.count - 1] ^= 1  // The last byte of the movie atom.
    let one = CountingSource(bytes)
    let comparison = try MovieComparison(one, CountingSource(changed))
    #expect(!comparison.isSameBytes)
    let read = one.reads.reduce(0) { $0 + Int($1.count) }
    #expect(read < bytes.count + 2 * Self.blockByteCount / 8 + 64 << 10)
  }

  @Test func reportsSamplesPastTheEndAsADifference() throws {
    let bytes = TestMovie.simple.with { $0.layout = .movieFirst }.bytes()
    let found = try ComparedMovies(bytes, Array(bytes.dropLast(10)))
    #expect(found.lines.allSatisfy { $0.hasPrefix("changed bytes@") } && !found.lines.isEmpty)
    #expect(found.descriptions[0].hasSuffix("; the new file ends at byte \(bytes.count - 10)"))
    let longer = try ComparedMovies(Array(bytes.dropLast(10)), bytes)
    #expect(
      longer.lines == found.lines && longer.descriptions[0].hasSuffix("; the old file ends at byte \(bytes.count - 10)")
    )
    #expect(try ComparedMovies(Array(bytes.dropLast(10)), Array(bytes.dropLast(10))).comparison.isSameBytes)
  }

  @Test func rejectsTablesThatRepeatBytesExcessively() throws {
    // Each chunk of the track covers most of the file, at a different distance from its counterpart.
    func hostile(_ shift: UInt64) -> [UInt8] {
      TestMovie(tracks: [
        TestTrack(.sound, id: 1).with {
          $0.samples = (0..<400).map { _ in TestSample(40_000, duration: 1) }
          $0.chunking = [1]
          $0.externalOffsets = (0..<400).map { UInt64($0) * (shift + 1) }
          $0.dataReferences = [fullAtom("url ", flags: 1)]
        }
      ]).with { $0.layout += [.bytes(atom("XTOP") { zeros(50_000) })] }.bytes()
    }
    do {
      _ = try ComparedMovies(hostile(0), hostile(1))
      Issue.record("the whole file would be read hundreds of times")
    } catch let error as MovieError {
      #expect(error.code == .limit)
    }
    #expect(try ComparedMovies(hostile(0), hostile(0) + [0]).lines == ["added other"])
  }

  @Test func namesTheSideThatIsNotAMovie() throws {
    let movie = TestMovie.simple.bytes()
    #expect(throws: MovieError.self) { try ComparedMovies([1, 2, 3], movie) }
    #expect(throws: MovieComparison.NewMovieError.self) { try ComparedMovies(movie, [1, 2, 3]) }
  }
}

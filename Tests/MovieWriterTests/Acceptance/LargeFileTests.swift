import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Files of more than 4 GiB: chunk offsets become 64-bit only where necessary.
struct LargeFileTests {
  private static let limit = UInt64(UInt32.max)

  /// Returns a fast-start movie whose media is after a hole.
  private static func movie(hole: UInt64) -> TestMovie {
    TestMovie.simple.with { $0.layout = [.fileType, .movie(.ordinary), .hole(hole), .media(.ordinary)] }
  }

  /// Returns the highest chunk offset, and its track.
  private static func lastChunk(_ movie: Movie) throws -> (track: Int, offset: UInt64) {
    let chunks = movie.tracks.indices.flatMap { index in
      movie.tracks[index].samples.chunks.map { (track: index, offset: $0.offset) }
    }
    return try #require(chunks.max { $0.offset < $1.offset })
  }

  /// Returns the hole for which the last chunk of the edited movie would be at this offset with a 32-bit table.
  private static func hole(movingLastChunkTo offset: UInt64) throws -> UInt64 {
    let source = SegmentSource(movie(hole: 1 << 20))
    let plan = try CrashedMovie.edit(of: source).outputPlan(of: source)
    let moved = try lastChunk(Movie(of: PlannedSource(plan, of: source))).offset
    return 1 << 20 + offset - moved
  }

  @Test func keeps32BitOffsetsUpToTheLimit() throws {
    let source = SegmentSource(Self.movie(hole: try Self.hole(movingLastChunkTo: Self.limit)))
    let plan = try CrashedMovie.edit(of: source).outputPlan(of: source)
    let planned = try Movie(of: PlannedSource(plan, of: source))
    #expect(try Self.lastChunk(planned).offset == Self.limit)
    #expect(try wideTracks(of: planned).isEmpty)
    try expectSameSamples(source, plan)
  }

  @Test func widensATableAtTheFirst64BitOffset() throws {
    let source = SegmentSource(Self.movie(hole: try Self.hole(movingLastChunkTo: Self.limit + 1)))
    let movie = try Movie(of: source)
    #expect(try wideTracks(of: movie).isEmpty)
    let last = try Self.lastChunk(movie)
    #expect(last.offset <= Self.limit)
    let plan = try CrashedMovie.edit(of: source).outputPlan(of: source)
    let planned = try Movie(of: PlannedSource(plan, of: source))
    #expect(try wideTracks(of: planned).contains(movie.tracks[last.track].id))
    #expect(try Self.lastChunk(planned).offset > Self.limit)
    // The new samples precede the media.
    #expect(try !wideTracks(of: planned).contains(try #require(planned.tracks.last).id))
    try expectSameSamples(source, plan)
  }

  @Test func writesAWideTableForNewSamplesBeyond32Bits() throws {
    let movie = TestMovie.simple.with { movie in
      movie.layout = [.fileType, .wide, .media(.ordinary), .hole(1 << 32), .movie(.ordinary)]
    }
    let folder = try TemporaryFolder()
    let path = try folder.write(movie, as: "film.mov")
    let old = try SegmentedFile(movie)
    let source = try FileSource(path: path)
    let edit = try CrashedMovie.edit(of: source)
    try InPlaceCommit(path: path).carryOut(edit.inPlacePlan(of: source))
    let edited = try Movie(of: FileSource(path: path))
    let id = try #require(edited.tracks.last?.id)
    #expect(try wideTracks(of: edited) == [id])
    #expect(try differences(old: old.reader, new: SecondReader(path: path), allowing: .adding(id)).isEmpty)
    try TrialChecks(
      name: "5 GiB", old: old.reader, new: SecondReader(path: path), id: id, track: .english
    ).run()
  }

  /// Copies 4 GiB of zeros to a disk that does not store them.
  @Test(.timeLimit(.minutes(5))) func writesANewFileThatGrowsBeyond32Bits() throws {
    try HeavyTests.require("copying 4 GiB")
    let movie = Self.movie(hole: try Self.hole(movingLastChunkTo: Self.limit + 1))
    let folder = try TemporaryFolder()
    let path = try folder.write(movie, as: "film.mov")
    let source = try FileSource(path: path)
    let plan = try CrashedMovie.edit(of: source).outputPlan(of: source)
    try NewFileSink(path: folder.file("new.mov"), existing: .keep, synchronizes: false, disk: SparseDisk())
      .carryOut(plan, from: source)
    let (old, new) = (try SecondReader(path: path), try SecondReader(path: folder.file("new.mov")))
    let id = try #require(new.tracks.last?.id)
    #expect(new.store.count == plan.byteCount)
    #expect(try differences(old: old, new: new, allowing: .adding(id)).isEmpty)
    try TrialChecks(name: "4 GiB", old: old, new: new, id: id, track: .english).run()
  }

  /// A movie as an unchanging file.
  private struct SegmentedFile {
    let folder: TemporaryFolder
    let reader: SecondReader

    init(_ movie: TestMovie) throws {
      folder = try TemporaryFolder()
      reader = try SecondReader(path: try folder.write(movie, as: "old.mov"))
    }
  }

  /// Returns the IDs of the tracks with 64-bit chunk offsets.
  private func wideTracks(of movie: Movie) throws -> [UInt32] {
    movie.tracks.filter { track in
      movie.tree.descendant(of: track.atom, "mdia", "minf", "stbl", "co64") != nil
    }.map(\.id)
  }

  private func expectSameSamples(_ source: SegmentSource, _ plan: OutputPlan) throws {
    let planned = PlannedSource(plan, of: source)
    let (before, after) = (try Movie(of: source), try Movie(of: planned))
    for (old, new) in zip(before.tracks, after.tracks) {
      #expect(old.samples.chunkCount == new.samples.chunkCount)
      for (one, other) in zip(old.samples.chunks, new.samples.chunks) {
        let (from, to) = (try #require(one.byteRange), try #require(other.byteRange))
        #expect(try source.read(from) == planned.read(to))
      }
    }
  }
}

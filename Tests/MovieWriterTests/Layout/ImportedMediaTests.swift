import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The reads of a plan from movies whose tracks are imported, and sizes beyond 4 GiB.
struct ImportedMediaTests {
  @Test func readsOnlyLeadingMediaWhenPlanning() throws {
    let film = CountingSource(TestMovie.torture.bytes())
    let dub = CountingSource(
      TestMovie.dub.with { $0.tracks[0].samples = .varied(90, around: 20000, duration: 1024) }.bytes())
    var edit = try MovieEdit(of: Movie(of: film))
    let other = try Movie(of: dub)
    let before = dub.reads.count
    _ = try edit.add([TrackInput(other.tracks[0])], of: other)
    let source = try JoinedSource([film, dub])
    _ = try edit.inPlacePlan(of: source)
    _ = try edit.outputPlan(of: source, OutputLayout(isFastStart: true))
    // The checker reads the planned file like any other: 64 KiB at its start, and the headers of its atoms.
    #expect(dub.reads[before...].reduce(0) { $0 + $1.count } < 3 << 16)
  }

  /// Returns a film of two seconds, and a dub whose only chunks are after a hole.
  private func large(_ hole: UInt64) throws -> (JoinedSource, MovieEdit, UInt32) {
    let film = SparseSource(.simple)
    let dub = SparseSource(
      .dub.with {
        $0.tracks[0].usesLongOffsets = true
        $0.layout = [.fileType, .hole(hole), .media(.extended), .movie(.ordinary)]
      })
    var edit = try MovieEdit(of: Movie(of: film))
    let other = try Movie(of: dub)
    let id = try edit.add([TrackInput(other.tracks[0])], of: other)[0]
    return (try JoinedSource([film, dub]), edit, id)
  }

  @Test func keepsWideTablesOfImportedTracks() throws {
    let (source, edit, id) = try large(5 << 30)
    for plan in [try edit.inPlacePlan(of: source).rendered(), try edit.outputPlan(of: source)] {
      let new = try Movie(of: PlannedSource(plan, of: source))
      let track = try #require(new.track(id))
      #expect(track.samples.chunkOffsets.isWide && plan.byteCount < 100_000)
      #expect(track.samples.chunkOffsets.allSatisfy { $0 < plan.byteCount })
    }
  }

  @Test func widensTablesInALargeFile() throws {
    let film = SparseSource(
      .simple.with { $0.layout = [.fileType, .media(.ordinary), .hole(1 << 32), .movie(.ordinary)] })
    let dub = TestMovie.dub.source
    var edit = try MovieEdit(of: Movie(of: film))
    let other = try Movie(of: dub)
    let id = try edit.add([TrackInput(other.tracks[0])], of: other)[0]
    let source = try JoinedSource([film, dub])
    let plan = try edit.outputPlan(of: source, OutputLayout(interleaving: .none))
    let new = try Movie(of: PlannedSource(plan, of: source))
    let track = try #require(new.track(id))
    #expect(track.samples.chunkOffsets.isWide)
    #expect(new.tracks.dropLast().map(\.samples.chunkOffsets.isWide) == [false, false])
    let first = try #require(track.samples.chunks.first { _ in true }?.byteRange)
    let old = try #require(other.tracks[0].samples.chunks.first { _ in true }?.byteRange)
    #expect(try PlannedSource(plan, of: source).read(first) == dub.read(old))
  }
}

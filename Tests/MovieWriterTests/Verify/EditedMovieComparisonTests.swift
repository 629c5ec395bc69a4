import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// What a comparison of movie atoms may let pass follows from where an atom stands, not from its type alone.
struct EditedMovieComparisonTests {
  private func tree(_ bytes: [UInt8]) throws -> AtomTree { try AtomTree(Bytes(bytes), at: 0) }

  private func trackHeader(_ id: UInt32) -> [UInt8] {
    TrackHeader(
      flags: 1, creationTime: 0, modificationTime: 0, trackID: id, duration: 0, layer: 0, alternateGroup: 0,
      matrix: .translation(x: 0, y: 0), width: 0, height: 0
    ).atom("tkhd")
  }

  private func track(_ id: UInt32, _ stbl: [UInt8]) -> [UInt8] {
    atom("trak") {
      trackHeader(id)
      atom("mdia") { atom("minf") { atom("stbl") { stbl } } }
    }
  }

  private func expectRefusal(
    _ old: [UInt8], _ new: [UInt8], _ reason: String,
    _ change: (inout EditedMovieComparison) -> Void = { _ in }, at location: SourceLocation = #_sourceLocation
  ) throws {
    var comparison = EditedMovieComparison(old: try tree(old), new: try tree(new))
    change(&comparison)
    #expect(sourceLocation: location) {
      try comparison.check()
    } throws: {
      ($0 as? MovieError)?.code == .planCheckFailed && ($0 as? MovieError)?.reason.contains(reason) == true
    }
    // The old movie is always what was asked for where nothing was.
    #expect(throws: Never.self, sourceLocation: location) {
      try EditedMovieComparison(old: tree(old), new: tree(old)).check()
    }
  }

  @Test func defaultsOfRemovedTracksMustGo() throws {
    func movie(_ ids: [Int]) -> [UInt8] {
      atom("moov") {
        atom("mvex") {
          ids.flatMap { id in
            atom("trex") {
              u32(0)
              u32(id)
              zeros(16)
            }
          }
        }
      }
    }
    try expectRefusal(movie([1, 2]), movie([1, 2]), "of a removed track") { $0.removedTrackIDs = [2] }
    try expectRefusal(movie([1, 2]), movie([1]), "it is lost")
    var comparison = EditedMovieComparison(old: try tree(movie([1, 2, 3])), new: try tree(movie([1, 3])))
    comparison.removedTrackIDs = [2]
    #expect(throws: Never.self) { try comparison.check() }
  }

  @Test func sampleDescriptionsThatMayChangeMayNotBeTwo() throws {
    let one = atom("stsd") {
      u32(0)
      u32(0)
    }
    try expectRefusal(
      atom("moov") { track(1, one) }, atom("moov") { track(1, one + one) }, "a stsd was added"
    ) { $0.labelChangesByTrack = [1: ["stsd"]] }
  }

  @Test func positionsOutsideOfTracksMayNotChange() throws {
    func table(_ position: Int) -> [UInt8] {
      atom("stco") {
        u32(0)
        u32(1)
        u32(position)
      }
    }
    func nested(_ position: Int) -> [UInt8] {
      atom("moov") { atom("udta") { track(1, table(position)) } }
    }
    try expectRefusal(nested(100), nested(200), "its bytes changed")
    let moved = EditedMovieComparison(
      old: try tree(atom("moov") { track(1, table(100)) }), new: try tree(atom("moov") { track(1, table(200)) }))
    #expect(throws: Never.self) { try moved.check() }
  }

  @Test func tablesOfChunksMayBecomeWideAndNotNarrow() throws {
    let narrow = atom("stco") {
      u32(0)
      u32(1)
      u32(100)
    }
    let wide = atom("co64") {
      u32(0)
      u32(1)
      u32(0)
      u32(100)
    }
    try expectRefusal(atom("moov") { track(1, wide) }, atom("moov") { track(1, narrow) }, "it became stco")
    let widened = EditedMovieComparison(
      old: try tree(atom("moov") { track(1, narrow) }), new: try tree(atom("moov") { track(1, wide) }))
    #expect(throws: Never.self) { try widened.check() }
  }

  @Test func flatteningChangesNoTablesOutsideOfTracks() throws {
    func movie(_ value: Int) -> [UInt8] {
      atom("moov") { atom("udta") { atom("stbl") { atom("stts") { u32(value) } } } }
    }
    let comparison = RewrittenMovieAtomComparison(old: try tree(movie(1)), new: try tree(movie(2)), change: .flattened)
    #expect { try comparison.check() } throws: { ($0 as? MovieError)?.code == .planCheckFailed }
  }
}

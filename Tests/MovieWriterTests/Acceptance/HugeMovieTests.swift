import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Media and movie atoms that exceed 32-bit sizes.
struct HugeMovieTests {
  private static let layouts: [OutputLayout] = {
    var split = OutputLayout(interleaving: .all)
    split.splitsChunks = true
    return [
      OutputLayout(interleaving: .none), OutputLayout(isFastStart: true), OutputLayout(interleaving: .all),
      OutputLayout(isCompact: true), OutputLayout(isFastStart: true, interleaving: .all, isCompact: true), split,
    ]
  }()

  /// Checks that the first and last bytes of all chunks of the old tracks are unchanged.
  private func expectSameEnds(
    _ source: HugeMediaSource, _ plan: OutputPlan, without removed: UInt32? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws -> Movie {
    let planned = PlannedSource(plan, of: source)
    let (before, after) = (try Movie(of: source), try Movie(of: planned))
    #expect(after.misplacedSamples().isEmpty, sourceLocation: location)
    for old in before.tracks where old.id != removed {
      let new = try #require(after.track(old.id), sourceLocation: location)
      func ends(_ track: Track, _ source: some RandomAccessSource) throws -> [Bytes] {
        let ranges = track.samples.chunks.compactMap { ChunkLocator(track).byteRange(of: $0) }
        let (first, last) = (try #require(ranges.first), try #require(ranges.last))
        return try [
          source.read(ByteRange(first.offset..<first.offset + 64)), source.read(ByteRange(last.end - 64..<last.end)),
        ]
      }
      #expect(try ends(old, source) == ends(new, planned), sourceLocation: location)
    }
    return after
  }

  @Test func editsMediaOfMoreThan4GiBByEveryStrategy() throws {
    let source = try HugeMediaSource(gibibytes: [6, 1], channels: 2)
    #expect(try Movie(of: source).layout.atoms.map(\.sizeField).contains(.wide))
    let edit = try MovieEdit.addingSubtitles(to: source)
    for layout in Self.layouts {
      let plan = try edit.outputPlan(of: source, layout)
      let new = try expectSameEnds(source, plan)
      #expect(new.tracks.count == 4 && plan.byteCount > 7 << 30)
      #expect(plan.extents.count < 40)
    }
    let appended = try edit.inPlacePlan(of: source, .afterMedia)
    #expect(appended.byteCount < 40_000)
    let new = try expectSameEnds(source, appended.rendered())
    #expect(new.tracks.last?.samples.chunkOffsets.isWide == true)
    #expect(new.track(1)?.samples.chunkOffsets.isWide == false)
  }

  @Test func writesA64BitSizeForMediaBeyond4GiB() throws {
    let source = try HugeMediaSource(gibibytes: [3, 3])
    #expect(try Movie(of: source).layout.atoms.allSatisfy { $0.sizeField != .wide })
    let plan = try MovieEdit(of: source).outputPlan(of: source, OutputLayout(interleaving: .all))
    let new = try expectSameEnds(source, plan)
    let media = new.layout.atoms.filter { $0.type == "mdat" }
    #expect(media.map(\.sizeField) == [.wide] && media[0].payloadRange.count >= 6 << 30)
    // An atom below the limit keeps its header.
    let small = try HugeMediaSource(gibibytes: [1, 2])
    let less = try expectSameEnds(
      small, MovieEdit(of: small).outputPlan(of: small, OutputLayout(interleaving: .all)))
    #expect(less.layout.atoms.allSatisfy { $0.sizeField != .wide })
  }

  @Test func removesTracksOfGigabytes() throws {
    let source = try HugeMediaSource(gibibytes: [3, 3])
    for layout in Self.layouts {
      var edit = try MovieEdit(of: source)
      try edit.remove(2)
      let plan = try edit.outputPlan(of: source, layout)
      #expect(plan.byteCount < 3 << 30 + 10_000)
      let new = try expectSameEnds(source, plan, without: 2)
      // Its table had 64-bit offsets and keeps them.
      #expect(new.track(3)?.samples.chunkOffsets.isWide == true)
    }
  }

  /// A movie with a movie atom of 70 MiB: an unknown atom, and a table.
  private static let large = TestMovie.simple.with {
    $0.movieAtoms = atom("XBIG") { [UInt8](repeating: 7, count: 40 << 20) }
    $0.tracks[0].sampleTableAtoms = fullAtom("XTAB") { [UInt8](repeating: 9, count: 30 << 20) }
  }

  @Test func editsAMovieAtomOf70MiBByEveryStrategy() throws {
    let source = Self.large.source
    let old = try SecondReader(source.bytes.array)
    let edit = try MovieEdit.addingSubtitles(to: source)
    let id = try #require(edit.tracks.last?.id)
    #expect(try Movie(of: source).movieAtom.range.count > 64 << 20)
    for layout in [OutputLayout(isFastStart: true), OutputLayout(interleaving: .all, isCompact: true)] {
      let new = try SecondReader(edit.outputPlan(of: source, layout).rendered(from: source))
      let allowed = AllowedChanges.adding(id).with { ($0.mediaDataRearranged, $0.movieMoved) = (true, true) }
      #expect(try differences(old: old, new: new, allowing: allowed) == [])
    }
    let appended = try SecondReader(edit.inPlacePlan(of: source).rendered().rendered(from: source))
    #expect(try differences(old: old, new: appended, allowing: .adding(id)) == [])
  }

  @Test func rejectsAMovieAtomBeyondTheLimit() throws {
    let source = Self.large.source
    let byteCount = try Movie(of: source).movieAtom.range.count
    var limits = MovieLimits()
    limits.movieByteCount = byteCount
    // The limit does not include the atoms that an edit adds.
    var edit = try MovieEdit(of: Movie(of: source, limits: limits))
    let id = try edit.addSubtitles("en")
    let planned = PlannedSource(try edit.inPlacePlan(of: source).rendered(), of: source)
    #expect(try Movie(of: planned, limits: limits.withRoomForEdits).track(id) != nil)
    limits.movieByteCount = byteCount - 1
    #expect { try Movie(of: source, limits: limits) } throws: { isMovieError($0, .limit) }
  }
}

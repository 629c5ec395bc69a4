import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A movie and its edit, and the classification of the file after a crash.
struct CrashedMovie {
  /// A movie, padded so that its end has this position in a sector.
  struct Case: Sendable, CustomStringConvertible {
    let name: String
    let movie: TestMovie
    /// The number of bytes in the last sector of the file.
    let end: Int
    /// The number of earlier edits in place.
    var earlierEdits = 0
    var description: String { "\(name), ends at \(end) of a sector" }

    /// The movie after the earlier edits.
    var edited: [UInt8] {
      get throws {
        var bytes = self.bytes
        for _ in 0..<earlierEdits {
          let source = MemorySource(Bytes(bytes))
          bytes = try CrashedMovie.edit(of: source).inPlacePlan(of: source).rendered().rendered(from: source)
        }
        return bytes
      }
    }

    var bytes: [UInt8] {
      let plain = movie.bytes()
      // At least 8 bytes, for the header of the padding atom.
      let padding = 8 + ((end - plain.count - 8) & 511)
      return movie.with { $0.layout.insert(.free(padding), at: 1) }.bytes()
    }
  }

  /// The classification of a file.
  enum State {
    case old, new
  }

  let old: [UInt8]
  let new: [UInt8]
  let plan: InPlacePlan
  private let oldMovie: Movie
  private let oldTracks: [ReadTrack]

  /// Plans the edit in place of the movie on a disk.
  init(_ old: [UInt8], _ name: String, on disk: any FileSystem) throws {
    let status = try #require(try disk.status(at: name, followingLinks: true))
    let source = DiskSource(bytes: Bytes(old), seen: status.identity)
    let edit = try Self.edit(of: source)
    plan = try edit.inPlacePlan(of: source, .afterMedia)
    self.old = old
    new = try PlannedSource(plan.rendered(), of: source).read(ByteRange(0..<plan.rendered().byteCount)).array
    oldMovie = edit.movie
    oldTracks = try SecondReader(old).tracks
  }

  /// Returns an edit that adds an English SDH track.
  static func edit(of source: some RandomAccessSource) throws -> MovieEdit {
    var edit = try MovieEdit(of: Movie(of: source))
    let duration = edit.movie.durationInMovieTicks * 1000 / UInt64(edit.movie.header.timeScale)
    let id = try edit.add(TrialTrack.english.input(movieMilliseconds: duration))
    try edit.addToSubtitleGroup(id, asDefault: false)
    return edit
  }

  /// Classifies a file by both readers. Throws or records an issue if it is neither movie.
  func state(of image: [UInt8]) throws -> State {
    if Bytes(image) == Bytes(new) { return .new }
    // Old bytes are unchanged except for the free space that the edit writes to.
    let written = plan.writeOffset..<plan.writeOffset + plan.contentByteCount
    let mark = plan.markOffset.map { $0..<$0 + UInt64(FreeSpace.mark.count) } ?? 0..<0
    try #require(image.count >= Int(plan.form.appends ? plan.writeOffset : UInt64(old.count)), "a file cut short")
    var start = 0
    let end = min(image.count, old.count)
    for skipped in [written, mark, UInt64(end)..<UInt64(end)].sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let bound = min(Int(skipped.lowerBound), end)
      if start < bound {
        try #require(Bytes(image).matches(start..<bound, of: old, at: start), "neither the old file nor the new one")
      }
      start = max(start, Int(skipped.upperBound))
    }
    let movie = try Movie(of: MemorySource(Bytes(image)))
    #expect(movie.movieAtom.range == oldMovie.movieAtom.range)
    #expect(movie.tree.bytes == oldMovie.tree.bytes)
    #expect(movie.layout.atoms.count { $0.type == "moov" } == 1)
    let reader = try SecondReader(image)
    #expect(reader.topLevel.count { $0.type == "moov" } == 1)
    #expect(reader.tracks.map(\.id) == oldTracks.map(\.id))
    #expect(reader.tracks.map(\.samples) == oldTracks.map(\.samples))
    return .old
  }

  /// Checks by the second reader that the new file is the old movie with the new track.
  func checkNew() throws {
    let before = try SecondReader(old)
    let after = try SecondReader(new)
    let id = try #require(after.tracks.last?.id)
    let allowed = AllowedChanges.adding(id).with {
      // A leading movie atom is now after the media.
      $0.movieMoved = true
      $0.mediaDataRearranged = plan.form != .appended
      $0.strayBytes = true
    }
    #expect(try differences(old: before, new: after, allowing: allowed).isEmpty)
    try TrialChecks(name: "new", old: before, new: after, id: id, track: .english).run()
  }
}

/// A movie in memory with the identity of a file on a disk.
struct DiskSource: RandomAccessSource {
  let bytes: Bytes
  let seen: SourceIdentity

  func identity() -> SourceIdentity { seen }

  func read(_ range: ByteRange) throws -> Bytes {
    try MemorySource(bytes).read(range)
  }
}

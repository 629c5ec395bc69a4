import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A movie, another movie, and an edit that imports tracks from it.
struct ImportTrial {
  let movie: MemorySource
  let other: MemorySource
  let source: JoinedSource
  let otherMovie: Movie
  var edit: MovieEdit
  /// The IDs of the new tracks.
  let ids: [UInt32]

  /// Imports tracks of `other`, by index.
  init(
    _ movie: TestMovie, _ other: TestMovie, taking places: [Int] = [0],
    _ change: (inout TrackInput) -> Void = { _ in }
  ) throws {
    try self.init(movie, other.bytes(), taking: places, change)
  }

  /// Imports tracks of a movie that is already a file.
  init(
    _ movie: TestMovie, _ other: [UInt8], taking places: [Int] = [0],
    _ change: (inout TrackInput) -> Void = { _ in }
  ) throws {
    self.movie = movie.source
    self.other = MemorySource(Bytes(other))
    source = try JoinedSource([self.movie, self.other])
    otherMovie = try Movie(of: self.other)
    var edit = try MovieEdit(of: self.movie)
    let tracks = otherMovie.tracks
    let inputs = places.map { place in
      var input = TrackInput(tracks[place])
      change(&input)
      return input
    }
    ids = try edit.add(inputs, of: otherMovie, from: self.other)
    self.edit = edit
  }

  /// Returns the movie edited in place.
  func appended(_ position: InPlacePlan.Position = .keepingFastStart) throws -> [UInt8] {
    try edit.inPlacePlan(of: source, position).rendered().rendered(from: source)
  }

  /// Returns the edited movie as a new file.
  func remuxed(_ layout: OutputLayout = OutputLayout()) throws -> [UInt8] {
    try edit.outputPlan(of: source, layout).rendered(from: source)
  }

  /// Checks that the new tracks have the samples of their original movie, and that nothing else changed.
  func check(
    _ new: [UInt8], _ place: String = "", allowing change: (inout AllowedChanges) -> Void = { _ in },
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let allowed = AllowedChanges().with {
      $0.addedTracks = Set(ids)
      change(&$0)
    }
    let reader = try SecondReader(new)
    let found = try differences(old: SecondReader(movie.bytes.array), new: reader, allowing: allowed)
    #expect(found.isEmpty, "\(place)", sourceLocation: location)
    let others = try SecondReader(other.bytes.array)
    let taken = edit.tracks.suffix(ids.count)
    for (id, track) in zip(ids, taken) {
      guard let copied = track.planned as? ImportedTrack else { continue }
      let before = try #require(others.track(copied.input.track.id), sourceLocation: location)
      let after = try #require(reader.track(id), sourceLocation: location)
      try expectSameSamples(before, others, after, reader, place, at: location)
    }
  }
}

/// Checks that two tracks have samples with equal bytes, times and properties.
func expectSameSamples(
  _ before: ReadTrack, _ old: SecondReader, _ after: ReadTrack, _ new: SecondReader, _ place: String = "",
  at location: SourceLocation = #_sourceLocation
) throws {
  let samples = before.plainSamples
  let isFragmented = !before.fragments.isEmpty
  let duration = isFragmented ? samples.reduce(0) { $0 + UInt64($1.duration) } : before.mediaDuration
  #expect(before.timeScale == after.timeScale && duration == after.mediaDuration, "\(place)", sourceLocation: location)
  #expect(before.formats == after.formats && samples.count == after.samples.count, "\(place)", sourceLocation: location)
  for (one, other) in zip(samples, after.samples) {
    let isSame =
      try one.byteCount == other.byteCount && one.decodeTime == other.decodeTime
      && one.presentationTime == other.presentationTime && one.duration == other.duration
      && one.isSync == other.isSync && one.description == other.description
      && (isFragmented || one.chunk == other.chunk) && old.bytes(of: one) == new.bytes(of: other)
    #expect(isSame, "\(place) sample at \(one.offset)", sourceLocation: location)
    if !isSame { return }
  }
  let extras = try new.extras(of: after)
  #expect(try before.plainExtras(old.extras(of: before), as: extras) == extras, "\(place)", sourceLocation: location)
  #expect(try old.encryption(of: before) == new.encryption(of: after), "\(place)", sourceLocation: location)
}

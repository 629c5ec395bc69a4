public import MovieBox

/// The intermediate movies of an edit: the movie after each stage.
///
/// All stages run before the edit changes tracks, labels and metadata. The first stage flattens the fragments, or drops
/// samples that are missing from a truncated file. The second stage converts the movie to another type, and the third
/// splits long chunks. The checker compares the movies of successive stages, so each stage keeps its result.
struct MovieStages: Sendable {
  /// The movie that the edit changes: the result of all stages.
  var current: Movie
  /// The movie without its fragments, or `nil` if it was not fragmented or keeps its fragments.
  var flattened: FlattenedMovie?
  /// Whether the movie is flattened even if its fragments could be kept.
  var mustFlatten = false
  /// Whether a flattened movie keeps the clock of the recording.
  var keepsStart = false
  /// The fragments that the movie keeps, or `nil` if the movie is written without fragments.
  var keptFragments: MovieFragments?
  /// The movie without the samples that its file lacks, or `nil` if no sample is missing.
  var salvaged: SalvagedMovie?
  /// Whether a new file declares the actual size of an atom that is cut off.
  var closesTruncatedAtoms = false
  /// The movie after its conversion to another type, or `nil` if it keeps its type.
  var converted: ConvertedMovie?
  /// The movie before long chunks were split, or `nil` if no chunk was split.
  var unsplit: Movie?

  /// Creates the stages of a movie to which no stage applies.
  init(_ movie: Movie) {
    current = movie
  }

  /// Creates the stages of a movie that is flattened.
  init(_ flattened: FlattenedMovie) {
    current = flattened.movie
    self.flattened = flattened
  }

  /// The movie as it was read.
  var original: Movie { flattened?.original ?? salvaged?.original ?? plain }

  /// The movie before its conversion, without fragments and without the samples that its file lacks.
  var plain: Movie { converted?.original ?? whole }

  /// The movie before long chunks were split.
  var whole: Movie { unsplit ?? current }

  /// The movie as players present it. A fragmented movie has the duration of its fragments.
  var presented: Movie { flattened?.presented ?? plain }

  /// The samples that the file lacks because its end is cut off, with one value for each affected track.
  var missingSamples: [MissingSamples] {
    flattened?.fragments.missingSamples ?? salvaged?.missingSamples ?? []
  }

  /// Returns the stages of the movie with its fragments unchanged, or `nil` if the movie is not fragmented.
  func keepingFragments() -> MovieStages? {
    guard let flattened else { return nil }
    var stages = MovieStages(flattened.original)
    stages.keepsStart = keepsStart
    stages.keptFragments = flattened.fragments
    return stages
  }
}

// The effects of the stages on an edit. A movie can keep its fragments if the edit adds no samples.
extension MovieEdit {
  /// Whether the edit removes the fragments of the movie if the layout is unchanged; see ``flattens(for:)``.
  public var flattens: Bool { flattens(for: OutputLayout()) }

  /// Whether the edit removes the fragments of the movie.
  ///
  /// It removes them if it adds samples, if the caller requested ``flatten()``, if the layout moves media, or if the
  /// file does not allow the fragments to be kept.
  public func flattens(for layout: OutputLayout) -> Bool { stages.flattened != nil && !keepsFragments(for: layout) }

  /// Lists all samples of a fragmented movie in its movie atom, regardless of other requests. Does nothing for other
  /// movies.
  public mutating func flatten() {
    stages.mustFlatten = true
  }

  /// Whether the movie is fragmented and keeps its fragments.
  func keepsFragments(for layout: OutputLayout) -> Bool {
    couldKeepFragments && reasonToFlatten(layout) == nil
  }

  /// Whether no request of the edit moves or adds samples.
  var couldKeepFragments: Bool {
    stages.flattened != nil && !stages.mustFlatten && stages.unsplit == nil && changes.media.files.isEmpty
      && changes.media.external.isEmpty
      && tracks.allSatisfy { $0.old != nil }
  }

  /// Returns the reason why the layout or the file does not allow the fragments to be kept, or `nil` if there is none.
  func reasonToFlatten(_ layout: OutputLayout) -> String? {
    guard let flattened = stages.flattened else { return nil }
    var layout = layout
    if !flattened.original.hasMediaBeforeMovieAtom { layout.isFastStart = false }
    let removedIDs = Set(movie.tracks.map(\.id)).subtracting(tracks.map(\.id))
    return layout.rewriteReason ?? flattened.retention.reason(removing: removedIDs)
  }

  /// Returns the edit applied to the movie with its fragments, or `nil` if the fragments are removed.
  func keepingFragments(for layout: OutputLayout) -> MovieEdit? {
    guard keepsFragments(for: layout), let kept = stages.keepingFragments() else { return nil }
    // Match tracks by their atoms: in a broken movie several tracks may share an ID.
    let originals = Dictionary(zip(movie.tracks.map(\.atom), kept.current.tracks)) { first, _ in first }
    var edit = self
    edit.replaceStages(with: kept)
    edit.tracks = tracks.compactMap { track in
      track.old.flatMap { originals[$0.atom] }.map { track.read(as: $0) }
    }
    return edit
  }

  /// The samples that the movie's file lacks because its end is cut off, with one value for each affected track.
  ///
  /// ``MovieFileWriter`` never replaces such a file; it writes a new file.
  public var missingSamples: [MissingSamples] { stages.missingSamples }

  /// The tracks that lost all samples.
  var emptyTracks: Set<UInt32> {
    Set(missingSamples.lazy.map(\.trackID).filter { self.movie.track($0)?.samples.sampleCount == 0 })
  }

  /// The error for an attempt to replace a file that is cut off.
  var refusalToReplaceMovie: MovieError {
    MovieError(
      .invalidEdit,
      "cannot replace a truncated recording, because the file may be the only copy; write a new file: "
        + missingSamples.map(\.description).joined(separator: "; "))
  }

  // MARK: - Conversion

  /// The tracks that the new type does not support and whose removal is reported. A user may still refer to them.
  package var unsupportedTracks: [EditedTrack] {
    guard let conversion = stages.converted else { return [] }
    return conversion.movie.tracks.filter { conversion.omittedTracks.contains($0.id) }.map { EditedTrack($0) }
  }

  /// All tracks to which a user may refer, in the order of the movie.
  package var tracksIncludingUnsupported: [EditedTrack] {
    let omittedTracks = unsupportedTracks
    guard let conversion = stages.converted, !omittedTracks.isEmpty else { return tracks }
    let indicesByID = Dictionary(conversion.movie.tracks.enumerated().map { ($1.id, $0) }) { first, _ in first }
    let numberedTracks = (tracks + omittedTracks).enumerated()
    return numberedTracks.sorted { one, other in
      (indicesByID[one.element.id] ?? .max, one.offset) < (indicesByID[other.element.id] ?? .max, other.offset)
    }.map(\.element)
  }

  /// Removes notices about tracks that the user asked to remove.
  package mutating func dropNotices(ofTracks ids: Set<UInt32>) { stages.converted?.omittedTracks.subtract(ids) }
}

extension Movie {
  /// Whether samples or fragments may precede the movie atom.
  fileprivate var hasMediaBeforeMovieAtom: Bool {
    layout.atoms.contains { ["mdat", "moof"].contains($0.type) && $0.range.offset < movieAtom.range.offset }
  }
}

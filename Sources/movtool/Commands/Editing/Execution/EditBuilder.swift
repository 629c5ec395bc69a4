import MovieBox
import MovieWriter

/// The edit that a command makes of a movie, and what a person should know of it.
struct EditBuilder {
  /// The edit, ready to be planned.
  var edit: MovieEdit
  /// The tracks made of subtitle files, in the order of the command line.
  var added: [AddedSubtitle] = []
  /// The tracks that were chosen to go, in the order of the movie.
  var removed: [RemovedTrack] = []
  /// The tracks that came from another movie, in the order of the command line.
  var imported: [ImportedTrackOfMovie] = []
  /// The movies that they are from.
  var others: [OtherSource] = []
  /// The tracks that were asked to be changed, in the order of the command line.
  var changed: [ChangedTrack] = []
  /// The tracks whose cues have other times, in the order of the movie.
  var retimed: [MovieEdit.RetimedTrack] = []
  /// The references that tracks got or lost by being asked to.
  var links: [Link] = []
  /// The references that were asked for so far.
  var referenceRequests: [ReferenceRequest] = []
  /// The facts that the movie states otherwise, in the order of the command line.
  var facts: [ChangedFact] = []
  /// The change to the dates in headers, or `nil` if they stay.
  var headerDates: ChangedHeaderDates?
  /// What the items of other movies are about whose facts are taken.
  var identifiersOfOthers: Set<MetadataIdentifier> = []
  /// What became of the chapters; `nil` where they were left alone.
  var chapters: ChangedChapters?
  /// What became of what, in a movie that is prepared for sharing.
  var sharing: [SharingDecision] = []
  /// What was wrong with the movie and is no longer.
  var fixed: [AppliedFix] = []
  /// What a person should know, beside ``AddedSubtitle/notices`` and the edit's own notes.
  var warnings: [Warning] = []
  /// What a person may want to know, beside the edit's own notes.
  var notes: [EditNotice] = []
  /// The metadata beside the movie atom, or `nil` if nobody asked for it yet.
  var itemsBesideMovieAtom: [MetadataItem]?
  /// The type that the movie was; `nil` where it stays what it is.
  var oldType: MovieType?
  /// The movie as it was named.
  let movie: String

  /// Builds on an edit of `movie`.
  init(_ edit: MovieEdit, of movie: String) {
    (self.edit, self.movie) = (edit, movie)
  }

  /// Begins an edit of `movie`, the file that `source` is; where `options` say so, of the movie as another type has it.
  ///
  /// `salvages` says to write what a cut-off movie still has, in the place of refusing it.
  init(
    _ movie: String, _ source: any RandomAccessSource, _ options: EditOptions, salvages: Bool = false,
    takesInitializationSegments: Bool = false, in context: Context
  ) throws {
    self.movie = movie
    do {
      let read = try Movie(of: source, limits: context.limits.movie)
      if !takesInitializationSegments, read.isInitializationSegment, let refusal = MovieEdit.refusal(of: read) {
        throw refusal
      }
      let type = options.conversion(of: read, named: movie)
      edit =
        try salvages
        ? MovieEdit(salvaging: read, from: source, keepingStart: options.keepsStart)
        : MovieEdit(of: read, from: source, keepingStart: options.keepsStart)
      if let type {
        oldType = read.type
        if let text = try edit.convert(to: type, from: source, limits: context.limits.subtitles) {
          others.append(OtherSource(file: nil, source: text, byteCount: UInt64(text.bytes.count)))
        }
      }
    } catch {
      var error = ToolError(error, about: movie)
      if error.code == MovieError.Code.notAMovie.rawValue, try source.signature()?.isReadableSubtitles ?? false {
        error.hint = "the movie comes first, then its subtitles"
      }
      throw error
    }
  }
}

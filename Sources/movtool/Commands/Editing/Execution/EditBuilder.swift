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

// What a command line asks of several tracks at once: all of it holds in the result, or it is refused.
extension EditBuilder {
  /// A track that the command line asks to enable or not.
  struct PlacedTrack {
    let trackID: UInt32
    /// What the command line calls the track: a file, a selector.
    let subject: String
    let isEnabled: Bool?
    let isDefault: Bool
    /// Whether nothing but the name of the file asks for the default.
    var isDefaultByName = false

    /// The words that enable the track; `nil` where none do.
    fileprivate var enablingWords: String? {
      if isEnabled == true { return "--enabled on for \(subject)" }
      guard isDefault else { return nil }
      return isDefaultByName ? "the name \(subject)" : "--default for \(subject)"
    }
  }

  /// A reference that is asked for.
  struct ReferenceRequest {
    let reference: MovieEdit.RequestedReference
    /// The words that ask for it.
    let description: String
  }

  /// What to say of an error: what the movie's tracks do not allow, and two `tracks` that are to be enabled in one group,
  /// are asked for on the command line, which is to blame, not the movie.
  static func explanation(
    of error: any Error, about movie: String, placing tracks: [PlacedTrack] = []
  ) -> any Error {
    switch error {
    case let error as UsageError: return error
    case let error as MovieError where error.code == .invalidEdit: return UsageError(.invalidEdit, error.reason)
    case SubtitleAddition.Conflict.enabledTwice(let ids, let group):
      let twice = ids.compactMap { id in tracks.first { $0.trackID == id } }
      let words = twice.map { $0.enablingWords ?? $0.subject }
      return UsageError.contradiction(
        words.first ?? "", words.last ?? "", "one track of group \(group) is enabled",
        way: twice.allSatisfy(\.isDefaultByName) ? "--default after one of them chooses it" : "choose one")
    default: return ToolError(error, about: movie)
    }
  }

  /// Remembers a reference that was just made as it was asked for, and refuses it where it undid another one.
  mutating func keep(_ request: ReferenceRequest) throws(UsageError) {
    referenceRequests.append(request)
    try requireRequestedReferences(after: request.description)
  }

  /// Refuses what `description` names where it undid a reference that was asked for.
  func requireRequestedReferences(after description: String) throws(UsageError) {
    guard let undone = edit.firstUndone(of: referenceRequests.map(\.reference)).map({ referenceRequests[$0] })
    else { return }
    throw UsageError.contradiction(
      undone.description, description, about: undone.reference.type, of: undone.reference.from)
  }
}

extension UsageError {
  /// Two references that cannot both be made.
  static func contradiction(
    _ one: String, _ other: String, about type: FourCC, of trackID: UInt32
  ) -> UsageError {
    .contradiction(one, other, "track \(trackID) cannot refer (\(type)) as both ask")
  }

  /// Two wishes of one command line that cannot both hold.
  static func contradiction(
    _ one: String, _ other: String, _ reason: String, way: String = "choose one"
  ) -> UsageError {
    UsageError(.conflict, "\(one) and \(other): \(reason); \(way)")
  }
}

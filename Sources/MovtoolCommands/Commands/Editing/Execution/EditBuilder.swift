import MovieBox
import MovieWriter

/// An edit in preparation, with the records that the report needs.
///
/// This type has a method for each kind of change. The method changes the library's edit and records the change for the
/// report. The record contains files, selectors and options of the command line. The library does not know them.
struct EditBuilder {
  var edit: MovieEdit
  /// The tracks added from subtitle files, in the order of the command line.
  var addedSubtitles: [AddedSubtitle] = []
  /// The removed tracks, in the order of the movie.
  var removedTracks: [RemovedTrack] = []
  /// The tracks copied from another movie, in the order of the command line.
  var importedTracks: [CopiedTrack] = []
  /// The tracks of timed metadata added from files, in the order of the command line.
  var addedMetadata: [AddedTimedMetadata] = []
  /// The movies and files whose samples are copied into the edited movie.
  var otherFiles: [String] = []
  /// The tracks that `set` changes, in the order of the command line.
  var changedTracks: [ChangedTrack] = []
  /// The retimed tracks, in the order of the movie.
  var retimed: [MovieEdit.RetimedTrack] = []
  /// The references that were added or removed on request.
  var links: [Link] = []
  /// The references that have been requested so far.
  var referenceRequests: [ReferenceRequest] = []
  /// The changes of metadata, in the order of the command line.
  var changedFacts: [ChangedFact] = []
  /// The change of the dates in headers, or `nil` if they are unchanged.
  var headerDates: ChangedHeaderDates?
  /// The identifiers of all items in the files to import, including items that were not imported.
  var importedIdentifiers: Set<MetadataIdentifier> = []
  /// The change of the chapters, or `nil` if they are unchanged.
  var chapters: ChangedChapters?
  /// The items that the sharing policy keeps, drops or changes.
  var sharingDecisions: [MovieEdit.SharingDecision] = []
  /// The findings that were fixed.
  var appliedFixes: [MovieEdit.AppliedFix] = []
  /// The warnings. They do not include ``AddedSubtitle/notices`` and the edit's own notices.
  var warnings: [Warning] = []
  /// The notes. They do not include the edit's own notices.
  var notes: [EditNotice] = []
  /// The metadata outside the movie atom, or `nil` if it has not been read yet.
  var itemsOutsideMovieAtom: [MetadataItem]?
  /// The type before a conversion, or `nil` if the movie is not converted.
  var oldType: MovieType?
  /// The path of the movie as the user wrote it.
  let movie: String

  /// Continues an edit of `movie`.
  init(_ edit: MovieEdit, of movie: String) {
    (self.edit, self.movie) = (edit, movie)
  }

  /// Begins an edit of `movie`, which is read from `source`. Converts the movie if the options request another type.
  ///
  /// - Parameter salvages: whether to accept a cut-off movie and write its remaining samples.
  init(
    _ movie: String, _ source: any RandomAccessSource, _ options: EditOptions, salvages: Bool = false,
    takesInitializationSegments: Bool = false, in context: Context
  ) throws {
    self.movie = movie
    do {
      let read: Movie
      if let begun = context.step?.edit {
        guard !salvages, !options.keepsStart else {
          throw UsageError(.conflict, "only the first command of an edit can have --salvage or --keep-start")
        }
        read = begun.movie
        edit = begun
      } else {
        read = try Movie(of: source, limits: context.limits.movie)
        if !takesInitializationSegments, read.isInitializationSegment, let refusal = read.editRefusal() {
          throw refusal
        }
        edit =
          try salvages
          ? MovieEdit(salvaging: read, from: source, keepingStart: options.keepsStart)
          : MovieEdit(of: read, from: source, keepingStart: options.keepsStart)
      }
      if let type = options.conversion(of: read, named: movie) {
        oldType = read.type
        try edit.convert(to: type, limits: context.limits.subtitles)
      }
    } catch {
      var error = ToolError(error, about: movie)
      if error.code == MovieError.Code.notAMovie.rawValue, try source.signature()?.isReadableSubtitles ?? false {
        error.hint = "specify the movie first, and then its subtitles"
      }
      throw error
    }
  }
}

// Checks that the result fulfills all requests of the command line. An error is thrown if one request undoes another.
extension EditBuilder {
  /// A track whose enabled flag the command line sets.
  struct EnabledFlagRequest {
    let trackID: UInt32
    /// The name of the track on the command line: a file or a selector.
    let subject: String
    let isEnabled: Bool?
    let isDefault: Bool
    /// Whether the file name requests a default track and no option does.
    var isDefaultByName = false

    /// The words of the command line that enable the track, or `nil` if there are none.
    fileprivate var enablingWords: String? {
      if isEnabled == true { return "--enabled on for \(subject)" }
      guard isDefault else { return nil }
      return isDefaultByName ? "the name \(subject)" : "--default for \(subject)"
    }
  }

  struct ReferenceRequest {
    let reference: MovieEdit.RequestedReference
    /// The words of the command line that request the reference.
    let description: String
  }

  /// Returns the error to report. It is an error of the command line if the movie's tracks do not allow a change, or if
  /// two tracks of a group would be enabled. Other errors concern the movie.
  static func explanation(
    of error: any Error, about movie: String, placing tracks: [EnabledFlagRequest] = []
  ) -> any Error {
    switch error {
    case let error as UsageError: return error
    case let error as MovieError where error.code == .invalidEdit: return UsageError(.invalidEdit, error.reason)
    case MovieEdit.Conflict.enabledTwice(let ids, let group):
      let twice = ids.compactMap { id in tracks.first { $0.trackID == id } }
      let words = twice.map { $0.enablingWords ?? $0.subject }
      return UsageError.contradiction(
        words.first ?? "", words.last ?? "", "only one track of group \(group) can be enabled",
        way: twice.allSatisfy(\.isDefaultByName) ? "select one with --default" : "select one")
    default: return ToolError(error, about: movie)
    }
  }

  /// Records a reference that was just added. Throws if it replaced another requested reference.
  mutating func keep(_ request: ReferenceRequest) throws(UsageError) {
    referenceRequests.append(request)
    try requireRequestedReferences(after: request.description)
  }

  /// Throws if a requested reference no longer exists. `description` is the request that undid it.
  func requireRequestedReferences(after description: String) throws(UsageError) {
    guard
      let undone = edit.firstReplacedReference(of: referenceRequests.map(\.reference)).map({ referenceRequests[$0] })
    else { return }
    throw UsageError.contradiction(
      undone.description, description, about: undone.reference.type, of: undone.reference.from)
  }
}

extension UsageError {
  /// Returns the error for two references that exclude each other.
  static func contradiction(
    _ one: String, _ other: String, about type: FourCC, of trackID: UInt32
  ) -> UsageError {
    .contradiction(one, other, "the references (\(type)) of track \(trackID) contradict each other")
  }

  /// Returns the error for two requests of a command line that exclude each other.
  static func contradiction(
    _ one: String, _ other: String, _ reason: String, way: String = "use one of them"
  ) -> UsageError {
    UsageError(.conflict, "\(one) and \(other): \(reason); \(way)")
  }
}

import MovieBox

/// A writer of the atoms of one kind of request.
///
/// Writers are no part of the verification: a check that knew them would repeat their mistakes.
protocol ChangeWriter {
  init(_ edit: MovieEdit)
  /// Changes the atoms of the movie, and adds media.
  func write(into resolved: inout ResolvedEdit) throws(MovieError)
}

/// The requests of an edit that do not concern tracks alone, one value for each kind.
///
/// A caller's request becomes part of the value of its kind, which later requests of that kind extend: 400 titles are one
/// ``MetadataChange``. Writers make atoms of it; the checker compares the planned movie with what was requested, and knows
/// no writer.
struct EditChanges: Sendable {
  var metadata: MetadataChange
  /// The chapters, or `nil` if they stay as they are.
  var chapters: ChapterChange?
  /// The sharing policy, or `nil` if nothing is removed.
  var sharing: SharingPolicy?
  /// The media of other files.
  var media = MediaOfOtherFiles()
  /// Whether the edit corrects the ID for the next track, even if no track is added.
  var fixesNextTrackID = false

  init(in movie: Movie) {
    metadata = MetadataChange(in: movie)
  }

  /// The effects of all requests.
  var notices: [EditNotice] { (chapters?.notices ?? []) + metadata.notices }
}

/// The media that an edit takes from files beside the movie's own.
struct MediaOfOtherFiles: Sendable {
  /// The files, in the order in which they follow the movie's own in the joined source.
  var files: [OtherFile] = []
  /// The media in other files that kept tracks refer to and that becomes part of the movie, by track.
  var external: [UInt32: ExternalMedia] = [:]
}

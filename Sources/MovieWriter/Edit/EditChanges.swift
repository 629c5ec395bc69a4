import MovieBox

/// A type that writes the atoms for one kind of request.
///
/// Verification does not use writers, because a check based on a writer would repeat the writer's mistakes.
protocol ChangeWriter {
  init(_ edit: MovieEdit)
  /// Changes the atoms of the movie, and adds media.
  func write(into resolved: inout ResolvedEdit) throws(MovieError)
}

/// The requests of an edit that affect more than single tracks, with one value for each kind of request.
///
/// Each request of a caller is merged into the value of its kind: 400 titles become one ``MetadataChange``. Writers
/// convert the values into atoms. The checker compares the planned movie with the requests and uses no writer.
struct EditChanges: Sendable {
  var metadata: MetadataChange
  /// The requested chapters, or `nil` if the chapters are unchanged.
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

  /// The notices about all requests.
  var notices: [EditNotice] { (chapters?.notices ?? []) + metadata.notices }
}

/// The media that an edit copies from files other than the movie's own file.
struct MediaOfOtherFiles: Sendable {
  /// The files, in the order in which they follow the movie's own file in the joined source.
  var files: [OtherFile] = []
  /// The media in other files that becomes part of the movie, by the ID of the kept track that refers to it.
  var external: [UInt32: ExternalMedia] = [:]
}

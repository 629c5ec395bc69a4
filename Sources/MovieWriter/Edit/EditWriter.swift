import MovieBox

/// Writes all requests of an edit, in two steps: the second depends on the layout of the new file.
struct EditWriter {
  private let writers: [any ChangeWriter]
  private let layoutWriters: [any ChangeWriter]

  /// New tracks come after everything else that is inserted into `moov`. Sharing comes last: it sees what the others
  /// removed.
  init(_ edit: MovieEdit) {
    writers = [
      MetadataWriter(edit), ChapterListWriter(edit), HeaderWriter(edit), LabelsWriter(edit), ParameterSetWriter(edit),
      ReferenceWriter(edit), DataReferenceWriter(edit),
    ]
    layoutWriters = [TrackListWriter(edit), FragmentDefaultsWriter(edit), SharingWriter(edit)]
  }

  /// Writes the requests that no layout changes.
  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    for writer in writers { try writer.write(into: &resolved) }
  }

  /// Writes the other requests: the tracks that come and go, and what a shared movie leaves out.
  func write(into resolved: inout ResolvedEdit, isInterleaved: Bool) throws(MovieError) {
    resolved.requested.isInterleaved = isInterleaved
    for writer in layoutWriters { try writer.write(into: &resolved) }
  }
}

/// An edit that is resolved but for the requests that depend on the layout of the new file.
///
/// An edit of the file itself may turn out to need a new file. Both are completed from one value.
struct PreparedEdit {
  private let resolved: ResolvedEdit
  private let writer: EditWriter

  /// Called after each resolution of an edit: tests count them.
  @TaskLocal static var didResolve: (@Sendable () -> Void)?

  init(_ edit: MovieEdit) throws(MovieError) {
    if let refusal = edit.initializationSegmentRefusal { throw refusal }
    var edit = edit
    edit.leaveOutNotes()  // In covers that were set since the movie was prepared for sharing.
    writer = EditWriter(edit)
    var resolved = try edit.requestedEdit(isInterleaved: false)
    try writer.write(into: &resolved)
    self.resolved = resolved
    Self.didResolve?()
  }

  /// The resolved edit.
  ///
  /// - Parameter isInterleaved: whether the samples of generated tracks go between those of other tracks, in chunks of
  ///   about a second.
  func completed(isInterleaved: Bool) throws(MovieError) -> ResolvedEdit {
    var resolved = resolved
    try writer.write(into: &resolved, isInterleaved: isInterleaved)
    return resolved
  }
}

extension MovieEdit {
  /// Resolves the edit: makes changed atoms of `moov` and new media of it.
  ///
  /// - Parameter isInterleaved: whether the samples of generated tracks go between those of other tracks, in chunks of
  ///   about a second.
  func resolved(isInterleaved: Bool) throws(MovieError) -> ResolvedEdit {
    try PreparedEdit(self).completed(isInterleaved: isInterleaved)
  }
}

import MovieBox

/// Writes all requests of an edit.
struct EditWriter: ChangeWriter {
  private let writers: [any ChangeWriter]

  /// New tracks come after everything else that is inserted into `moov`. Sharing comes last: it sees what the others
  /// removed.
  init(_ edit: MovieEdit) {
    writers = [
      MetadataWriter(edit), ChapterListWriter(edit), HeaderWriter(edit), LabelsWriter(edit), ParameterSetWriter(edit),
      ReferenceWriter(edit), DataReferenceWriter(edit), TrackListWriter(edit), FragmentDefaultsWriter(edit),
      SharingWriter(edit),
    ]
  }

  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    for writer in writers { try writer.write(into: &resolved) }
  }
}

extension MovieEdit {
  /// Resolves the edit: makes changed atoms of `moov` and new media of it.
  ///
  /// - Parameter isInterleaved: whether the samples of generated tracks go between those of other tracks, in chunks of
  ///   about a second.
  func resolved(isInterleaved: Bool) throws(MovieError) -> ResolvedEdit {
    if let refusal = initializationSegmentRefusal { throw refusal }
    var edit = self
    edit.leaveOutNotes()  // In covers that were set since the movie was prepared for sharing.
    var resolved = try edit.requestedEdit(isInterleaved: isInterleaved)
    try EditWriter(edit).write(into: &resolved)
    return resolved
  }
}

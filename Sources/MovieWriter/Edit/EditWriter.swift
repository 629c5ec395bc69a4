import MovieBox

// How an edit becomes changed atoms of `moov` and new media.
extension MovieEdit {
  /// Resolves the edit.
  ///
  /// - Parameter isInterleaved: whether the samples of generated tracks go between those of other tracks, in chunks of
  ///   about a second.
  func resolved(isInterleaved: Bool) throws(MovieError) -> ResolvedEdit {
    if let refusal = initializationSegmentRefusal { throw refusal }
    var edit = self
    edit.leaveOutNotes()  // In covers that were set since the movie was prepared for sharing.
    var resolved = try edit.requestedEdit(isInterleaved: isInterleaved)
    // New tracks come after everything else that is inserted into `moov`; sharing sees what the others removed.
    let writers: [any ChangeWriter] = [
      MetadataWriter(edit), ChapterListWriter(edit), HeaderWriter(edit), LabelsWriter(edit), ParameterSetWriter(edit),
      ReferenceWriter(edit), DataReferenceWriter(edit), TrackListWriter(edit), FragmentDefaultsWriter(edit),
      SharingWriter(edit),
    ]
    for writer in writers { try writer.write(into: &resolved) }
    return resolved
  }
}

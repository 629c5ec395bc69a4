import MovieBox

/// A type that writes the atoms for one kind of request.
///
/// Verification does not use writers, because a check based on a writer would repeat the writer's mistakes.
protocol ChangeWriter {
  init(_ edit: MovieEdit)
  /// Changes the atoms of the movie, and adds media.
  func write(into resolved: inout ResolvedEdit) throws(MovieError)
}

/// Writes all requests of an edit in two steps. Only the second step depends on the layout of the new file.
struct EditWriter {
  private let writers: [any ChangeWriter]
  private let layoutWriters: [any ChangeWriter]

  /// Creates the writers. New tracks are inserted into `moov` after all other new atoms. The sharing writer runs last,
  /// because it depends on the atoms that the other writers removed.
  init(_ edit: MovieEdit) {
    writers = [MetadataWriter(edit), HeaderWriter(edit), LabelsWriter(edit), ReferenceWriter(edit)]
    layoutWriters = [TrackListWriter(edit), FragmentDefaultsWriter(edit), SharingWriter(edit)]
  }

  /// Writes the requests that do not depend on the layout of the new file.
  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    for writer in writers { try writer.write(into: &resolved) }
  }

  /// Writes the requests that depend on the layout: added and removed tracks, and the removals of the sharing policy.
  func write(into resolved: inout ResolvedEdit, isInterleaved: Bool) throws(MovieError) {
    resolved.requested.isInterleaved = isInterleaved
    for writer in layoutWriters { try writer.write(into: &resolved) }
  }
}

/// An edit that is resolved except for the requests that depend on the layout of the new file.
///
/// If the edit does not fit into the file, a new file is planned from the same prepared edit.
struct PreparedEdit {
  private let resolved: ResolvedEdit
  private let writer: EditWriter

  /// A closure that is called after each resolution of an edit. Tests use it to count the calls.
  @TaskLocal static var didResolve: (@Sendable () -> Void)?

  init(_ edit: MovieEdit) throws(MovieError) {
    if let refusal = edit.initializationSegmentRefusal { throw refusal }
    var edit = edit
    edit.removeEmbeddedNotes()  // Covers may have been set after the movie was prepared for sharing.
    writer = EditWriter(edit)
    var resolved = try ResolvedEdit(edit, isInterleaved: false)
    try writer.write(into: &resolved)
    self.resolved = resolved
    Self.didResolve?()
  }

  /// Returns the completely resolved edit.
  ///
  /// - Parameter isInterleaved: whether the samples of generated tracks are interleaved with the samples of other
  ///   tracks, in chunks of about a second.
  func completed(isInterleaved: Bool) throws(MovieError) -> ResolvedEdit {
    var resolved = resolved
    try writer.write(into: &resolved, isInterleaved: isInterleaved)
    return resolved
  }
}

extension MovieEdit {
  /// Resolves the edit into changed atoms of `moov` and new media.
  ///
  /// - Parameter isInterleaved: whether the samples of generated tracks are interleaved with the samples of other
  ///   tracks, in chunks of about a second.
  func resolved(isInterleaved: Bool) throws(MovieError) -> ResolvedEdit {
    try PreparedEdit(self).completed(isInterleaved: isInterleaved)
  }
}

import MovieBox

/// The requested chapters, against which verification compares the planned movie.
///
/// The chapters are stored as the caller passed them. Verification must not depend on ``NormalizedChapters`` or on the
/// code that writes the tracks.
struct RequestedChapters: Sendable {
  /// The chapters as the caller passed them, or an empty array to remove all chapters.
  var chapters: [Chapter]
  /// The end of the movie, in milliseconds. Chapters that begin at or after the end are dropped.
  let end: UInt64
  /// Whether to also write the list in user data (`chpl`), if the file type supports the list.
  var writesNero: Bool

  /// The request to remove all chapters.
  static let none = RequestedChapters(chapters: [], end: 0, writesNero: false)
}

/// The request to replace the chapters of a movie, or to remove them.
struct ChapterChange: Sendable {
  let requested: RequestedChapters
  /// The number of chapters that the edit writes.
  let count: Int
  let notices: [EditNotice]
}

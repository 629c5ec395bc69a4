import MovieBox

/// The chapters that an edit asks for: what verification holds a planned movie against.
///
/// It is the request as it was made. What brings chapters into the form in which a movie can have them
/// (``NormalizedChapters``), and what writes tracks of them, has no part in it.
struct RequestedChapters: Sendable {
  /// The chapters as they were given; none where all are to go.
  var chapters: [Chapter]
  /// When the movie ends, in milliseconds; chapters that begin later are left out.
  let end: UInt64
  /// Whether the list is to stand in user data too, in files of a type that has it (`chpl`).
  var writesNero: Bool

  /// No chapters at all.
  static let none = RequestedChapters(chapters: [], end: 0, writesNero: false)
}

/// The request to replace the chapters of a movie, or to remove them.
struct ChapterChange: Change {
  let requested: RequestedChapters
  /// The number of chapters that the movie gets.
  let count: Int
  let notices: [EditNotice]

  var isEmpty: Bool { false }
}

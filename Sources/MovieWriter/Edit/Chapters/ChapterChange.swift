import MovieBox

/// The requested chapters, against which verification compares the planned movie.
///
/// The chapters are stored as the caller passed them. Verification must not depend on ``NormalizedChapters`` or on the
/// code that writes the tracks.
struct RequestedChapters: Sendable {
  /// The chapters as the caller passed them, or an empty array to remove all chapters.
  var chapters: [Chapter]
  /// The end of the movie, in milliseconds. Chapters that begin at or after the end are dropped.
  let endMilliseconds: UInt64
  /// Whether the chapters are also written to the list in user data (`chpl`), if the file type supports that list.
  var writesNero: Bool

  /// The request to remove all chapters.
  static let none = RequestedChapters(chapters: [], endMilliseconds: 0, writesNero: false)

  /// Copies the links of old chapters to new chapters that begin at the same times, unless a new chapter has a link.
  ///
  /// Returns whether old links were copied. A notice reports old links for which no new chapter begins at the same
  /// time.
  mutating func copyLinks(of old: [Chapter], _ notices: inout [EditNotice]) -> Bool {
    guard !old.isEmpty, chapters.allSatisfy({ $0.link == nil }) else { return false }
    var links = Dictionary(
      old.compactMap { chapter in chapter.link.map { (chapter.startMilliseconds, $0) } }
    ) { first, _ in first }
    for index in chapters.indices {
      chapters[index].link = links.removeValue(forKey: chapters[index].startMilliseconds)
    }
    if !links.isEmpty { notices.append(.chapterLinksDropped(links.count)) }
    return true
  }
}

/// The request to replace the chapters of a movie, or to remove them.
struct ChapterChange: Sendable {
  let requested: RequestedChapters
  /// The number of chapters that the edit writes.
  let chapterCount: Int
  let notices: [EditNotice]
}

// Nero's chapter list (`chpl`) is an item in user data.
extension MetadataChange {
  /// Writes Nero's list, replacing an existing list. Returns notices about chapters that the list cannot contain.
  mutating func writeNero(_ chapters: [Chapter]) -> [EditNotice] {
    let (list, notices) = NeroChapters.list(of: chapters)
    let content = MetadataContent(Bytes(list.payloadBytes))
    let items = index.items
    edits.added.removeAll { $0.identifier.isChapterList }
    let neroItems = items.indices.filter { items[$0].identifier.isChapterList && items[$0].trackID == nil }
    for surplus in neroItems.dropFirst() { edits.remove(surplus) }
    if let first = neroItems.first {
      edits.replace(first, of: items, with: content, language: nil)
    } else {
      edits.additions.append(
        NewMetadataItem(MetadataIdentifier(.isoUserData, key: "chpl"), content, language: nil, trackID: nil))
    }
    return notices.map { EditNotice(.chapters, isWarning: true, $0.message) }
  }

  /// Removes Nero's list and returns whether the movie had one.
  mutating func removeNero() -> Bool {
    let items = index.items
    let old = items.indices.filter { items[$0].identifier.isChapterList && items[$0].trackID == nil }
    for number in old { edits.remove(number) }
    edits.added.removeAll { $0.identifier.isChapterList }
    return !old.isEmpty
  }
}

import Subtitles

/// The list of chapters in a movie's user data that Nero's programs began with: the `chpl` atom.
///
/// Nobody has specified it. Of the readings that are about, the one counts in which the list fills the atom: version,
/// flags, four reserved bytes and a number of 8 bits (ffmpeg, GPAC), which for fewer than 256 chapters is the same as a
/// reserved byte and a number of 32 bits (Media3, mp4v2); or, in version 0, the number right after the flags (ffmpeg).
package struct NeroChapters: Hashable, Sendable {
  /// An entry of the list.
  package struct Entry: Hashable, Sendable {
    /// The start of the chapter, in units of 100 ns.
    package var start: UInt64
    /// The title as it stands: UTF-8, at most 255 bytes.
    package var title: Bytes
  }

  /// The most chapters that the list is written with: its number has 8 bits for most readers.
  package static let largestCount = 255
  /// The longest title, in bytes: its length has 8 bits.
  package static let longestTitle = 255

  /// The last millisecond at which a chapter can begin: starts have 64 bits, in units of 100 ns.
  package static let lastStart = Int64(UInt64.max / 10_000)

  /// The entries, in the order of the file.
  package var entries: [Entry]
  /// The number of entries that the list claims beyond ``entries``: without room for them, or beyond any real list.
  package var missingCount = 0
  /// The number of bytes after the list.
  package private(set) var trailingByteCount = 0

  /// A list of these entries.
  package init(entries: [Entry]) {
    self.entries = entries
  }

  /// Parses the payload. Throws where not even the number of chapters is there.
  package init(payload: Bytes) throws(MovieError) {
    guard let version = payload.first, payload.count >= 5 else {
      throw MovieError(.truncated, at: 0, "chpl has \(payload.count) bytes, at least 5 are needed")
    }
    let wide = payload.load(at: 5, as: UInt32.self).map { (count: Int(clamping: $0), position: 9) }
    let narrow = payload.load(at: 8, as: UInt8.self).map { (count: Int($0), position: 9) }
    let bare = payload.load(at: 4, as: UInt8.self).map { (count: Int($0), position: 5) }
    let readings = (version == 0 ? [bare, narrow, wide] : [narrow, wide, bare]).compactMap { $0 }
    var best: (entries: [Entry], missing: Int, trailing: Int)?
    for reading in readings {
      let (entries, end) = Self.entries(of: payload, reading)
      if entries.count == reading.count, end == payload.count {
        self.entries = entries
        return
      }
      // Bytes may follow a list that is whole, and one may be cut: the reading that finds most is the likeliest.
      if entries.count > best?.entries.count ?? -1 {
        best = (entries, reading.count - entries.count, payload.count - end)
      }
    }
    guard let best else { throw MovieError(.truncated, at: 4, "chpl ends before the number of its chapters") }
    (entries, missingCount, trailingByteCount) = best
  }

  private static func entries(of payload: Bytes, _ reading: (count: Int, position: Int)) -> ([Entry], end: Int) {
    var entries: [Entry] = []
    var position = reading.position
    let limit = Swift.min(reading.count, ChapterLimits.count)
    while entries.count < limit, let start = payload.load(at: position, as: UInt64.self),
      let length = payload.load(at: position + 8, as: UInt8.self),
      let title = payload.slice(at: position + 9, count: Int(length))
    {
      entries.append(Entry(start: start, title: title))
      position += 9 + Int(length)
    }
    return (entries, position)
  }

  /// The payload in the form that all readers take: version 1, and at most 255 entries.
  package var payloadBytes: [UInt8] {
    let kept = entries.prefix(Self.largestCount)
    var writer = ByteWriter()
    writer.write(UInt32(0x0100_0000))
    writer.write(UInt32(0))
    writer.write(UInt8(truncatingIfNeeded: kept.count))
    for entry in kept {
      let title = entry.title.slice(at: 0, count: Swift.min(entry.title.count, Self.longestTitle)) ?? Bytes()
      writer.write(entry.start)
      writer.write(UInt8(truncatingIfNeeded: title.count))
      writer.write(title)
    }
    return writer.take()
  }

  /// The chapters.
  package var chapters: [Chapter] {
    entries.map { entry in
      let milliseconds = Int64(clamping: entry.start / 10_000 + (entry.start % 10_000 >= 5_000 ? 1 : 0))
      let title = entry.title.utf8OrMacRomanText
      return Chapter(startMilliseconds: milliseconds, titles: title.isEmpty ? [] : [.init(title)])
    }
  }
}

extension NeroChapters {
  /// The list of these chapters, with titles cut at a character where they are too long; and what it cannot say.
  package static func list(of chapters: [Chapter]) -> (list: NeroChapters, notices: [ChapterList.Notice]) {
    var notices: [ChapterList.Notice] = []
    if chapters.count > largestCount {
      notices.append(
        .init(
          "nero-list-cut", "the list in user data (chpl) has the first \(largestCount) of \(chapters.count) chapters"))
    }
    var cutCount = 0
    let entries = chapters.prefix(largestCount).map { chapter in
      let title = chapter.title() ?? ""
      let short = title.cut(toUTF8Count: longestTitle)
      if short.utf8.count < title.utf8.count { cutCount += 1 }
      let start = UInt64(clamping: chapter.startMilliseconds).multipliedReportingOverflow(by: 10_000)
      return Entry(start: start.overflow ? .max : start.partialValue, title: Bytes(Array(short.utf8)))
    }
    if cutCount > 0 {
      notices.append(
        .init(
          "nero-title-cut",
          "\(cutCount == 1 ? "a title is" : "\(cutCount) titles are") longer than the \(longestTitle) bytes that the list "
            + "in user data (chpl) holds, and cut there"))
    }
    return (NeroChapters(entries: entries), notices)
  }
}

extension String {
  /// The beginning that takes at most so many bytes of UTF-8, cut between characters.
  package func cut(toUTF8Count limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var kept = ""
    var count = 0
    for character in self {
      count += character.utf8.count
      guard count <= limit else { break }
      kept.append(character)
    }
    return kept
  }
}

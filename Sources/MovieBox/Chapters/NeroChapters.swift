import Subtitles

/// The chapter list in user data: the `chpl` atom. Nero's programs introduced it.
///
/// The atom has no specification, and programs read it differently. This reader tries each known layout and uses the
/// layout that fills the atom:
///
/// * Version, flags, four reserved bytes and a count of 8 bits (ffmpeg, GPAC). With fewer than 256 chapters, this
///   layout equals a reserved byte and a count of 32 bits (Media3, mp4v2).
/// * In version 0, the count directly after the flags (ffmpeg).
package struct NeroChapters: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// The start of the chapter, in units of 100 ns.
    package var start: UInt64
    /// The title as stored: UTF-8, at most 255 bytes.
    package var title: Bytes
  }

  /// The maximum number of chapters that are written. Most readers expect a count of 8 bits.
  package static let maximumEntryCount = 255
  /// The maximum size of a title in bytes: its length field has 8 bits.
  package static let maximumTitleByteCount = 255

  /// The latest start of a chapter in milliseconds. The atom stores starts in units of 100 ns, with 64 bits.
  package static let lastStart = Int64(UInt64.max / 10_000)

  package var entries: [Entry]
  /// The number of entries that the atom declares but ``entries`` does not contain. The atom ends too early, or the
  /// limit is exceeded.
  package var missingCount = 0
  package private(set) var trailingByteCount = 0

  package init(entries: [Entry]) {
    self.entries = entries
  }

  /// Parses the payload. Throws `.truncated` if it ends before the count.
  package init(payload: Bytes) throws(MovieError) {
    guard let version = payload.first, payload.count >= 5 else {
      throw MovieError(.truncated, at: 0, "chpl has \(payload.count) bytes: at least 5 are required")
    }
    let wideCount = payload.load(at: 5, as: UInt32.self).map { (count: Int(clamping: $0), position: 9) }
    let narrowCount = payload.load(at: 8, as: UInt8.self).map { (count: Int($0), position: 9) }
    let unreservedCount = payload.load(at: 4, as: UInt8.self).map { (count: Int($0), position: 5) }
    let readings =
      (version == 0 ? [unreservedCount, narrowCount, wideCount] : [narrowCount, wideCount, unreservedCount]).compactMap
    { $0 }
    var bestReading: (entries: [Entry], missing: Int, trailing: Int)?
    for reading in readings {
      let (entries, end) = Self.entries(of: payload, reading)
      if entries.count == reading.count, end == payload.count {
        self.entries = entries
        return
      }
      // A complete list may be followed by other bytes, and a list may be incomplete. In both cases, prefer the layout
      // that yields more entries.
      if entries.count > bestReading?.entries.count ?? -1 {
        bestReading = (entries, reading.count - entries.count, payload.count - end)
      }
    }
    guard let bestReading else { throw MovieError(.truncated, at: 4, "chpl ends before its count of chapters") }
    (entries, missingCount, trailingByteCount) = bestReading
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

  /// The payload in the layout that all readers accept, with version 1 and at most 255 entries.
  package var payloadBytes: [UInt8] {
    let keptEntries = entries.prefix(Self.maximumEntryCount)
    var writer = ByteWriter()
    writer.write(UInt32(0x0100_0000))
    writer.write(UInt32(0))
    writer.write(UInt8(truncatingIfNeeded: keptEntries.count))
    for entry in keptEntries {
      let title = entry.title.slice(at: 0, count: Swift.min(entry.title.count, Self.maximumTitleByteCount)) ?? Bytes()
      writer.write(entry.start)
      writer.write(UInt8(truncatingIfNeeded: title.count))
      writer.write(title)
    }
    return writer.take()
  }

  package var chapters: [Chapter] {
    entries.map { entry in
      let milliseconds = Int64(clamping: entry.start / 10_000 + (entry.start % 10_000 >= 5_000 ? 1 : 0))
      let title = entry.title.utf8OrMacRomanText
      return Chapter(startMilliseconds: milliseconds, titles: title.isEmpty ? [] : [.init(title)])
    }
  }
}

extension NeroChapters {
  /// Returns a list of these chapters and notices about omitted chapters and shortened titles.
  package static func list(of chapters: [Chapter]) -> (list: NeroChapters, notices: [ChapterList.Notice]) {
    var notices: [ChapterList.Notice] = []
    if chapters.count > maximumEntryCount {
      notices.append(
        .init(
          "nero-list-cut",
          "the list in user data (chpl) contains only the first \(maximumEntryCount) of "
            + "\(chapters.count) chapters"))
    }
    var cutCount = 0
    let entries = chapters.prefix(maximumEntryCount).map { chapter in
      let title = chapter.title() ?? ""
      let short = title.cut(toUTF8Count: maximumTitleByteCount)
      if short.utf8.count < title.utf8.count { cutCount += 1 }
      let start = UInt64(clamping: chapter.startMilliseconds).multipliedReportingOverflow(by: 10_000)
      return Entry(start: start.overflow ? .max : start.partialValue, title: Bytes(Array(short.utf8)))
    }
    if cutCount > 0 {
      notices.append(
        .init(
          "nero-title-cut",
          "\(cutCount == 1 ? "a title is" : "\(cutCount) titles are") shortened to \(maximumTitleByteCount) bytes, the "
            + "limit of the list "
            + "in user data (chpl)"))
    }
    return (NeroChapters(entries: entries), notices)
  }
}

extension String {
  /// Returns the longest prefix that ends at a character boundary and has at most `limit` bytes in UTF-8.
  package func cut(toUTF8Count limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var keptTitle = ""
    var count = 0
    for character in self {
      count += character.utf8.count
      guard count <= limit else { break }
      keptTitle.append(character)
    }
    return keptTitle
  }
}

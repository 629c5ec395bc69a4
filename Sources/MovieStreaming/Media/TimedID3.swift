import MovieBox
import Subtitles

/// Timed metadata of a movie as ID3 tags, which a presentation contains as events (`emsg`).
///
/// HLS has no timed metadata tracks. Players read events of the scheme `https://aomedia.org/emsg/ID3` instead. Each
/// group of items becomes a tag: a text or number becomes a `TXXX` frame whose description is the identifier, and bytes
/// become a `PRIV` frame whose owner is the identifier.
struct TimedID3: Sendable {
  /// A tag and its time.
  struct Tag: Sendable {
    /// The time range in the movie, in microseconds.
    let microseconds: Range<Int64>
    let bytes: [UInt8]
  }

  private(set) var tags: [Tag] = []
  /// The patterns that match no item.
  private(set) var unmatchedPatterns: [String]
  /// The identifiers that occur more than once in a tag, and the number of tags with a repeated identifier.
  private var repeated: (identifiers: [String], tagCount: Int) = ([], 0)

  static let scheme = "https://aomedia.org/emsg/ID3"
  /// The largest total size of the tags, which are kept in memory.
  private static let largestByteCount = 16 << 20
  /// The largest size of a tag. Its size field has 28 bits, and players expect short events.
  private static let largestTagByteCount = 1 << 20

  /// Reads the items whose identifiers match the patterns. Times without items get no tag.
  init(of streamed: StreamedMovie, identifiers: [String]) throws {
    var reader = try TimedMetadataReader(
      streamed.movie, in: Set(streamed.movie.tracks.map(\.id)), identifiers: identifiers, range: nil,
      from: streamed.source, presented: PresentedMovie(adjusted: streamed.movie, streamed.fragments))
    unmatchedPatterns = identifiers
    var byteCount = 0
    while let groups = try reader.nextGroups() {
      for group in groups where !group.items.isEmpty {
        if !unmatchedPatterns.isEmpty {
          unmatchedPatterns.removeAll { pattern in group.items.contains { $0.isSelected(by: pattern) } }
        }
        noteRepetition(in: group.items)
        let bytes = Self.tag(group.items)
        byteCount += bytes.count
        guard bytes.count <= Self.largestTagByteCount, byteCount <= Self.largestByteCount else {
          throw MovieError(
            .limit,
            "the timed metadata is too large for events: the limits are \(Self.largestTagByteCount) bytes for "
              + "an event and \(Self.largestByteCount) bytes for all events of the movie")
        }
        tags.append(Tag(microseconds: group.microseconds, bytes: bytes))
      }
    }
  }

  /// Returns a notice that lists the patterns that match no item, or `nil` if every pattern matches an item.
  func missingItemsNotice(ofMovie index: Int) -> StreamPlan.Notice? {
    guard !unmatchedPatterns.isEmpty else { return nil }
    return StreamPlan.Notice(
      "no-such-item", movieIndex: index,
      "no timed metadata has the identifier " + unmatchedPatterns.joined(separator: " or "))
  }

  /// Records each identifier that several texts have, such as the identifier of a note in two languages.
  private mutating func noteRepetition(in items: [MetadataItem]) {
    guard items.count > 1 else { return }
    var known: Set<MetadataIdentifier> = []
    let identifiers = items.filter { $0.stringValue != nil }.map(\.identifier).filter { !known.insert($0).inserted }
    guard !identifiers.isEmpty else { return }
    repeated.tagCount += 1
    repeated.identifiers = (repeated.identifiers + identifiers.map(\.description)).withoutRepetition
  }

  /// Returns a warning about tags with several texts of an identifier, or `nil` if there are none. In ID3, the `TXXX`
  /// frames of a tag should have different descriptions, and these descriptions contain no language.
  func repeatedItemsNotice(ofMovie index: Int) -> StreamPlan.Notice? {
    guard repeated.tagCount > 0 else { return nil }
    return StreamPlan.Notice(
      "timed-id3-repeated", movieIndex: index,
      "\(counted(repeated.tagCount, "ID3 event")) \(repeated.tagCount == 1 ? "contains" : "contain") several texts of "
        + "\(repeated.identifiers.joined(separator: ", ")), such as languages; players may show only one of them")
  }

  /// Returns a tag of ID3 version 2.4.
  private static func tag(_ items: [MetadataItem]) -> [UInt8] {
    var frames = ByteWriter()
    for item in items {
      var frame = ByteWriter()
      if let text = item.stringValue {
        frame.write(UInt8(3))  // UTF-8.
        frame.write(cString: item.identifier.description)
        frame.write(utf8: text)
      } else {
        frame.write(cString: item.identifier.description)
        frame.write(item.bytes)
      }
      frames.write(item.stringValue == nil ? "PRIV" as FourCC : "TXXX")
      frames.write(Self.synchsafe(frame.bytes.count))
      frames.write(UInt16(0))
      frames.write(frame.bytes)
    }
    var tag = ByteWriter()
    tag.write(utf8: "ID3")
    tag.write([4, 0, 0] as [UInt8])
    tag.write(Self.synchsafe(frames.bytes.count))
    tag.write(frames.bytes)
    return tag.bytes
  }

  /// Returns a size with seven bits in each byte.
  private static func synchsafe(_ count: Int) -> UInt32 {
    let bits = UInt32(clamping: count)
    return bits & 0x7F | (bits << 1) & 0x7F00 | (bits << 2) & 0x7F_0000 | (bits << 3) & 0x7F00_0000
  }
}

extension StreamedMovie {
  /// A notice that lists the timed metadata that the presentation omits, or `nil` if it omits none. `identifiers` are
  /// the patterns of the items that become events.
  func omittedMetadataNotice(except identifiers: [String]) -> StreamPlan.Notice? {
    let contents = movie.tracks.filter { $0.mediaType == .metadata }.compactMap { track -> String? in
      let keys = track.sampleDescriptions.entries.flatMap(\.timedMetadataKeys).map(\.identifier)
        .filter { $0.space == .quickTimeMetadata }.withoutRepetition
      let omitted =
        keys.isEmpty
        ? track.formats.withoutRepetition.compactMap { Self.omittedItems(of: $0, notMatching: identifiers) }
        : keys.filter { key in !identifiers.contains { key.isSelected(by: $0) } }.map(\.description)
      return omitted.isEmpty ? nil : "track \(track.id) (\(omitted.joined(separator: ", ")))"
    }
    guard !contents.isEmpty else { return nil }
    return StreamPlan.Notice(
      "timed-metadata-left-out", movieIndex: index, isWarning: false, remedy: .timedEvents,
      "timed metadata is omitted: \(contents.joined(separator: ", "))")
  }

  /// Returns a text about the omitted items of a format whose identifiers are only in the samples, or `nil` if the
  /// patterns match all of its items.
  private static func omittedItems(of format: FourCC, notMatching patterns: [String]) -> String? {
    let start = "\(format)/"
    let isComplete = patterns.contains { pattern in
      pattern.last == "*" && pattern.dropLast().allSatisfy { $0 != "*" } && start.hasPrefix(pattern.dropLast())
    }
    guard !isComplete else { return nil }
    let mayMatch = patterns.contains { pattern in
      let fixed = pattern.prefix { $0 != "*" }
      return fixed.hasPrefix(start) || fixed.utf8.count < pattern.utf8.count && start.hasPrefix(fixed)
    }
    return mayMatch ? "\(format) items with other identifiers" : "\(format)"
  }
}

import MovieBox
import Subtitles

/// Timed metadata of a movie as ID3 tags, which a presentation contains as events (`emsg`).
///
/// HLS has no timed metadata tracks. Players read events of the scheme `https://aomedia.org/emsg/ID3` instead. Each
/// group of items becomes a tag: a text or number becomes a `TXXX` frame whose description is the identifier, and bytes
/// become a `PRIV` frame whose owner is the identifier. The points of a GPS receiver become a text, because their bytes
/// are integers without the scale that the telemetry declares for them.
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
  ///
  /// - Parameters:
  ///   - streamed: the movie.
  ///   - identifiers: the patterns.
  ///   - omittedIDs: the IDs of the metadata tracks that are not read.
  init(of streamed: StreamedMovie, identifiers: [String], omitting omittedIDs: Set<UInt32>) throws {
    var reader = try TimedMetadataReader(
      streamed.movie, in: Set(streamed.movie.tracks.map(\.id)).subtracting(omittedIDs), identifiers: identifiers,
      range: nil,
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
      "no timed metadata of the presentation has the identifier " + unmatchedPatterns.joined(separator: " or "))
  }

  /// Records each identifier that several texts have, such as the identifier of a note in two languages.
  private mutating func noteRepetition(in items: [MetadataItem]) {
    guard items.count > 1 else { return }
    var known: Set<MetadataIdentifier> = []
    let identifiers = items.filter { $0.timedText != nil }.map(\.identifier).filter { !known.insert($0).inserted }
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
      let text = item.timedText
      if let text {
        frame.write(UInt8(3))  // UTF-8.
        frame.write(cString: item.identifier.description)
        frame.write(utf8: text)
      } else {
        frame.write(cString: item.identifier.description)
        frame.write(item.bytes)
      }
      frames.write(text == nil ? "PRIV" as FourCC : "TXXX")
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

extension MetadataItem {
  /// The value as text, or the texts of all nested items such as points, or `nil` if the item contains bytes.
  fileprivate var timedText: String? {
    guard stringValue == nil, !nestedItems.isEmpty else { return stringValue }
    let texts = nestedItems.compactMap(\.stringValue)
    return texts.count == nestedItems.count ? texts.joined(separator: MetadataValue.listSeparator) : nil
  }
}

extension StreamedMovie {
  /// Returns the metadata tracks that describe only video or audio that the presentation omits, with the IDs of the
  /// described tracks. Players would relate the items of these tracks to the video of the presentation. The dictionary
  /// is empty if the presentation contains no video.
  func metadataOfOmittedTracks(besides tracks: StreamedTracks) -> [UInt32: [UInt32]] {
    guard tracks.pictures.contains(where: { $0.movieIndex == index }) else { return [:] }
    let streamedIDs = Set(tracks.all.filter { $0.movieIndex == index }.map(\.track.id))
    var omitted: [UInt32: [UInt32]] = [:]
    for track in movie.tracks where track.mediaType == .metadata {
      let described = track.referenced("cdsc").compactMap { movie.track($0) }
      guard !described.isEmpty,
        described.allSatisfy({ [.video, .audio].contains($0.mediaType) && !streamedIDs.contains($0.id) })
      else { continue }
      omitted[track.id] = described.map(\.id)
    }
    return omitted
  }

  /// A notice that lists the timed metadata that the presentation omits, or `nil` if it omits none.
  ///
  /// - Parameters:
  ///   - identifiers: the patterns of the items that become events.
  ///   - tracks: the tracks of the presentation.
  func omittedMetadataNotice(except identifiers: [String], in tracks: StreamedTracks) -> StreamPlan.Notice? {
    let ofOmittedTracks = identifiers.isEmpty ? [:] : metadataOfOmittedTracks(besides: tracks)
    let contents = movie.tracks.filter { $0.mediaType == .metadata }.compactMap { track -> String? in
      if let described = ofOmittedTracks[track.id] {
        let (noun, verb) = described.count == 1 ? ("track", "is") : ("tracks", "are")
        let ids = described.map(String.init).joined(separator: ", ")
        return "track \(track.id) (describes \(noun) \(ids), which \(verb) omitted too)"
      }
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
      "timed-metadata-left-out", movieIndex: index, isWarning: false,
      remedy: contents.count > ofOmittedTracks.count ? .timedEvents : nil,
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

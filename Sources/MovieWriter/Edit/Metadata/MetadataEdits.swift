package import MovieBox

/// A metadata item that an edit adds to a movie.
package struct NewMetadataItem: Hashable, Sendable {
  package let identifier: MetadataIdentifier
  package let content: MetadataContent
  /// The language, or `nil` if the item applies to all languages.
  package let language: LanguageTag?
  /// The ID of the track that the item describes, or `nil` if it describes the movie.
  package let trackID: UInt32?

  /// Creates an item.
  package init(
    _ identifier: MetadataIdentifier, _ content: MetadataContent, language: LanguageTag?, trackID: UInt32?
  ) {
    (self.identifier, self.content, self.language, self.trackID) = (identifier, content, language, trackID)
  }

  /// Whether an edit can write the item.
  var isWritable: Bool {
    switch identifier.space {
    case .common: return false
    case .xmp: return true
    // Compressed and encrypted frames cannot be copied, because their flags would be lost.
    case .id3: return identifier.type != nil && content.typeCode == nil && content.details["form"] == nil
    case .windows: return content.typeCode == nil && content.details["type"].flatMap { UInt16($0) } != nil
    case .quickTimeUserData, .isoUserData:
      guard let type = identifier.type, content.typeCode == nil else { return false }
      // A `©` atom stores the language of a text in 16 bits, and its length in another 16 bits.
      let isText = identifier.space == .quickTimeUserData && type.rawValue >> 24 == 0xA9
      return !isText || content.localeCode != nil && content.bytes.count <= Int(UInt16.max) - 4
    case .iTunes: return identifier.type != nil && content.typeCode != nil
    case .iTunesLongForm: return identifier.key.dropFirst().contains(".") && content.typeCode != nil
    default: return FourCC(identifier.space.rawValue) != nil && content.typeCode != nil
    }
  }
}

/// The changes to the metadata items of a movie.
///
/// An item is identified by its index in ``/MovieBox/Movie/metadata``, because its identifier and language may occur
/// several times.
struct MetadataEdits: Hashable, Sendable {
  /// The new content of an item.
  struct Replacement: Hashable, Sendable {
    let content: MetadataContent
    /// The new language of the item.
    let language: LanguageTag?
  }

  /// The new contents, by the index of the item.
  var replaced: [Int: Replacement] = [:]
  /// The indices of the removed items.
  var removed: Set<Int> = []
  /// The added items, in order.
  var added: [NewMetadataItem] {
    get { additions.items }
    set { additions = AddedMetadata(newValue) }
  }
  /// The added items, in order, indexed by identifier, common fact and language.
  var additions = AddedMetadata()
  /// The indices of the items whose language changes, by identifier and by common fact.
  private(set) var itemsWithNewLanguage: [MetadataIdentifier: Set<Int>] = [:]

  /// Whether a handler is added to iTunes lists without a handler.
  var addsHandlers = false
  /// The change to the dates in headers, or `nil` if they do not change.
  var headerDates: HeaderDateChange?

  /// Whether the edit changes no metadata.
  var isEmpty: Bool {
    replaced.isEmpty && removed.isEmpty && additions.count == 0 && !addsHandlers && headerDates == nil
  }

  /// The indices of the removed and replaced items.
  var changedIndices: Set<Int> { removed.union(replaced.keys) }

  /// Returns the content of an item after the edit, or `nil` if it is removed.
  func content(of item: MetadataItem, at itemIndex: Int) -> MetadataContent? {
    removed.contains(itemIndex) ? nil : replaced[itemIndex]?.content ?? MetadataContent(item)
  }

  /// Returns the language of an item after the edit.
  func language(of item: MetadataItem, at itemIndex: Int) -> LanguageTag? {
    replaced[itemIndex].map(\.language) ?? item.language
  }

  /// Replaces the content and language of an item.
  mutating func replace(
    _ itemIndex: Int, of items: [MetadataItem], with content: MetadataContent, language: LanguageTag?
  ) {
    removed.remove(itemIndex)
    let isUnchanged = content == MetadataContent(items[itemIndex])
    replaced[itemIndex] = isUnchanged ? nil : Replacement(content: content, language: language)
    guard !isUnchanged, language != items[itemIndex].language else { return }
    for subject in Set([items[itemIndex].identifier] + (items[itemIndex].identifier.common.map { [$0] } ?? [])) {
      itemsWithNewLanguage[subject, default: []].insert(itemIndex)
    }
  }

  mutating func remove(_ itemIndex: Int) {
    replaced[itemIndex] = nil
    removed.insert(itemIndex)
  }
}

extension NewMetadataItem {
  /// Creates a copy of an item of a movie.
  package init(_ item: MetadataItem) {
    self.init(item.identifier, MetadataContent(item), language: item.language, trackID: item.trackID)
  }

  /// Whether a list of keys (`keys`) must contain the identifier of the item.
  var needsKey: Bool {
    identifier.space.storesValueTypes && ![.iTunes, .iTunesLongForm].contains(identifier.space)
  }

  /// Whether an edit can copy the item as metadata. Separate requests change titles and tags of tracks, and chapter
  /// lists.
  var isCopiable: Bool {
    isWritable && !(trackID != nil && identifier.isTrackLabel) && !identifier.isChapterList
  }
}

extension MetadataItem {
  /// Whether the item is a title or tag of a track. ``MovieEdit/setTitle(_:of:)`` and other requests for labels change
  /// it.
  var isTrackLabel: Bool { trackID != nil && identifier.isTrackLabel }

  /// Whether the item is structural, such as a chapter list or a label of a track, and must not be edited as metadata.
  var isStructural: Bool { identifier.isChapterList || isTrackLabel }
}

extension MetadataItem {
  /// Whether the item is an ID3 frame whose meaning depends on its description as well as its type. Such a frame is a
  /// user-defined frame, or a comment or lyrics frame in which a program stores private data.
  var dependsOnDescription: Bool {
    identifier.isUserDefinedFrame
      || ["id3/COMM", "id3/USLT"].contains(identifier.description) && details["description"] != nil
  }
}

extension MetadataIdentifier {
  /// Whether the identifier belongs to user-defined ID3 frames. Only the description of such a frame defines its
  /// meaning.
  var isUserDefinedFrame: Bool { ["id3/TXXX", "id3/WXXX"].contains(description) }

  /// Whether the identifier belongs to Nero's chapter list.
  package var isChapterList: Bool { type == "chpl" && [.quickTimeUserData, .isoUserData].contains(space) }

  /// Whether titles or tags of tracks have this identifier.
  var isTrackLabel: Bool {
    [.quickTimeUserData, .isoUserData].contains(space) && type.map(TrackLabels.userDataTypes.contains) ?? false
  }

  /// Returns whether a pattern matches the identifier or its common fact.
  ///
  /// `common/location` also matches details of the location, such as its name, accuracy and direction.
  func isMatched(by pattern: String) -> Bool {
    if matches(pattern) || common?.matches(pattern) ?? false { return true }
    return pattern == "common/location" && (isLocationDetail || self == MetadataIdentifier("udta/loci"))
  }
}

/// The change to the dates in the headers of a movie, its tracks and their media.
struct HeaderDateChange: Hashable, Sendable {
  /// The new creation date in seconds since 1904, or `nil` if the old dates are kept.
  var creation: UInt64?
  /// The number of seconds by which all dates are moved.
  var shift: Int64 = 0

  /// Returns the new dates of a header. The date 0 means that no date is set, and is not moved.
  func dates(_ creation: UInt64, _ modification: UInt64) -> (creation: UInt64, modification: UInt64) {
    func shifted(_ seconds: UInt64) -> UInt64 {
      seconds == 0 ? 0 : UInt64(clamping: Int128(seconds) + Int128(shift))
    }
    return (shifted(self.creation ?? creation), shifted(modification))
  }

  /// Returns whether a date, moved by this change, is after 1904 and fits the field of a header of this version.
  func canMove(_ seconds: UInt64, version: UInt8) -> Bool {
    let sum = Int128(seconds) + Int128(shift)
    return seconds == 0 || 1...Int128(version == 0 ? UInt64(UInt32.max) : UInt64(Int64.max)) ~= sum
  }

  func apply(to header: inout MovieHeader) {
    (header.creationTime, header.modificationTime) = dates(header.creationTime, header.modificationTime)
  }

  func apply(to header: inout TrackHeader) {
    (header.creationTime, header.modificationTime) = dates(header.creationTime, header.modificationTime)
  }

  func apply(to header: inout MediaHeader) {
    (header.creationTime, header.modificationTime) = dates(header.creationTime, header.modificationTime)
  }
}

package import MovieBox

/// A metadata item that is to stand in a movie.
package struct NewMetadataItem: Hashable, Sendable {
  package let identifier: MetadataIdentifier
  package let content: MetadataContent
  /// The language that it is in; `nil` for one that holds in all.
  package let language: LanguageTag?
  /// The track that it is about; `nil` for the movie.
  package let trackID: UInt32?

  /// An item that says this.
  package init(
    _ identifier: MetadataIdentifier, _ content: MetadataContent, language: LanguageTag?, trackID: UInt32?
  ) {
    (self.identifier, self.content, self.language, self.trackID) = (identifier, content, language, trackID)
  }

  /// Whether it is of a form that is written.
  var isWritable: Bool {
    switch identifier.space {
    case .common: return false
    case .xmp: return true
    // A frame that was packed is nothing without how it was.
    case .id3: return identifier.type != nil && content.typeCode == nil && content.details["form"] == nil
    case .windows: return content.typeCode == nil && content.details["type"].flatMap { UInt16($0) } != nil
    case .quickTimeUserData, .isoUserData:
      guard let type = identifier.type, content.typeCode == nil else { return false }
      // A text has a language, and its length takes 16 bits.
      let isText = identifier.space == .quickTimeUserData && type.rawValue >> 24 == 0xA9
      return !isText || content.localeCode != nil && content.bytes.count <= Int(UInt16.max) - 4
    case .iTunes: return identifier.type != nil && content.typeCode != nil
    case .iTunesLongForm: return identifier.key.dropFirst().contains(".") && content.typeCode != nil
    default: return FourCC(identifier.space.rawValue) != nil && content.typeCode != nil
    }
  }
}

/// What becomes of the metadata items of a movie.
struct MetadataEdits: Hashable, Sendable {
  /// What an item says instead.
  struct Replacement: Hashable, Sendable {
    let content: MetadataContent
    /// The language that it is in then.
    let language: LanguageTag?
  }

  /// What items say instead, by their number in ``/MovieBox/Movie/metadata``.
  var replaced: [Int: Replacement] = [:]
  /// The numbers of the items that go.
  var removed: Set<Int> = []
  /// The items that come, in this order.
  var added: [NewMetadataItem] {
    get { additions.items }
    set { additions = AddedMetadata(newValue) }
  }
  /// The items that come, found by what they are about.
  var additions = AddedMetadata()
  /// The numbers of items that are in another language than the movie has them in, by what they are about.
  private(set) var relocated: [MetadataIdentifier: Set<Int>] = [:]

  /// Whether lists of iTunes' that have no handler get one.
  var addsHandlers = false
  /// The change to the dates in headers, or `nil` if they stay.
  var headerDates: HeaderDateChange?

  /// Whether nothing changes.
  var isEmpty: Bool {
    replaced.isEmpty && removed.isEmpty && additions.count == 0 && !addsHandlers && headerDates == nil
  }

  /// The numbers of the items that do not stay as they are.
  var changedNumbers: Set<Int> { removed.union(replaced.keys) }

  /// What an item says then; `nil` where it goes.
  func content(of item: MetadataItem, number: Int) -> MetadataContent? {
    removed.contains(number) ? nil : replaced[number]?.content ?? MetadataContent(item)
  }

  /// The language that an item is in then.
  func language(of item: MetadataItem, number: Int) -> LanguageTag? {
    replaced[number].map(\.language) ?? item.language
  }

  /// Has an item say something else.
  mutating func replace(
    _ number: Int, of items: [MetadataItem], with content: MetadataContent, language: LanguageTag?
  ) {
    removed.remove(number)
    let isAsItWas = content == MetadataContent(items[number])
    replaced[number] = isAsItWas ? nil : Replacement(content: content, language: language)
    guard !isAsItWas, language != items[number].language else { return }
    for subject in Set([items[number].identifier] + (items[number].identifier.common.map { [$0] } ?? [])) {
      relocated[subject, default: []].insert(number)
    }
  }

  /// Takes an item out.
  mutating func remove(_ number: Int) {
    replaced[number] = nil
    removed.insert(number)
  }
}

extension NewMetadataItem {
  /// The same item in another movie.
  package init(_ item: MetadataItem) {
    self.init(item.identifier, MetadataContent(item), language: item.language, trackID: item.trackID)
  }

  /// Whether a list of keys names what it is about.
  var needsKey: Bool {
    identifier.space.hasTypedItems && ![.iTunes, .iTunesLongForm].contains(identifier.space)
  }

  /// Whether an edit writes it: titles, tags and lists of chapters are not metadata to it.
  var isTaken: Bool {
    isWritable && !(trackID != nil && identifier.isTrackLabel) && !identifier.isChapterList
  }
}

extension MetadataItem {
  /// Whether the item is a title or a tag of a track, which labels are for: ``MovieEdit/setTitle(_:of:)``.
  var isTrackLabel: Bool { trackID != nil && identifier.isTrackLabel }

  /// Whether it only looks like an item: what players need the movie to be played with, or lists of chapters.
  var isStructure: Bool { identifier.isChapterList || isTrackLabel }
}

extension MetadataItem {
  /// Whether it is a frame of ID3 that its description makes another fact than its type does: of a kind of its own, or
  /// what programs note beside comments.
  var isDescribed: Bool {
    identifier.isUserDefinedFrame
      || ["id3/COMM", "id3/USLT"].contains(identifier.description) && details["description"] != nil
  }
}

extension MetadataIdentifier {
  /// Whether it names frames of ID3 of which the description alone says what they are about.
  var isUserDefinedFrame: Bool { ["id3/TXXX", "id3/WXXX"].contains(description) }

  /// Whether it is Nero's list of chapters.
  package var isChapterList: Bool { type == "chpl" && [.quickTimeUserData, .isoUserData].contains(space) }

  /// Whether it is one that titles and tags of tracks have.
  var isTrackLabel: Bool {
    [.quickTimeUserData, .isoUserData].contains(space) && type.map(TrackLabels.userDataTypes.contains) ?? false
  }

  /// Whether a pattern stands for it: with the location go its name, how exact it is, and directions.
  func isMatched(by pattern: String) -> Bool {
    if matches(pattern) || common?.matches(pattern) ?? false { return true }
    return pattern == "common/location" && (isDetailOfPlace || self == MetadataIdentifier("udta/loci"))
  }
}

/// The change to the dates in the headers of a movie, its tracks and their media.
struct HeaderDateChange: Hashable, Sendable {
  /// The seconds since 1904 that become the date of creation, or `nil` if the old dates stay.
  var creation: UInt64?
  /// The seconds by which all dates are moved.
  var shift: Int64 = 0

  /// The new dates of a header with these. A date of 0 is not set, and is not moved.
  func dates(_ creation: UInt64, _ modification: UInt64) -> (creation: UInt64, modification: UInt64) {
    func shifted(_ seconds: UInt64) -> UInt64 {
      seconds == 0 ? 0 : UInt64(clamping: Int128(seconds) + Int128(shift))
    }
    return (shifted(self.creation ?? creation), shifted(modification))
  }

  /// Whether a date moved by this change is after 1904, and fits the field of a header.
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

package import MovieBox

/// A metadata item that is to stand in a movie.
package struct NewMetadataItem: Hashable, Sendable {
  package let identifier: MetadataIdentifier
  package let content: MetadataContent
  /// The track that it is about; `nil` for the movie.
  package let trackID: UInt32?

  /// An item that says this.
  package init(_ identifier: MetadataIdentifier, _ content: MetadataContent, trackID: UInt32?) {
    (self.identifier, self.content, self.trackID) = (identifier, content, trackID)
  }

  /// Whether it is of a form that is written: packets of ID3 and of Windows' items are kept or taken out.
  fileprivate var isWritable: Bool {
    switch identifier.space {
    case .id3, .windows, .common: false
    case .xmp: true
    case .quickTimeUserData, .isoUserData: identifier.type != nil
    default: content.typeCode != nil
    }
  }
}

/// What becomes of the metadata items of a movie.
struct MetadataChanges: Hashable, Sendable {
  /// What items say instead, by their number in ``/MovieBox/Movie/metadata``.
  var replaced: [Int: MetadataContent] = [:]
  /// The numbers of the items that go.
  var removed: Set<Int> = []
  /// The items that come, in this order.
  var added: [NewMetadataItem] = []

  /// Whether lists of iTunes' that have no handler get one.
  var addsHandlers = false

  /// Whether nothing changes.
  var isEmpty: Bool { replaced.isEmpty && removed.isEmpty && added.isEmpty && !addsHandlers }

  /// The numbers of the items that do not stay as they are.
  var changedNumbers: Set<Int> { removed.union(replaced.keys) }

  /// What an item says then; `nil` where it goes.
  func content(of item: MetadataItem, number: Int) -> MetadataContent? {
    removed.contains(number) ? nil : replaced[number] ?? MetadataContent(item)
  }

  /// Has an item say something else.
  mutating func replace(_ number: Int, of items: [MetadataItem], with content: MetadataContent) {
    removed.remove(number)
    replaced[number] = content == MetadataContent(items[number]) ? nil : content
  }

  /// Takes an item out.
  mutating func remove(_ number: Int) {
    replaced[number] = nil
    removed.insert(number)
  }
}

extension NewMetadataItem {
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

extension MetadataIdentifier {
  /// Whether it is Nero's list of chapters.
  fileprivate var isChapterList: Bool { type == "chpl" && [.quickTimeUserData, .isoUserData].contains(space) }

  /// Whether it is one that titles and tags of tracks have.
  var isTrackLabel: Bool {
    [.quickTimeUserData, .isoUserData].contains(space) && type.map(TrackLabels.userDataTypes.contains) ?? false
  }
}

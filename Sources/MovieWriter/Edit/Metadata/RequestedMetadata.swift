import MovieBox

/// The metadata that an edit asks for: what verification holds a planned movie against.
///
/// It is taken from the request alone, as ``RequestedTracks`` is.
struct RequestedMetadata: Sendable {
  /// An identifier of the movie's, or of a track's.
  private struct Subject: Hashable {
    let identifier: MetadataIdentifier
    let trackID: UInt32?

    /// User data has one name here: which of the two it has is a matter of the file that it is read from.
    init(identifier: MetadataIdentifier, trackID: UInt32?) {
      let isUserData = identifier.space == .isoUserData
      self.identifier = isUserData ? MetadataIdentifier(.quickTimeUserData, key: identifier.key) : identifier
      self.trackID = trackID
    }
  }

  /// What the items of the old movie say then, in their order.
  private let expected: [Subject: [MetadataContent]]
  /// What comes, in any order.
  private let added: [Subject: [MetadataContent: Int]]
  /// The identifiers of which items come, go and change, by the track that they are about; `nil` for the movie.
  private let changed: [UInt32?: Set<MetadataIdentifier>]
  /// The atoms of user data that hold such items: their types, and those of ID3, XMP and Windows.
  private let changedAtoms: [UInt32?: Set<FourCC>]

  /// Whether lists of iTunes' that have no handler get one.
  private let addsHandlers: Bool

  /// The change to the dates in headers, or `nil` if they stay.
  let headerDates: HeaderDateChange?
  /// The dates of headers in the new movie, by the track that they are of; `nil` for the movie. Empty if they stay.
  private let expectedDates: [UInt32?: [UInt64]]

  /// - Parameter items: the metadata of `movie`.
  init(_ changes: MetadataEdits, to items: [MetadataItem], of movie: Movie) {
    addsHandlers = changes.addsHandlers
    headerDates = changes.headerDates
    expectedDates = changes.headerDates.map { Self.dates(in: movie, changedBy: $0) } ?? [:]
    var expected: [Subject: [MetadataContent]] = [:]
    var changed: [UInt32?: Set<MetadataIdentifier>] = [:]
    for (number, item) in items.enumerated() {
      let content = changes.content(of: item, number: number)
      let subject = Subject(identifier: item.identifier, trackID: item.trackID)
      if let content { expected[subject, default: []].append(content) }
      if content != MetadataContent(item) { changed[item.trackID, default: []].insert(item.identifier) }
    }
    var added: [Subject: [MetadataContent: Int]] = [:]
    for addition in changes.added {
      let subject = Subject(identifier: addition.identifier, trackID: addition.trackID)
      added[subject, default: [:]][addition.content, default: 0] += 1
      changed[addition.trackID, default: []].insert(addition.identifier)
    }
    (self.expected, self.added, self.changed) = (expected, added, changed)
    changedAtoms = changed.mapValues { identifiers in
      Set(
        identifiers.compactMap { identifier -> FourCC? in
          switch identifier.space {
          case .xmp: "XMP_"
          case .windows: "Xtra"
          case .id3: "ID32"
          case .quickTimeUserData, .isoUserData: identifier.type.flatMap { ["XMP_", "Xtra"].contains($0) ? nil : $0 }
          default: nil
          }
        })
    }
  }

  // MARK: - Items

  /// Makes sure that the items of a planned movie are those that were asked for, but for `tracks` that come or go.
  func check(_ planned: Movie, exceptOf tracks: Set<UInt32>) throws(MovieError) {
    func isCompared(_ subject: Subject) -> Bool {
      guard let id = subject.trackID else { return true }
      return !tracks.contains(id) && !subject.identifier.isTrackLabel  // Labels are looked at with the track.
    }
    var found: [Subject: [MetadataContent]] = [:]
    for item in planned.metadata {
      found[Subject(identifier: item.identifier, trackID: item.trackID), default: []].append(MetadataContent(item))
    }
    for subject in Set(found.keys).union(expected.keys).union(added.keys) where isCompared(subject) {
      var old = (expected[subject] ?? [])[...]
      var new = added[subject] ?? [:]
      let isAsAsked = (found[subject] ?? []).allSatisfy { content in
        if let count = new[content], count > 0, old.first != content {
          new[content] = count == 1 ? nil : count - 1
          return true
        }
        return old.popFirst() == content
      }
      guard isAsAsked, old.isEmpty, new.isEmpty else {
        let track = subject.trackID.map { " of track \($0)" } ?? ""
        throw MovieError(.planCheckFailed, in: "moov", "\(subject.identifier)\(track) does not say what it was to say")
      }
    }
    guard headerDates != nil else { return }
    let dates = Self.dates(in: planned, changedBy: HeaderDateChange())
    for (track, expected) in expectedDates where track.map({ !tracks.contains($0) }) ?? true {
      guard dates[track] == expected else {
        throw MovieError(
          .planCheckFailed, in: "moov",
          "a header\(track.map { " of track \($0)" } ?? "") does not have the requested dates")
      }
    }
  }

  /// The dates of creation and modification in the headers of a movie, changed.
  private static func dates(in movie: Movie, changedBy change: HeaderDateChange) -> [UInt32?: [UInt64]] {
    func changed(_ creation: UInt64, _ modification: UInt64) -> [UInt64] {
      let dates = change.dates(creation, modification)
      return [dates.creation, dates.modification]
    }
    var dates: [UInt32?: [UInt64]] = [nil: changed(movie.header.creationTime, movie.header.modificationTime)]
    for track in movie.tracks {
      dates[track.id] =
        changed(track.header.creationTime, track.header.modificationTime)
        + changed(track.mediaHeader.creationTime, track.mediaHeader.modificationTime)
    }
    return dates
  }

  // MARK: - Atoms

  /// Whether an atom of metadata may come, go and change: one that holds items which do, and nothing else.
  ///
  /// `items` is what the items of lists are about, by their atoms.
  func mayChange(
    _ index: Int, in tree: AtomTree, _ items: [Int: MetadataIdentifier], ofTrack trackID: UInt32?
  ) -> Bool {
    guard let identifiers = changed[trackID], let parent = tree[index].parent else { return false }
    let type = tree[index].type
    switch tree[parent].type {
    case "udta":
      // User data of the type `ID32` is an item like others.
      guard type == "ID32" else { return changedAtoms[trackID]?.contains(type) ?? false }
      return identifiers.contains { [.quickTimeUserData, .isoUserData].contains($0.space) && $0.type == type }
    case "meta" where type == "ID32": return identifiers.contains { $0.space == .id3 }
    case "ilst": return items[index].map(identifiers.contains) ?? false
    default: return false
    }
  }

  /// Whether an atom that comes holds nothing but items that come, what they need to be found, and atoms that may come
  /// anyway: labels, and free space beside the list.
  func isNewContainer(
    _ index: Int, in tree: AtomTree, _ items: [Int: MetadataIdentifier], ofTrack trackID: UInt32?,
    orMayCome mayCome: (Int) -> Bool
  ) -> Bool {
    guard let identifiers = changed[trackID], tree.tail(of: index).isEmpty else { return false }
    return tree.children(of: index).allSatisfy { child in
      switch (tree[index].type, tree[child].type) {
      case ("udta", "meta"), ("meta", "ilst"):
        isNewContainer(child, in: tree, items, ofTrack: trackID, orMayCome: mayCome)
      case ("udta", _): mayChange(child, in: tree, items, ofTrack: trackID) || mayCome(child)
      case ("ilst", _), ("meta", "ID32"): mayChange(child, in: tree, items, ofTrack: trackID)
      case ("meta", "hdlr"): MetadataHandler.allCases.contains { tree.bytes(of: child).array == $0.atom }
      case ("meta", "keys"): MetadataKeys(payload: tree.payload(of: child)).identifiers.allSatisfy(identifiers.contains)
      case ("meta", "free"): mayCome(child)
      default: false
      }
    }
  }

  /// Whether an atom that comes is the handler of a list of iTunes' that had none.
  func isNewHandler(_ index: Int, in tree: AtomTree) -> Bool {
    guard addsHandlers, tree[index].type == "hdlr", let meta = tree[index].parent, tree[meta].type == "meta" else {
      return false
    }
    return tree.child(of: meta, "keys") == nil && tree.children(of: meta, "hdlr").count == 1
      && tree.bytes(of: index).array == MetadataHandler.iTunes.atom
  }

  /// Whether items of an identifier come, go or change.
  func adds(_ identifier: MetadataIdentifier) -> Bool { changed.values.contains { $0.contains(identifier) } }

  /// Whether a list of keys is the old one, and after it keys of items that come.
  func isLonger(_ old: Bytes, than new: Bytes, ofTrack trackID: UInt32?) -> Bool {
    guard let identifiers = changed[trackID] else { return false }
    let (before, after) = (MetadataKeys(payload: old), MetadataKeys(payload: new))
    return after.entries.count > before.entries.count && Array(old.prefix(4)) == Array(new.prefix(4))
      && after.entries.starts(with: before.entries) && after.trailingBytes == before.trailingBytes
      && new.load(at: 4, as: UInt32.self) == UInt32(exactly: after.entries.count)
      && after.identifiers[before.entries.count...].allSatisfy(identifiers.contains)
  }
}

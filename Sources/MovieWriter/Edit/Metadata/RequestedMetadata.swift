import MovieBox

/// The metadata that an edit requests. Verification compares the planned movie with it.
///
/// Like ``RequestedTracks``, it is derived only from the request and not from the writer, so that it cannot repeat an
/// error of the writer. Items are compared after they are read from the planned movie. Only atoms that contain changed
/// items may differ.
struct RequestedMetadata: Sendable {
  /// The subject of items: their identifier, and the movie or the track that they describe.
  private struct Subject: Hashable {
    let identifier: MetadataIdentifier
    let trackID: UInt32?

    /// Creates a key. QuickTime and ISO user data share a key, because only the type of the file distinguishes them.
    init(identifier: MetadataIdentifier, trackID: UInt32?) {
      let isUserData = identifier.space == .isoUserData
      self.identifier = isUserData ? MetadataIdentifier(.quickTimeUserData, key: identifier.key) : identifier
      self.trackID = trackID
    }
  }

  /// The expected contents of the movie's own items, in order.
  private let expectedContents: [Subject: [MetadataContent]]
  /// The number of added items with each content. Their order is not checked.
  private let addedContents: [Subject: [MetadataContent: Int]]
  /// The identifiers of added, removed and replaced items, by the ID of the track that they describe. The key `nil`
  /// contains the items of the movie.
  private let changedIdentifiers: [UInt32?: Set<MetadataIdentifier>]
  /// The types of the atoms that contain these items: user data, `ID32`, `XMP_` and `Xtra`.
  private let changedAtoms: [UInt32?: Set<FourCC>]

  /// Whether a handler is added to iTunes lists without a handler.
  private let addsHandlers: Bool

  /// The change to the dates in headers, or `nil` if they do not change.
  let headerDates: HeaderDateChange?
  /// The dates of headers in the planned movie, by track ID. The key of `mvhd` is `nil`. Empty if the dates do not
  /// change.
  private let expectedDates: [UInt32?: [UInt64]]

  /// Derives the requested metadata from the changes to a movie.
  ///
  /// - Parameter items: the metadata of `movie`.
  init(_ changes: MetadataEdits, to items: [MetadataItem], of movie: Movie) {
    addsHandlers = changes.addsHandlers
    headerDates = changes.headerDates
    expectedDates = changes.headerDates.map { Self.dates(in: movie, changedBy: $0) } ?? [:]
    var expectedContents: [Subject: [MetadataContent]] = [:]
    var changedIdentifiers: [UInt32?: Set<MetadataIdentifier>] = [:]
    for (number, item) in items.enumerated() {
      let content = changes.content(of: item, at: number)
      let subject = Subject(identifier: item.identifier, trackID: item.trackID)
      if let content { expectedContents[subject, default: []].append(content) }
      if content != MetadataContent(item) { changedIdentifiers[item.trackID, default: []].insert(item.identifier) }
    }
    var addedContents: [Subject: [MetadataContent: Int]] = [:]
    for addition in changes.added {
      let subject = Subject(identifier: addition.identifier, trackID: addition.trackID)
      addedContents[subject, default: [:]][addition.content, default: 0] += 1
      changedIdentifiers[addition.trackID, default: []].insert(addition.identifier)
    }
    (self.expectedContents, self.addedContents, self.changedIdentifiers) = (
      expectedContents, addedContents, changedIdentifiers
    )
    changedAtoms = changedIdentifiers.mapValues { identifiers in
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

  /// Throws if the planned movie does not contain exactly the requested items.
  ///
  /// - Parameter tracks: the IDs of added and removed tracks, which are not compared.
  func check(_ planned: Movie, exceptOf tracks: Set<UInt32>) throws(MovieError) {
    func isCompared(_ subject: Subject) -> Bool {
      guard let id = subject.trackID else { return true }
      return !tracks.contains(id) && !subject.identifier.isTrackLabel  // Labels are checked with the track.
    }
    var plannedContents: [Subject: [MetadataContent]] = [:]
    for item in planned.metadata {
      plannedContents[Subject(identifier: item.identifier, trackID: item.trackID), default: []].append(
        MetadataContent(item))
    }
    for subject in Set(plannedContents.keys).union(expectedContents.keys).union(addedContents.keys)
    where isCompared(subject) {
      var old = (expectedContents[subject] ?? [])[...]
      var new = addedContents[subject] ?? [:]
      let hasOnlyRequested = (plannedContents[subject] ?? []).allSatisfy { content in
        if let count = new[content], count > 0, old.first != content {
          new[content] = count == 1 ? nil : count - 1
          return true
        }
        return old.popFirst() == content
      }
      guard hasOnlyRequested, old.isEmpty, new.isEmpty else {
        let track = subject.trackID.map { " of track \($0)" } ?? ""
        throw MovieError(
          .planCheckFailed, in: "moov",
          "\(subject.identifier)\(track) does not have the requested value in the planned movie")
      }
    }
    guard headerDates != nil else { return }
    let dates = Self.dates(in: planned, changedBy: HeaderDateChange())
    for (track, expected) in expectedDates where track.map({ !tracks.contains($0) }) ?? true {
      guard dates[track] == expected else {
        throw MovieError(
          .planCheckFailed, in: "moov",
          "a header\(track.map { " of track \($0)" } ?? "") does not have the requested dates in the planned movie")
      }
    }
  }

  /// Returns the creation and modification dates in the headers of a movie after a change, by track ID. The key of the
  /// movie header is `nil`.
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

  /// Returns whether the requests permit any change of an atom: it contains only items that the requests add, remove or
  /// change.
  ///
  /// - Parameter items: the identifier of each item atom, by the index of the atom.
  func mayChange(
    _ index: Int, in tree: AtomTree, _ items: [Int: MetadataIdentifier], ofTrack trackID: UInt32?
  ) -> Bool {
    guard let identifiers = changedIdentifiers[trackID], let parent = tree[index].parent else { return false }
    let type = tree[index].type
    switch tree[parent].type {
    case "udta":
      // Directly in `udta`, `ID32` is not an ID3 tag but an item like any other.
      guard type == "ID32" else { return changedAtoms[trackID]?.contains(type) ?? false }
      return identifiers.contains { [.quickTimeUserData, .isoUserData].contains($0.space) && $0.type == type }
    case "meta" where type == "ID32": return identifiers.contains { $0.space == .id3 }
    case "ilst": return items[index].map(identifiers.contains) ?? false
    default: return false
    }
  }

  /// Returns whether a new container contains only permitted atoms: added items with their keys and handlers, labels,
  /// and free space next to the list.
  func isNewContainer(
    _ index: Int, in tree: AtomTree, _ items: [Int: MetadataIdentifier], ofTrack trackID: UInt32?,
    orMayCome mayCome: (Int) -> Bool
  ) -> Bool {
    guard let identifiers = changedIdentifiers[trackID], tree.tail(of: index).isEmpty else { return false }
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

  /// Returns whether a new atom is the handler of an iTunes list that had no handler.
  func isNewHandler(_ index: Int, in tree: AtomTree) -> Bool {
    guard addsHandlers, tree[index].type == "hdlr", let meta = tree[index].parent, tree[meta].type == "meta" else {
      return false
    }
    return tree.child(of: meta, "keys") == nil && tree.children(of: meta, "hdlr").count == 1
      && tree.bytes(of: index).array == MetadataHandler.iTunes.atom
  }

  /// Whether the edit adds, removes or replaces items with an identifier.
  func changesItems(with identifier: MetadataIdentifier) -> Bool {
    changedIdentifiers.values.contains { $0.contains(identifier) }
  }

  /// Returns whether a new list of keys is the old list followed by keys of added items.
  func extendsKeys(from old: Bytes, to new: Bytes, ofTrack trackID: UInt32?) -> Bool {
    guard let identifiers = changedIdentifiers[trackID] else { return false }
    let (before, after) = (MetadataKeys(payload: old), MetadataKeys(payload: new))
    return after.entries.count > before.entries.count && Array(old.prefix(4)) == Array(new.prefix(4))
      && after.entries.starts(with: before.entries) && after.trailingBytes == before.trailingBytes
      && new.load(at: 4, as: UInt32.self) == UInt32(exactly: after.entries.count)
      && after.identifiers[before.entries.count...].allSatisfy(identifiers.contains)
  }
}

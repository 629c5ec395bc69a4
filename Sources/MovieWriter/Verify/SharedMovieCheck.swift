import MovieBox

/// Checks that a movie for sharing contains nothing that sharing must remove.
///
/// The allowed atoms and items are declared here a second time, independently of the lists of ``SharingPolicy``, so
/// that this check finds gaps in those lists.
struct SharedMovieCheck {
  /// The key of a requested or imported item. The two spaces of user data count as one space, because the type of the
  /// file determines the space with which an item is read.
  private struct ItemKey: Hashable {
    let space: MetadataIdentifier.Space
    let key: String
    let trackID: UInt32?
    let content: MetadataContent

    init(_ item: NewMetadataItem) {
      space = item.identifier.space == .isoUserData ? .quickTimeUserData : item.identifier.space
      (key, trackID, content) = (item.identifier.key, item.trackID, item.content)
    }
  }

  private let old: [Movie]
  private let new: Movie
  /// The metadata of the old movies and of the new movie, read once.
  private let oldItems: [MetadataItem]
  private let newItems: [MetadataItem]
  private let isFromCamera: Bool
  private let keptPatterns: [String]
  private let droppedPatterns: [String]
  private let keepsDates: Bool
  /// The items that the caller set. They are always allowed.
  private let requestedItems: Set<ItemKey>
  /// The imported items from movies that no camera recorded.
  private let importedWorks: Set<ItemKey>
  /// The tracks that the edit generates from the caller's values. They may contain any kind of media.
  private let generatedTracks: Set<UInt32>

  /// Creates a check of a movie for sharing, or returns `nil` if the edit does not prepare the movie for sharing. Of
  /// the sharing policy, uses only the identifiers that the caller listed.
  init?(_ new: Movie, of resolved: ResolvedEdit) {
    guard let sharing = resolved.sharing else { return nil }
    (self.new, keptPatterns, droppedPatterns, keepsDates) = (
      new, sharing.keptPatterns, sharing.droppedPatterns, sharing.keepsDates
    )
    old = [resolved.movie] + (resolved.stages.converted.map { [$0.original] } ?? [])
    (oldItems, newItems) = (old.flatMap(\.metadata), new.metadata)
    isFromCamera = oldItems.contains { item in
      ["make", "model", "identifier", "location"].contains(item.identifier.common?.key)
        || item.identifier.key.hasPrefix("com.android.")
        || ["CAME", "FIRM", "LENS", "GPMF", "SDLN", "TAGS"].contains(item.identifier.type?.description)
    }
    requestedItems = Set(resolved.callerItems.map { ItemKey($0) })
    importedWorks = Set(resolved.importedItems.map { ItemKey($0) })
    generatedTracks = Set(resolved.requested.tracks.lazy.filter { $0.generated != nil }.map(\.id))
  }

  func check() throws(MovieError) {
    try checkBuyers()
    try checkFile()
    try checkHeaders()
    try checkAtoms()
    try checkTracks()
    try checkItems()
    try checkRemovedValues()
  }

  private func failure(_ what: String, at index: Int? = nil) -> MovieError {
    let reason = "\(what) must not be in a movie for sharing"
    return index.map { new.tree.error(.planCheckFailed, at: $0, reason) } ?? MovieError(.planCheckFailed, reason)
  }

  private func checkFile() throws(MovieError) {
    let other = new.layout.atoms.first { atom in
      !["ftyp", "moov", "mdat"].contains(atom.type) && !(atom.type == "wide" && atom.payloadRange.count == 0)
    }
    if let other { throw failure("the atom \(other.type)") }
    if new.layout.trailing != nil { throw failure("data after the last atom") }
    if new.isFragmented { throw failure("a fragment") }
  }

  // MARK: - Headers and descriptions

  private func checkHeaders() throws(MovieError) {
    var dates = [new.header.creationTime, new.header.modificationTime]
    for track in new.tracks {
      dates += [track.header.creationTime, track.header.modificationTime]
      dates += [track.mediaHeader.creationTime, track.mediaHeader.modificationTime]
      if let name = track.handler?.name, !name.isEmpty { throw failure("the name of a handler", at: track.atom) }
      let paths = track.dataReferences?.entries.filter { $0.isSelfContained && !$0.data.isEmpty } ?? []
      if !paths.isEmpty { throw failure("a path to the movie itself", at: track.atom) }
      guard track.mediaType == .video else { continue }
      for entry in track.sampleDescriptions.entries {
        let video = try VideoDescription(body: entry.body)
        // FFmpeg identifies the sample layouts of two encoders by their names, so these names are kept.
        let isNeeded = ["Planar Y", "Sorenson"].contains { video.compressorName.hasPrefix($0) }
        guard video.vendor.rawValue == 0, isNeeded || video.compressorName.isEmpty else {
          throw failure("the name of an encoder", at: track.atom)
        }
      }
    }
    if !keepsDates, dates.contains(where: { $0 != 0 }) { throw failure("a date in a header") }
  }

  // MARK: - Atoms

  /// The atoms that players need in a movie atom (ISO/IEC 14496-12, table 1; QTFF "Movie Atoms"). They contain times,
  /// tables, references, encryption and item lists.
  private static let neededAtoms: Set<FourCC> = Set(
    ("mvhd trak mvex mehd trex leva trep udta meta hdlr keys ilst pssh cmov clip crgn matt kmat imap load tapt "
      + "txas trgr tkhd mdia edts elst tref senc mdhd elng minf vmhd smhd hmhd nmhd sthd gmhd dinf dref stbl stsd "
      + "stts ctts cslg stsc stsz stz2 stco co64 stss stps stsh sdtp padb stdp sbgp csgp csgm sgpd saiz saio subs "
      + "uuid")
      .split(separator: " ").compactMap { FourCC(String($0)) })

  private func checkAtoms() throws(MovieError) {
    let tree = new.tree
    let isEncrypted = new.tracks.contains { $0.formats.contains { $0.description.hasPrefix("enc") || $0 == "resv" } }
    // Only the children of the atoms in this list are checked. Items are checked separately, and sample descriptions
    // and data references contain atoms of many types.
    let checkedContainers: Set<FourCC> = [
      "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "clip", "matt", "mvex", "meta", "udta",
    ]
    var openAtoms = [tree.root]
    while let parent = openAtoms.popLast() {
      for child in tree.children(of: parent) {
        let type = tree[child].type
        // Allow the user types of sample encryption and of spherical video, recognized by their first bytes.
        let begin = tree.payload(of: child).load(at: 0, as: UInt32.self) ?? 0
        let isNeeded =
          switch type {
          case "uuid": begin == 0xA239_4F52 || begin == 0xFFCC_8263 || begin == 0xD08A_4F18 && isEncrypted
          // Accept all items of user data, because `checkItems` checks them.
          case _ where tree[parent].type == "udta":
            !["strk", "hnti", "hinf", "hinv", "free", "skip", "wide"].contains(type)
          case "pssh": isEncrypted
          case "ID32": keptPatterns.contains { $0.hasPrefix("id3/") }
          default: Self.neededAtoms.contains(type)
          }
        guard isNeeded else { throw failure("this atom", at: child) }
        if checkedContainers.contains(type) { openAtoms.append(child) }
      }
    }
  }

  // MARK: - Tracks

  private func checkTracks() throws(MovieError) {
    let media = Set(
      "vide auxv soun text sbtl subt subp clcp tmcd pict hint sprt musi MPEG twen qd3d flsh qtvr STpn obje pano"
        .split(separator: " ").compactMap { FourCC(String($0)) })
    for track in new.tracks where !generatedTracks.contains(track.id) {
      guard track.mediaType == .metadata else {
        guard media.contains(track.mediaType.rawValue) else {
          throw failure("a track of \(track.mediaType.name)", at: track.atom)
        }
        continue
      }
      let keys = track.sampleDescriptions.entries.flatMap(\.timedMetadataKeys).map(\.identifier)
      // This check does not parse samples. Therefore, keys for dates and for facts about a work are kept only on
      // request.
      let areAllPublic = keys.allSatisfy { isPublic($0) && ($0.common == nil || matches($0, keptPatterns)) }
      guard track.formats.allSatisfy({ $0 == "mebx" }), !keys.isEmpty, areAllPublic else {
        throw failure("a track of timed metadata", at: track.atom)
      }
    }
  }

  // MARK: - Items

  private static let allowedFacts: Set<String> = [
    "title", "artist", "albumName", "type", "description", "artwork", "author", "creator", "composer", "director",
    "producer", "copyrights", "publisher", "accessibilityDescription", "creationDate",
  ]

  /// Item codes for rights, credits, the position of a work in a collection, and player settings.
  private static let allowedCodes = Set(
    ("purd apID plID cnID akID sfID atID geID cmID ownr xid%20 flvr rtng trkn disk aART ldes sdes stik hdvd tmpo cpil "
      + "pgap pcst tvnn tvsh tven tvsn tves shwm catg purl egid sonm soar soaa soal soco sosn perf gnre albm "
      + "%A9lyr %A9wrt %A9mvn %A9mvi %A9mvc %A9wrk %A9com %A9grp %A9trk %A9prf %A9phg WLOC SelO AllF LOOP ptv%20")
      .split(separator: " ").map(String.init))

  private static let allowedLongFormNames: Set<String> = ["com.apple.iTunes.iTunEXTC", "com.apple.iTunes.iTunSMPB"]

  private static let allowedKeys: Set<Substring> = [
    "phonogramrights", "preferred-affine-transform", "video-orientation", "full-frame-rate-playback-intent",
    "scene-illuminance", "player", "spatial", "performer",
  ]

  /// Items whose values may be typed by the owner of a camera.
  private static let ownerEnteredKeys: Set<String> = [
    "author", "description", "artist", "creator", "composer", "director", "producer", "displayname", "ldes", "sdes",
    "%A9lyr", "aART", "soar", "soaa", "soco", "%A9com", "%A9prf", "%A9wrt", "performer",
  ]

  private func matches(_ identifier: MetadataIdentifier, _ patterns: [String]) -> Bool {
    patterns.contains { identifier.matches($0) || identifier.common?.matches($0) ?? false }
  }

  /// Whether items with this identifier are allowed, by default or at the caller's request.
  private func isPublic(_ identifier: MetadataIdentifier) -> Bool {
    if matches(identifier, droppedPatterns) { return false }
    if matches(identifier, keptPatterns) { return true }
    let name = String(identifier.description.drop { $0 != "/" }.dropFirst())
    switch identifier.space {
    case .iTunes, .quickTimeUserData, .isoUserData:
      return name != "thmb"
        && (identifier.common.map { Self.allowedFacts.contains($0.key) } ?? false || Self.allowedCodes.contains(name))
    case .iTunesLongForm: return Self.allowedLongFormNames.contains(name)
    case .quickTimeMetadata:
      let prefix = "com.apple.quicktime."
      if let fact = identifier.common { return Self.allowedFacts.contains(fact.key) }
      return name.hasPrefix(prefix)
        && (name.dropFirst(prefix.count).split(separator: ".").first.map(Self.allowedKeys.contains) ?? false)
    default: return false
    }
  }

  private func isAllowed(_ item: MetadataItem) -> Bool {
    guard isPublic(item.identifier) else { return false }
    let isFromCamera = isFromCamera && !importedWorks.contains(ItemKey(NewMetadataItem(item)))
    if matches(item.identifier, keptPatterns) { return true }
    let fact = item.identifier.common?.key
    if fact == "creationDate" {
      // Only a date, without a time and a time zone, is allowed.
      let text = (item.stringValue ?? "").utf8
      let digitCount = text.count { (0x30...0x39).contains($0) }
      return !isFromCamera && (1...8).contains(digitCount) && digitCount + text.count { $0 == 0x2D } == text.count
    }
    guard isFromCamera, fact != "accessibilityDescription" else { return true }
    let name = item.identifier.description.split { $0 == "/" || $0 == "." }.last.map(String.init)
    return ![fact, name].contains { $0.map(Self.ownerEnteredKeys.contains) ?? false }
  }

  private func checkItems() throws(MovieError) {
    for item in newItems where !item.isStructural {
      guard isRequested(item) || isAllowed(item) else { throw failure("\(item.identifier)") }
      if item.identifier.space == .iTunes, item.details["name"] != nil { throw failure("the file name of a picture") }
      guard item.identifier.common?.key == "artwork", !matches(item.identifier, keptPatterns),
        [.jpeg, .png].contains(PictureFormat(item.bytes))  // Other formats are not rewritten.
      else { continue }
      for mark in ["Exif\0\0", "http://ns.adobe.com/xap/"]
      where item.bytes.array.firstRange(of: Array(mark.utf8)) != nil {
        throw failure("the metadata of a photo")
      }
    }
  }

  private func isRequested(_ item: MetadataItem) -> Bool { requestedItems.contains(ItemKey(NewMetadataItem(item))) }

  // MARK: - Buyers

  /// Checks that sample descriptions do not identify the buyer. They must not contain atoms for this purpose, and their
  /// bytes must not contain a buyer's name from the old movie.
  private func checkBuyers() throws(MovieError) {
    let tree = new.tree
    var search = ValueSearch(old.flatMap { Self.buyers(in: $0.tree) })
    for item in newItems { try search.forgetValues(in: item.bytes) }  // Kept items may contain the name.
    for stsd in tree.root..<tree[tree.root].subtreeEnd where tree[stsd].type == "stsd" {
      for index in stsd..<tree[stsd].subtreeEnd {
        let isInScheme = tree[index].parent.map { tree[$0].type == "schi" } == true
        let namesBuyer =
          tree[index].type == "pinf"
          || isInScheme && ["name", "user", "righ", "priv", "sign", "cert"].contains(tree[index].type)
        if namesBuyer, !tree.payload(of: index).isZero { throw failure("the buyer", at: index) }
      }
      if try search.isFound(in: tree.bytes(of: stsd)) { throw failure("the name of the buyer", at: stsd) }
    }
  }

  /// Returns the buyers' names in sample descriptions. A buyer's name is the text of a `name` atom in `schi`. The atoms
  /// are found by a search for the bytes of their types.
  private static func buyers(in tree: AtomTree) -> [String] {
    var names: [String] = []
    for stsd in tree.root..<tree[tree.root].subtreeEnd where tree[stsd].type == "stsd" {
      let bytes = tree.payload(of: stsd).array
      let mark = Array("name".utf8)
      guard bytes.firstRange(of: Array("schi".utf8)) != nil else { continue }
      var rest = bytes[...]
      while let found = rest.firstRange(of: mark), names.count < 64 {
        rest = bytes[found.upperBound...]
        names.append(String(decoding: rest.prefix(256).prefix { $0 != 0 }, as: UTF8.self))
      }
    }
    return names
  }

  // MARK: - Values

  /// Checks that no removed value remains in other parts of the movie. Skips items, because `checkItems` has checked
  /// them, and sample descriptions and data references, because they are not rewritten.
  private func checkRemovedValues() throws(MovieError) {
    let removedItems = oldItems.filter { !$0.isStructural && !isRequested($0) && !isAllowed($0) }
    var search = ValueSearch(removedItems.compactMap(\.stringValue))
    guard !search.isEmpty else { return }
    for item in newItems { try search.forgetValues(in: item.bytes) }
    let tree = new.tree
    var openAtoms = [tree.root]
    while let parent = openAtoms.popLast() {
      for child in tree.children(of: parent) where !["stbl", "dref"].contains(tree[child].type) {
        if tree[child].subtreeEnd > child + 1 {
          openAtoms.append(child)
        } else if try search.isFound(in: tree.bytes(of: child)) {
          throw failure("a removed value", at: child)
        }
      }
    }
  }
}

/// A search for many texts in bytes, as UTF-8 and UTF-16, in one pass. Matches may start at any byte.
struct ValueSearch {
  private static let shortestValue = 8
  private static let longestValue = 64
  /// The values, cut to at most 64 characters. The keys are the first eight bytes of a value and its size in bytes, so
  /// values with equal keys need one lookup.
  private var values: [UInt64: [Int: Set<ArraySlice<UInt8>>]] = [:]
  /// The number of lookups that remain, for kept items and for all other bytes. The limits bound the time for malicious
  /// input.
  private var lookupCounts: (keptItems: Int, others: Int)

  init(_ texts: [String], lookupCount: Int = 1 << 20) {
    lookupCounts = (lookupCount, lookupCount)
    for text in Set(texts) {
      let start = text.prefix(Self.longestValue)
      let wide = start.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      for value in [Array(start.utf8), wide] where value.count >= Self.shortestValue && Set(value).count > 3 {
        values[Self.key(value[...]), default: [:]][value.count, default: []].insert(value[...])
      }
    }
  }

  private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.prefix(shortestValue).reduce(0) { $0 << 8 | UInt64($1) }
  }

  var isEmpty: Bool { values.isEmpty }

  /// Stops searching for the values that these bytes contain. Throws `.unsupported` if the limit on lookups is
  /// exceeded.
  mutating func forgetValues(in bytes: Bytes) throws(MovieError) {
    var sharedValues: Set<ArraySlice<UInt8>> = []
    try Self.forEachValue(in: bytes, &lookupCounts.keptItems, of: values) { value in
      sharedValues.insert(value)
      return true
    }
    for value in sharedValues { values[Self.key(value)]?[value.count]?.remove(value) }
  }

  /// Whether the bytes contain a value. Throws `.unsupported` if the limit on lookups is exceeded.
  mutating func isFound(in bytes: Bytes) throws(MovieError) -> Bool {
    var isFound = false
    try Self.forEachValue(in: bytes, &lookupCounts.others, of: values) { _ in
      isFound = true
      return false
    }
    return isFound
  }

  /// Calls `body` with each value that the bytes contain, until it returns `false`.
  private static func forEachValue(
    in bytes: Bytes, _ lookupCount: inout Int, of values: [UInt64: [Int: Set<ArraySlice<UInt8>>]],
    _ body: (ArraySlice<UInt8>) -> Bool
  ) throws(MovieError) {
    let bytes = bytes.array
    var key: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      key = key << 8 | UInt64(byte)
      guard index >= shortestValue - 1, let candidates = values[key] else { continue }
      let rest = bytes[(index - shortestValue + 1)...]
      for (byteCount, known) in candidates where byteCount <= rest.count && !known.isEmpty {
        guard lookupCount > 0 else {
          throw MovieError(
            .unsupported,
            "the new movie atom has too many bytes that resemble removed values, so their removal cannot be checked; "
              + "keep these items, or remove them first")
        }
        lookupCount -= 1
        let value = rest.prefix(byteCount)
        if known.contains(value), !body(value) { return }
      }
    }
  }
}

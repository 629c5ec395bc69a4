import MovieBox

/// Compares a movie atom with what it became for another type of movie, and throws at the first atom that differs
/// though that type has it too.
struct ConvertedMovieComparison {
  let old: Movie
  let new: Movie
  let type: MovieType
  /// The tracks that the edit keeps; the others are not looked at.
  let keptTracks: Set<UInt32>
  /// The contents that the conversion reports as left out.
  let leftOut: LeftOutContents

  func check() throws(MovieError) {
    let comparison = AtomTreeComparison(
      old.tree, new.tree, isStrict: true,
      omits: { side, index in
        let tree = side == .old ? old.tree : new.tree
        if ["stsd", "dref"].contains(tree[index].type) { return true }  // See ConvertedTrackComparison.
        if isRandomAccessTable(index, in: tree) { return true }
        return tree[index].type == "trak" && id(side, index).map { !keptTracks.contains($0) } ?? false
      },
      identity: { side, index in
        (side == .old ? old.tree : new.tree)[index].type == "trak" ? id(side, index) : nil
      })
    try comparison.compare(old.tree.root, new.tree.root) { finding throws(MovieError) in
      switch finding {
      case .removed(let index) where mayGo(index): return
      case .added(let index, _) where mayCome(index): return
      case .afterChildren(let index, _) where isEndOfUserData(index): return
      case .payload(let left, let right): try comparePayloads(left, right)
      case .beforeChildren(let left, let right) where isFormOfMetadata(left, right): return
      case .order(let left, _) where left == old.tree.root && isMoveOfUserData(): return
      // Where a table has another type, it may come to stand elsewhere; tables have no order.
      default: throw finding.refusal(old.tree, new.tree)
      }
    }
    for (before, after) in zip(old.tracks, new.tracks) where keptTracks.contains(before.id) {
      try compareHeaders(before, after)
      let comparison = ConvertedTrackComparison(old: before, new: after, type: type)
      if let reason = try comparison.difference(in: old.tree, new.tree) {
        throw old.tree.error(.planCheckFailed, at: before.atom, reason)
      }
    }
  }

  private func id(_ side: AtomTreeComparison.Side, _ trak: Int) -> UInt32? {
    (side == .old ? old : new).track(holding: trak)?.id
  }

  // MARK: - What one type of movie has and the other has not (QTFF "Movie Atoms", "Track Atoms"; ISO/IEC 14496-12 8)

  private static let quickTimeOnly: [[FourCC]: Set<FourCC>] = [
    []: ["clip", "ctab", "prfl", "rmra", "matt"],
    ["trak"]: ["tapt", "clip", "matt", "load", "imap", "prfl"],
    ["trak", "mdia", "minf"]: ["hdlr"],
  ]

  /// Whether an atom lists random access points, which the comparison of tracks looks at.
  private func isRandomAccessTable(_ index: Int, in tree: AtomTree) -> Bool {
    guard let parent = tree[index].parent, tree[parent].type == "stbl", RandomAccessComparison.isTable(index, in: tree)
    else { return false }
    return tree.types(to: parent) == ["trak", "mdia", "minf", "stbl"]
  }

  private func mayGo(_ index: Int) -> Bool {
    let tree = old.tree
    guard let parent = tree[index].parent else { return false }
    let path = tree.types(to: parent)
    if isMediaHeader(index, in: old) { return true }
    if path == ["udta"], tree[index].type == "hnti" {
      return !old.tracks.contains { keptTracks.contains($0.id) && $0.mediaType.rawValue == "hint" }
    }
    if isTableOfTextWrittenAgain(index, in: old) { return true }
    // Without it all samples are sync samples, as those of text are.
    if path == ["trak", "mdia", "minf", "stbl"], tree[index].type == "stss" {
      return old.track(holding: index)?.mediaType.isText ?? false
    }
    // What it says is compared with the chapters.
    if type.isQuickTime { return path == ["udta"] && tree[index].type == "chpl" }
    guard Self.quickTimeOnly[path]?.contains(tree[index].type) ?? false else { return false }
    if path.last == "minf" { return true }  // The handler of data, which says nothing of the track.
    let track = old.track(holding: index)
    if tree[index].type == "tapt", let track, isApertureOfTrack(index, track) { return true }
    return isListed(tree[index].type, ofTrack: track?.id)
  }

  /// Whether all apertures are the size that the track header has.
  private func isApertureOfTrack(_ tapt: Int, _ track: Track) -> Bool {
    let apertures = Array(old.tree.children(of: tapt))
    return !apertures.isEmpty
      && apertures.allSatisfy { atom in
        old.tree.payload(of: atom).load(at: 4, as: UInt32.self) == track.header.width
          && old.tree.payload(of: atom).load(at: 8, as: UInt32.self) == track.header.height
      }
  }

  /// Whether a warning lists that atoms of a type are left out.
  private func isListed(_ name: FourCC, ofTrack id: UInt32?) -> Bool {
    leftOut.contains(name, ofTrack: id)
  }

  private func mayCome(_ index: Int) -> Bool {
    let tree = new.tree
    guard let parent = tree[index].parent else { return false }
    if isMediaHeader(index, in: new) || isTableOfTextWrittenAgain(index, in: new) { return true }
    switch (tree.types(to: parent), tree[index].type) {
    case (["trak", "mdia"], "elng"): return !type.isQuickTime  // What it says is compared with the language.
    case (["trak", "mdia", "minf"], "hdlr"):
      return type.isQuickTime
        && tree.payload(of: index).array
          == HandlerReference(componentType: "dhlr", handlerType: "alis", nameBytes: Bytes([0])).payloadBytes
    default: return false
    }
  }

  /// Sizes and places of text that was written again have tables of any form; what they lead to is compared.
  private func isTableOfTextWrittenAgain(_ index: Int, in movie: Movie) -> Bool {
    guard let parent = movie.tree[index].parent, movie.tree.types(to: parent) == ["trak", "mdia", "minf", "stbl"],
      ["stsz", "stz2"].contains(movie.tree[index].type), let id = movie.track(holding: index)?.id,
      let before = old.track(id), let after = new.track(id)
    else { return false }
    return ConvertedTrackComparison.isTextWrittenAgain(before, after)
  }

  /// `gmhd` in QuickTime movies, `nmhd` in ISO files: of text, captions and metadata, which neither describe.
  private func isMediaHeader(_ index: Int, in movie: Movie) -> Bool {
    guard let parent = movie.tree[index].parent, movie.tree.types(to: parent) == ["trak", "mdia", "minf"],
      ["gmhd", "nmhd"].contains(movie.tree[index].type), let media = movie.track(holding: index)?.mediaType.rawValue
    else { return false }
    return (["text", "sbtl", "clcp", "meta"] as Set<FourCC>).contains(media) || type.isQuickTime && media == "tmcd"
  }

  /// Version and flags of `meta`, which have ISO files alone, and iTunes' list in all.
  private func isFormOfMetadata(_ left: Int, _ right: Int) -> Bool {
    guard old.tree[left].type == "meta", new.tree[right].type == "meta" else { return false }
    let before = old.tree.head(of: left).dropFirst(old.tree[left].headerByteCount)
    let after = new.tree.head(of: right).dropFirst(new.tree[right].headerByteCount)
    return type.isQuickTime
      ? after.isEmpty && before.array == [0, 0, 0, 0] : before.isEmpty && after.array == [0, 0, 0, 0]
  }

  /// Whether the order of `moov`'s children changed only because the conversion moved user data to a place where
  /// readers of ISO files find it.
  private func isMoveOfUserData() -> Bool {
    guard !type.isQuickTime, !findsUserData(old.tree), findsUserData(new.tree) else { return false }
    func others(_ side: AtomTreeComparison.Side, _ movie: Movie) -> [UInt64] {
      movie.tree.children(of: movie.tree.root).compactMap { index in
        let type = movie.tree[index].type
        if type == "udta" || side == .old && mayGo(index) { return nil }
        guard type == "trak" else { return UInt64(type.rawValue) }
        guard let id = id(side, index), keptTracks.contains(id) else { return nil }
        return UInt64(id) << 32 | UInt64(type.rawValue)
      }
    }
    return others(.old, old) == others(.new, new)
  }

  /// Whether mutagen, AtomicParsley and FFmpeg find the movie's user data: no plain `meta` precedes it (mutagen and
  /// AtomicParsley skip everything after one), and a track does, if possible (FFmpeg drops the priming otherwise).
  private func findsUserData(_ tree: AtomTree) -> Bool {
    let atoms = Array(tree.children(of: tree.root))
    func firstPlace(_ isWanted: (Int) -> Bool) -> Int { atoms.firstIndex(where: isWanted) ?? atoms.count }
    let track = firstPlace { tree[$0].type == "trak" }
    let plain = firstPlace { atom in
      (atom..<tree[atom].subtreeEnd).contains { tree[$0].type == "meta" && tree[$0].childPrefix == 0 }
    }
    return atoms.indices.allSatisfy { place in
      tree[atoms[place]].type != "udta" || place < plain && (track < place || track >= plain || track == atoms.count)
    }
  }

  private func isEndOfUserData(_ index: Int) -> Bool {
    !type.isQuickTime && old.tree[index].type == "udta" && old.tree.tail(of: index).allSatisfy { $0 == 0 }
  }

  /// Whether the conversion moved each position into the movie atom with the atom that it points into, and left all
  /// other positions unchanged.
  private func namesSameEncryption(_ left: Int, _ right: Int) throws(MovieError) -> Bool {
    let before = try old.tree.decode(AuxiliaryInformationOffsets.self, at: left)
    let after = try new.tree.decode(AuxiliaryInformationOffsets.self, at: right)
    let moves = try EncryptionMoves(from: old.tree, to: new.tree)
    return before.kind == after.kind && before.isWide == after.isWide && before.count == after.count
      && zip(before, after).allSatisfy { (moves.newPosition(of: $0) ?? $0) == $1 }
      && before.payload.count == after.payload.count
  }

  /// Whether a handler has the form of the type; its media and its name are compared with the track.
  private func isHandlerOfType(_ handler: HandlerReference) -> Bool {
    let plain = HandlerReference(
      componentType: type.isQuickTime ? "mhlr" : FourCC(rawValue: 0), handlerType: handler.handlerType,
      nameBytes: handler.nameBytes)
    let name = handler.nameBytes
    let hasForm =
      type.isQuickTime
      ? name.first.map { Int($0) == name.count - 1 } : name.firstIndex(of: 0).map { $0 == name.count - 1 }
    return plain.payloadBytes == handler.payloadBytes && hasForm == true
  }

  /// Allows a `gmhd` or `nmhd` to become the media header of the target type, which carries no information of its own.
  private func compareHeaders(_ before: Track, _ after: Track) throws(MovieError) {
    func headers(_ track: Track, _ tree: AtomTree) -> [Bytes] {
      guard let minf = tree.descendant(of: track.atom, "mdia", "minf") else { return [] }
      return tree.children(of: minf).filter { ["gmhd", "nmhd"].contains(tree[$0].type) }.map { tree.bytes(of: $0) }
    }
    let (left, right) = (headers(before, old.tree), headers(after, new.tree))
    guard left != right else { return }
    let media = after.mediaType.rawValue
    let expected = type.isQuickTime ? PlainMediaHeader.quickTime(for: media) : NullMediaHeader().atom("nmhd")
    guard left.count == 1, right == [Bytes(expected)] else {
      throw old.tree.error(.planCheckFailed, at: before.atom, "its media header (gmhd, nmhd) changed")
    }
    guard !type.isQuickTime, !old.chapterTrackIDs.contains(before.id),
      let gmhd = old.tree.descendant(of: before.atom, "mdia", "minf", "gmhd"),
      PlainMediaHeader.hasPresentationSettings(gmhd, in: old.tree)
    else { return }
    guard isListed("gmhd", ofTrack: before.id) else {
      throw old.tree.error(
        .planCheckFailed, at: gmhd, "the presentation settings (gmhd) were dropped without a warning")
    }
  }

  // MARK: - Payloads

  private func comparePayloads(_ left: Int, _ right: Int) throws(MovieError) {
    let (before, after) = (old.tree.payload(of: left), new.tree.payload(of: right))
    let path = old.tree.types(to: left)
    let isAllowed: Bool
    switch path {
    case ["mvhd"]:
      var header = old.header
      header.predefined = Bytes([UInt8](repeating: 0, count: 24))
      let isLost = old.header.predefined.prefix(20).contains { $0 != 0 }
      isAllowed = !type.isQuickTime && header == new.header && (!isLost || isListed("mvhd", ofTrack: nil))
    case ["trak", "tkhd"]:
      var header = try old.tree.decode(TrackHeader.self, at: left)
      if old.dialect == .quickTime { header.flags &= ~0x8 }  // In ISO files it is another one.
      isAllowed = !type.isQuickTime && header.payloadBytes == after.array
    case ["trak", "mdia", "mdhd"]:
      var header = try old.tree.decode(MediaHeader.self, at: left)
      let now = try new.tree.decode(MediaHeader.self, at: right)
      (header.languageCode, header.quality) = (now.languageCode, 0)
      isAllowed = !type.isQuickTime && header == now  // The language is compared with the track.
    case ["trak", "mdia", "hdlr"]:
      isAllowed = isHandlerOfType(try new.tree.decode(HandlerReference.self, at: right))
    case ["trak", "mdia", "minf", "stbl", "ctts"]:
      isAllowed = before.dropFirst(1) == after.dropFirst(1) && after.first == (type.isQuickTime ? 0 : 1)
    case ["trak", "mdia", "minf", "stbl", "saio"]: isAllowed = try namesSameEncryption(left, right)
    case ["trak", "mdia", "minf", "stbl", "stsz"], ["trak", "mdia", "minf", "stbl", "stco"],
      ["trak", "mdia", "minf", "stbl", "co64"]:
      // Of sound, places are compared chunk by chunk; of text that was written again, what it says.
      guard let track = old.track(holding: left), let other = new.track(track.id) else { return }
      isAllowed =
        ConvertedTrackComparison.isTextWrittenAgain(track, other)
        || track.mediaType == .audio && path.last == "stsz"
    default: isAllowed = false
    }
    guard isAllowed else {
      throw AtomTreeComparison.Finding.payload(old: left, new: right).refusal(old.tree, new.tree)
    }
  }
}

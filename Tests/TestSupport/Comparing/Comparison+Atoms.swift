extension Comparison {
  private static let free: Set<String> = ["free", "skip", "wide"]

  mutating func compareTopLevel() throws {
    let oldMovies = old.topLevel.count { $0.type == "moov" }
    let newMovies = new.topLevel.count { $0.type == "moov" }
    if oldMovies != newMovies { found.append("the old file has \(oldMovies) moov, the new one \(newMovies)") }
    if allowed.movieMoved, let before = old.root.child("moov"), let after = new.root.child("moov") {
      try compare(before, after)
    }
    try compareRows(topLevel(old), topLevel(new))
    if !allowed.strayBytes, try old.trailingBytes != new.trailingBytes {
      found.append("the \(old.root.tail.count) stray bytes at the end became \(new.root.tail.count), or others")
    }
  }

  private func topLevel(_ reader: SecondReader) -> [ReadAtom] {
    reader.topLevel.filter { atom in
      !(allowed.freeSpace && Self.free.contains(atom.type)) && !(allowed.movieMoved && atom.type == "moov")
        && !(allowed.mediaDataRearranged && atom.type == "mdat")
    }
  }

  /// Checks that the new atoms contain every old atom in order, and that the others are allowed additions.
  private mutating func compareRows(_ before: [ReadAtom], _ after: [ReadAtom]) throws {
    let before = before.filter { !allowed.isTable($0.path) }
    let after = after.filter { !allowed.isTable($0.path) }
    var next = 0
    for atom in before {
      if try isFreed(atom) { continue }
      guard let index = try match(atom, in: after, from: next) else {
        if allowed.mayRemove(atom.path) { continue }
        let elsewhere = after[..<next].contains { $0.path == atom.path }
        found.append("\(atom.path) at byte \(atom.offset) is missing" + (elsewhere ? ", or not in its old order" : ""))
        continue
      }
      for extra in after[next..<index] { refuse(extra) }
      try compare(atom, after[index])
      next = index + 1
    }
    for extra in after[next...] { refuse(extra) }
  }

  /// Returns the index of the new atom that corresponds to an old one: the next with equal bytes, or else with equal path.
  private func match(_ atom: ReadAtom, in after: [ReadAtom], from start: Int) throws -> Int? {
    let named = after.indices.dropFirst(start).filter { isSame(atom, after[$0]) }
    if named.count > 1, atom.type != "mdat", atom.type != "trak" {
      let equal = try named.first { index in
        try after[index].byteCount == atom.byteCount
          && firstDifference(atom.offset, in: old.store, after[index].offset, in: new.store, count: atom.byteCount)
            == nil
      }
      if let equal { return equal }
    }
    return named.first
  }

  private func isSame(_ before: ReadAtom, _ after: ReadAtom) -> Bool {
    before.path == after.path
      || [before.type, after.type].allSatisfy { $0 == "stco" || $0 == "co64" }
  }

  private mutating func refuse(_ atom: ReadAtom) {
    // Additional `mdat` atoms for new samples are checked with the media data.
    if allowed.mayAdd(atom.path) || atom.path == "mdat" { return }
    found.append("\(atom.path) at byte \(atom.offset) of the new file was not there before")
  }

  private mutating func compare(_ before: ReadAtom, _ after: ReadAtom) throws {
    if before.path == "moof", !allowed.removedTracks.isEmpty {
      try compareFragments(before, after)
      return
    }
    if before.path == "mdat" || allowed.mayChange(before.path) { return }
    if before.isContainer && after.isContainer {
      try compareContainers(before, after)
      return
    }
    let path = before.path
    switch before.type {
    case "mvhd", "tkhd", "mdhd":
      if allowed.flattened { try compareDurations(before, after) } else { try compareHeaders(before, after) }
    case "stsc" where allowed.chunksSplit: break  // Checked by comparing the samples.
    case "dref" where allowed.takenIn.keys.contains { path == "moov/trak#\($0)/mdia/minf/dinf/dref" }:
      try compareDataReferences(before, after)
    case "stco", "co64": try compareOffsets(before, after)
    case "saio" where path.hasSuffix("/stbl/saio"): try compareAuxiliaryOffsets(before, after)
    case "iloc": try compareItemLocations(before, after)
    default: try compareBytes(before, after)
    }
  }

  private mutating func compareHeaders(_ before: ReadAtom, _ after: ReadAtom) throws {
    let path = before.path
    switch before.type {
    case "mvhd" where !allowed.removedTracks.isEmpty: try compareMovieHeaders(before, after)
    case "mvhd" where !allowed.addedTracks.isEmpty: try compareNextTrackID(before, after)
    case "tkhd" where allowed.regroupedTracks.contains { path == "moov/trak#\($0)/tkhd" }:
      try compareTrackHeaders(before, after)
    default: try compareBytes(before, after)
    }
  }

  /// Checks that each reference declares the media as self-contained, and that references that did so before are unchanged.
  private mutating func compareDataReferences(_ before: ReadAtom, _ after: ReadAtom) throws {
    let one = ReadTrack.entries(try old.content(of: before))
    let other = ReadTrack.entries(try new.content(of: after))
    let isRight =
      one.count == other.count
      && zip(one, other).allSatisfy { entry, now in
        let isSelfContained = (number(entry.content, 0, 4) ?? 0) & 1 == 1
        return now.type == entry.type && now.content == (isSelfContained ? entry.content : [0, 0, 0, 1])
      }
    if !isRight { found.append("\(before.path) is not what a movie with all its media has") }
  }

  private mutating func compareContainers(_ before: ReadAtom, _ after: ReadAtom) throws {
    if before.headerByteCount != after.headerByteCount, before.path != "moov" {
      found.append("\(before.path) had a header of \(before.headerByteCount) bytes, now \(after.headerByteCount)")
    }
    let fields = try old.store.read(before.contentOffset, before.fieldByteCount)
    if try fields != new.store.read(after.contentOffset, after.fieldByteCount) {
      found.append("\(before.path): version or flags changed")
    }
    try compareRows(before.children, after.children)
    let tail = try old.store.read(before.tail.lowerBound, before.tail.count)
    if try tail != new.store.read(after.tail.lowerBound, after.tail.count) {
      found.append("\(before.path): the \(before.tail.count) bytes at its end became \(after.tail.count), or others")
    }
  }

  mutating func compareBytes(_ before: ReadAtom, _ after: ReadAtom) throws {
    if before.byteCount != after.byteCount {
      found.append("\(before.path) at byte \(before.offset) had \(before.byteCount) bytes, now \(after.byteCount)")
    } else if let place = try firstDifference(
      before.offset, in: old.store, after.offset, in: new.store, count: before.byteCount)
    {
      found.append("\(before.path) at byte \(before.offset) differs from its byte \(place) on")
    }
  }

  /// Checks the movie's duration. It equals the longest track's duration if it did before the edit. Otherwise, it is
  /// unchanged.
  private mutating func compareMovieHeaders(_ before: ReadAtom, _ after: ReadAtom) throws {
    func longest(_ reader: SecondReader) -> UInt64 { reader.tracks.map(\.duration).max() ?? 0 }
    let duration = try movieDuration(before, old)
    let expected = duration != 0 && duration == longest(old) ? longest(new) : duration
    if try movieDuration(after, new) != expected { found.append("the movie does not last \(expected) ticks") }
    let isLong = try old.content(of: before).first == 1
    let addsTracks = !allowed.addedTracks.isEmpty
    try compareMasked(before, after) { bytes in
      for index in isLong ? 32..<40 : 24..<28 where index < bytes.count { bytes[index] = 0 }
      if addsTracks { bytes.replaceSubrange(max(0, bytes.count - 4)..., with: []) }
    }
  }

  private func movieDuration(_ atom: ReadAtom, _ reader: SecondReader) throws -> UInt64 {
    var fields = try FieldReader(atom, reader.store)
    let width = try fields.fullHeader().version == 1 ? 8 : 4
    _ = try fields.take(2 * width + 4)
    return try fields.number(width)
  }

  private mutating func compareNextTrackID(_ before: ReadAtom, _ after: ReadAtom) throws {
    try compareMasked(before, after) { bytes in
      for index in max(0, bytes.count - 4)..<bytes.count { bytes[index] = 0 }
    }
  }

  private mutating func compareTrackHeaders(_ before: ReadAtom, _ after: ReadAtom) throws {
    try compareMasked(before, after) { bytes in
      // The version is at 8, the enabled flag at 11, the group after the layer.
      let group = bytes.count > 8 && bytes[8] == 1 ? 54 : 42
      guard bytes.count > group + 1 else { return }
      bytes[11] &= 0xFE
      (bytes[group], bytes[group + 1]) = (0, 0)
    }
  }

  /// Compares headers of a movie that loses its fragments, whose durations and versions may change.
  private mutating func compareDurations(_ before: ReadAtom, _ after: ReadAtom) throws {
    if try fieldsBesideDuration(before, old) != fieldsBesideDuration(after, new) {
      found.append("\(before.path) at byte \(before.offset) changed in more than was allowed")
    }
  }

  private func fieldsBesideDuration(_ atom: ReadAtom, _ reader: SecondReader) throws -> [UInt8] {
    var fields = try FieldReader(atom, reader.store)
    let (version, flags) = try fields.fullHeader()
    let isRegrouped = allowed.regroupedTracks.contains { atom.path == "moov/trak#\($0)/tkhd" }
    var bytes = u32(Int(isRegrouped ? flags & ~1 : flags))
    let width = version == 1 ? 8 : 4
    for _ in 0..<2 { bytes += u64(try fields.number(width)) }  // Dates.
    bytes += try fields.take(atom.type == "tkhd" ? 8 : 4)
    _ = try fields.number(width)
    var rest = try fields.take(fields.left)
    if isRegrouped { rest.replaceSubrange(10..<12, with: [0, 0]) }
    if atom.type == "mvhd", !allowed.addedTracks.isEmpty { rest.replaceSubrange(rest.count - 4..<rest.count, with: []) }
    return bytes + rest
  }

  private mutating func compareMasked(_ before: ReadAtom, _ after: ReadAtom, _ mask: (inout [UInt8]) -> Void) throws {
    var one = try old.bytes(of: before)
    var other = try new.bytes(of: after)
    mask(&one)
    mask(&other)
    if one != other { found.append("\(before.path) at byte \(before.offset) changed in more than was allowed") }
  }
}

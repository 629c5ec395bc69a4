/// Comparison of atoms with file positions, which may change if they refer to the same bytes.
extension Comparison {
  /// Compares chunk offset tables. The positions themselves are checked by comparing the samples.
  mutating func compareOffsets(_ before: ReadAtom, _ after: ReadAtom) throws {
    if before.type == "co64" && after.type == "stco" { found.append("\(before.path) was narrowed to stco") }
    let one = try old.content(of: before)
    let other = try new.content(of: after)
    let rows = (one: one.count - 8, other: other.count - 8)
    if allowed.chunksSplit { return }
    guard rows.one >= 0, rows.other >= 0, one.prefix(8) == other.prefix(8) else {
      found.append("\(before.path) has another version, other flags or another number of chunks")
      return
    }
    if before.type == after.type ? rows.one != rows.other : rows.one / 4 * 8 != rows.other {
      found.append("\(before.path) had \(one.count) bytes of content, now \(other.count)")
    }
  }

  mutating func compareAuxiliaryOffsets(_ before: ReadAtom, _ after: ReadAtom) throws {
    let one = try auxiliary(before, in: old)
    let other = try auxiliary(after, in: new)
    guard let one, let other, one.kind == other.kind, one.offsets.count == other.offsets.count else {
      found.append("\(before.path) has another type, other flags or another number of offsets")
      return
    }
    for (index, size) in try auxiliarySizes(before, offsets: one.offsets.count).enumerated() {
      let (a, b) = (one.offsets[index], other.offsets[index])
      guard a <= old.store.count, size <= old.store.count - a else { continue }
      if b > new.store.count || size > new.store.count - b {
        found.append("\(before.path): offset \(index + 1) points past the end of the file")
      } else if try firstDifference(a, in: old.store, b, in: new.store, count: size) != nil {
        found.append("\(before.path): offset \(index + 1) points at other bytes, \(a) before and \(b) now")
      }
    }
  }

  private func auxiliary(_ atom: ReadAtom, in reader: SecondReader) throws -> (kind: [UInt8], offsets: [UInt64])? {
    let bytes = try reader.content(of: atom)
    guard let version = bytes.first, let flags = number(bytes, 1, 3) else { return nil }
    let start = flags & 1 == 0 ? 4 : 12
    let width = version == 0 ? 4 : 8
    guard let count = number(bytes, start, 4) else { return nil }
    let offsets = (0..<min(Int(count), bytes.count / width)).compactMap { number(bytes, start + 4 + $0 * width, width) }
    return (Array(bytes[1..<start]), offsets)
  }

  /// Returns the number of bytes at each offset: of the whole track, or of the samples of one chunk.
  private func auxiliarySizes(_ saio: ReadAtom, offsets: Int) throws -> [UInt64] {
    let unknown = [UInt64](repeating: 1, count: offsets)
    let parent = saio.path.dropLast("/saio".count)
    guard let saiz = old.atom(parent + "/saiz"),
      let track = old.tracks.first(where: { saio.path.hasPrefix($0.atom.path + "/") })
    else { return unknown }
    let bytes = try old.content(of: saiz)
    let start = (number(bytes, 1, 3) ?? 0) & 1 == 0 ? 4 : 12
    guard let uniform = number(bytes, start, 1), let count = number(bytes, start + 1, 4) else { return unknown }
    let sizes = (0..<min(Int(count), track.samples.count)).map { index in
      uniform != 0 ? uniform : number(bytes, start + 5 + index, 1) ?? 0
    }
    if offsets == 1 { return [sizes.reduce(0, +)] }
    var perChunk = [UInt64](repeating: 0, count: offsets)
    for (index, size) in sizes.enumerated() where track.samples[index].chunk < offsets {
      perChunk[track.samples[index].chunk] += size
    }
    return perChunk
  }

  mutating func compareItemLocations(_ before: ReadAtom, _ after: ReadAtom) throws {
    guard let one = ItemLocations(try old.content(of: before)), let other = ItemLocations(try new.content(of: after))
    else {
      try compareBytes(before, after)
      return
    }
    guard one.fields == other.fields, one.extents.count == other.extents.count else {
      found.append("\(before.path) has other items")
      return
    }
    for (a, b) in zip(one.extents, other.extents) {
      if a.isInFile != b.isInFile || a.count != b.count || (!a.isInFile && a.position != b.position) {
        found.append("\(before.path): an extent changed that is not a file position, or its length")
        continue
      }
      guard a.isInFile, a.position <= old.store.count, a.count <= old.store.count - a.position else { continue }
      if b.position > new.store.count || b.count > new.store.count - b.position {
        found.append("\(before.path): an extent points past the end of the file")
      } else if try firstDifference(a.position, in: old.store, b.position, in: new.store, count: a.count) != nil {
        found.append("\(before.path): an extent points at other bytes, \(a.position) before and \(b.position) now")
      }
    }
  }
}

/// The contents of an `iloc`, with positions separate from the other fields.
struct ItemLocations {
  struct Extent {
    let isInFile: Bool
    let position: UInt64
    let count: UInt64
  }

  /// Item IDs, construction methods, data references and numbers of extents.
  private(set) var fields: [UInt64] = []
  private(set) var extents: [Extent] = []

  init?(_ bytes: [UInt8]) {
    guard let version = bytes.first, version <= 2, let widths = number(bytes, 4, 2) else { return nil }
    let (offsetWidth, lengthWidth) = (Int(widths >> 12), Int(widths >> 8 & 15))
    let (baseWidth, indexWidth) = (Int(widths >> 4 & 15), version == 0 ? 0 : Int(widths & 15))
    var position = 6
    func read(_ width: Int) -> UInt64? {
      defer { position += width }
      return number(bytes, position, width)
    }
    guard let items = read(version < 2 ? 2 : 4) else { return nil }
    for _ in 0..<items {
      guard let id = read(version < 2 ? 2 : 4), let method = version == 0 ? 0 : read(2), let reference = read(2),
        let base = read(baseWidth), let count = read(2)
      else { return nil }
      fields += [id, method, reference, count]
      for _ in 0..<count {
        guard let index = read(indexWidth), let offset = read(offsetWidth), let length = read(lengthWidth) else {
          return nil
        }
        fields.append(index)
        let (place, overflow) = base.addingReportingOverflow(offset)
        if overflow { return nil }
        extents.append(Extent(isInFile: method & 15 == 0 && reference == 0, position: place, count: length))
      }
    }
  }
}

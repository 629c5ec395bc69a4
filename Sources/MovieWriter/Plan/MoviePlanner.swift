import MovieBox

/// Lays a revised movie out in a file, in place or anew, and puts every position where its byte went.
///
/// Reads nothing of the media: only what stands after `moov` (at most 1 MiB) and a file-level `meta`.
struct MoviePlanner<Source: RandomAccessSource> {
  let revision: MovieRevision
  let source: Source

  var movie: Movie { revision.movie }
  var layout: FileLayout { revision.movie.layout }

  /// The bytes of the new `mdat` before the samples.
  static var mediaHeaderByteCount: Int { 8 }

  /// The whole `mdat` of the new samples, or nothing when there are none.
  func mediaAtom() throws(MovieError) -> [UInt8] {
    guard !revision.newMedia.isEmpty else { return [] }
    guard revision.newMedia.count <= Int(UInt32.max) - Self.mediaHeaderByteCount else {
      throw MovieError(.limit, "\(revision.newMedia.count) bytes of new samples, 4 GiB at most")
    }
    var writer = ByteWriter()
    writer.reserve(revision.newMedia.count + Self.mediaHeaderByteCount)
    writer.atom("mdat") { $0.write(revision.newMedia) }
    return writer.take()
  }

  /// Writes the new `moov` behind what `writer` holds.
  func writeMovie(to writer: inout ByteWriter, wideTracks: Set<Int>) throws(MovieError) -> Range<Int> {
    let start = writer.bytes.count
    writer.reserve(movie.tree.bytes.count + 64 << 10)
    try revision.draft(wideTracks: wideTracks).write(to: &writer)
    // A movie atom that nothing changes is copied; it may come to stand before others, and needs an end of its own.
    // An inflated one has it: it is not the atom that ends where the file does.
    if movie.movieAtom.sizeField == .toEndOfFile, !movie.hasCompressedHeader {
      guard let byteCount = UInt32(exactly: writer.bytes.count - start) else {
        throw MovieError(.limit, in: "moov", "more than 4 GiB")
      }
      writer.patch(byteCount, at: start)
    }
    return start..<writer.bytes.count
  }

  /// Puts the positions in the `moov` at `range` of `buffer` where the plan put their bytes.
  ///
  /// Gives the tracks (`trak` atoms counted from 0) whose 32-bit table does not hold its new positions; the buffer is
  /// then of no use.
  func relocate(
    _ buffer: inout [UInt8], _ range: Range<Int>, by plan: RemuxPlan, newMediaOffset: UInt64
  ) throws(MovieError) -> Set<Int> {
    let places = try places(in: Bytes(buffer).slice(at: range.lowerBound, count: range.count) ?? Bytes())
    var tooNarrow: Set<Int> = []
    for (table, isNew) in places.tables {
      var positions = PositionMap(plan: plan, newMediaOffset: isNew ? newMediaOffset : nil)
      let fits = Self.patch(&buffer, table, from: range.lowerBound, by: &positions)
      guard !fits else { continue }
      guard let track = table.trackIndex, table.width == 4, places.chunkOffsetAtoms.contains(table.atom) else {
        throw MovieError(.unsupported, "a position of sample auxiliary information (saio) does not fit its 4 bytes")
      }
      tooNarrow.insert(track)
    }
    for (offset, item) in places.items {
      let payload = try item.relocated(by: plan)
      let start = range.lowerBound + offset
      buffer.replaceSubrange(start..<start + payload.count, with: payload)
    }
    return tooNarrow
  }

  private struct Places {
    var tables: [(PositionTable, isNew: Bool)] = []
    var chunkOffsetAtoms: Set<Int> = []
    var items: [(offset: Int, ItemLocations)] = []
  }

  private func places(in bytes: Bytes) throws(MovieError) -> Places {
    let tree = try AtomTree(bytes, at: 0, limits: movie.limits.withRoomForEdits)
    let ids = try tree.children(of: tree.root, "trak").map { trak throws(MovieError) -> UInt32? in
      guard let tkhd = tree.child(of: trak, "tkhd") else { return nil }
      return try tree.decode(TrackHeader.self, at: tkhd).trackID
    }
    var places = Places()
    for table in try PositionTable.all(in: tree) {
      let id = table.trackIndex.flatMap { ids.indices.contains($0) ? ids[$0] : nil }
      let inNewMedia = tree[table.atom].type == "saio" ? revision.tracksWithNewAuxiliary : []
      places.tables.append((table, id.map { revision.newTrackIDs.union(inNewMedia).contains($0) } ?? false))
      if tree[table.atom].type != "saio" { places.chunkOffsetAtoms.insert(table.atom) }
    }
    for index in tree.atoms.indices where tree[index].type == "iloc" {
      guard let parent = tree[index].parent, tree[parent].type == "meta" else { continue }
      let item = try tree.locating(index) { bytes throws(MovieError) in try ItemLocations(payload: bytes) }
      places.items.append((tree[index].start + tree[index].headerByteCount, item))
    }
    return places
  }

  /// Patches one table; `false` when a new position does not fit.
  private static func patch(
    _ buffer: inout [UInt8], _ table: PositionTable, from base: Int, by positions: inout PositionMap
  ) -> Bool {
    for entry in 0..<table.count where !table.isExternal(entry) {
      let start = base + table.start + entry * table.width
      var old: UInt64 = 0
      for byte in 0..<table.width { old = old << 8 | UInt64(buffer[start + byte]) }
      // A position that is nowhere in the plan belongs to a chunk of no bytes, and stays: the checker makes sure.
      guard let new = positions.newPosition(of: old), new != old else { continue }
      guard table.width == 8 || new <= UInt64(UInt32.max) else { return false }
      for byte in 0..<table.width {
        buffer[start + byte] = UInt8(truncatingIfNeeded: new >> (8 * UInt64(table.width - 1 - byte)))
      }
    }
    return true
  }

  /// A file-level atom with its positions moved; `nil` when it holds none, and its bytes stay as they are.
  func relocatedFileMetadata(
    _ atom: FileLayout.TopLevelAtom, by plan: RemuxPlan
  ) throws -> [UInt8]? {
    guard atom.type == "meta", atom.range.count <= movie.limits.movieByteCount else { return nil }
    let bytes = try source.readExactly(atom.range)
    let tree = try AtomTree(bytes, at: atom.range.offset, limits: movie.limits)
    guard let iloc = tree.child(of: tree.root, "iloc") else { return nil }
    let item = try tree.locating(iloc) { bytes throws(MovieError) in try ItemLocations(payload: bytes) }
    let payload = try item.relocated(by: plan)
    var buffer = bytes.array
    let start = tree[iloc].start + tree[iloc].headerByteCount
    buffer.replaceSubrange(start..<start + payload.count, with: payload)
    return buffer
  }
}

/// Where the positions of one table went.
///
/// Neighbouring chunks mostly lie in one extent, so that the plan is asked once an extent, not once a chunk.
private struct PositionMap {
  private let plan: RemuxPlan
  private let newMediaOffset: UInt64?
  private var known: Range<UInt64> = 0..<0
  private var knownOutput: UInt64 = 0

  /// With `newMediaOffset`, positions count from the first byte of the new samples, which lie there.
  init(plan: RemuxPlan, newMediaOffset: UInt64?) {
    self.plan = plan
    self.newMediaOffset = newMediaOffset
  }

  mutating func newPosition(of old: UInt64) -> UInt64? {
    if let newMediaOffset { return old &+ newMediaOffset }  // Both inside a plan, whose size was checked.
    if !known.contains(old) {
      guard let extent = plan.sourceExtent(holding: old), let source = extent.sourceRange else { return nil }
      known = source.offset..<source.end
      knownOutput = extent.offset
    }
    return knownOutput &+ (old &- known.lowerBound)
  }
}

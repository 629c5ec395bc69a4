/// A compressed movie atom (QTFF "Compressed Movie Resources").
///
///     moov { cmov { dcom(algorithm 4), cmvd(byte count of the inflated movie atom 4, data) } }
///
/// The data inflates to a complete `moov` atom with its header. Chunk offsets in the inflated atom are file offsets,
/// as in an uncompressed `moov`.
package enum CompressedMovieAtom {
  /// The path of the compressed data. The paths of the inflated atoms begin with this path.
  package static let path = "moov/cmov/cmvd"

  /// Returns the inflated atoms of a compressed `moov`, or `nil` if the `moov` is not compressed.
  ///
  /// Throws `.unsupported` if the compression algorithm is not zlib, or if the atom is compressed twice. Also throws
  /// `.unsupported` if `cmov` has siblings other than free space, because the inflated atoms would not contain them.
  /// Throws `.limit` if the inflated size exceeds ``MovieLimits/inflatedByteCount``, and `.malformed` or `.truncated`
  /// if the data is damaged.
  static func inflate(_ file: AtomTree, limits: MovieLimits) throws(MovieError) -> AtomTree? {
    guard let cmov = file.child(of: file.root, "cmov") else { return nil }
    if let defect = file.defects.first { throw defect }
    try checkContents(of: file.root, ["cmov"], in: file)
    try checkContents(of: cmov, ["dcom", "cmvd"], in: file)
    guard let dcom = file.child(of: cmov, "dcom"), let cmvd = file.child(of: cmov, "cmvd") else {
      throw file.error(.malformed, at: cmov, "lacks dcom or cmvd")
    }
    try file.locating(dcom) { bytes throws(MovieError) in
      var reader = ByteReader(bytes)
      let algorithm = try reader.readFourCC()
      guard algorithm == "zlib" else {
        throw MovieError(.unsupported, at: 0, "the movie atom is compressed with \(algorithm): only zlib is supported")
      }
    }
    let inflated = try file.locating(cmvd) { bytes throws(MovieError) in
      var reader = ByteReader(bytes)
      let byteCount = UInt64(try reader.read(UInt32.self))
      do throws(MovieError) {
        return try ZlibStream.inflate(
          reader.readRest(), byteCount: byteCount, limit: min(limits.movieByteCount, limits.inflatedByteCount))
      } catch {
        throw error.located(inside: "", startingAt: 4)
      }
    }
    return try tree(of: inflated, limits: limits)
  }

  private static func tree(of inflated: Bytes, limits: MovieLimits) throws(MovieError) -> AtomTree {
    let tree = try AtomTree(inflated: inflated, from: path, limits: limits)
    let root = tree[tree.root]
    let position = tree.path(of: tree.root)
    guard root.type == "moov" else {
      throw MovieError(.malformed, at: 0, in: position, "the compressed data is not a movie atom (moov)")
    }
    // Reject a size of 0. The atom would extend to the end of the file, but an edit may append atoms there.
    guard inflated.load(at: 0, as: UInt32.self) != 0, root.byteCount == inflated.count else {
      throw MovieError(
        .malformed, at: 0, in: position,
        "the inflated data has \(inflated.count) bytes, but its movie atom declares another size")
    }
    if let cmov = tree.child(of: tree.root, "cmov") {
      throw tree.error(.unsupported, at: cmov, "the movie atom is compressed twice")
    }
    return tree
  }

  /// Throws unless the atom contains only free space, zeros and at most one atom of each of the `expected` types.
  private static func checkContents(of index: Int, _ expected: [FourCC], in tree: AtomTree) throws(MovieError) {
    var seenTypes: Set<FourCC> = []
    for child in tree.children(of: index) where tree[child].type != "free" && tree[child].type != "skip" {
      guard expected.contains(tree[child].type), seenTypes.insert(tree[child].type).inserted else {
        throw tree.error(
          .unsupported, at: child, "is not permitted next to a compressed movie atom")
      }
    }
    guard tree.tail(of: index).allSatisfy({ $0 == 0 }) else {
      throw MovieError(
        .unsupported, at: tree.offset &+ UInt64(tree[index].childrenEnd), in: tree.path(of: index),
        "contains stray bytes next to a compressed movie atom")
    }
  }
}

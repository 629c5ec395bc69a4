/// A movie atom that is stored compressed (QTFF "Compressed Movie Resources").
///
///     moov { cmov { dcom(algorithm 4), cmvd(byte count of the inflated movie atom 4, data) } }
///
/// The data inflates to a whole `moov` atom with its header. Chunk offsets in it are positions in the file like any
/// others.
package enum CompressedMovieAtom {
  /// The path of the compressed data; paths of the atoms that it inflates to begin so.
  package static let path = "moov/cmov/cmvd"

  /// The atoms of the movie atom that a `moov` holds compressed; `nil` for a `moov` that holds none.
  ///
  /// Throws `.unsupported` for another algorithm than zlib, for one compressed twice, and for anything but free
  /// space beside the compressed one, which would belong to no tree; `.limit` for one above
  /// ``MovieLimits/inflatedByteCount``; `.malformed` and `.truncated` for broken data.
  static func inflate(_ file: AtomTree, limits: MovieLimits) throws(MovieError) -> AtomTree? {
    guard let cmov = file.child(of: file.root, "cmov") else { return nil }
    if let defect = file.defects.first { throw defect }
    try checkContents(of: file.root, ["cmov"], in: file)
    try checkContents(of: cmov, ["dcom", "cmvd"], in: file)
    guard let dcom = file.child(of: cmov, "dcom"), let cmvd = file.child(of: cmov, "cmvd") else {
      throw file.error(.malformed, at: cmov, "needs dcom and cmvd")
    }
    try file.locating(dcom) { bytes throws(MovieError) in
      var reader = ByteReader(bytes)
      let algorithm = try reader.readFourCC()
      guard algorithm == "zlib" else {
        throw MovieError(.unsupported, at: 0, "the movie atom is compressed by \(algorithm), only zlib is known")
      }
    }
    let inflated = try file.locating(cmvd) { bytes throws(MovieError) in
      var reader = ByteReader(bytes)
      let byteCount = UInt64(try reader.read(UInt32.self))
      do throws(MovieError) {
        return try ZlibStream.inflate(
          reader.readRest(), byteCount: byteCount, limit: min(limits.movieByteCount, limits.inflatedByteCount))
      } catch {
        throw error.inside("", startingAt: 4)
      }
    }
    return try tree(of: inflated, limits: limits)
  }

  private static func tree(of inflated: Bytes, limits: MovieLimits) throws(MovieError) -> AtomTree {
    let tree = try AtomTree(inflated: inflated, from: path, limits: limits)
    let root = tree[tree.root]
    let place = tree.path(of: tree.root)
    guard root.type == "moov" else { throw MovieError(.malformed, at: 0, in: place, "is not a movie atom (moov)") }
    // Whoever writes it puts atoms after it.
    guard inflated.load(at: 0, as: UInt32.self) != 0, root.byteCount == inflated.count else {
      throw MovieError(.malformed, at: 0, in: place, "does not end with the \(inflated.count) inflated bytes")
    }
    if let cmov = tree.child(of: tree.root, "cmov") {
      throw tree.error(.unsupported, at: cmov, "the movie atom is compressed twice")
    }
    return tree
  }

  /// One atom of each of the `expected` types, free space and zeros are all that may be there.
  private static func checkContents(of index: Int, _ expected: [FourCC], in tree: AtomTree) throws(MovieError) {
    var seen: Set<FourCC> = []
    for child in tree.children(of: index) where tree[child].type != "free" && tree[child].type != "skip" {
      guard expected.contains(tree[child].type), seen.insert(tree[child].type).inserted else {
        throw tree.error(
          .unsupported, at: child, "is not allowed beside a compressed movie atom")
      }
    }
    guard tree.tail(of: index).allSatisfy({ $0 == 0 }) else {
      throw MovieError(
        .unsupported, at: tree.offset &+ UInt64(tree[index].childrenEnd), in: tree.path(of: index),
        "odd bytes beside a compressed movie atom")
    }
  }
}

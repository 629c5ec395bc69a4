import MovieBox

// The atoms of a movie for others that stay and lose dates, names or makers.
extension SharingPolicy {
  /// The name of keys without items.
  static let unusedKey = "unused"

  /// The list of the keys of a payload in which those for which `isUnused` says so are called ``unusedKey``: what they
  /// were called may say which application wrote them. What follows the last key goes.
  static func namingUnusedKeys(
    in payload: Bytes, where isUnused: (_ number: UInt32, _ key: MetadataIdentifier) -> Bool
  ) -> [UInt8] {
    let unused = MetadataKeys.Entry(MetadataIdentifier(.quickTimeMetadata, key: unusedKey))
    var keys = MetadataKeys(payload: payload)
    keys.entries = zip(UInt32(1)..., keys.entries).map { isUnused($0, $1.identifier) ? unused : $1 }
    keys.trailingBytes = Bytes()
    return keys.atom
  }

  /// The `meta` that keys stand in; `nil` for an atom that is something else, or part of a description of samples.
  static func metadata(withKeys index: Int, in tree: AtomTree) -> Int? {
    guard tree[index].type == "keys", let meta = tree[index].parent, tree[meta].type == "meta",
      mayLose(meta, in: tree)
    else { return nil }
    return meta
  }

  /// Whether an atom may say a date or a name that goes; `descriptions` are those of the tree.
  func rewrites(_ index: Int, in tree: AtomTree, _ descriptions: [Int: FourCC]) -> Bool {
    switch tree.types(to: index) {
    case ["mvhd"], ["trak", "tkhd"], ["trak", "mdia", "mdhd"]: !keepsDates
    case ["trak", "mdia", "hdlr"], ["trak", "mdia", "minf", "hdlr"]: true
    case let path where path.suffix(2) == ["meta", "hdlr"]: path.dropLast().allSatisfy(Self.containers.contains)
    case let path where path.dropLast() == ["trak", "mdia", "minf", "dinf", "dref"]:
      // An alias to the movie itself has the path that it had on the disk of whoever made it, and nobody reads it.
      (tree.payload(of: index).load(at: 0, as: UInt32.self) ?? 0) & 1 == 1 && tree.payload(of: index).count > 4
    default: descriptions[index] != nil
    }
  }

  /// The types of headers that say dates.
  private static let headers: Set<FourCC> = ["mvhd", "tkhd", "mdhd"]

  /// An atom without dates, a handler or a sample description of some media without a name and a maker, or a reference
  /// to the movie itself that says no more; `nil` for one that does not parse. Throws for a description that does not.
  func rewritten(_ atom: Bytes, _ type: FourCC, ofMedia handler: FourCC?) throws(MovieError) -> [UInt8]? {
    if let handler { return try Self.clearingVendor(atom, ofMedia: handler) }
    guard let size = atom.load(at: 0, as: UInt32.self) else { return nil }
    let headerByteCount = size == 1 ? 16 : 8
    var bytes = atom.array
    guard type == "hdlr" || Self.headers.contains(type) else {
      var writer = ByteWriter()
      writer.atom(type) { $0.write(Bytes(Array(atom.dropFirst(headerByteCount).prefix(4)))) }
      return writer.bytes
    }
    guard type == "hdlr" else {
      guard let version = atom.dropFirst(headerByteCount).first, version < 2 else { return nil }
      let dates = headerByteCount + 4..<headerByteCount + (version == 0 ? 12 : 20)
      guard dates.upperBound <= bytes.count else { return nil }
      bytes.replaceSubrange(dates, with: repeatElement(0, count: dates.count))
      return bytes
    }
    do throws(MovieError) {
      var handler = try HandlerReference(payload: atom.dropFirst(headerByteCount))
      guard handler.missingByteCount == 0 else { return nil }
      // Readers know iTunes' lists by their maker.
      let keepsMaker = handler.handlerType == "mdir" || [handler.manufacturer, handler.componentFlags] == [0, 0]
      guard !keepsMaker || handler.nameBytes.contains(where: { $0 != 0 }) else { return bytes }
      if !keepsMaker {
        (handler.manufacturer, handler.componentFlags, handler.componentFlagsMask) = (0, 0, 0)
      }
      handler.nameBytes = Bytes([0])  // An empty name in either form.
      return handler.atom("hdlr")
    } catch {
      return nil
    }
  }
}

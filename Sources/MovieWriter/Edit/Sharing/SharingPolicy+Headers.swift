import MovieBox

// Some atoms of a shared movie are kept, but without their dates, names or manufacturers.
extension SharingPolicy {
  /// The replacement for the names of keys without items.
  static let unusedKey = "unused"

  /// Returns the `keys` atom with unused keys renamed to ``unusedKey``, because their names may identify an
  /// application.
  ///
  /// Removes bytes after the last key.
  static func renamingUnusedKeys(
    in payload: Bytes, where isUnused: (_ number: UInt32, _ key: MetadataIdentifier) -> Bool
  ) -> [UInt8] {
    let unused = MetadataKeys.Entry(MetadataIdentifier(.quickTimeMetadata, key: unusedKey))
    var keys = MetadataKeys(payload: payload)
    keys.entries = zip(UInt32(1)..., keys.entries).map { isUnused($0, $1.identifier) ? unused : $1 }
    keys.trailingBytes = Bytes()
    return keys.atom
  }

  /// Returns the `meta` atom that contains a `keys` atom. Returns `nil` if the atom has another type or is inside a
  /// sample description.
  static func metadata(withKeys index: Int, in tree: AtomTree) -> Int? {
    guard tree[index].type == "keys", let meta = tree[index].parent, tree[meta].type == "meta",
      mayLose(meta, in: tree)
    else { return nil }
    return meta
  }

  /// Whether an atom may contain a date or name that must be removed.
  ///
  /// - Parameter descriptions: the sample descriptions of the tree.
  func rewrites(_ index: Int, in tree: AtomTree, _ descriptions: [Int: FourCC]) -> Bool {
    switch tree.types(to: index) {
    case ["mvhd"], ["trak", "tkhd"], ["trak", "mdia", "mdhd"]: !keepsDates
    case ["trak", "mdia", "hdlr"], ["trak", "mdia", "minf", "hdlr"]: true
    case let path where path.suffix(2) == ["meta", "hdlr"]: path.dropLast().allSatisfy(Self.containers.contains)
    case let path where path.dropLast() == ["trak", "mdia", "minf", "dinf", "dref"]:
      // An alias to the movie itself contains a path on the author's disk. No player reads the path.
      (tree.payload(of: index).load(at: 0, as: UInt32.self) ?? 0) & 1 == 1 && tree.payload(of: index).count > 4
    default: descriptions[index] != nil
    }
  }

  /// The types of headers with dates.
  private static let headerTypes: Set<FourCC> = ["mvhd", "tkhd", "mdhd"]

  /// Returns the atom without its dates, names, manufacturers or path, or `nil` if it cannot be parsed.
  ///
  /// Throws if a sample description cannot be parsed.
  ///
  /// - Parameter handler: the handler of the media if the atom is a sample description.
  func rewritten(_ atom: Bytes, _ type: FourCC, ofMedia handler: FourCC?) throws(MovieError) -> [UInt8]? {
    if let handler { return try Self.clearingVendor(atom, ofMedia: handler) }
    guard let size = atom.load(at: 0, as: UInt32.self) else { return nil }
    let headerByteCount = size == 1 ? 16 : 8
    var bytes = atom.array
    guard type == "hdlr" || Self.headerTypes.contains(type) else {
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
      // Readers recognize iTunes lists by their manufacturer.
      let keepsMaker = handler.handlerType == "mdir" || [handler.manufacturer, handler.componentFlags] == [0, 0]
      guard !keepsMaker || handler.nameBytes.contains(where: { $0 != 0 }) else { return bytes }
      if !keepsMaker {
        (handler.manufacturer, handler.componentFlags, handler.componentFlagsMask) = (0, 0, 0)
      }
      handler.nameBytes = Bytes([0])  // This is an empty name both as a Pascal string and as a C string.
      return handler.atom("hdlr")
    } catch {
      return nil
    }
  }
}

import MovieBox

// QuickTime movies and ISO files share the atoms of user data and metadata, with small differences: a QuickTime `meta`
// has no version and flags, and a QuickTime `udta` may end in zeros.
extension AtomTree {
  /// Returns a `udta` in the form of a movie type, or `nil` if it does not change. In ISO files, a `udta` does not end
  /// in zeros.
  ///
  /// - Parameter omitted: the types of the children to omit.
  func userData(_ index: Int, for type: MovieType, omitting omitted: Set<FourCC> = []) -> [UInt8]? {
    let end = tail(of: index)
    let dropsEnd = !type.isQuickTime && !end.isEmpty && end.allSatisfy { $0 == 0 }
    var isChanged = dropsEnd
    var writer = ByteWriter()
    writer.write(head(of: index))
    for child in children(of: index) {
      if omitted.contains(self[child].type) {
        isChanged = true
      } else if self[child].type == "meta", let new = metadata(child, for: type) {
        writer.write(new)
        isChanged = true
      } else {
        writer.write(bytes(of: child))
      }
    }
    guard isChanged else { return nil }
    if !dropsEnd { writer.write(end) }
    return updatingSize(writer, like: index)
  }

  /// Returns a `meta` in the form of a movie type, or `nil` if it does not change.
  ///
  /// In ISO files, `meta` has version and flags. In QuickTime movies, only the `meta` of an iTunes list has them (QTFF
  /// "Metadata Atom"; ISO/IEC 14496-12 8.11.1). Version and flags are never added to a `meta` with QuickTime keys.
  /// Phones omit version and flags in ISO files as well. ExifTool and MediaInfo find no keys in a `meta` with version
  /// and flags.
  func metadata(_ index: Int, for type: MovieType) -> [UInt8]? {
    let head = head(of: index)
    let fields = head.dropFirst(self[index].headerByteCount)
    let isFull = fields.count == 4 && fields.allSatisfy { $0 == 0 }
    guard let handler = handlerType(in: index), case let hasKeys = handler == "mdta",
      type.isQuickTime ? isFull && hasKeys : fields.isEmpty && !hasKeys
    else { return nil }
    var writer = ByteWriter()
    writer.write(head.slice(at: 0, count: self[index].headerByteCount) ?? Bytes())
    if !type.isQuickTime { writer.write(FullAtomHeader()) }
    writer.write(bytes(of: index).dropFirst(head.count))
    return updatingSize(writer, like: index)
  }

  /// Returns the atom with its new size, in a size field of unchanged width.
  private func updatingSize(_ atom: ByteWriter, like index: Int) -> [UInt8] {
    var writer = atom
    if self[index].headerByteCount == 16 {
      writer.patch(UInt64(writer.bytes.count), at: 8)
    } else {
      writer.patch(UInt32(clamping: writer.bytes.count), at: 0)
    }
    return writer.bytes
  }
}

extension EncryptionMoves {
  /// Returns the bytes of a movie atom with the new offsets in its tables of auxiliary information. Returns `nil` if an
  /// offset does not fit in its table.
  func relocating(_ tree: AtomTree) throws(MovieError) -> [UInt8]? {
    var bytes = tree.bytes.array
    for trak in tree.children(of: tree.root, "trak") {
      guard let stbl = tree.sampleTable(ofTrack: trak) else { continue }
      for saio in tree.children(of: stbl, "saio") {
        let offsets = try tree.decode(AuxiliaryInformationOffsets.self, at: saio)
        // The offsets follow version and flags, an optional type and the number of entries.
        let start = tree[saio].start + tree[saio].headerByteCount + 4 + (offsets.kind == nil ? 0 : 8) + 4
        let width = offsets.isWide ? 8 : 4
        for (index, old) in offsets.enumerated() {
          guard let new = newPosition(of: old) else { continue }
          guard offsets.isWide || new <= UInt64(UInt32.max) else { return nil }
          for place in 0..<width {
            bytes[start + index * width + place] = UInt8(truncatingIfNeeded: new >> UInt64(8 * (width - 1 - place)))
          }
        }
      }
    }
    return bytes
  }
}

/// The atoms of movies and tracks that are allowed only in QuickTime movies (QTFF "Movie Atoms", "Track Atoms").
enum QuickTimeAtoms {
  /// Returns the name of an atom of a movie, or `nil` if ISO files can contain the atom too.
  static func movieAtomName(_ type: FourCC) -> String? {
    ["clip", "ctab", "prfl", "rmra", "matt"].contains(type) ? displayNames[type] : nil
  }

  /// Returns the name of an atom of a track, or `nil` if ISO files can contain the atom too.
  static func trackAtomName(_ type: FourCC) -> String? {
    ["clip", "matt", "load", "imap", "prfl"].contains(type) ? displayNames[type] : nil
  }

  private static let displayNames: [FourCC: String] = [
    "clip": "clipping region", "ctab": "color table", "prfl": "profile", "rmra": "reference movie list",
    "matt": "matte", "load": "load settings", "imap": "input map",
  ]
}

/// The structure of an atom's payload: a leaf, or a container whose children begin after a fixed number of bytes.
///
/// The structure depends on the type, the parent, the media handler and the payload. `meta` and sound sample
/// descriptions have different layouts in QuickTime and ISO files. The payload determines which layout is used. The
/// file type cannot determine it, because many files mix both layouts.
enum AtomStructure: Hashable, Sendable {
  /// A payload without children, or with an unknown structure.
  case leaf
  /// A payload that contains children after `prefix` bytes.
  case container(prefixByteCount: Int)

  /// Returns the structure of an atom of `type` inside `parent`.
  ///
  /// - Parameters:
  ///   - mediaHandler: the handler type of the enclosing media. It determines the layout of sample descriptions.
  ///   - payload: the bytes after the atom's header.
  static func structure(of type: FourCC, in parent: FourCC?, mediaHandler: FourCC?, payload: Bytes) -> AtomStructure {
    switch parent {
    case "stsd": return sampleEntry(type, mediaHandler: mediaHandler, payload: payload)
    case "ilst": return .container(prefixByteCount: 0)  // The types of items are key indices or four-character codes.
    case "meta" where type == "keys": return .leaf
    case "tref": return .leaf  // A reference contains track IDs, even in `tmcd`, which is a container elsewhere.
    case "gmhd" where type == "tmcd": return .container(prefixByteCount: 0)
    case "imap": return .leaf  // Its QT atoms have another layout (QTFF "QT Atoms and Atom Containers").
    default: break
    }
    if type == "meta" { return metadata(payload) }
    switch type {
    case "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "tref", "udta", "gmhd", "tapt", "clip", "matt", "rmra",
      "rmda", "mvex", "moof", "traf", "mfra", "ilst", "wave", "sinf", "schi", "rinf", "ludt", "cmov", "strk", "strd",
      "hnti", "hinf", "vexu", "eyes", "proj":
      return .container(prefixByteCount: 0)
    case "dref", "stsd": return .container(prefixByteCount: 8)
    default: return .leaf
    }
  }

  /// Returns the structure of `meta`. It is a plain atom in QuickTime files and a full atom in ISO files. The position
  /// of the `hdlr` child distinguishes the two layouts.
  private static func metadata(_ payload: Bytes) -> AtomStructure {
    let handler: FourCC = "hdlr"
    if payload.load(at: 4, as: UInt32.self) == handler.rawValue { return .container(prefixByteCount: 0) }
    if payload.load(at: 8, as: UInt32.self) == handler.rawValue { return .container(prefixByteCount: 4) }
    // If `hdlr` is not the first child, four zero bytes at the start of the payload show that `meta` is a full atom,
    // because they are its version and flags.
    if payload.count >= 4, payload.load(at: 0, as: UInt32.self) == 0 { return .container(prefixByteCount: 4) }
    return payload.isEmpty ? .container(prefixByteCount: 0) : .leaf
  }

  /// Returns the structure of a sample description. Its child atoms follow fields that depend on the media type.
  private static func sampleEntry(_ format: FourCC, mediaHandler: FourCC?, payload: Bytes) -> AtomStructure {
    let commonByteCount = 8  // Six reserved bytes, and two bytes for the data reference index.
    switch format {
    case "tx3g": return .container(prefixByteCount: commonByteCount + 30)
    case "tmcd": return .container(prefixByteCount: commonByteCount + 18)
    case "wvtt", "c608", "c708", "mp4s", "mebx", "gpmd": return .container(prefixByteCount: commonByteCount)
    case "text", "stpp", "sbtt", "stxt", "mett", "metx", "rtp ": return .leaf
    case "ctab": return .leaf  // Some old files store the color table after its entry.
    default: break
    }
    switch mediaHandler {
    case "vide", "auxv", "pict": return videoEntry(payload, fieldByteCount: commonByteCount + 70)
    case "soun":
      // In an ISO file, a version 1 description has no more fields than version 0. If no child follows the fields of
      // QuickTime's version 1, try the fields of version 0.
      let candidates =
        switch payload.load(at: commonByteCount, as: UInt16.self) ?? 0 {
        case 0: [20]
        case 1: [36, 20]
        case 2: [56, 20]
        default: [Int]()
        }
      for fields in candidates where payload.count >= commonByteCount + fields {
        if beginsWithChild(payload.dropFirst(commonByteCount + fields)) {
          return .container(prefixByteCount: commonByteCount + fields)
        }
      }
      return .leaf
    default: return .leaf
    }
  }

  /// Returns the structure of a video entry. Its fields may be followed by a color table or vendor data (as in Canon's
  /// `CRAW`) instead of atoms.
  private static func videoEntry(_ payload: Bytes, fieldByteCount: Int) -> AtomStructure {
    guard payload.count >= fieldByteCount + 8 else { return .container(prefixByteCount: fieldByteCount) }
    let rest = payload.dropFirst(fieldByteCount)
    if beginsWithChild(rest), beginsWithPrintableType(rest) { return .container(prefixByteCount: fieldByteCount) }
    if let byteCount = colorTableByteCount(payload, at: fieldByteCount) {
      return .container(prefixByteCount: fieldByteCount + byteCount)
    }
    let isTerminator = rest.load(at: 0, as: UInt64.self) == 0
    return isTerminator || beginsWithPrintableType(rest) ? .container(prefixByteCount: fieldByteCount) : .leaf
  }

  /// Returns the size of the color table after the fields of a video entry, or `nil` if there is none. A table ID of
  /// 0 means that the table follows (QTFF "Video Sample Description").
  private static func colorTableByteCount(_ payload: Bytes, at fieldByteCount: Int) -> Int? {
    let depths: Set<UInt16> = [1, 2, 4, 8, 33, 34, 36, 40]  // The depths of color and of gray.
    guard let depth = payload.load(at: fieldByteCount - 4, as: UInt16.self), depths.contains(depth),
      payload.load(at: fieldByteCount - 2, as: UInt16.self) == 0,
      let last = payload.load(at: fieldByteCount + 6, as: UInt16.self)
    else { return nil }
    // The table contains a seed, flags, the last index, and four 16-bit numbers per color.
    let byteCount = 8 + 8 * (Int(last) + 1)
    return fieldByteCount + byteCount <= payload.count ? byteCount : nil
  }

  private static func beginsWithChild(_ rest: Bytes) -> Bool {
    guard let size = rest.load(at: 0, as: UInt32.self) else { return true }
    return size >= 8 && Int(size) <= rest.count
  }

  private static func beginsWithPrintableType(_ rest: Bytes) -> Bool {
    // An atom type may contain the byte 0xA9, which is `©` in Mac Roman.
    rest.dropFirst(4).prefix(4).allSatisfy { (0x20...0x7E).contains($0) || $0 == 0xA9 }
  }
}

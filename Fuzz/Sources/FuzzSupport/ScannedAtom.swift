/// An atom in the bytes of a movie that may be damaged. The scanner is independent of the libraries.
struct ScannedAtom {
  let start: Int
  let end: Int
  private let headerByteCount: Int
  /// The offsets of the enclosing atoms, beginning with the outermost.
  let parents: [Int]

  var range: Range<Int> { start..<end }
  var payload: Range<Int> { start + headerByteCount..<end }

  func type(in bytes: [UInt8]) -> UInt64 { bytes.number(at: start + 4, 4) }

  /// Returns all atoms of a file at every depth.
  static func scan(_ bytes: [UInt8]) -> [ScannedAtom] {
    var atoms: [ScannedAtom] = []
    scan(bytes, 0..<bytes.count, [], &atoms)
    return atoms
  }

  private static func scan(_ bytes: [UInt8], _ range: Range<Int>, _ parents: [Int], _ atoms: inout [ScannedAtom]) {
    var place = range.lowerBound
    while place + 8 <= range.upperBound, atoms.count < 2_000 {
      var size = bytes.number(at: place, 4)
      var header = 8
      if size == 1, place + 16 <= range.upperBound {
        size = bytes.number(at: place + 8, 8)
        header = 16
      }
      if size == 0, parents.isEmpty { size = UInt64(range.upperBound - place) }
      guard size >= header, size <= range.upperBound - place else { return }
      let atom = ScannedAtom(start: place, end: place + Int(size), headerByteCount: header, parents: parents)
      atoms.append(atom)
      if parents.count < 12, let prefix = prefix(of: atom, bytes, parents), prefix <= atom.payload.count {
        scan(bytes, atom.payload.dropFirst(prefix), parents + [place], &atoms)
      }
      place = atom.end
    }
  }

  /// Returns the number of bytes before the children of an atom, or `nil` if the atom contains no children.
  private static func prefix(of atom: ScannedAtom, _ bytes: [UInt8], _ parents: [Int]) -> Int? {
    let type = String(decoding: bytes[atom.start + 4..<atom.start + 8], as: UTF8.self)
    switch type {
    case "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "tref", "udta", "gmhd", "tapt", "mvex", "moof", "traf",
      "mfra", "ilst", "wave", "sinf", "schi", "cmov":
      return 0
    case "dref", "stsd": return 8
    case "meta":
      return atom.payload.count >= 8 && bytes.number(at: atom.payload.lowerBound + 4, 4) == 0x6864_6C72 ? 0 : 4
    case "tx3g": return 38
    case "avc1", "encv": return 78
    case "mp4a", "enca": return 28
    case "wvtt": return 8
    default: return nil
    }
  }
}

extension [UInt8] {
  /// Returns the big-endian number of `width` bytes.
  func number(at place: Int, _ width: Int) -> UInt64 {
    self[place..<place + width].reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func setNumber(_ value: UInt64, at place: Int, _ width: Int) {
    for index in 0..<width { self[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index))) }
  }

  /// Replaces bytes, and adjusts the sizes of the atoms at `parents`.
  mutating func replace(_ range: Range<Int>, with part: [UInt8], inside parents: [Int]) {
    let growth = part.count - range.count
    for parent in parents {
      let isWide = number(at: parent, 4) == 1
      let place = isWide ? parent + 8 : parent
      let size = number(at: place, isWide ? 8 : 4)
      if size != 0 { setNumber(size &+ UInt64(bitPattern: Int64(growth)), at: place, isWide ? 8 : 4) }
    }
    replaceSubrange(range, with: part)
  }
}

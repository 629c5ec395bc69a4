import MovieBox
import Subtitles

/// One atom as `inspect --atom` shows it: its fields, or all its bytes.
struct AtomView {
  let atom: AtomSelection

  init(_ atom: AtomSelection) {
    self.atom = atom
  }

  /// The most bytes that are shown of an atom whose fields are not known.
  private static let previewByteCount: UInt64 = 64

  /// How many bytes are read and shown at once, so that an atom of any size takes little memory.
  private static let pieceByteCount: UInt64 = 64 << 10

  /// Writes the view; with `isHex`, nothing but the lines of the dump, whose offsets count from the start of the file
  /// or of the inflated movie atom.
  func show(isHex: Bool, of source: any RandomAccessSource, in context: Context) throws {
    if isHex {
      try dump(atom.range, of: source, in: context)
      return
    }
    let space = atom.isInflated ? " of the inflated movie atom" : ""
    try context.print([
      "\(atom.path) at byte \(atom.range.offset)\(space), \(Quantity.exactBytes(atom.range.count)), "
        + "\(atom.headerByteCount) of them header"
    ])
    let fields: [(String, String)]?
    do throws(MovieError) {
      fields = try atom.payload.flatMap { payload throws(MovieError) in
        try AtomFields.of(atom.type, in: atom.parent, payload)
      }
    } catch {
      try preview(of: source, in: context)
      throw error.inside(atom.path, startingAt: atom.range.offset + UInt64(atom.headerByteCount))
    }
    if let fields, !fields.isEmpty {
      var table = TextTable([.init(""), .init("")])
      for field in fields { table.add([field.0, field.1]) }
      try context.print(table.lines.dropFirst().map { "  " + $0 })
    } else if let children = atom.children {
      try context.print(["  " + (children.isEmpty ? "holds no atoms" : "holds " + Self.counted(children))])
    } else if fields == nil {
      try preview(of: source, in: context)
    }
  }

  /// `mvhd, 4 trak, udta`.
  private static func counted(_ types: [FourCC]) -> String {
    var order: [FourCC] = []
    var counts: [FourCC: Int] = [:]
    for type in types {
      if counts[type] == nil { order.append(type) }
      counts[type, default: 0] += 1
    }
    return order.map { type in counts[type].map { $0 > 1 ? "\($0) \(type)" : "\(type)" } ?? "" }
      .joined(separator: ", ")
  }

  private func preview(of source: any RandomAccessSource, in context: Context) throws {
    let start = min(atom.range.end, atom.range.offset + UInt64(atom.headerByteCount))
    let end = min(atom.range.end, start + Self.previewByteCount)
    try dump(ByteRange(start..<end), of: source, in: context)
    if end < atom.range.end { try context.print(["… \(atom.range.end - end) bytes more; --hex shows all"]) }
  }

  /// The bytes of a part of the atom, where they are in memory; those of an inflated movie atom are nowhere else.
  private func inMemory(_ part: ByteRange) -> Bytes? {
    guard let bytes = atom.bytes, part.offset >= atom.range.offset, part.end <= atom.range.end else { return nil }
    return bytes.slice(at: Int(clamping: part.offset - atom.range.offset), count: Int(clamping: part.count))
  }

  private func dump(_ range: ByteRange, of source: any RandomAccessSource, in context: Context) throws {
    var position = range.offset
    while position < range.end {
      try context.checkStop()
      let end = min(range.end, position + Self.pieceByteCount)
      let part = ByteRange(position..<end)
      let piece = try inMemory(part) ?? source.readExactly(part)
      try context.output.write(HexDump.lines(piece, at: position))
      position = end
    }
  }
}

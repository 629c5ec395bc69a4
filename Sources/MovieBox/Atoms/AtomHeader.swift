// Headers of atoms, and lists of atoms without a tree: in sample descriptions, in samples, in lists of metadata.

/// The 8 or 16 bytes that begin every atom.
package struct AtomHeader {
  /// The size field of a header.
  enum Size: Hashable {
    case bytes(UInt64)
    case toEndOfFile
  }

  let type: FourCC
  let size: Size
  let byteCount: Int

  /// The reason why bytes are not a header.
  enum Failure: Error {
    case tooShort(needs: Int)
    case sizeBelowHeader(UInt64)

    /// The sentence for a person; `room` is how many bytes there were.
    func reason(room: Int) -> String {
      switch self {
      case .tooShort(let needed): "an atom header needs \(needed) bytes, \(room) left"
      case .sizeBelowHeader(let size): "an atom claims \(size) bytes, less than its header"
      }
    }
  }

  /// The header at `position` of `bytes`.
  init(_ bytes: Bytes, at position: Int) throws(Failure) {
    guard let size = bytes.load(at: position, as: UInt32.self),
      let code = bytes.load(at: position + 4, as: UInt32.self)
    else { throw .tooShort(needs: 8) }
    type = FourCC(rawValue: code)
    switch size {
    case 0:
      self.size = .toEndOfFile
      byteCount = 8
    case 1:
      guard let wide = bytes.load(at: position + 8, as: UInt64.self) else { throw .tooShort(needs: 16) }
      guard wide >= 16 else { throw .sizeBelowHeader(wide) }
      self.size = .bytes(wide)
      byteCount = 16
    default:
      guard size >= 8 else { throw .sizeBelowHeader(UInt64(size)) }
      self.size = .bytes(UInt64(size))
      byteCount = 8
    }
  }

  /// The header of an atom of so many bytes, itself among them: 16 where 8 cannot say it, or where asked for.
  package static func bytes(_ byteCount: UInt64, _ type: FourCC, isWide: Bool = false) -> [UInt8] {
    var writer = ByteWriter()
    if !isWide, let size = UInt32(exactly: byteCount) {
      writer.write(size)
      writer.write(type)
    } else {
      writer.write(UInt32(1))
      writer.write(type)
      writer.write(byteCount)
    }
    return writer.bytes
  }
}

/// Atoms one after the other in bytes, up to the first that does not fit: those at the end of a sample description, the
/// items of a list, the boxes of a sample.
package struct AtomList: Sequence, IteratorProtocol {
  package struct Element {
    /// The type.
    package let type: FourCC
    /// The range of the atom in the list's bytes, header included.
    package let range: Range<Int>
    /// The range of the bytes after the header.
    package let payloadRange: Range<Int>
    /// The bytes after the header.
    package let payload: Bytes

    /// Whether the size has 64 bits.
    package var hasWideSize: Bool { payloadRange.lowerBound - range.lowerBound == 16 }
  }

  private let bytes: Bytes
  private var position: Int
  private let lastMayBeOpen: Bool

  /// The atoms from `start` on. One of size 0 ends the list, as it does in a movie atom, unless `lastMayBeOpen`: then it
  /// reaches to the end of the bytes (ISO/IEC 14496-12 4.2).
  package init(_ bytes: Bytes, from start: Int = 0, lastMayBeOpen: Bool = false) {
    self.bytes = bytes
    position = start
    self.lastMayBeOpen = lastMayBeOpen
  }

  /// The bytes that were not read yet. After the last atom, these are bytes that form no atom.
  package var rest: Bytes { bytes.dropFirst(position) }

  package mutating func next() -> Element? {
    let header: AtomHeader
    do throws(AtomHeader.Failure) {
      header = try AtomHeader(bytes, at: position)
    } catch {
      return nil
    }
    let left = bytes.count - position
    let size: Int? =
      switch header.size {
      case .toEndOfFile: lastMayBeOpen ? left : nil
      case .bytes(let size): Int(exactly: size)
      }
    guard let size, let payload = bytes.slice(at: position + header.byteCount, count: size - header.byteCount) else {
      return nil
    }
    defer { position += size }
    return Element(
      type: header.type, range: position..<position + size,
      payloadRange: position + header.byteCount..<position + size, payload: payload)
  }
}

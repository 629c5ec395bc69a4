/// Atoms one after the other in bytes, up to the first that does not fit: those at the end of a sample description, the
/// items of a list, the boxes of a sample.
package struct AtomList: Sequence, IteratorProtocol {
  /// One of them.
  package struct Element {
    /// The type.
    package let type: FourCC
    /// Where it lies in the list's bytes, its header among them.
    package let range: Range<Int>
    /// Where what follows its header lies.
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

  /// What was not read yet; after the last atom, what is none.
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

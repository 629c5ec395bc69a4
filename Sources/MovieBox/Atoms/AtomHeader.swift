// Parsers of atom headers and of short lists of atoms. Sample descriptions, samples and metadata contain these lists.
// Reading them requires no ``AtomTree``.

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

  /// The reason why the bytes are not an atom header.
  enum Failure: Error {
    case tooShort(needs: Int)
    case sizeBelowHeader(UInt64)

    /// Returns an error message. `room` is the number of bytes that are available for the header.
    func reason(room: Int) -> String {
      switch self {
      case .tooShort(let needed): "an atom header needs \(needed) bytes, but has room for only \(room)"
      case .sizeBelowHeader(let size): "an atom declares a size of \(size) bytes, less than its header"
      }
    }
  }

  /// Parses the header at `position` of `bytes`.
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

  /// Returns the header of an atom. `byteCount` includes the header. The header has 16 bytes if `isWide` is `true` or
  /// the size exceeds 32 bits, or 8 bytes otherwise.
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

/// A sequence of consecutive atoms, up to the first atom that does not fit in the bytes.
///
/// Sample descriptions, metadata items and some samples contain consecutive atoms.
package struct AtomList: Sequence, IteratorProtocol {
  package struct Element {
    package let type: FourCC
    /// The atom's range in the bytes of the list, including the header.
    package let range: Range<Int>
    /// The range of the payload in the bytes of the list.
    package let payloadRange: Range<Int>
    package let payload: Bytes

    /// Whether the size field has 64 bits.
    package var hasWideSize: Bool { payloadRange.lowerBound - range.lowerBound == 16 }
  }

  private let bytes: Bytes
  private var position: Int
  private let allowsOpenEnd: Bool

  /// Lists the atoms from `start`. By default, an atom of size 0 ends the list. If `allowsOpenEnd` is `true`, an atom
  /// of size 0 extends to the end of the bytes (ISO/IEC 14496-12 4.2).
  package init(_ bytes: Bytes, from start: Int = 0, allowsOpenEnd: Bool = false) {
    self.bytes = bytes
    position = start
    self.allowsOpenEnd = allowsOpenEnd
  }

  /// The bytes after the atoms that the iterator has returned. At the end of the iteration, these bytes do not form an
  /// atom.
  package var rest: Bytes { bytes.dropFirst(position) }

  package mutating func next() -> Element? {
    let header: AtomHeader
    do throws(AtomHeader.Failure) {
      header = try AtomHeader(bytes, at: position)
    } catch {
      return nil
    }
    let remainingCount = bytes.count - position
    let size: Int? =
      switch header.size {
      case .toEndOfFile: allowsOpenEnd ? remainingCount : nil
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

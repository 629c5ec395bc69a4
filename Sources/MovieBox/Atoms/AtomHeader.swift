/// The 8 or 16 bytes that begin every atom.
package struct AtomHeader {
  /// What the size field says.
  enum Size: Hashable {
    case bytes(UInt64)
    case toEndOfFile
  }

  let type: FourCC
  let size: Size
  let byteCount: Int

  /// Why bytes are not a header.
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
}

extension AtomHeader {
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

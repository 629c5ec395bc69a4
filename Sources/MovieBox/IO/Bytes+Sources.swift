/// What bytes are put together from.
package enum BytesPart {
  case bytes(Bytes)
  case range(ByteRange, of: any RandomAccessSource)
  case zeros(Int)

  var count: UInt64 {
    switch self {
    case .bytes(let bytes): UInt64(bytes.count)
    case .range(let range, _): range.count
    case .zeros(let count): UInt64(count)
    }
  }
}

extension Bytes {
  /// Puts bytes together, with one read for each range of a source. Files are read to where the bytes come to stand.
  ///
  /// Throws what the sources throw.
  package init(joining parts: [BytesPart]) throws {
    if parts.count == 1 {
      // Most ranges of most movies: nothing has to be put together.
      switch parts[0] {
      case .bytes(let bytes):
        self = bytes
        return
      case .range(let range, let source):
        self = try source.readExactly(range)
        return
      case .zeros: break
      }
    }
    var byteCount: UInt64 = 0
    for part in parts { byteCount = byteCount.addingClamped(part.count) }
    guard let count = Int(exactly: byteCount) else { throw MovieError(.limit, "\(byteCount) bytes at once") }
    // SAFETY: the buffer is handed on no further than the calls that fill it.
    self = try unsafe Bytes(count: count) { buffer throws(any Error) in
      unsafe SystemMemory.adviseLargePages(buffer)
      var filled = 0
      for part in parts {
        // SAFETY: `end` is at most the sum of all parts, which did not wrap and is the buffer's count.
        let end = filled + Int(clamping: part.count)
        try unsafe part.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end]))
        filled = end
      }
      return filled
    }
  }
}

extension BytesPart {
  /// Writes the part to a buffer of its size.
  @unsafe
  fileprivate func fill(_ buffer: UnsafeMutableRawBufferPointer) throws {
    switch self {
    case .range(let range, let source as FileSource): try unsafe source.read(range, into: buffer)
    case .range(let range, let source): try unsafe Self.copy(source.readExactly(range), to: buffer)
    case .bytes(let bytes): unsafe Self.copy(bytes, to: buffer)
    case .zeros:
      unsafe SystemMemory.prepareToFill(buffer)
      // SAFETY: bytes of any value are bytes.
      unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  @unsafe
  private static func copy(_ bytes: Bytes, to buffer: UnsafeMutableRawBufferPointer) {
    precondition(bytes.count == buffer.count, "a part fills its place")
    unsafe SystemMemory.prepareToFill(buffer)
    // SAFETY: the buffer is as large.
    unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }
}

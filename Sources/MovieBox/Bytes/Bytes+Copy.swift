extension Bytes {
  /// Copies `count` bytes from `offset` into `buffer` from `position` on. Both must have so many.
  package func copy(from offset: Int, count wanted: Int, into buffer: inout [UInt8], at position: Int) {
    precondition(offset >= 0 && wanted >= 0 && offset <= count && wanted <= count - offset, "bytes that are there")
    precondition(position >= 0 && position <= buffer.count && wanted <= buffer.count - position, "room that is there")
    // SAFETY: both ranges were checked above, and the two do not share memory: `buffer` is held alone by this call.
    unsafe withUnsafeBytes { source in
      unsafe buffer.withUnsafeMutableBytes { target in
        let part = unsafe UnsafeRawBufferPointer(rebasing: source[offset..<offset + wanted])
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[position..<position + wanted]).copyMemory(from: part)
      }
    }
  }
}

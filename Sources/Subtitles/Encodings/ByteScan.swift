/// Finds the rare bytes of a text, eight at a time.
struct ByteScan {
  private let bytes: [UInt8]

  /// A scan of `bytes`, which are not copied.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The first position from `start` on that may hold a byte from 0x80 on; what lies before is ASCII.
  func endOfASCII(from start: Int) -> Int {
    end(from: start) { $0 & ByteScan.highBits != 0 }
  }

  /// The first position from `start` on that may hold a NUL or a byte from 0x80 on.
  func endOfText(from start: Int) -> Int {
    end(from: start) { ($0 &- ByteScan.ones | $0) & ByteScan.highBits != 0 }
  }

  /// The first position from `start` on that may hold a control character.
  func endOfLine(from start: Int) -> Int {
    // A byte below 0x20 borrows from its highest bit; those from 0x80 on have it set, and are not control characters.
    end(from: start) { ($0 &- ByteScan.ones &* 0x20) & ~$0 & ByteScan.highBits != 0 }
  }

  private func end(from start: Int, _ isFound: (UInt64) -> Bool) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      var index = start
      // SAFETY: eight bytes are loaded where at least eight are left; their order does not matter.
      while index <= buffer.count - 8,
        !isFound(unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      {
        index += 8
      }
      return index
    }
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080
}

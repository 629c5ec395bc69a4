#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory operations for which the C library and the kernel are faster than Swift.
package enum SystemMemory {
  /// Requests large pages for new memory that is about to be filled. Otherwise, filling a large movie atom causes a
  /// page fault for every 4 KiB. The request is only advice, and systems without large pages ignore it.
  @unsafe
  package static func adviseLargePages(_ buffer: UnsafeMutableRawBufferPointer) {
    // 14 is MADV_HUGEPAGE (Linux, asm-generic mman-common.h), which is not imported into Swift.
    if buffer.count >= 4 << 20 { unsafe advise(14, on: buffer) }
  }

  /// Populates new memory that is about to be filled completely, if this takes less time than a page fault for every
  /// 4 KiB. Call ``adviseLargePages(_:)`` first. The system may ignore this request, too.
  @unsafe
  static func prepareToFill(_ buffer: UnsafeMutableRawBufferPointer) {
    // 23 is MADV_POPULATE_WRITE (Linux 5.14). It covers the small pages before the first large page and after the
    // last one.
    if buffer.count >= 128 << 10 { unsafe advise(23, on: buffer) }
  }

  @unsafe
  private static func advise(_ advice: CInt, on buffer: UnsafeMutableRawBufferPointer) {
    #if os(Linux) || os(Android)
      guard let base = buffer.baseAddress else { return }
      let pageByteCount = UInt(4096)
      let skipped = Int((pageByteCount - UInt(bitPattern: base) % pageByteCount) % pageByteCount)
      // SAFETY: the range is within the buffer, and neither advice changes its contents.
      unsafe _ = madvise(base + skipped, buffer.count - skipped, advice)
    #endif
  }

  /// Whether two buffers contain equal bytes. Uses `memcmp`, because an edit compares large movie atoms several
  /// times.
  @unsafe
  static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard first.count == second.count else { return false }
    guard let one = first.baseAddress, let other = second.baseAddress else { return true }
    // SAFETY: both buffers have the same size.
    return unsafe memcmp(one, other, first.count) == 0
  }
}

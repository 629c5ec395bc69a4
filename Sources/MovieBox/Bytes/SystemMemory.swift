#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory operations for which the C library and the kernel are faster than Swift.
package enum SystemMemory {
  /// Asks for large pages under fresh memory that is about to be filled: a movie atom of megabytes otherwise costs a
  /// page fault for every 4 KiB. Advice only; a system that has no such pages goes on without.
  @unsafe
  package static func adviseLargePages(_ buffer: UnsafeMutableRawBufferPointer) {
    // 14 is MADV_HUGEPAGE (Linux, asm-generic mman-common.h), which the importer does not show.
    if buffer.count >= 4 << 20 { unsafe advise(14, on: buffer) }
  }

  /// Gets a part of fresh memory that will be filled to its end ready in one step, where that costs less than a page
  /// fault for every 4 KiB. Advice only, as ``adviseLargePages(_:)``, which comes first.
  @unsafe
  static func prepareToFill(_ buffer: UnsafeMutableRawBufferPointer) {
    // 23 is MADV_POPULATE_WRITE (Linux 5.14). Large pages leave small ones before the first and after the last.
    if buffer.count >= 128 << 10 { unsafe advise(23, on: buffer) }
  }

  @unsafe
  private static func advise(_ advice: CInt, on buffer: UnsafeMutableRawBufferPointer) {
    #if os(Linux) || os(Android)
      guard let base = buffer.baseAddress else { return }
      let pageByteCount = UInt(4096)
      let skipped = Int((pageByteCount - UInt(bitPattern: base) % pageByteCount) % pageByteCount)
      // SAFETY: the range lies in the buffer, and neither advice changes a byte of it.
      unsafe _ = madvise(base + skipped, buffer.count - skipped, advice)
    #endif
  }

  /// Whether two buffers hold the same bytes. The C library compares many at a time; a movie atom of megabytes is
  /// compared several times in an edit.
  @unsafe
  static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard first.count == second.count else { return false }
    guard let one = first.baseAddress, let other = second.baseAddress else { return true }
    // SAFETY: both buffers hold `count` bytes.
    return unsafe memcmp(one, other, first.count) == 0
  }
}

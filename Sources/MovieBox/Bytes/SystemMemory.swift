#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory operations that the C library or the kernel executes faster than Swift code.
package enum SystemMemory {
  /// Requests large pages for new memory before it is filled. With small pages, filling a large movie atom causes a
  /// page fault for every 4 KiB. Systems without large pages ignore the request.
  @unsafe
  package static func adviseLargePages(_ buffer: UnsafeMutableRawBufferPointer) {
    // 14 is MADV_HUGEPAGE (Linux, asm-generic mman-common.h). Swift does not import the constant.
    if buffer.count >= 4 << 20 { unsafe advise(14, on: buffer) }
  }

  /// Requests large pages for further small blocks of memory, up to 31 MiB in total. Unused memory costs nothing.
  ///
  /// A movie with thousands of fragments needs megabytes of small blocks, which cause a page fault for every 4 KiB. The
  /// function relies on two rules of glibc. First, it takes a block from the heap if it has freed a larger separate
  /// block. Second, it keeps freed memory at the end of the heap. Other C libraries ignore the request.
  static func adviseLargePagesForSmallBlocks() {
    #if canImport(Glibc)
      // glibc never takes blocks above 32 MiB from the heap. The first block is separate, and the second is in the heap.
      for byteCount in [31 << 20, 31 << 20 - 4096] {
        // SAFETY: each block is only advised, and freed once.
        let block = unsafe malloc(byteCount)
        unsafe adviseLargePages(UnsafeMutableRawBufferPointer(start: block, count: block == nil ? 0 : byteCount))
        unsafe free(block)
      }
    #endif
  }

  /// Requests that the system allocates all pages of new memory, before the memory is filled. This takes less time than
  /// a page fault for every 4 KiB. Call ``adviseLargePages(_:)`` first. The system may ignore the request.
  @unsafe
  static func prepareToFill(_ buffer: UnsafeMutableRawBufferPointer) {
    // 23 is MADV_POPULATE_WRITE (Linux 5.14). It also allocates the small pages before the first large page and after
    // the last.
    if buffer.count >= 128 << 10 { unsafe advise(23, on: buffer) }
  }

  @unsafe
  private static func advise(_ advice: CInt, on buffer: UnsafeMutableRawBufferPointer) {
    #if os(Linux) || os(Android)
      guard let base = buffer.baseAddress else { return }
      let pageByteCount = UInt(4096)
      let skipped = Int((pageByteCount - UInt(bitPattern: base) % pageByteCount) % pageByteCount)
      // SAFETY: the range is within the buffer, and neither request changes the bytes.
      unsafe _ = madvise(base + skipped, buffer.count - skipped, advice)
    #endif
  }

  /// Whether two buffers contain equal bytes. An edit compares large movie atoms several times, so the function uses
  /// the fast `memcmp`.
  @unsafe
  static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    guard first.count == second.count else { return false }
    guard let one = first.baseAddress, let other = second.baseAddress else { return true }
    // SAFETY: both buffers have the same size.
    return unsafe memcmp(one, other, first.count) == 0
  }
}

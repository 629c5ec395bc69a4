import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(Glibc)
  // Swift's module of the C library does not contain this function and its constants (malloc.h).
  @_extern(c, "mallopt")
  private func mallopt(_ setting: CInt, _ value: CInt) -> CInt

  /// M_TRIM_THRESHOLD.
  private let allocatorSizeOfKeptMemory: CInt = -1
  /// M_MMAP_THRESHOLD.
  private let allocatorSizeLimit: CInt = -3
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

  private static let ownsAllocator = Atomic(false)

  /// Permits changes of the C library's allocator, because the process has no other users of the allocator. The tool
  /// calls this function when it starts.
  package static func permitAllocatorChanges() { ownsAllocator.store(true, ordering: .relaxed) }

  /// Requests large pages for further small blocks of memory, up to 8 MiB in total. Unused memory costs nothing.
  ///
  /// A movie with thousands of fragments needs megabytes of small blocks, which cause a page fault for every 4 KiB.
  /// After the call, the process keeps up to 64 MiB of freed memory. The function does nothing without a call of
  /// ``permitAllocatorChanges()``. It supports only glibc.
  static func adviseLargePagesForSmallBlocks() {
    #if canImport(Glibc)
      guard ownsAllocator.load(ordering: .relaxed) else { return }
      // glibc takes blocks below `M_MMAP_THRESHOLD` from the heap. Raise this threshold, so that the block is in the heap,
      // and raise the trim threshold, so that `free` does not return the block to the system. Larger blocks would use this
      // memory too, so it is not larger than most movies need.
      _ = mallopt(allocatorSizeOfKeptMemory, 64 << 20)
      _ = mallopt(allocatorSizeLimit, 32 << 20)
      let byteCount = 8 << 20
      // SAFETY: the block is only advised, and freed once.
      let block = unsafe malloc(byteCount)
      unsafe adviseLargePages(UnsafeMutableRawBufferPointer(start: block, count: block == nil ? 0 : byteCount))
      unsafe free(block)
      // Larger blocks are separate from the heap, so the system gets their memory back when they are freed.
      _ = mallopt(allocatorSizeLimit, 1 << 20)
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

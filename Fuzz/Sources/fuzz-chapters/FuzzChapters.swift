import FuzzSupport

/// A movie in memory whose chapters are read, set and removed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    readChapters(bytes)
    setChapters(bytes)
    removeChapters(bytes)
  }
}

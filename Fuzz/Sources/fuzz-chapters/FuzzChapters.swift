import FuzzSupport

/// Reads, sets and removes the chapters of a movie.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    readChapters(bytes)
    setChapters(bytes)
    removeChapters(bytes)
  }
}

import FuzzSupport

/// Reads and edits one form of metadata in an intact movie. The first byte selects the form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    guard let movie = movie(stating: bytes) else { return }
    readMetadata(movie)
    changeMetadata(movie)
    copyMetadata(movie)
    share(movie)
  }
}

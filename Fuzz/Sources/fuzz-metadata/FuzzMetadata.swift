import FuzzSupport

/// Reads, changes and copies the metadata of a movie, and prepares the movie for sharing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    readMetadata(bytes)
    changeMetadata(bytes)
    copyMetadata(bytes)
    share(bytes)
  }
}

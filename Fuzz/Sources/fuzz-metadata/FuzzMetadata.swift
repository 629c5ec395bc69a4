import FuzzSupport

/// A movie in memory whose metadata is read, changed, taken over and prepared for sharing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    readMetadata(bytes)
    changeMetadata(bytes)
    copyMetadata(bytes)
    share(bytes)
  }
}

import FuzzSupport

/// A movie in memory of as many tracks as four bytes each describe: read, edited, compared, converted.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in editTracks(bytes) }
}

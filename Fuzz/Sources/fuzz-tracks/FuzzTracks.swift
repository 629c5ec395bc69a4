import FuzzSupport

/// Reads, edits, compares and converts a movie in which each track is described by four bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in editTracks(bytes) }
}

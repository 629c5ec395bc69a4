import FuzzSupport

/// A fragmented movie in memory that is written without fragments, and with them but without its last track.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    rearrange(bytes)
    removeTrack(bytes)
  }
}

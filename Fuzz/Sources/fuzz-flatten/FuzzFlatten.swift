import FuzzSupport

/// Writes a fragmented movie without fragments, and writes it with fragments but without its last track.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    rearrange(bytes)
    removeTrack(bytes)
  }
}

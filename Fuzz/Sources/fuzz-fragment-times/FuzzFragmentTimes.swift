import FuzzSupport

/// Reads a fragmented movie, writes it without fragments, and streams it. The mutator sets times, durations and edits
/// to numbers near the limits of their fields, and sometimes truncates the movie.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    readMovie(bytes)
    rearrange(bytes)
    salvage(bytes)
    stream(bytes)
  }
}

/// Changes the input in place, up to a size of `limit` bytes. Returns its new size.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateInput(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  mutateTimes(&bytes, seed: UInt64(seed))
  let kept = min(bytes.count, limit)
  for index in 0..<kept { start[index] = bytes[index] }
  return kept
}

import FuzzSupport

/// A fragmented movie whose times, durations and edits are changed to numbers at the bounds of what fields hold, and whose
/// end is cut off now and then: read, written without fragments, and streamed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    readMovie(bytes)
    rearrange(bytes)
    salvage(bytes)
    stream(bytes)
  }
}

/// Changes the input in place, within `limit` bytes; gives its new length.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateInput(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  mutateTimes(&bytes, seed: UInt64(seed))
  let kept = min(bytes.count, limit)
  for index in 0..<kept { start[index] = bytes[index] }
  return kept
}

import FuzzSupport

/// A movie that is changed atom by atom, put through all that the other fuzzers do with movies, and more.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in
    readMovie(bytes)
    addSubtitles(bytes)
    rearrange(bytes)
    fix(bytes)
    removeTrack(bytes)
    replaceTrack(bytes)
    compare(bytes)
  }
}

/// Changes the input in place, within `limit` bytes; gives its new length.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateInput(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
  // Now and then as libFuzzer does it by itself: it knows which numbers the code compares with.
  if seed % 4 == 0 { return mutateBytes(start, count, limit) }
  return replace(start, count, limit) { mutateAtoms(&$0, seed: UInt64(seed)) }
}

/// Puts an atom of one input into the other.
@_cdecl("LLVMFuzzerCustomCrossOver")
public func crossInputs(
  _ first: UnsafePointer<UInt8>, _ firstCount: Int, _ second: UnsafePointer<UInt8>, _ secondCount: Int,
  _ output: UnsafeMutablePointer<UInt8>, _ limit: Int, _ seed: CUnsignedInt
) -> Int {
  let other = Array(UnsafeBufferPointer(start: second, count: secondCount))
  guard firstCount <= limit else { return 0 }
  output.update(from: first, count: firstCount)
  return replace(output, firstCount, limit) { cross(&$0, with: other, seed: UInt64(seed)) }
}

@_extern(c, "LLVMFuzzerMutate")
private func mutateBytes(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

private func replace(
  _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ change: (inout [UInt8]) -> Void
) -> Int {
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  change(&bytes)
  let kept = min(bytes.count, limit)
  for index in 0..<kept { start[index] = bytes[index] }
  return kept
}

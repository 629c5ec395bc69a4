import FuzzSupport

/// Reads, edits and compares a movie. The mutator changes the movie by atoms.
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

/// Changes the input in place, up to a size of `limit` bytes. Returns its new size.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateInput(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
  // One of four changes is made by libFuzzer, which knows the numbers that the code compares with.
  if seed % 4 == 0 { return mutateBytes(start, count, limit) }
  return replace(start, count, limit) { mutateAtoms(&$0, seed: UInt64(seed)) }
}

/// Inserts an atom of the second input into the first input.
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

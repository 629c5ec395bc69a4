import FuzzSupport

/// Reads boxed timed metadata: a sample description and a sample.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readBoxedMetadata($0) }
}

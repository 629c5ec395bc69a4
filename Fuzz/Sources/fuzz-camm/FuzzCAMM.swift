import FuzzSupport

/// Reads a sample of camera motion metadata.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readCameraMotion($0) }
}

import FuzzSupport

/// Reads a sample of GoPro telemetry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readTelemetry($0) }
}

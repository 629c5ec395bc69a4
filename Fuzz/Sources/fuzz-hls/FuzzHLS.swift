import FuzzSupport

/// Plans a streaming presentation of a movie.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { stream($0) }
}

import FuzzSupport

/// Converts a movie to every type, and converts each result to a type of the other family.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in convert(bytes) }
}

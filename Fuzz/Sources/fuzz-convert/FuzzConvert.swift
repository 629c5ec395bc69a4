import FuzzSupport

/// A movie in memory that becomes one of each type, and what comes of it again one of the other family.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in convert(bytes) }
}

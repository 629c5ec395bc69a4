import FuzzSupport

/// A file in memory, read in every way there is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readMovie($0) }
}

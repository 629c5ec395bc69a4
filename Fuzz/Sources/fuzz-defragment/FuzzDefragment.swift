import FuzzSupport

/// A fragmented movie in memory that is written without fragments.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { rearrange($0) }
}

import FuzzSupport

/// A picture with closed captions.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readPictureCaptions($0) }
}

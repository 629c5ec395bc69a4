import FuzzSupport

/// Reads the closed captions of a picture.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readPictureCaptions($0) }
}

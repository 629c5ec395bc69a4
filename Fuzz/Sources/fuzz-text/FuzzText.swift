import FuzzSupport

/// Decodes samples of timed text, QuickTime text or WebVTT.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readTextSamples($0) }
}

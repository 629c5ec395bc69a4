import FuzzSupport

/// Reads a chapter file in any format.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in readChapterFile(bytes) }
}

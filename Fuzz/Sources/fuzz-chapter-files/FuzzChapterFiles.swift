import FuzzSupport

/// A file that lists chapters, in any format.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { bytes in readChapterFile(bytes) }
}

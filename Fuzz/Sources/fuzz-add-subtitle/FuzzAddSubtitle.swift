import FuzzSupport

/// Adds a subtitle track to a movie, with every strategy of writing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { addSubtitles($0) }
}

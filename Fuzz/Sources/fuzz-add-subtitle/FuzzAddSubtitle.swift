import FuzzSupport

/// A movie in memory that gets a subtitle track, on every strategy.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { addSubtitles($0) }
}

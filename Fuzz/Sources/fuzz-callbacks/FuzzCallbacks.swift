import FuzzCalls
import FuzzSupport

/// Reads a movie with the library for C, through callbacks that go wrong.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readThroughCallbacks($0) }
}

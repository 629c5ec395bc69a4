import FuzzCalls
import FuzzSupport

/// Runs a command line with the library for C.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { runWords($0) }
}

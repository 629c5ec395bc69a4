import FuzzSupport

/// Reads a caption distribution packet.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzz(start, count) { readCaptionPacket($0) }
}

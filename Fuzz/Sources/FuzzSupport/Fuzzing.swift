#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
public import MovieBox

/// Runs a fuzzer with one input. An input that takes too long is a finding.
///
/// Only processor time counts, so that a busy machine does not cause findings.
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int, _ body: (Bytes) -> Void) -> CInt {
  let before = processorSeconds()
  body(Bytes(Array(UnsafeBufferPointer(start: start, count: count))))
  let seconds = processorSeconds() - before
  if seconds > secondsPerInput { fault("\(count) bytes took \(seconds) s of processor time") }
  return 0
}

/// The maximum processor time per input. The fuzzers are about ten times slower than the tool.
private let secondsPerInput = 5.0

private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

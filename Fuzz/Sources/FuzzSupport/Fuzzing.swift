#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
public import MovieBox

/// Runs what a fuzzer does with one input; one that takes long is a finding.
///
/// Processor time is counted, not the clock's: a busy machine is no finding.
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int, _ body: (Bytes) -> Void) -> CInt {
  let before = processorSeconds()
  body(Bytes(Array(UnsafeBufferPointer(start: start, count: count))))
  let seconds = processorSeconds() - before
  if seconds > secondsPerInput { fault("\(count) bytes took \(seconds) s of processor time") }
  return 0
}

/// The fuzzers run some ten times as slow as the tool does.
private let secondsPerInput = 5.0

private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

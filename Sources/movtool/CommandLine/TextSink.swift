/// Where a command writes: a stream of the process, or memory in a test.
protocol TextSink: AnyObject, Sendable {
  /// Cells in a line of the terminal that shows the stream; `nil` when it is none.
  var terminalWidth: Int? { get }

  /// Writes all bytes.
  func write(_ bytes: ArraySlice<UInt8>) throws
}

extension TextSink {
  /// Writes all bytes.
  func write(_ bytes: [UInt8]) throws { try write(bytes[...]) }
}

/// Values of samples, one after the other, where neighbours are mostly equal.
struct RunLengths<Value: Hashable & Sendable>: Hashable, Sendable {
  /// Samples of one value.
  struct Run: Hashable, Sendable {
    var value: Value
    /// At least 1.
    var count: Int
  }

  /// The values; neighbouring runs differ.
  private(set) var runs: [Run] = []
  /// How many samples there are.
  private(set) var count = 0

  /// The value of the last sample.
  var last: Value? { runs.last?.value }

  /// Adds samples. A track has less than 2³² samples: the caller makes sure of it.
  mutating func append(_ value: Value, count added: Int = 1) {
    guard added > 0 else { return }
    count += added
    if let last = runs.last, last.value == value {
      runs[runs.count - 1].count += added
    } else {
      runs.append(Run(value: value, count: added))
    }
  }

  /// Gives the last sample another value; there must be one.
  mutating func replaceLast(by value: Value) {
    precondition(count > 0, "without samples there is no last one")
    count -= 1
    runs[runs.count - 1].count -= 1
    if runs[runs.count - 1].count == 0 { runs.removeLast() }
    append(value)
  }

  /// Adds samples of a value until there are `wanted`.
  mutating func fill(to wanted: Int, with value: Value) {
    append(value, count: Swift.max(0, wanted - count))
  }
}

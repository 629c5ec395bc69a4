import MovieBox

/// Auxiliary information of one kind for the samples of a track, such as encryption parameters.
///
/// Collects the sizes for `saiz`, and the bytes as one contiguous run.
struct AuxiliaryTable: Sendable {
  /// The kind of information, or `nil` if the sample description implies it.
  let kind: AuxiliaryInformationType?
  /// The number of bytes for each sample. Samples after the last listed sample have no information.
  private(set) var sizes = RunLengths<UInt8>()
  /// The bytes for all samples, concatenated.
  private(set) var bytes: [UInt8] = []

  init(kind: AuxiliaryInformationType?) {
    self.kind = kind
  }

  /// Appends the information of consecutive samples that begin with `firstSample`.
  mutating func add(_ added: some Sequence<UInt8>, from firstSample: Int, _ information: [Bytes]) {
    sizes.fill(to: firstSample, with: 0)
    for size in added { sizes.append(size) }
    for part in information { bytes += part }
  }

  /// `saiz` (ISO/IEC 14496-12 8.7.8).
  var sizesAtom: [UInt8] {
    atom("saiz", version: 0) { saiz in
      let standard = sizes.runs.count == 1 ? sizes.last ?? 0 : 0
      saiz.write(standard)
      saiz.write(UInt32(clamping: sizes.count))
      guard standard == 0 else { return }
      for run in sizes.runs { for _ in 0..<run.count { saiz.write(run.value) } }
    }
  }

  /// `saio` with one offset for all samples (8.7.9).
  func offsetsAtom(position: Int, isWide: Bool) -> [UInt8] {
    atom("saio", version: isWide ? 1 : 0) { saio in
      saio.write(UInt32(1))
      isWide ? saio.write(UInt64(position)) : saio.write(UInt32(clamping: position))
    }
  }

  private func atom(_ type: FourCC, version: UInt8, _ body: (inout ByteWriter) -> Void) -> [UInt8] {
    SampleTableAtoms.fullAtom(type, version: version, flags: kind == nil ? 0 : 1) { atom in
      if let kind {
        atom.write(kind.type)
        atom.write(kind.parameter)
      }
      body(&atom)
    }
  }
}

extension [AuxiliaryTable] {
  /// Appends information to the table of its kind.
  mutating func add(
    _ kind: AuxiliaryInformationType?, _ sizes: some Sequence<UInt8>, from firstSample: Int, _ information: [Bytes]
  ) {
    let index = firstIndex { $0.kind == kind } ?? count
    if index == count { append(AuxiliaryTable(kind: kind)) }
    self[index].add(sizes, from: firstSample, information)
  }
}

/// Values of consecutive samples, stored as runs because neighbors are mostly equal.
struct RunLengths<Value: Hashable & Sendable>: Hashable, Sendable {
  /// Consecutive samples with equal values.
  struct Run: Hashable, Sendable {
    var value: Value
    /// The number of samples, at least 1.
    var count: Int
  }

  /// The runs. Adjacent runs have different values.
  private(set) var runs: [Run] = []
  /// The number of samples.
  private(set) var count = 0

  /// The value of the last sample.
  var last: Value? { runs.last?.value }

  /// Appends samples. The caller guarantees fewer than 2³² samples.
  mutating func append(_ value: Value, count addedCount: Int = 1) {
    guard addedCount > 0 else { return }
    count += addedCount
    if let last = runs.last, last.value == value {
      runs[runs.count - 1].count += addedCount
    } else {
      runs.append(Run(value: value, count: addedCount))
    }
  }

  /// Replaces the value of the last sample. The runs must not be empty.
  mutating func replaceLast(by value: Value) {
    precondition(count > 0, "the runs must not be empty")
    count -= 1
    runs[runs.count - 1].count -= 1
    if runs[runs.count - 1].count == 0 { runs.removeLast() }
    append(value)
  }

  /// Appends samples with a value until the runs contain `sampleCount` samples.
  mutating func fill(to sampleCount: Int, with value: Value) {
    append(value, count: Swift.max(0, sampleCount - count))
  }
}

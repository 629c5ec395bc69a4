import MovieBox

// Converts the tables to atoms of `stbl`. Chunk offsets refer to the unedited file, and the planner adjusts them later.
extension SampleColumns {
  /// The types of tables that ``atoms(limits:isWide:hasShift:isSound:)`` replaces. Old tables of these types are
  /// removed if there is no replacement.
  static let types: [FourCC] = [
    "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sdtp", "padb", "stdp",
  ]

  /// Returns the tables of the samples, in the usual order.
  ///
  /// Throws `.limit` if the tables would exceed the size limit of a movie atom.
  ///
  /// - Parameters:
  ///   - isWide: whether chunk offsets have 64 bits even if 32 bits are sufficient.
  ///   - hasShift: whether the track has a `cslg` atom.
  func atoms(
    limits: MovieLimits, isWide: Bool, hasShift: Bool, isSound: Bool
  ) throws(MovieError) -> [(type: FourCC, atom: [UInt8])] {
    // If all samples have one size, GStreamer assumes uncompressed sound, as in QuickTime, and reads it chunk by chunk.
    // So the sizes of compressed sound are listed even if they are equal. A common size of 0 cannot be stored, because
    // 0 means that a table of sizes follows.
    let listsSizes =
      sizes.commonSize ?? 0 == 0 || isSound && durations.runs.contains { $0.value > 1 }
    let byteCount = byteCount(listsSizes: listsSizes)
    // The atoms around the tables also have 32-bit sizes, so a sixteenth of 4 GiB is reserved for them.
    guard byteCount <= Swift.min(limits.movieByteCount, 0xF000_0000) else {
      throw MovieError(.limit, "the tables of \(sampleCount) samples are too large: \(byteCount) bytes")
    }
    let stts = SampleTableAtoms.timeToSample(durations.runs.lazy.map { (count: $0.count, duration: $0.value) })
    var atoms: [(FourCC, [UInt8])] = [("stts", stts)]
    if compositionOffsets.runs.contains(where: { $0.value != 0 }) {
      let ctts = SampleTableAtoms.compositionOffsets(
        compositionOffsets.runs.lazy.map { (count: $0.count, offset: $0.value) })
      atoms.append(("ctts", ctts))
      if hasShift { atoms.append(("cslg", compositionShift)) }
    }
    let stsz =
      listsSizes
      ? SampleTableAtoms.sampleSizes(bigEndianWords: sizes.bigEndianWords)
      : SampleTableAtoms.sampleSizes(sizes.commonSize ?? 0, ofAll: sampleCount)
    atoms += [
      ("stsc", SampleTableAtoms.sampleToChunk(chunks)), ("stsz", stsz),
      SampleTableAtoms.chunkOffsets(chunks.lazy.map(\.offset), isWide: isWide),
    ]
    if syncs.runs.contains(where: { !$0.value }) {
      atoms.append(("stss", SampleTableAtoms.syncSamples(syncs.runs.lazy.map { (count: $0.count, isSync: $0.value) })))
    }
    if let sdtp = fields(dependencies, as: "sdtp") { atoms.append(("sdtp", sdtp)) }
    if let padb = paddingBits { atoms.append(("padb", padb)) }
    if let stdp = fields(priorities, as: "stdp") { atoms.append(("stdp", stdp)) }
    return atoms
  }

  /// Returns the size of all tables in bytes, without headers.
  private func byteCount(listsSizes: Bool) -> UInt64 {
    func columns(_ column: RunLengths<some FixedWidthInteger & Sendable>, width: UInt64) -> UInt64 {
      column.runs.contains { $0.value != 0 } ? UInt64(column.count) &* width : 0  // There are fewer than 2³² samples.
    }
    let runs = UInt64(durations.runs.count + compositionOffsets.runs.count) &* 8 &+ UInt64(chunks.count) &* 20
    let syncCount = syncs.runs.count == 1 ? 0 : syncs.runs.reduce(0) { $0 + ($1.value ? $1.count : 0) }
    return runs &+ (listsSizes ? UInt64(sampleCount) &* 4 : 0) &+ UInt64(syncCount) &* 4
      &+ columns(dependencies, width: 1) &+ columns(paddings, width: 1) &+ columns(priorities, width: 2)
  }

  /// The `cslg` atom with the range of composition offsets and times (ISO/IEC 14496-12 8.6.1.4).
  private var compositionShift: [UInt8] {
    let offsets = compositionOffsets.runs.map { Int64($0.value) }
    let (leastOffset, greatestOffset) = (offsets.min() ?? 0, offsets.max() ?? 0)
    var (start, end) = (Int64.max, Int64.min)
    var time: Int64 = 0
    forEachSampleRun { duration, offset, count in
      start = Swift.min(start, time &+ offset)
      time = Int64(clamping: UInt64(time.magnitude).addingClamped(UInt64(count) &* UInt64(duration)))
      end = Swift.max(end, time.addingReportingOverflow(offset).partialValue)
    }
    let fields = [Swift.max(0, -leastOffset), leastOffset, greatestOffset, start, end]
    let isWide = fields.contains { Int32(exactly: $0) == nil }
    return SampleTableAtoms.fullAtom("cslg", version: isWide ? 1 : 0) { cslg in
      for field in fields { isWide ? cslg.write(field) : cslg.write(Int32(truncatingIfNeeded: field)) }
    }
  }

  /// Calls a function for each run of samples with the same duration and composition offset.
  private func forEachSampleRun(_ body: (_ duration: UInt32, _ offset: Int64, _ count: Int) -> Void) {
    var next = 0
    var remainingCount = 0
    for run in durations.runs {
      var rest = run.count
      while rest > 0 {
        // Durations and composition offsets have the same number of samples.
        if remainingCount == 0 { remainingCount = compositionOffsets.runs[next].count }
        let step = Swift.min(rest, remainingCount)
        body(run.value, Int64(compositionOffsets.runs[next].value), step)
        rest -= step
        remainingCount -= step
        if remainingCount == 0 { next += 1 }
      }
    }
  }

  /// Returns a table with one field for each sample and without a count, or `nil` if all fields are 0.
  private func fields<Field: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ column: RunLengths<Field>, as type: FourCC
  ) -> [UInt8]? {
    guard column.runs.contains(where: { $0.value != 0 }) else { return nil }
    var values: [Field] = []
    values.reserveCapacity(column.count)
    for run in column.runs { for _ in 0..<run.count { values.append(run.value.bigEndian) } }
    return SampleTableAtoms.fullAtom(type) { $0.write(bigEndian: values) }
  }

  /// The `padb` atom, or `nil` if no sample has padding. A byte contains two samples, each with a reserved bit and
  /// three bits for the number of padding bits (ISO/IEC 14496-12 8.7.6).
  private var paddingBits: [UInt8]? {
    guard paddings.runs.contains(where: { $0.value != 0 }) else { return nil }
    return SampleTableAtoms.fullAtom("padb") { padb in
      padb.write(UInt32(clamping: sampleCount))
      var high: UInt8?
      for run in paddings.runs {
        for _ in 0..<run.count {
          if let first = high {
            padb.write(first << 4 | run.value)
            high = nil
          } else {
            high = run.value
          }
        }
      }
      if let high { padb.write(high << 4) }
    }
  }
}

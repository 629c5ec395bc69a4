/// The expansion of a track's tables into single samples.
struct SampleExpansion {
  let path: String
  let sizes: [UInt8]?
  let compactSizes: [UInt8]?
  let durations: [UInt8]?
  let compositions: [UInt8]?
  let syncs: [UInt8]?
  let chunks: [UInt8]?
  let offsets: [UInt8]?
  let longOffsets: [UInt8]?
  /// Whether the media of each sample description is in another file.
  let isExternal: [Bool]
  /// The packets of audio with a declared sample size of 1 byte, by sample description. A packet is then read as one
  /// sample.
  let packets: [SoundPacket?]

  /// The limit for samples. A larger number is false, or too large for a test.
  private static let most = 20_000_000

  /// Returns the samples, without those that have no chunk.
  func samples() throws -> [ReadSample] {
    let sizes = try allSizes()
    let durations = runs(self.durations, sizes.count)
    let compositions = runs(self.compositions, sizes.count)
    var isSync = [Bool](repeating: syncs == nil, count: sizes.count)
    for sample in entries(syncs, of: 1) where sample >= 1 && sample <= isSync.count {
      isSync[Int(sample) - 1] = true
    }

    let places = longOffsets.map { entries($0, of: 1, width: 8) } ?? entries(offsets, of: 1)
    let runsOfChunks = entries(chunks, of: 3)
    var samples: [ReadSample] = []
    samples.reserveCapacity(sizes.count)
    var time: Int64 = 0
    var index = 0
    var run = 0
    for (chunk, place) in places.enumerated() where !runsOfChunks.isEmpty {
      while 3 * (run + 1) + 2 < runsOfChunks.count, runsOfChunks[3 * (run + 1)] <= chunk + 1 { run += 1 }
      guard 3 * run + 2 < runsOfChunks.count, runsOfChunks[3 * run] <= chunk + 1 else { continue }
      let description = UInt32(runsOfChunks[3 * run + 2])
      var offset = place
      let packet = packets.indices.contains(Int(description) - 1) ? packets[Int(description) - 1] : nil
      var left = Int(runsOfChunks[3 * run + 1])
      while left > 0 {
        if index == sizes.count { return samples }
        let count = min(left, packet?.sampleCount ?? 1, sizes.count - index)
        let byteCount = packet?.byteCount ?? sizes[index]
        let duration = durations[index..<index + count].reduce(0, +)
        left -= count
        defer { index += count }
        let external = description >= 1 && description <= isExternal.count && isExternal[Int(description) - 1]
        samples.append(
          ReadSample(
            offset: offset, byteCount: byteCount, decodeTime: time,
            presentationTime: time + Int64(Int32(truncatingIfNeeded: compositions[index])),
            duration: UInt32(duration), isSync: isSync[index], description: description, chunk: chunk,
            isExternal: external))
        time += Int64(duration)
        let (end, overflow) = offset.addingReportingOverflow(UInt64(byteCount))
        if overflow { throw TestSupportError("\(path): sample \(index + 1) ends past any file") }
        offset = end
      }
    }
    return samples
  }

  private func allSizes() throws -> [Int] {
    guard let table = sizes ?? compactSizes, let count = number(table, 8, 4).map({ Int($0) }) else { return [] }
    guard count <= Self.most else { throw TestSupportError("\(path) says that it has \(count) samples") }
    if sizes != nil {
      if let uniform = number(table, 4, 4), uniform != 0 { return [Int](repeating: Int(uniform), count: count) }
      return words(table, 4, from: 12).prefix(count).map { Int($0) }
    }
    switch table[7] {
    case 16: return words(table, 2, from: 12).prefix(count).map { Int($0) }
    case 8: return table.dropFirst(12).prefix(count).map { Int($0) }
    case 4: return Array(table.dropFirst(12).flatMap { [Int($0 >> 4), Int($0 & 15)] }.prefix(count))
    default: throw TestSupportError("\(path): stz2 has fields of \(table[7]) bits")
    }
  }

  /// Returns the numbers of a table of entries: as many as it declares and contains.
  private func entries(_ table: [UInt8]?, of numbers: Int, width: Int = 4) -> [UInt64] {
    guard let table, let count = number(table, 4, 4) else { return [] }
    return Array(words(table, width, from: 8).prefix(Int(count) * numbers))
  }

  /// Returns all whole numbers of a width from an offset to the end.
  private func words(_ table: [UInt8], _ width: Int, from start: Int) -> [UInt64] {
    guard table.count >= start + width else { return [] }
    return stride(from: start, through: table.count - width, by: width).map { number(table, $0, width) ?? 0 }
  }

  /// Returns the values of a run-length table, one for each sample, with zeros after the end of the table.
  private func runs(_ table: [UInt8]?, _ count: Int) -> [UInt64] {
    let words = entries(table, of: 2)
    var values: [UInt64] = []
    values.reserveCapacity(count)
    for index in stride(from: 0, to: words.count / 2 * 2, by: 2) where values.count < count {
      values.append(contentsOf: repeatElement(words[index + 1], count: min(Int(words[index]), count - values.count)))
    }
    return values + repeatElement(0, count: count - values.count)
  }
}

/// A packet of old QuickTime sound (QTFF "Sound Sample Descriptions").
struct SoundPacket {
  let sampleCount: Int
  let byteCount: Int

  /// Reads the packet size from an entry of `stsd` after its type, or returns `nil` if `stsz` applies.
  init?(_ format: String, _ entry: [UInt8]) {
    func field(_ place: Int, _ width: Int) -> Int { Int(number(entry, place, width) ?? 0) }
    let channels = field(16, 2)
    switch field(8, 2) {
    case 0:
      switch format {
      case "raw ", "twos", "sowt", "NONE": self.init(1, channels * field(18, 2) / 8)
      case "ulaw", "alaw": self.init(1, channels)
      case "in24": self.init(1, channels * 3)
      case "in32", "fl32": self.init(1, channels * 4)
      case "fl64": self.init(1, channels * 8)
      case "MAC3": self.init(6, channels * 2)
      case "MAC6": self.init(6, channels)
      case "ima4": self.init(64, channels * 34)
      default: return nil
      }
    case 1 where field(20, 2) != 0xFFFE: self.init(field(28, 4), field(36, 4))
    case 2: self.init(field(60, 4), field(56, 4))
    default: return nil
    }
  }

  private init?(_ sampleCount: Int, _ byteCount: Int) {
    guard sampleCount > 0, byteCount > 0 else { return nil }
    (self.sampleCount, self.byteCount) = (sampleCount, byteCount)
  }
}

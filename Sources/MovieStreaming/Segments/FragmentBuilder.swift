import MovieBox
import MovieWriter

/// Makes a movie fragment (`moof`) and the header of its media data, sample by sample.
struct FragmentBuilder {
  private var durations = Column()
  private var sizes = Column()
  private var flags = Column()
  private var offsets = Column()
  private var decodeTime: UInt64 = 0
  private var description: UInt32 = 1
  /// The bytes of all samples.
  private(set) var mediaByteCount: UInt64 = 0

  /// One value for each sample.
  private struct Column {
    private(set) var values: [UInt32] = []
    private(set) var isUniform = true

    mutating func append(_ value: UInt32) {
      if let first = values.first, first != value { isUniform = false }
      values.append(value)
    }

    mutating func replaceLast(by value: UInt32) {
      guard let last = values.popLast() else { return }
      if last != value { isUniform = values.allSatisfy { $0 == value } }
      values.append(value)
    }

    mutating func removeAll() {
      values.removeAll(keepingCapacity: true)
      isUniform = true
    }
  }

  /// How many samples it has.
  var sampleCount: Int { sizes.values.count }
  /// The size of its first sample; 0 without samples.
  var firstByteCount: UInt32 { sizes.values.first ?? 0 }

  /// Begins a fragment whose first sample is decoded at this time and has this description.
  mutating func begin(decodeTime: UInt64, description: UInt32) {
    durations.removeAll()
    sizes.removeAll()
    flags.removeAll()
    offsets.removeAll()
    mediaByteCount = 0
    self.decodeTime = decodeTime
    self.description = description
  }

  /// Adds a sample.
  mutating func append(duration: UInt32, size: UInt32, flags sampleFlags: UInt32, compositionOffset: UInt32) {
    durations.append(duration)
    sizes.append(size)
    flags.append(sampleFlags)
    offsets.append(compositionOffset)
    mediaByteCount &+= UInt64(size)  // Below 2³² samples of below 2³² bytes.
  }

  /// Makes the last sample last until the next one is decoded.
  mutating func setLastDuration(_ duration: UInt32) { durations.replaceLast(by: duration) }

  /// The table of a run: of each sample the fields that the flags announce.
  private func entries(_ flags: UInt32) -> [UInt32] {
    var columns: [[UInt32]] = []
    if flags & 0x100 != 0 { columns.append(durations.values) }
    if flags & 0x200 != 0 { columns.append(sizes.values) }
    if flags & 0x400 != 0 { columns.append(self.flags.values) }
    if flags & 0x800 != 0 { columns.append(offsets.values) }
    if columns.count < 2 { return columns.first ?? [] }
    var words = [UInt32](repeating: 0, count: columns.count * sampleCount)
    for (place, column) in columns.enumerated() {
      var index = place
      for value in column {
        words[index] = value
        index &+= columns.count
      }
    }
    return words
  }

  /// The fragment and the header of the media data that follows it, whose bytes are those of the samples.
  func write(sequenceNumber: UInt32) -> [UInt8] {
    // The first sample of a group of pictures is a sync sample, the others are not: that is said without a table.
    let otherFlags = flags.values.dropFirst()
    let defaultFlags = otherFlags.first ?? flags.values.first ?? 0
    let hasTableOfFlags = !flags.isUniform && otherFlags.contains { $0 != defaultFlags }
    let hasFirstFlags = !hasTableOfFlags && flags.values.first != defaultFlags
    let hasOffsets = !offsets.isUniform || offsets.values.first ?? 0 != 0
    var runFlags: UInt32 = 0x1
    if hasFirstFlags { runFlags |= 0x4 }
    if !durations.isUniform { runFlags |= 0x100 }
    if !sizes.isUniform { runFlags |= 0x200 }
    if hasTableOfFlags { runFlags |= 0x400 }
    if hasOffsets { runFlags |= 0x800 }

    var writer = ByteWriter()
    var place = 0
    writer.atom("moof") { writer in
      writer.atom("mfhd") { MovieFragmentHeader(sequenceNumber: sequenceNumber).write(to: &$0) }
      writer.atom("traf") { writer in
        let header = TrackFragmentHeader(
          trackID: InitializationSegment.trackID, sampleDescriptionIndex: description == 1 ? nil : description,
          sampleDuration: durations.isUniform ? durations.values.first : nil,
          sampleSize: sizes.isUniform ? sizes.values.first : nil,
          sampleFlags: hasTableOfFlags ? nil : SampleFlags(rawValue: defaultFlags), isBaseMovieFragment: true)
        writer.atom("tfhd") { header.write(to: &$0) }
        writer.atom("tfdt") { TrackFragmentDecodeTime(version: 1, baseMediaDecodeTime: decodeTime).write(to: &$0) }
        writer.atom("trun") { writer in
          writer.write(FullAtomHeader(flags: runFlags))
          writer.write(UInt32(clamping: sampleCount))
          place = writer.bytes.count
          writer.write(UInt32(0))
          if hasFirstFlags { writer.write(flags.values.first ?? 0) }
          writer.write(words: entries(runFlags))
        }
      }
    }
    // A fragment is closed before its media reaches 4 GiB.
    writer.patch(UInt32(clamping: writer.bytes.count + 8), at: place)
    writer.write(UInt32(clamping: mediaByteCount + 8))
    writer.write("mdat" as FourCC)
    return writer.take()
  }
}

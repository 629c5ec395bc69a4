import MovieBox
import MovieWriter

/// Builds a movie fragment (`moof`) and the header of its media data, sample by sample.
///
/// Fields that are equal for all samples are written once, in the header of the track fragment. Other fields are in
/// the table of the run, so that most samples need few bytes.
struct FragmentBuilder {
  /// The fields of a sample that a run can contain.
  private struct Entry {
    var duration: UInt32
    let size: UInt32
    let flags: UInt32
    let compositionOffset: UInt32
  }

  /// The largest size of the `moof` atom and the `mdat` header together, excluding sample tables and sample groups.
  private static let largestHeadByteCount = 120

  private var entries: [Entry] = []
  private var decodeTime: UInt64 = 0
  private var description: UInt32 = 1
  /// The size of all samples.
  private(set) var mediaByteCount: UInt64 = 0

  /// The number of samples.
  var sampleCount: Int { entries.count }
  /// The size of the first sample, or 0 if there are no samples.
  var firstByteCount: UInt32 { entries.first?.size ?? 0 }

  /// Starts a fragment whose first sample has this decode time and description.
  mutating func begin(decodeTime: UInt64, description: UInt32) {
    entries.removeAll(keepingCapacity: true)
    mediaByteCount = 0
    self.decodeTime = decodeTime
    self.description = description
  }

  /// Adds a sample.
  mutating func append(duration: UInt32, size: UInt32, flags: UInt32, compositionOffset: UInt32) {
    entries.append(Entry(duration: duration, size: size, flags: flags, compositionOffset: compositionOffset))
    mediaByteCount &+= UInt64(size)  // There are fewer than 2³² samples, each below 2³² bytes.
  }

  /// Sets the duration of the last sample, which lasts until the next sample is decoded.
  mutating func setLastDuration(_ duration: UInt32) {
    if !entries.isEmpty { entries[entries.count - 1].duration = duration }
  }

  /// Whether the values of each field are equal for all samples.
  private struct FieldUniformity {
    var hasEqualDurations = true
    var hasEqualSizes = true
    var hasEqualOffsets = true
    /// Whether the flags of all samples after the first sample are equal. The first sample often starts a group of
    /// pictures, so its flags differ from the flags of the other samples.
    var hasEqualLaterFlags = true

    init(_ entries: [Entry]) {
      guard let first = entries.first, entries.count > 1 else { return }
      let later = entries[1].flags
      for entry in entries {
        hasEqualDurations = hasEqualDurations && entry.duration == first.duration
        hasEqualSizes = hasEqualSizes && entry.size == first.size
        hasEqualOffsets = hasEqualOffsets && entry.compositionOffset == first.compositionOffset
      }
      hasEqualLaterFlags = !entries.dropFirst().contains { $0.flags != later }
    }
  }

  /// Returns the table of a run, with the fields that the flags announce for each sample, in big-endian order.
  private func table(_ flags: UInt32) -> [UInt32] {
    var words: [UInt32] = []
    words.reserveCapacity((flags & 0xF00).nonzeroBitCount * entries.count)
    for entry in entries {
      if flags & 0x100 != 0 { words.append(entry.duration.bigEndian) }
      if flags & 0x200 != 0 { words.append(entry.size.bigEndian) }
      if flags & 0x400 != 0 { words.append(entry.flags.bigEndian) }
      if flags & 0x800 != 0 { words.append(entry.compositionOffset.bigEndian) }
    }
    return words
  }

  /// Returns the fragment, and the header of the media data that follows it.
  ///
  /// - Parameter sampleGroups: the group assignments of the samples as atoms (`sbgp`).
  func write(sequenceNumber: UInt32, sampleGroups: [Bytes]) -> [UInt8] {
    let uniform = FieldUniformity(entries)
    let (first, later) = (entries.first?.flags ?? 0, entries.dropFirst().first?.flags)
    let hasFirstFlags = uniform.hasEqualLaterFlags && later != nil && later != first
    let hasOffsets = !uniform.hasEqualOffsets || entries.first?.compositionOffset ?? 0 != 0
    var runFlags: UInt32 = 0x1
    if hasFirstFlags { runFlags |= 0x4 }
    if !uniform.hasEqualDurations { runFlags |= 0x100 }
    if !uniform.hasEqualSizes { runFlags |= 0x200 }
    if !uniform.hasEqualLaterFlags { runFlags |= 0x400 }
    if hasOffsets { runFlags |= 0x800 }

    let table = table(runFlags)
    var writer = ByteWriter()
    writer.reserve(Self.largestHeadByteCount + table.count * 4 + sampleGroups.reduce(0) { $0 + $1.count })
    var dataOffsetPosition = 0
    writer.atom("moof") { writer in
      writer.atom("mfhd") { MovieFragmentHeader(sequenceNumber: sequenceNumber).write(to: &$0) }
      writer.atom("traf") { writer in
        let header = TrackFragmentHeader(
          trackID: InitializationSegment.trackID, sampleDescriptionIndex: description == 1 ? nil : description,
          sampleDuration: uniform.hasEqualDurations ? entries.first?.duration : nil,
          sampleSize: uniform.hasEqualSizes ? entries.first?.size : nil,
          sampleFlags: uniform.hasEqualLaterFlags ? SampleFlags(rawValue: later ?? first) : nil,
          isBaseMovieFragment: true)
        writer.atom("tfhd") { header.write(to: &$0) }
        writer.atom("tfdt") { TrackFragmentDecodeTime(version: 1, baseMediaDecodeTime: decodeTime).write(to: &$0) }
        writer.atom("trun") { writer in
          writer.write(FullAtomHeader(flags: runFlags))
          writer.write(UInt32(clamping: sampleCount))
          dataOffsetPosition = writer.bytes.count
          writer.write(UInt32(0))
          if hasFirstFlags { writer.write(first) }
          writer.write(bigEndian: table)
        }
        for group in sampleGroups { writer.write(group) }
      }
    }
    // A fragment is closed before its media reaches 4 GiB, so both sizes fit in 32 bits.
    writer.patch(UInt32(clamping: writer.bytes.count + 8), at: dataOffsetPosition)
    writer.write(UInt32(clamping: mediaByteCount + 8))
    writer.write("mdat" as FourCC)
    return writer.take()
  }
}

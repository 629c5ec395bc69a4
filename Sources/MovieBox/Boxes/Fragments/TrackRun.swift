/// A run of consecutive samples of a fragment: the `trun` atom, versions 0 and 1 (ISO/IEC 14496-12 8.8.8).
///
/// The run is a view of the bytes: an entry is decoded when it is accessed. Flags declare which fields the entries
/// contain. An absent field is `nil`, and the default of `tfhd` or `trex` applies. If the flags declare no fields,
/// entries have no bytes and the size of the atom does not limit ``count``.
package struct TrackRun: AtomPayload {
  /// The fields of one sample in a run.
  package struct Entry: Hashable, Sendable {
    /// The duration, in media ticks.
    package fileprivate(set) var duration: UInt32?
    /// The size in bytes.
    package fileprivate(set) var size: UInt32?
    /// The dependencies on other samples: the sample's own flags or, for the first sample, the run's
    /// ``TrackRun/firstSampleFlags``.
    package fileprivate(set) var flags: SampleFlags?
    /// The presentation time minus the decode time, in media ticks. It is read as signed even in version 0, as in
    /// `ctts`, because no real file contains an unsigned offset with the top bit set.
    package fileprivate(set) var compositionOffset: Int32?
  }

  /// The bytes after the atom's header, including entries and tail.
  package let payload: Bytes
  /// The version: 0, or 1 if composition offsets are signed.
  package let version: UInt8
  /// The 24 bits of flags. 0x1 indicates a data offset, 0x4 indicates flags of the first sample, and 0x100, 0x200,
  /// 0x400 and 0x800 indicate fields of the entries.
  package let flags: UInt32
  package private(set) var count: Int
  /// The number of bytes from the fragment's base to the data, or `nil` if the data follows the data of the preceding
  /// run.
  package let dataOffset: Int32?
  /// The dependencies of the first sample on other samples, or `nil` if the run does not override them.
  package let firstSampleFlags: SampleFlags?

  private let entriesStart: Int
  private let entryByteCount: Int

  /// Reads a run. Throws if the declared entries do not fit in the bytes, or for a version above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upToVersion: 1)
    version = header.version
    flags = header.flags
    let countPosition = UInt64(reader.position)
    let declaredCount = try reader.read(UInt32.self)
    dataOffset = flags & 0x1 != 0 ? try reader.read() : nil
    firstSampleFlags = flags & 0x4 != 0 ? SampleFlags(rawValue: try reader.read()) : nil
    entriesStart = reader.position
    entryByteCount = 4 * (flags & 0xF00).nonzeroBitCount
    if entryByteCount > 0 {
      let room = reader.remaining / entryByteCount
      guard declaredCount <= room else {
        throw MovieError(
          .malformed, at: countPosition, "declares \(declaredCount) entries, but has room for only \(room)")
      }
    }
    count = Int(declaredCount)
    self.payload = payload
  }

  /// Returns a run of the first `count` samples.
  func prefix(_ count: Int) -> TrackRun {
    var run = self
    run.count = Swift.min(self.count, Swift.max(0, count))
    return run
  }

  /// Returns the number of samples at the start of the run that fit into `byteCount` bytes. A sample without its own
  /// size has `defaultValue` bytes. Makes one pass over the samples that fit.
  func sampleCount(within byteCount: UInt64, default defaultValue: UInt32) -> Int {
    guard hasSizes else {
      return defaultValue == 0 ? count : Int(clamping: Swift.min(UInt64(count), byteCount / UInt64(defaultValue)))
    }
    var remainingBytes = byteCount
    for (index, entry) in enumerated() {
      guard let size = entry.size, UInt64(size) <= remainingBytes else { return index }
      remainingBytes -= UInt64(size)
    }
    return count
  }

  /// Whether every entry has at least one field. In this case, the size of the atom limits ``count``.
  package var hasEntryFields: Bool { entryByteCount > 0 }
  /// Whether entries contain durations.
  package var hasDurations: Bool { flags & 0x100 != 0 }
  /// Whether entries contain sizes.
  package var hasSizes: Bool { flags & 0x200 != 0 }
  /// Whether entries contain flags.
  package var hasSampleFlags: Bool { flags & 0x400 != 0 }
  /// Whether entries contain composition offsets.
  package var hasCompositionOffsets: Bool { flags & 0x800 != 0 }

  /// Returns the total duration of the samples in `range`. If entries contain no durations, each sample lasts
  /// `defaultValue` ticks.
  ///
  /// The sum cannot overflow: fewer than 2³² samples have less than 2³² ticks each. Takes linear time, or constant time
  /// if entries contain no durations.
  func duration(of range: Range<Int>, default defaultValue: UInt32) -> UInt64 {
    hasDurations ? sum(of: range, field: 0) : UInt64(range.count) &* UInt64(defaultValue)
  }

  /// Returns the total size of the samples in `range`. If entries contain no sizes, each sample has `defaultValue`
  /// bytes.
  package func byteCount(of range: Range<Int>, default defaultValue: UInt32) -> UInt64 {
    hasSizes ? sum(of: range, field: hasDurations ? 1 : 0) : UInt64(range.count) &* UInt64(defaultValue)
  }

  /// Returns the flags of the sample at `index`, and decodes no other field. `index` must be below ``count``.
  package func sampleFlags(at index: Int) -> SampleFlags? {
    precondition(index >= 0 && index < count, "the index of the sample is outside the run")
    guard hasSampleFlags else { return index == 0 ? firstSampleFlags : nil }
    return SampleFlags(
      rawValue: payload.entry(at: position(of: .flags) &+ index &* entryByteCount, as: UInt32.self))
  }

  private func sum(of range: Range<Int>, field: Int) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range of samples is outside the run")
    return payload.sumOfWords(
      at: entriesStart &+ range.lowerBound &* entryByteCount &+ field &* 4, count: range.count, stride: entryByteCount)
  }
}

// Passes over one field of all entries. A movie of three hours has a million entries, so the passes check bounds once
// and decode no other field.
extension TrackRun {
  /// A field of the entries. The raw value is the flag that declares the field.
  package enum Field: UInt32, Sendable {
    case duration = 0x100
    case size = 0x200
    case flags = 0x400
    case compositionOffset = 0x800
  }

  /// Calls `body` with each run of equal values and returns `true`. If entries do not contain the field, returns
  /// `false` without calling `body`.
  package func forEachRun(of field: Field, _ body: (_ value: UInt32, _ count: Int) -> Void) -> Bool {
    guard flags & field.rawValue != 0 else { return false }
    payload.forEachRunOfWords(at: position(of: field), count: count, stride: entryByteCount, body)
    return true
  }

  /// Returns the sizes of the samples as big-endian words, or `nil` if entries contain no sizes.
  package var sizeWords: [UInt32]? {
    guard hasSizes else { return nil }
    return payload.words(at: position(of: .size), count: count, stride: entryByteCount)
  }

  /// Returns the offset in the payload at which the first entry stores `field`.
  private func position(of field: Field) -> Int {
    entriesStart &+ 4 &* (flags & 0xF00 & (field.rawValue &- 1)).nonzeroBitCount
  }
}

extension TrackRun: EntryTable {
  /// The fields of the sample at `index`, which must be below `count`.
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "the index of the sample is outside the run")
    // The initializer checked that `count` × `entryByteCount` bytes are available.
    var position = entriesStart &+ index &* entryByteCount
    var entry = Entry()
    if hasDurations {
      entry.duration = payload.entry(at: position, as: UInt32.self)
      position &+= 4
    }
    if hasSizes {
      entry.size = payload.entry(at: position, as: UInt32.self)
      position &+= 4
    }
    if hasSampleFlags {
      entry.flags = SampleFlags(rawValue: payload.entry(at: position, as: UInt32.self))
      position &+= 4
    } else if index == 0 {
      entry.flags = firstSampleFlags
    }
    if hasCompositionOffsets { entry.compositionOffset = payload.entry(at: position, as: Int32.self) }
    return entry
  }
}

/// The dependencies of a sample on other samples, as fragments store them in 32 bits (ISO/IEC 14496-12 8.8.3.1).
package struct SampleFlags: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Whether decoding cannot start at the sample, so `stss` would not list it.
  package var isNonSync: Bool { rawValue & 0x1_0000 != 0 }
  /// Whether decoding can start at the sample.
  package var isSync: Bool { !isNonSync }
  /// The flags, corrected for a text sample. A text sample never depends on other samples (8.6.4.3: `sample_depends_on`
  /// is 2, not 1). FFmpeg 5.1 marks empty text samples as dependent.
  package var correctedForText: SampleFlags {
    guard isNonSync else { return self }
    let dependsOnOthers: UInt32 = 0x100_0000
    let isDependent = rawValue & 0x300_0000 == dependsOnOthers
    return SampleFlags(rawValue: rawValue & ~0x1_0000 ^ (isDependent ? 0x300_0000 : 0))
  }
  /// The byte that represents these dependencies in `sdtp` (8.6.4).
  package var dependencyByte: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 20) }
  /// The number of padding bits at the end of the sample, 0 to 7, as in `padb`.
  package var paddingBitCount: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 17 & 0x7) }
  /// The degradation priority, as in `stdp`.
  package var degradationPriority: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

// The headers of a fragment: `mfhd` for the fragment, and `tfhd` and `tfdt` for each of its tracks.

/// The number of a fragment: the `mfhd` atom (ISO/IEC 14496-12 8.8.5).
package struct MovieFragmentHeader {
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// The sequence number. In valid files, it is higher than the numbers of all earlier fragments.
  package var sequenceNumber: UInt32
  package var tail = Bytes()
}

extension MovieFragmentHeader: FieldedPayload {
  /// Creates the header of the fragment with this number.
  package init(sequenceNumber: UInt32) {
    self.init(version: 0, sequenceNumber: sequenceNumber)
  }

  package static var placeholder: MovieFragmentHeader { MovieFragmentHeader(sequenceNumber: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&sequenceNumber, "sequence number", .number)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The track of a track fragment, and the defaults for its samples: the `tfhd` atom (ISO/IEC 14496-12 8.8.7). Runs may
/// override the defaults.
///
/// A property is `nil` if the file omits its field. ``flags`` has a bit for each field that is not `nil`.
package struct TrackFragmentHeader {
  package var version: UInt8
  /// The flags that do not declare a field, such as 0x10000 and 0x20000. Unknown flags are kept.
  private var flagsWithoutFields: UInt32
  package var trackID: UInt32
  /// The position in the file from which data offsets count.
  package var baseDataOffset: UInt64?
  /// The number of the sample description in `stsd`, from 1.
  package var sampleDescriptionIndex: UInt32?
  /// The duration of a sample, in media ticks.
  package var sampleDuration: UInt32?
  /// The size of a sample in bytes.
  package var sampleSize: UInt32?
  /// The dependencies of a sample on other samples.
  package var sampleFlags: SampleFlags?
  package var tail = Bytes()

  package init(
    version: UInt8 = 0, trackID: UInt32, baseDataOffset: UInt64? = nil, sampleDescriptionIndex: UInt32? = nil,
    sampleDuration: UInt32? = nil, sampleSize: UInt32? = nil, sampleFlags: SampleFlags? = nil,
    isDurationEmpty: Bool = false, isBaseMovieFragment: Bool = false
  ) {
    self.version = version
    flagsWithoutFields =
      (isDurationEmpty ? Self.durationIsEmptyFlag : 0) | (isBaseMovieFragment ? Self.baseIsMoofFlag : 0)
    self.trackID = trackID
    self.baseDataOffset = baseDataOffset
    self.sampleDescriptionIndex = sampleDescriptionIndex
    self.sampleDuration = sampleDuration
    self.sampleSize = sampleSize
    self.sampleFlags = sampleFlags
  }

  /// The 24 bits of flags, including a bit for each optional field that is present.
  package var flags: UInt32 {
    var flags = flagsWithoutFields
    if baseDataOffset != nil { flags |= 0x1 }
    if sampleDescriptionIndex != nil { flags |= 0x2 }
    if sampleDuration != nil { flags |= 0x8 }
    if sampleSize != nil { flags |= 0x10 }
    if sampleFlags != nil { flags |= 0x20 }
    return flags
  }

  /// Whether the fragment contains no samples and lasts for one default sample duration.
  package var isDurationEmpty: Bool { flagsWithoutFields & Self.durationIsEmptyFlag != 0 }
  /// Whether data offsets count from the start of `moof`. If ``baseDataOffset`` is not `nil`, it takes precedence.
  package var isBaseMovieFragment: Bool { flagsWithoutFields & Self.baseIsMoofFlag != 0 }

  private static let fieldFlags: UInt32 = 0x3B
  private static let durationIsEmptyFlag: UInt32 = 0x1_0000
  private static let baseIsMoofFlag: UInt32 = 0x2_0000
}

extension TrackFragmentHeader: FieldedPayload {
  package static var placeholder: TrackFragmentHeader { TrackFragmentHeader(trackID: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    var flags = flags
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    flagsWithoutFields = flags & ~Self.fieldFlags
    try visitor.field(&trackID, "track ID", .number)
    try visitor.field(&baseDataOffset, "base data offset", .number, isPresent: flags & 0x1 != 0, absent: 0)
    try visitor.field(&sampleDescriptionIndex, "sample description", .number, isPresent: flags & 0x2 != 0, absent: 0)
    try visitor.field(&sampleDuration, "sample duration", .number, isPresent: flags & 0x8 != 0, absent: 0)
    try visitor.field(&sampleSize, "sample size", .number, isPresent: flags & 0x10 != 0, absent: 0)
    try visitor.field(
      &sampleFlags, "sample flags", .sampleFlags, isPresent: flags & 0x20 != 0, absent: SampleFlags(rawValue: 0))
    try visitor.field(&tail, nil, .rest)
  }
}

/// The decode time of a fragment's first sample: the `tfdt` atom, versions 0 and 1 (ISO/IEC 14496-12 8.8.12).
package struct TrackFragmentDecodeTime {
  /// The version: 0, or 1 if the time has 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The decode time, in media ticks from the start of the media, before edit lists.
  package var baseMediaDecodeTime: UInt64
  /// The number of media ticks by which the first sample precedes the start of the media, or 0 if the sample does not
  /// precede it.
  ///
  /// The standard defines unsigned times, but ffmpeg writes the times of priming samples as negative 64-bit numbers.
  package var ticksBeforeStart: UInt64 {
    version == 1 && baseMediaDecodeTime > UInt64(Int64.max) ? 0 &- baseMediaDecodeTime : 0
  }
  package var tail = Bytes()

  /// Creates an atom with a decode time. The version defaults to the lowest version that can store the time.
  package init(version: UInt8? = nil, flags: UInt32 = 0, baseMediaDecodeTime: UInt64) {
    self.version = version ?? PayloadVersion.lowestVersion(for: baseMediaDecodeTime)
    self.flags = flags
    self.baseMediaDecodeTime = baseMediaDecodeTime
  }
}

extension TrackFragmentDecodeTime: FieldedPayload {
  package static var placeholder: TrackFragmentDecodeTime { TrackFragmentDecodeTime(baseMediaDecodeTime: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 1)
    try visitor.field(&baseMediaDecodeTime, "base media decode time", .versioned(version))
    try visitor.field(&tail, nil, .rest)
  }
}

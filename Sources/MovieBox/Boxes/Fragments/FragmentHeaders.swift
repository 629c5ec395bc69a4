// The headers in a fragment: `mfhd` of the fragment, `tfhd` and `tfdt` of each of its tracks.

/// The number of a fragment: the `mfhd` atom (ISO/IEC 14496-12 8.8.5).
package struct MovieFragmentHeader {
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// Higher than that of the fragments before it, in valid files.
  package var sequenceNumber: UInt32
  package var tail = Bytes()
}

extension MovieFragmentHeader: FieldedPayload {
  /// The header of the fragment with this number.
  package init(sequenceNumber: UInt32) {
    self.init(version: 0, sequenceNumber: sequenceNumber)
  }

  package static var unread: MovieFragmentHeader { MovieFragmentHeader(sequenceNumber: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&sequenceNumber, "sequence number", .number)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The track of a fragment and what its samples are unless a run says otherwise: the `tfhd` atom (ISO/IEC 14496-12
/// 8.8.7).
///
/// A field that is `nil` is not in the file: ``flags`` follow the fields.
package struct TrackFragmentHeader {
  package var version: UInt8
  /// The flags that say nothing of fields: 0x10000, 0x20000, and any unknown ones.
  private var fieldlessFlags: UInt32
  /// The track.
  package var trackID: UInt32
  /// The position from which offsets of data count, in bytes from the start of the file.
  package var baseDataOffset: UInt64?
  /// The number of the samples' description in `stsd`, counted from 1 as stored.
  package var sampleDescriptionIndex: UInt32?
  /// The duration of a sample, in ticks of the media.
  package var sampleDuration: UInt32?
  /// The number of bytes of a sample.
  package var sampleSize: UInt32?
  /// The dependencies of a sample on others.
  package var sampleFlags: SampleFlags?
  package var tail = Bytes()

  /// A header of these values.
  package init(
    version: UInt8 = 0, trackID: UInt32, baseDataOffset: UInt64? = nil, sampleDescriptionIndex: UInt32? = nil,
    sampleDuration: UInt32? = nil, sampleSize: UInt32? = nil, sampleFlags: SampleFlags? = nil,
    isDurationEmpty: Bool = false, isBaseMovieFragment: Bool = false
  ) {
    self.version = version
    fieldlessFlags = (isDurationEmpty ? Self.durationIsEmpty : 0) | (isBaseMovieFragment ? Self.baseIsMoof : 0)
    self.trackID = trackID
    self.baseDataOffset = baseDataOffset
    self.sampleDescriptionIndex = sampleDescriptionIndex
    self.sampleDuration = sampleDuration
    self.sampleSize = sampleSize
    self.sampleFlags = sampleFlags
  }

  /// 24 bits of flags; those of the optional fields say which are there.
  package var flags: UInt32 {
    var flags = fieldlessFlags
    if baseDataOffset != nil { flags |= 0x1 }
    if sampleDescriptionIndex != nil { flags |= 0x2 }
    if sampleDuration != nil { flags |= 0x8 }
    if sampleSize != nil { flags |= 0x10 }
    if sampleFlags != nil { flags |= 0x20 }
    return flags
  }

  /// Whether the fragment has no samples and lasts as long as one of the default duration.
  package var isDurationEmpty: Bool { fieldlessFlags & Self.durationIsEmpty != 0 }
  /// Whether offsets of data count from the start of `moof`, where no base is given.
  package var isBaseMovieFragment: Bool { fieldlessFlags & Self.baseIsMoof != 0 }

  private static let fieldFlags: UInt32 = 0x3B
  private static let durationIsEmpty: UInt32 = 0x1_0000
  private static let baseIsMoof: UInt32 = 0x2_0000
}

extension TrackFragmentHeader: FieldedPayload {
  package static var unread: TrackFragmentHeader { TrackFragmentHeader(trackID: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    var flags = flags
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    fieldlessFlags = flags & ~Self.fieldFlags
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
  /// 0, or 1 with a time of 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The time, in ticks of the media from the media's start, before edit lists.
  package var baseMediaDecodeTime: UInt64
  /// The number of ticks from the sample's decode time to the media's start, or 0 if the sample begins there or later.
  ///
  /// The standard has only unsigned times, but ffmpeg writes those of priming as negative numbers of 64 bits.
  package var ticksBeforeStart: UInt64 {
    version == 1 && baseMediaDecodeTime > UInt64(Int64.max) ? 0 &- baseMediaDecodeTime : 0
  }
  package var tail = Bytes()

  /// A time; without a version, the lowest that holds it.
  package init(version: UInt8? = nil, flags: UInt32 = 0, baseMediaDecodeTime: UInt64) {
    self.version = version ?? PayloadVersion.holding(baseMediaDecodeTime)
    self.flags = flags
    self.baseMediaDecodeTime = baseMediaDecodeTime
  }
}

extension TrackFragmentDecodeTime: FieldedPayload {
  package static var unread: TrackFragmentDecodeTime { TrackFragmentDecodeTime(baseMediaDecodeTime: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 1)
    try visitor.field(&baseMediaDecodeTime, "base media decode time", .versioned(version))
    try visitor.field(&tail, nil, .rest)
  }
}

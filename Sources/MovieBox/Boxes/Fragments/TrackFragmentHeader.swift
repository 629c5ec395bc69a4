/// The track of a fragment and what its samples are unless a run says otherwise: the `tfhd` atom (ISO/IEC 14496-12
/// 8.8.7).
///
/// A field that is `nil` is not in the file: ``flags`` follow the fields.
package struct TrackFragmentHeader {
  /// 0; the only version.
  package var version: UInt8
  /// The flags that say nothing of fields: 0x10000, 0x20000, and any unknown ones.
  private var fieldlessFlags: UInt32
  /// The track.
  package var trackID: UInt32
  /// Where offsets of data count from, in bytes from the start of the file.
  package var baseDataOffset: UInt64?
  /// The number of the samples' description in `stsd`, counted from 1 as stored.
  package var sampleDescriptionIndex: UInt32?
  /// How long a sample lasts, in ticks of the media.
  package var sampleDuration: UInt32?
  /// How many bytes a sample has.
  package var sampleSize: UInt32?
  /// How a sample depends on others.
  package var sampleFlags: SampleFlags?
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values.
  package init(
    version: UInt8 = 0, trackID: UInt32, baseDataOffset: UInt64? = nil, sampleDescriptionIndex: UInt32? = nil,
    sampleDuration: UInt32? = nil, sampleSize: UInt32? = nil, sampleFlags: SampleFlags? = nil,
    isDurationEmpty: Bool = false, isBaseMovieFragment: Bool = false, tail: Bytes = Bytes()
  ) {
    self.version = version
    fieldlessFlags = (isDurationEmpty ? Self.durationIsEmpty : 0) | (isBaseMovieFragment ? Self.baseIsMoof : 0)
    self.trackID = trackID
    self.baseDataOffset = baseDataOffset
    self.sampleDescriptionIndex = sampleDescriptionIndex
    self.sampleDuration = sampleDuration
    self.sampleSize = sampleSize
    self.sampleFlags = sampleFlags
    self.tail = tail
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

/// What the samples of a track are in fragments that do not say otherwise: the `trex` atom (ISO/IEC 14496-12 8.8.3).
package struct TrackExtends {
  /// 0; the only version.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// The track.
  package var trackID: UInt32
  /// The number of the samples' description in `stsd`, counted from 1 as stored.
  package var sampleDescriptionIndex: UInt32
  /// How long a sample lasts, in ticks of the media.
  package var sampleDuration: UInt32
  /// How many bytes a sample has.
  package var sampleSize: UInt32
  /// How a sample depends on others.
  package var sampleFlags: SampleFlags
  /// What follows the known fields.
  package var tail: Bytes

  /// Defaults of these values.
  package init(
    version: UInt8 = 0, flags: UInt32 = 0, trackID: UInt32, sampleDescriptionIndex: UInt32 = 1,
    sampleDuration: UInt32 = 0, sampleSize: UInt32 = 0, sampleFlags: SampleFlags = SampleFlags(rawValue: 0),
    tail: Bytes = Bytes()
  ) {
    self.version = version
    self.flags = flags
    self.trackID = trackID
    self.sampleDescriptionIndex = sampleDescriptionIndex
    self.sampleDuration = sampleDuration
    self.sampleSize = sampleSize
    self.sampleFlags = sampleFlags
    self.tail = tail
  }
}

extension TrackExtends: FieldedPayload {
  package static var unread: TrackExtends { TrackExtends(trackID: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&trackID, "track ID", .number)
    try visitor.field(&sampleDescriptionIndex, "sample description", .number)
    try visitor.field(&sampleDuration, "sample duration", .number)
    try visitor.field(&sampleSize, "sample size", .number)
    try visitor.field(&sampleFlags, "sample flags", .sampleFlags)
    try visitor.field(&tail, nil, .rest)
  }
}

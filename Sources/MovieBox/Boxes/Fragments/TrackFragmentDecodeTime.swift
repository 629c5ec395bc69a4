/// When the first sample of a fragment is decoded: the `tfdt` atom, versions 0 and 1 (ISO/IEC 14496-12 8.8.12).
package struct TrackFragmentDecodeTime {
  /// 0, or 1 with a time of 64 bits.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// The time, in ticks of the media from the media's start, before edit lists.
  package var baseMediaDecodeTime: UInt64
  /// The number of ticks from the sample's decode time to the media's start, or 0 if the sample begins there or later.
  ///
  /// The standard has only unsigned times, but ffmpeg writes those of priming as negative numbers of 64 bits.
  package var ticksBeforeStart: UInt64 {
    version == 1 && baseMediaDecodeTime > UInt64(Int64.max) ? 0 &- baseMediaDecodeTime : 0
  }
  /// What follows the known fields.
  package var tail: Bytes

  /// A time; without a version, the lowest that holds it.
  package init(version: UInt8? = nil, flags: UInt32 = 0, baseMediaDecodeTime: UInt64, tail: Bytes = Bytes()) {
    self.version = version ?? PayloadVersion.holding(baseMediaDecodeTime)
    self.flags = flags
    self.baseMediaDecodeTime = baseMediaDecodeTime
    self.tail = tail
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

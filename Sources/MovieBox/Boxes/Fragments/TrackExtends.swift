/// How long a movie is with all its fragments: the `mehd` atom, versions 0 and 1 (ISO/IEC 14496-12 8.8.2).
package struct MovieExtendsHeader {
  /// 0, or 1 with a duration of 64 bits.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// The duration of the longest track with its fragments, in movie ticks; some writers leave 0.
  package var fragmentDuration: UInt64
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values; without a version, the lowest that holds them.
  package init(version: UInt8? = nil, flags: UInt32 = 0, fragmentDuration: UInt64, tail: Bytes = Bytes()) {
    self.version = version ?? PayloadVersion.holding(fragmentDuration)
    self.flags = flags
    self.fragmentDuration = fragmentDuration
    self.tail = tail
  }
}

extension MovieExtendsHeader: FieldedPayload {
  package static var unread: MovieExtendsHeader { MovieExtendsHeader(fragmentDuration: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 1)
    try visitor.field(&fragmentDuration, "fragment duration", .versioned(version))
    try visitor.field(&tail, nil, .rest)
  }
}

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

/// What the samples of a track fragment are where a run does not say otherwise: `trex`, overridden by `tfhd`.
package struct SampleDefaults: Hashable, Sendable {
  /// The number of the samples' description in `stsd`, counted from 1 as stored. May be wrong in a broken file.
  package let sampleDescriptionIndex: UInt32
  /// How long a sample lasts, in ticks of the media.
  package let duration: UInt32
  /// How many bytes a sample has.
  package let size: UInt32
  /// How a sample depends on others.
  package let flags: SampleFlags

  /// What the header says, else the defaults of the track. Without either: description 1, no duration, no bytes.
  package init(_ header: TrackFragmentHeader, _ extends: TrackExtends?) {
    sampleDescriptionIndex = header.sampleDescriptionIndex ?? extends?.sampleDescriptionIndex ?? 1
    duration = header.sampleDuration ?? extends?.sampleDuration ?? 0
    size = header.sampleSize ?? extends?.sampleSize ?? 0
    flags = header.sampleFlags ?? extends?.sampleFlags ?? SampleFlags(rawValue: 0)
  }
}

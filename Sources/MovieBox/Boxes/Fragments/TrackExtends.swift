// The atoms inside `mvex`. A movie with `mvex` may have fragments. `mehd` declares the total duration, and `trex`
// declares a track's defaults for samples.

/// The duration of a movie with all its fragments: the `mehd` atom, versions 0 and 1 (ISO/IEC 14496-12 8.8.2).
package struct MovieExtendsHeader {
  /// The version: 0, or 1 if the duration has 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The duration of the longest track with its fragments, in movie ticks. Some writers write 0.
  package var fragmentDuration: UInt64
  package var tail = Bytes()

  /// Creates a header. The version defaults to the lowest version that can store the duration.
  package init(version: UInt8? = nil, flags: UInt32 = 0, fragmentDuration: UInt64) {
    self.version = version ?? PayloadVersion.lowestVersion(for: fragmentDuration)
    self.flags = flags
    self.fragmentDuration = fragmentDuration
  }
}

extension MovieExtendsHeader: FieldedPayload {
  package static var placeholder: MovieExtendsHeader { MovieExtendsHeader(fragmentDuration: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 1)
    try visitor.field(&fragmentDuration, "fragment duration", .versioned(version))
    try visitor.field(&tail, nil, .rest)
  }
}

/// The defaults for a track's samples in fragments: the `trex` atom (ISO/IEC 14496-12 8.8.3).
package struct TrackExtends {
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  package var trackID: UInt32
  /// The number of the sample description in `stsd`, from 1.
  package var sampleDescriptionIndex: UInt32 = 1
  /// The duration of a sample, in media ticks.
  package var sampleDuration: UInt32 = 0
  /// The size of a sample in bytes.
  package var sampleSize: UInt32 = 0
  /// The dependencies of a sample on other samples.
  package var sampleFlags: SampleFlags = SampleFlags(rawValue: 0)
  package var tail = Bytes()
}

extension TrackExtends: FieldedPayload {
  /// Creates the defaults that most writers declare.
  package init(trackID: UInt32) {
    self.init(version: 0, trackID: trackID)
  }

  package static var placeholder: TrackExtends { TrackExtends(trackID: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&trackID, "track ID", .number)
    try visitor.field(&sampleDescriptionIndex, "sample description", .number)
    try visitor.field(&sampleDuration, "sample duration", .number)
    try visitor.field(&sampleSize, "sample size", .number)
    try visitor.field(&sampleFlags, "sample flags", .sampleFlags)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The defaults for the samples of a track fragment. `trex` declares the defaults, `tfhd` overrides them, and runs
/// may override them again.
package struct SampleDefaults: Hashable, Sendable {
  /// The number of the sample description in `stsd`, from 1. It may be out of range in a damaged file.
  package let sampleDescriptionIndex: UInt32
  /// The duration of a sample, in media ticks.
  package let duration: UInt32
  /// The size of a sample in bytes.
  package let size: UInt32
  /// The dependencies of a sample on other samples.
  package let flags: SampleFlags

  /// Takes each default from `header`, or else from `extends`. A default that neither of them contains is 1 for the
  /// sample description, and 0 for the duration and the size.
  package init(_ header: TrackFragmentHeader, _ extends: TrackExtends?) {
    sampleDescriptionIndex = header.sampleDescriptionIndex ?? extends?.sampleDescriptionIndex ?? 1
    duration = header.sampleDuration ?? extends?.sampleDuration ?? 0
    size = header.sampleSize ?? extends?.sampleSize ?? 0
    flags = header.sampleFlags ?? extends?.sampleFlags ?? SampleFlags(rawValue: 0)
  }
}

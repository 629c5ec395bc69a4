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

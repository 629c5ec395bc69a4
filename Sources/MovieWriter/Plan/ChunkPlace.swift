import MovieBox

/// A chunk as the sample tables have it: samples that lie one after the other.
struct ChunkPlace: Hashable, Sendable {
  /// Where the first of them begins in the file as it is.
  let offset: UInt64
  var sampleCount: UInt32
  /// Counted from 1.
  let sampleDescriptionIndex: UInt32

  /// Samples of a description, the first if no other is given.
  init(offset: UInt64, sampleCount: UInt32, sampleDescriptionIndex: UInt32 = 1) {
    self.offset = offset
    self.sampleCount = sampleCount
    self.sampleDescriptionIndex = sampleDescriptionIndex
  }
}

/// One sample of a track: its bytes, its times and how it can be decoded.
package struct Sample: Hashable, Sendable {
  /// The sample's number, counted from 0.
  package let index: Int
  /// Its bytes in the file that holds them; `nil` when their end would not fit in 64 bits, which only a broken file
  /// asks for.
  package let byteRange: ByteRange?
  /// When it is decoded, in ticks of the media from the media's start. A time beyond 64 bits stays at the largest.
  package let decodeTime: UInt64
  /// How long it lasts, in ticks of the media; 0 when `stts` does not reach this sample.
  package let duration: UInt32
  /// Presentation time minus decode time, in ticks of the media; 0 when `ctts` does not reach this sample.
  package let compositionOffset: Int64
  /// Whether it can be decoded on its own.
  package let isSync: Bool
  /// Its chunk's place in `stco`, counted from 0.
  package let chunkIndex: Int
  /// The number of its description in `stsd`, counted from 1 as stored. May be wrong in a broken file.
  package let sampleDescriptionIndex: UInt32

  /// When it is shown, in ticks of the media from the media's start, before edit lists. A time beyond 63 bits stays at
  /// the largest.
  package var presentationTime: Int64 { Self.presentationTime(decodedAt: decodeTime, offset: compositionOffset) }

  /// The same of a sample with these times.
  static func presentationTime(decodedAt decodeTime: UInt64, offset: Int64) -> Int64 {
    let (sum, overflow) = Int64(clamping: decodeTime).addingReportingOverflow(offset)
    return overflow ? .max : sum  // Decode times are not negative: only the upper end can be passed.
  }
}

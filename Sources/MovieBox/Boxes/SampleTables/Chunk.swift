/// Samples that lie one after the other in a file.
package struct Chunk: Hashable, Sendable {
  /// The chunk's place in `stco`, counted from 0.
  package let index: Int
  /// Where it begins, in bytes from the start of the file that holds it.
  package let offset: UInt64
  /// The size of its samples together, as `stsz` has it; sound in packets has another (``ChunkLocator``).
  package let byteCount: UInt64
  /// The first of its samples, counted from 0.
  package let firstSample: Int
  /// How many samples it holds; may be 0.
  package let sampleCount: Int
  /// The number of its samples' description in `stsd`, counted from 1 as stored. May be wrong in a broken file.
  package let sampleDescriptionIndex: UInt32

  /// Its bytes, by ``byteCount``; `nil` when their end would not fit in 64 bits, which only a broken file asks for.
  package var byteRange: ByteRange? {
    ByteRange(offset: offset, count: byteCount)
  }

  /// Its samples, counted from 0.
  package var samples: Range<Int> {
    firstSample..<firstSample + sampleCount
  }
}

import MovieBox
import TestSupport
import Testing

/// A movie with gigabytes of audio: after a small movie atom and some video, an `mdat` with one audio track for each size.
///
/// Audio has 2³⁰ samples per second, of one byte for one channel or two for two. Each track is one chunk. Audio bytes are
/// computed from their offsets and not stored.
struct HugeMediaSource: RandomAccessSource {
  /// The stored runs of bytes, in order. The bytes between them are audio.
  private var held: [(offset: UInt64, bytes: [UInt8])] = []
  private var byteCount: UInt64

  /// Creates a movie whose tracks from 2 on have these sizes in GiB.
  init(gibibytes: [UInt64], channels: Int = 1) throws {
    let ids = gibibytes.indices.map { UInt32($0 + 2) }
    let small = TestMovie(
      tracks: [TestTrack(.video, id: 1)]
        + ids.map { id in
          TestTrack(.sound, id: id).with {
            $0.timeScale = 1 << 30
            $0.sampleEntries = [SampleEntry.sound("raw ", channels: channels, bits: 8, rate: 8000)]
            $0.samplesPerPacket = 1
            $0.samples = [TestSample(1, duration: 1)]
            $0.usesLongOffsets = id > 2
          }
        }
    ).with { $0.layout = [.fileType, .movie(.ordinary), .media(.ordinary)] }
    var head = small.bytes()
    let reader = try SecondReader(head)
    byteCount = UInt64(head.count)
    for (id, size) in zip(ids, gibibytes) {
      let sound = size << 30
      let header =
        sound + 8 > UInt64(UInt32.max) ? u32(1) + code("mdat") + u64(sound + 16) : u32(Int(sound) + 8) + code("mdat")
      func patch(_ table: String, _ place: Int, _ numbers: [UInt8]) throws {
        let atom = try #require(reader.atom("moov/trak#\(id)/mdia/minf/stbl/\(table)"))
        let start = Int(atom.contentOffset) + place
        head.replaceSubrange(start..<start + numbers.count, with: numbers)
      }
      let samples = u32(Int(sound) / channels)
      try patch("stsz", 8, samples)
      try patch("stts", 8, samples)
      try patch("stsc", 12, samples)
      let place = byteCount + UInt64(header.count)
      try id > 2 ? patch("co64", 8, u64(place)) : patch("stco", 8, u32(Int(place)))
      held.append((byteCount, header))
      byteCount = place + sound
    }
    held.insert((0, head), at: 0)
  }

  func identity() -> SourceIdentity { SourceIdentity(byteCount: byteCount, tag: "huge") }

  func read(_ range: ByteRange) throws -> Bytes {
    guard range.count < 1 << 20, range.end <= byteCount else { throw TestSupportError("media is read") }
    var bytes = (range.offset..<range.end).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 11 ^ $0 >> 31) }
    for run in held {
      let start = Swift.max(range.offset, run.offset)
      let end = Swift.min(range.end, run.offset + UInt64(run.bytes.count))
      guard start < end else { continue }
      bytes.replaceSubrange(
        Int(start - range.offset)..<Int(end - range.offset),
        with: run.bytes[Int(start - run.offset)..<Int(end - run.offset)])
    }
    return Bytes(bytes)
  }
}

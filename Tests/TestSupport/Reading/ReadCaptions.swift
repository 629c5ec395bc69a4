/// The pairs of a caption track (`c608`), read independently of the libraries.
package struct ReadCaptions: Equatable, Sendable {
  /// A pair of bytes with its frame, at 29.97 frames a second.
  package struct Pair: Hashable, Sendable {
    package let frame: Int
    package let first: UInt8
    package let second: UInt8

    package init(frame: Int, _ first: UInt8, _ second: UInt8) {
      (self.frame, self.first, self.second) = (frame, first, second)
    }
  }

  /// A sample with its times in frames. The times must be whole frames, except the end of the last sample.
  package struct Sample: Equatable, Sendable {
    package let start: Int
    package let byteCount: Int
    /// The pairs of each field, including those without data.
    package let fields: [[[UInt8]]]
  }

  package private(set) var samples: [Sample] = []
  /// The pairs of each field that contain data.
  package private(set) var fields: [[Pair]] = [[], []]

  /// Reads the samples of a track. Throws unless the samples follow each other from 0 on, each lasts as long as its pairs,
  /// and each contains `cdat` first.
  package init(_ reader: SecondReader, track id: UInt32) throws {
    guard let track = reader.track(id) else { throw TestSupportError("there is no track \(id)") }
    guard track.handler == "clcp", track.formats == ["c608"] else {
      throw TestSupportError("track \(id) has the handler \(track.handler) and the formats \(track.formats)")
    }
    try self.init(
      timeScale: track.timeScale,
      track.samples.map { (Int($0.decodeTime), Int($0.duration), try reader.bytes(of: $0)) })
  }

  /// Reads samples with their starts and durations.
  package init(timeScale: UInt32, _ stored: [(start: Int, duration: Int, bytes: [UInt8])]) throws {
    var end = 0
    for (start, duration, bytes) in stored {
      guard start == end, duration > 0 else { throw TestSupportError("a sample begins at \(start) instead of \(end)") }
      end = start + duration
      let (frame, rest) = (start * 30_000).quotientAndRemainder(dividingBy: Int(timeScale) * 1_001)
      guard rest == 0 else { throw TestSupportError("a sample begins at \(start), between two frames") }
      let pairs = try Self.fields(of: bytes)
      for field in 0..<2 {
        guard pairs[field].count * 1_001 * Int(timeScale) <= duration * 30_000 || pairs[field] == [[0x80, 0x80]] else {
          throw TestSupportError("a sample of \(duration) ticks contains \(pairs[field].count) pairs")
        }
        for (index, pair) in pairs[field].enumerated() where pair[0] & 0x7F != 0 || pair[1] & 0x7F != 0 {
          fields[field].append(Pair(frame: frame + index, pair[0], pair[1]))
        }
      }
      samples.append(Sample(start: frame, byteCount: bytes.count, fields: pairs))
    }
  }

  private static func fields(of bytes: [UInt8]) throws -> [[[UInt8]]] {
    var fields: [[[UInt8]]] = [[], []]
    var rest = bytes[...]
    for (field, type) in ["cdat", "cdt2"].enumerated() {
      guard !rest.isEmpty || field == 0 else { break }
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 8, size >= 10, size % 2 == 0, size <= rest.count,
        rest.dropFirst(4).prefix(4).elementsEqual(type.utf8)
      else { throw TestSupportError("a sample of \(bytes.count) bytes has no \(type) of even size") }
      let pairs = Array(rest.prefix(size).dropFirst(8))
      fields[field] = stride(from: 0, to: pairs.count, by: 2).map { Array(pairs[$0..<$0 + 2]) }
      rest = rest.dropFirst(size)
    }
    guard rest.isEmpty else { throw TestSupportError("\(rest.count) bytes follow the pairs of a sample") }
    return fields
  }
}

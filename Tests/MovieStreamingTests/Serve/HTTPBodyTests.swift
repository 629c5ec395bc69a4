import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovieStreaming

/// The reads from a movie for a response.
@Suite struct HTTPBodyTests {
  /// A source that counts its reads.
  private final class CountedSource: RandomAccessSource, @unchecked Sendable {
    private let source: MemorySource
    private(set) var readCount = 0

    init(_ bytes: [UInt8]) { source = MemorySource(Bytes(bytes)) }

    func identity() -> SourceIdentity { source.identity() }
    func read(_ range: ByteRange) throws -> Bytes {
      readCount += 1
      return try source.read(range)
    }
  }

  private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// Reads all contents in pieces of this size.
  private static func all(
    of contents: [OutputPlan.Content], from source: CountedSource, in range: ByteRange, atMost limit: Int
  ) throws -> [UInt8] {
    // A slice of a larger array, like the files of a track.
    let others = [OutputPlan.Content.zeros(3), .source(ByteRange(7..<9))]
    let slice = (others + contents + others)[2..<2 + contents.count]
    var body = HTTPBody(slice, of: ServedMovie(source: source, identity: source.identity()), range)
    var read: [UInt8] = []
    while body.byteCount > 0 {
      let piece = try body.next(atMost: limit)
      #expect(piece.count > 0 && piece.count <= limit)
      read += piece.array
    }
    #expect(try body.next(atMost: limit).count == 0)
    return read
  }

  @Test func readsNearbySamplesTogether() throws {
    let source = CountedSource(Self.bytes)
    let contents = (0..<60_000).map { OutputPlan.Content.source(ByteRange(UInt64(2 * $0)..<UInt64(2 * $0 + 1))) }
    let read = try Self.all(of: contents, from: source, in: ByteRange(0..<60_000), atMost: 65_536)
    #expect(read == (0..<60_000).map { Self.bytes[2 * $0] })
    #expect(source.readCount == 1)
  }

  @Test(arguments: [1, 7, 4_096, 65_536]) func readsEveryRangeOfThePlan(_ limit: Int) throws {
    let source = CountedSource(Self.bytes)
    let contents: [OutputPlan.Content] = [
      .generated(Bytes([1, 2, 3])), .source(ByteRange(10..<20)), .zeros(5), .source(ByteRange(15..<17)),
      .source(ByteRange(0..<0)), .source(ByteRange(190_000..<190_100)), .generated(Bytes([9])),
    ]
    let whole =
      [1, 2, 3] + Self.bytes[10..<20] + [0, 0, 0, 0, 0] + Self.bytes[15..<17] + Self.bytes[190_000..<190_100] + [9]
    for range in [0..<121, 0..<1, 2..<4, 12..<30, 120..<121, 20..<110, 50..<50] {
      let read = try Self.all(
        of: contents, from: source, in: ByteRange(UInt64(range.lowerBound)..<UInt64(range.upperBound)), atMost: limit)
      #expect(read == [UInt8](whole[range]))
    }
  }
}

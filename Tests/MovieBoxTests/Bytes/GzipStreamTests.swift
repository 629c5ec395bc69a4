import TestSupport
import Testing

@testable import MovieBox

struct GzipStreamTests {
  @Test(arguments: InflaterTests.Data.allCases)
  func deflatesForPython(_ data: InflaterTests.Data) throws {
    let python = try Witness.require("python3")
    let plain = data.bytes()
    let script = "import sys,gzip; sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))"
    let result = try python.run(["-c", script], input: GzipStream.deflate(plain))
    try #require(result.code == 0, "\(result.errorText)")
    #expect(result.output == plain)
  }

  /// Every single byte, lengths around those where codes change, and overlapping repetitions.
  @Test func inflatesDeflatedBytes() throws {
    let lengths = [0, 1, 2, 3, 4, 10, 11, 257, 258, 259, 260, 516, 519]
    let repeated = lengths.map { [UInt8](repeating: 65, count: $0) }
    let periods = [1, 2, 3, 4, 5, 7, 255].map { period in (0..<600).map { UInt8($0 % period) } }
    for plain in repeated + periods + [Array(0...255), Array(0...255) + Array(0...255)] {
      let stream = GzipStream.deflate(plain)
      let (output, end) = try Inflater.inflate(Bytes(stream), from: 10, maximumByteCount: plain.count)
      #expect(output == plain)
      #expect(end == stream.count - 8)
    }
  }

  @Test func compressesPlaylistsWell() {
    let playlist = (0..<600).map { "#EXTINF:6.00000,\nvideo-1/\($0).m4s\n" }.joined()
    #expect(GzipStream.deflate(Array(playlist.utf8)).count * 4 < playlist.utf8.count)
  }

  // RFC 1952 names the polynomial. The value is the usual check value.
  @Test func computesTheStandardChecksum() { #expect(GzipStream.crc32("123456789".utf8) == 0xCBF4_3926) }
}

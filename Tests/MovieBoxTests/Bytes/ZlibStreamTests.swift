import TestSupport
import Testing

@testable import MovieBox

struct ZlibStreamTests {
  /// Streams by `compressobj` of Python 3.12 for each text.
  private static let examples: [(plain: [UInt8], stream: [UInt8])] = [
    ([], hexadecimal("789c030000000001")),
    (text("stored"), hexadecimal("7801010600f9ff73746f726564093c0292")),
    // Fixed codes.
    (
      text("the cat and the hat and the bat"),
      hexadecimal("78012bc94855484e2c5148cc4b512801b23390d849892500aba10ab6")
    ),
    // Dynamic codes.
    (pattern, hexadecimal("78daedcab11100300802c059f15051f6efadb245be7ea89788f49a7028731814599e81aaf1c30b0747987787")),
  ]

  private static let pattern = (0..<300).map { (index: Int) -> UInt8 in
    UInt8((index * index * 7 + index / 3) % 11 + 97)
  }

  private static func hexadecimal(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
  }

  private func inflate(
    _ stream: [UInt8], _ byteCount: Int, limit: UInt64 = 1 << 20
  ) throws(MovieError) -> [UInt8] {
    try ZlibStream.inflate(Bytes(stream), byteCount: UInt64(byteCount), limit: limit).array
  }

  private func code(_ stream: [UInt8], _ byteCount: Int, limit: UInt64 = 1 << 20) -> MovieError.Code? {
    do throws(MovieError) {
      _ = try inflate(stream, byteCount, limit: limit)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func inflatesAllKindsOfBlocks() throws {
    for (plain, stream) in Self.examples { #expect(try inflate(stream, plain.count) == plain) }
    let many = [UInt8](0..<250)
    #expect(try inflate(storedZlib(many, blockByteCount: 7), 250) == many)
  }

  @Test func leavesBytesAfterTheChecksum() throws {
    for (plain, stream) in Self.examples { #expect(try inflate(stream + [1, 2, 3], plain.count) == plain) }
  }

  @Test func detectsEveryTruncation() {
    for (plain, stream) in Self.examples {
      for count in stream.indices { #expect(code(Array(stream[..<count]), plain.count) == .truncated, "\(count)") }
    }
  }

  @Test func detectsChangedStreamsBySizeAndChecksum() {
    for (plain, stream) in Self.examples {
      for index in stream.indices {
        for value in UInt8.min ... .max where value != stream[index] {
          var broken = stream
          broken[index] = value
          do throws(MovieError) {
            // Other window sizes and padding bits are harmless. Two changes preserve the checksum, for zlib too.
            let output = try inflate(broken, plain.count)
            #expect(output.count == plain.count && ZlibStream.adler32(output) == ZlibStream.adler32(plain))
            #expect(index < stream.count - 4, "byte \(index) became \(value)")
          } catch {
            #expect(error.offset ?? .max <= UInt64(stream.count))
          }
        }
      }
    }
  }

  @Test func explainsInvalidHeaders() throws {
    func error(_ stream: [UInt8]) -> MovieError? {
      #expect(throws: MovieError.self) { try inflate(stream, 6) }
    }
    #expect(error([])?.code == .truncated)
    #expect(error([0x78, 0x02])?.code == .malformed)
    #expect(error([0x79, 0x18])?.reason == "uses compression method 9: only deflate (8) is supported")
    #expect(error([0x88, 0x1C])?.reason == "has a window of more than 32 KiB")
    #expect(error([0x78, 0x20])?.reason == "needs a preset dictionary")
    #expect(error([0x78, 0x01, 0x07])?.reason == "a deflate block has the reserved type")
    var stored = storedZlib(text("stored"))
    stored[8] ^= 1
    #expect(
      error(stored) == MovieError(.malformed, at: 13, "the checksum (Adler-32) does not match the inflated bytes"))
  }

  @Test func requiresTheDeclaredSize() throws {
    for (plain, stream) in Self.examples {
      #expect(code(stream, plain.count + 1) == .malformed)
      if !plain.isEmpty { #expect(code(stream, plain.count - 1) == .malformed) }
      #expect(code(stream, plain.count, limit: UInt64(plain.count)) == nil)
      if !plain.isEmpty { #expect(code(stream, plain.count, limit: UInt64(plain.count - 1)) == .limit) }
    }
  }

  @Test func allocatesNoMemoryForAClaimedSize() {
    // More memory than any machine has: an allocation would end the test.
    for (_, stream) in Self.examples { #expect(code(stream, .max, limit: .max) == .malformed) }
    #expect(throws: MovieError.self) { try ZlibStream.inflate(Bytes([0x78, 1]), byteCount: .max, limit: .max) }
  }

  @Test func stopsADecompressionBombAtItsClaimedSize() throws {
    // Deflate expands two bits to at most 258 bytes: 2 MiB of zeros take 2 KiB.
    let python = try Witness.require("python3")
    let bomb = try python.zlib(zeros(2 << 20))
    #expect(bomb.count < 3000)
    #expect(code(bomb, 1000) == .malformed)
    #expect(code(bomb, 2 << 20, limit: 1 << 20) == .limit)
  }

  @Test func rejectsAnImpossibleCompressionRatio() throws {
    let stream = storedZlib(text("stored"))
    func reason(_ byteCount: Int) -> String {
      #expect(throws: MovieError.self) { try inflate(stream, byteCount) }?.reason ?? ""
    }
    #expect(reason(stream.count * 1032).hasPrefix("inflates to 6 bytes"))
    #expect(reason(stream.count * 1032 + 1).contains("inflate to at most"))
  }
}

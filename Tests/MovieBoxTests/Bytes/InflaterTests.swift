import TestSupport
import Testing

@testable import MovieBox

/// Comparison with Python's zlib.
struct InflaterTests {
  enum Data: String, CaseIterable {
    case text, zeros, random, far, tables, tiny

    func bytes() -> [UInt8] {
      var random = SmallRandom(state: 2024)
      switch self {
      case .text:
        let words = (0..<400).map { _ -> [UInt8] in
          let letters = (0...random.below(9)).map { _ -> UInt8 in UInt8(97 + random.below(26)) }
          return letters + [32]
        }
        return Array((0..<9000).flatMap { _ in words[random.below(20) * random.below(20)] }.prefix(40_000))
      case .zeros: return TestSupport.zeros(70_000)
      case .random: return (0..<20_000).map { _ -> UInt8 in UInt8(random.below(256)) }
      case .far:
        // Repetitions at a distance of 32 KiB, exactly the maximum, and at one more.
        let start = (0..<32_768).map { _ -> UInt8 in UInt8(random.below(256)) }
        return start + start[..<300] + [1] + start[300..<600]
      case .tables:
        var position = 40
        return (0..<5000).flatMap { (index: Int) -> [UInt8] in
          position += random.below(5000)
          return u32(position, index % 3 == 0 ? 1024 : 512)
        }
      case .tiny: return [7]
      }
    }
  }

  /// Every level, strategy and window size, and little memory, which results in many small blocks.
  private static let deflate = """
    import sys, zlib
    data = sys.stdin.buffer.read()
    ways = [(level, 15, 8, 0) for level in range(10)]
    ways += [(9, 15, 8, strategy) for strategy in range(1, 5)]
    ways += [(6, bits, 8, 0) for bits in range(9, 15)]
    ways += [(6, 15, memory, strategy) for memory in (1, 9) for strategy in (0, 1, 4)]
    for level, bits, memory, strategy in ways:
        deflater = zlib.compressobj(level, zlib.DEFLATED, bits, memory, strategy)
        half = len(data) // 2
        stream = deflater.compress(data[:half]) + deflater.flush(zlib.Z_SYNC_FLUSH)
        stream += deflater.compress(data[half:]) + deflater.flush()
        sys.stdout.buffer.write(len(stream).to_bytes(4, "big") + stream)
    """

  @Test(arguments: Data.allCases)
  func inflatesStreamsOfZlib(_ data: Data) throws {
    let python = try Witness.require("python3")
    let plain = data.bytes()
    let result = try python.run(["-c", Self.deflate], input: plain)
    try #require(result.code == 0, "\(result.errorText)")
    var reader = ByteReader(Bytes(result.output))
    var count = 0
    while reader.remaining > 0 {
      let stream = try reader.readBytes(Int(reader.read(UInt32.self)))
      let inflated = try ZlibStream.inflate(stream, byteCount: UInt64(plain.count), limit: 1 << 20)
      #expect(inflated == Bytes(plain), "way \(count)")
      count += 1
    }
    #expect(count == 26)
  }

  /// For each raw deflate stream of the input: 1 and the output if zlib reads it to its end, else 0.
  private static let judge = """
    import sys, zlib
    data = sys.stdin.buffer.read()
    place = 0
    while place < len(data):
        count = int.from_bytes(data[place:place + 4], "big")
        inflater = zlib.decompressobj(-15)
        try:
            plain = inflater.decompress(data[place + 4:place + 4 + count], 100000)
            good = inflater.eof
        except zlib.error:
            good = False
        if not good:
            plain = b""
        sys.stdout.buffer.write(bytes([good]) + len(plain).to_bytes(4, "big") + plain)
        place += 4 + count
    """

  @Test(arguments: [1, 2, 3] as [UInt64])
  func rejectsTheStreamsThatZlibRejects(seed: UInt64) throws {
    let python = try Witness.require("python3")
    var random = SmallRandom(state: seed)
    // Few symbols in few bytes: much of the stream describes its codes, where most errors are possible.
    let sources = try (0..<4).map { (kind: Int) -> [UInt8] in
      let plain = (0..<300).map { _ -> UInt8 in UInt8(random.below(kind * 20 + 3) * random.below(4)) }
      return Array(try python.zlib(plain, level: kind == 3 ? 1 : 9).dropFirst(2).dropLast(4))
    }
    let streams = (0..<700).map { (number: Int) -> [UInt8] in
      var stream = sources[number % sources.count]
      for _ in 0...random.below(2) {
        // Mostly near the start, which describes the codes.
        let place = random.below(2) == 0 ? random.below(min(40, stream.count)) : random.below(stream.count)
        stream[place] ^= 1 << UInt8(random.below(8))
      }
      return stream
    }
    let input = streams.flatMap { stream -> [UInt8] in u32(stream.count) + stream }
    let result = try python.run(["-c", Self.judge], input: input)
    try #require(result.code == 0, "\(result.errorText)")
    var verdicts = ByteReader(Bytes(result.output))
    var goodCount = 0
    for (number, stream) in streams.enumerated() {
      let isGood = try verdicts.read(UInt8.self) == 1
      let plain = try verdicts.readBytes(Int(verdicts.read(UInt32.self))).array
      var inflated: [UInt8]?
      do throws(MovieError) {
        inflated = try Inflater.inflate(Bytes(stream), from: 0, maximumByteCount: 100_000).output
      } catch {
        #expect([.malformed, .truncated].contains(error.code))
        #expect(error.offset ?? .max <= UInt64(stream.count))
      }
      #expect(inflated == (isGood ? plain : nil), "seed \(seed), stream \(number): \(stream)")
      goodCount += isGood ? 1 : 0
    }
    #expect(goodCount > 20 && goodCount < 680)
  }

  @Test func survivesRandomBytes() {
    var random = SmallRandom(state: 77)
    for _ in 0..<2000 {
      let bytes = (0..<random.below(80)).map { _ -> UInt8 in UInt8(random.below(256)) }
      do throws(MovieError) {
        let (output, end) = try Inflater.inflate(Bytes(bytes), from: 0, maximumByteCount: 5000)
        #expect(output.count <= 5000 && end <= bytes.count)
      } catch {
        #expect(error.offset ?? .max <= UInt64(bytes.count))
      }
    }
  }

  /// Empty blocks of ten bits, whose codes are built only once.
  @Test func inflatesEmptyBlocksQuickly() throws {
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    func add(_ block: Int) {
      bits |= block << count
      count += 10
      while count >= 8 {
        bytes.append(UInt8(bits & 255))
        (bits, count) = (bits >> 8, count - 8)
      }
    }
    for _ in 0..<400_000 { add(2) }
    add(3)
    bytes.append(UInt8(bits & 255))
    let (output, end) = try Inflater.inflate(Bytes(bytes), from: 0, maximumByteCount: 0)
    #expect(output.isEmpty && end == bytes.count)
  }

  @Test func rejectsIncompleteAndOversubscribedCodes() throws {
    var code = HuffmanCode()
    try code.define([1, 2, 2])
    try code.define([0, 1])  // A lone code of one bit.
    try code.define([0, 0, 0])  // None: an error only where it is used.
    try code.define([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15])
    #expect(throws: HuffmanCode.Defect.oversubscribed) { try code.define([1, 1, 1]) }
    #expect(throws: HuffmanCode.Defect.incomplete) { try code.define([1, 2]) }
    #expect(throws: HuffmanCode.Defect.incomplete) { try code.define([2]) }
  }
}

/// A generator of pseudorandom numbers that are equal on each run.
private struct SmallRandom {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}

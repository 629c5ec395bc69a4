import Subtitles
import Testing

@testable import MovieBox

struct Tx3gSampleTests {
  @Test func writesAnEmptySampleAsTwoZeroBytes() throws {
    let sample = Tx3gSample()
    #expect(sample.payloadBytes == [0, 0])
    #expect(sample.isEmpty)
    #expect(try Tx3gSample(payload: Bytes([0, 0])) == sample)
  }

  @Test func writesAStyleRecord() throws {
    let record = Tx3gStyleRecord(start: 1, end: 2, fontID: 1, face: .italic, fontSize: 36, color: .white)
    var styles = ByteWriter()
    Tx3gBox.writeStyles([record], to: &styles)
    let sample = Tx3gSample(text: Bytes(Array("Hi".utf8)), tail: Bytes(styles.bytes))
    let expected: [UInt8] =
      [0x00, 0x02, 0x48, 0x69, 0x00, 0x00, 0x00, 0x16, 0x73, 0x74, 0x79, 0x6C, 0x00, 0x01]
      + [0x00, 0x01, 0x00, 0x02, 0x00, 0x01, 0x02, 0x24, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(sample.payloadBytes == expected)
    let read = try Tx3gSample(payload: Bytes(expected))
    #expect(read.string == "Hi")
    #expect(read.styleRecords == [record])
    #expect(!read.isForced)
  }

  @Test func writesAForcedBox() throws {
    let sample = Tx3gSample(boxes: [.forced])
    #expect(sample.payloadBytes == [0, 0, 0x00, 0x00, 0x00, 0x08, 0x66, 0x72, 0x63, 0x64])
    #expect(sample.isForced)
    #expect(sample.isEmpty)
  }

  @Test func writesATextBox() throws {
    let box = Tx3gTextBox(top: 918, left: 0, bottom: 1080, right: 1920)
    let sample = Tx3gSample(boxes: [.textBox(box)])
    #expect(
      sample.payloadBytes == [
        0, 0, 0x00, 0x00, 0x00, 0x10, 0x74, 0x62, 0x6F, 0x78, 0x03, 0x96, 0x00, 0x00, 0x04, 0x38, 0x07, 0x80,
      ])
    #expect(sample.textBox == box)
  }

  @Test func readsUTF16InEitherByteOrder() throws {
    let big = try Tx3gSample(payload: Bytes([0, 6, 0xFE, 0xFF, 0x04, 0x16, 0, 0x41]))
    let little = try Tx3gSample(payload: Bytes([0, 6, 0xFF, 0xFE, 0x16, 0x04, 0x41, 0]))
    #expect(big.string == "ЖA")
    #expect(little.string == "ЖA")
    #expect(big.payloadBytes == [0, 6, 0xFE, 0xFF, 0x04, 0x16, 0, 0x41])
  }

  @Test func rejectsAnOversizedText() {
    #expect(throws: MovieError.self) { try Tx3gSample(payload: Bytes()) }
    #expect(throws: MovieError.self) { try Tx3gSample(payload: Bytes([0])) }
    #expect(throws: MovieError(.truncated, at: 0, "the text declares 1 bytes, but has room for only 0")) {
      try Tx3gSample(payload: Bytes([0, 1]))
    }
    #expect(throws: MovieError.self) { try Tx3gSample(payload: Bytes([0xFF, 0xFF, 0x41])) }
  }

  @Test func keepsOversizedStylesUnread() throws {
    let bytes: [UInt8] = [0, 1, 0x41, 0, 0, 0, 12, 0x73, 0x74, 0x79, 0x6C, 0, 1, 0, 0]
    let sample = try Tx3gSample(payload: Bytes(bytes))
    #expect(sample.styleRecords.isEmpty)
    #expect(sample.payloadBytes == bytes)
    #expect(Tx3gBox("styl", payload: Bytes()).styleRecords == nil)
    #expect(Tx3gBox("tbox", payload: Bytes([0, 0, 0])).textBox == nil)
  }

  /// The expectation prints the seed, which can be pasted back into the arguments.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func roundTripsRandomSamples(seed: UInt64) throws {
    var random = SampleRandom(state: seed)
    var writer = ByteWriter()
    let text = (0..<Int(random.next() % 9)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    writer.write(UInt16(text.count))
    writer.write(text)
    let types: [FourCC] = ["styl", "tbox", "frcd", "hlit", "krok", "twrp", "sttx", "\0\0\0\0"]
    for _ in 0..<random.next() % 5 {
      let type = types[Int(random.next() % UInt64(types.count))]
      let payload = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      Tx3gBox(type, payload: Bytes(payload), hasWideSize: random.next() % 4 == 0).write(to: &writer)
    }
    writer.writeZeros(Int(random.next() % 10))
    let sample = try Tx3gSample(payload: Bytes(writer.bytes))
    #expect(sample.payloadBytes == writer.bytes, "seed \(seed)")
    #expect(try Tx3gSample(payload: Bytes(sample.payloadBytes)) == sample, "seed \(seed)")
    _ = (sample.string, sample.styleRecords, sample.textBox, sample.isForced)
    for count in 0..<writer.bytes.count {
      let cut = Bytes(Array(writer.bytes[..<count]))
      do { #expect(try Tx3gSample(payload: cut).payloadBytes == cut.array) } catch { #expect(error.offset != nil) }
    }
  }
}

/// A SplitMix64 generator, which returns equal numbers for equal seeds on every system.
private struct SampleRandom {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

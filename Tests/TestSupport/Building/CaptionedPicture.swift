/// The bytes of H.264 and HEVC pictures with closed captions.
///
///     let picture = CaptionedPicture([(0, 0x94, 0x20), (0, 0xC8, 0x49)])
///     track.samples = [TestSample(content: picture.bytes, duration: 512)]
package struct CaptionedPicture: Sendable {
  /// The type of a triple (0 and 1 for the fields of CEA-608, 2 and 3 for CEA-708), and its two bytes.
  package typealias Triple = (type: Int, first: Int, second: Int)

  package var triples: [Triple]
  package var isHEVC = false
  /// The size of the length field before each unit.
  package var lengthByteCount = 4
  /// The units before the captions, without length fields.
  package var unitsBefore: [[UInt8]] = []
  /// The messages before the captions in their unit.
  package var messagesBefore: [[UInt8]] = []
  /// A false number of triples, or `nil` for the true one.
  package var claimedCount: Int?
  /// The size of the slice.
  package var sliceByteCount = 20
  /// Whether DirecTV's header precedes the captions, and not the one of ATSC.
  package var isDirectTV = false

  /// Creates an H.264 picture.
  package init(_ triples: [Triple]) {
    self.triples = triples
  }

  /// Returns a modified copy.
  package func with(_ change: (inout CaptionedPicture) -> Void) -> CaptionedPicture {
    var copy = self
    change(&copy)
    return copy
  }

  /// The sample: units with their lengths.
  package var bytes: [UInt8] {
    let slice = (isHEVC ? u8(0x26, 1) : u8(0x65)) + [UInt8](repeating: 0x55, count: sliceByteCount)
    return (unitsBefore + [captionUnit, slice]).flatMap(counted)
  }

  /// The unit with the captions, with emulation prevention.
  package var captionUnit: [UInt8] {
    (isHEVC ? u8(39 << 1, 1) : u8(6)) + Self.escaped(messagesBefore.flatMap(\.self) + message + u8(0x80))
  }

  /// The message with the captions: type, size and data.
  package var message: [UInt8] { Self.message(data) }

  /// Returns a message of registered data.
  package static func message(_ data: [UInt8]) -> [UInt8] {
    u8(4) + [UInt8](repeating: 0xFF, count: data.count / 255) + u8(data.count % 255) + data
  }

  private var data: [UInt8] {
    let count = 0x40 | (claimedCount ?? triples.count)
    let captions = triples.flatMap { u8(0xFC | $0.type, $0.first, $0.second) }
    if isDirectTV { return u8(0xB5, 0, 0x2F, 3, captions.count + 2, count, 0xFF) + captions }
    return u8(0xB5, 0, 0x31) + code("GA94") + u8(3, count, 0xFF) + captions + u8(0xFF)
  }

  private func counted(_ unit: [UInt8]) -> [UInt8] {
    (0..<lengthByteCount).reversed().map { UInt8(truncatingIfNeeded: unit.count >> (8 * $0)) } + unit
  }

  /// Inserts emulation prevention bytes.
  package static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var zeros = 0
    for byte in bytes {
      if zeros == 2, byte <= 3 {
        result.append(3)
        zeros = 0
      }
      result.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return result
  }
}

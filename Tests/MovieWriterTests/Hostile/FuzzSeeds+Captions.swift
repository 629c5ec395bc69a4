import Subtitles
import TestSupport

// The initial inputs of the fuzzers of captions.
extension FuzzSeeds {
  private static let cues = [
    Cue(startMilliseconds: 2_000, endMilliseconds: 4_000, text: "- Who is there?\n- Ännchen ♪"),
    Cue(
      startMilliseconds: 4_500, endMilliseconds: 6_000,
      text: StyledText(
        "A sign, far up", checkedRuns: [.init(0..<6, .init(isItalic: true)), .init(8..<11, .init(color: .white))]),
      placement: Cue.Placement(vertical: .top, horizontal: .indented(hundredthsOfPercent: 3_250))),
  ]

  private static let pairs = CaptionEncoder.encode(cues).pairs

  /// Words of roll-up, paint-on and pop-on captions, of both channels, with text of the text service.
  private static let words = """
    00:00:01:00\t9425 9425 94ad 94ad 9470 9470 c8e5 ecec ef80 94ad 94ad f7ef f2ec 6480
    00:00:03:00\t9429 9429 94d0 94d0 d061 e96e f480 94a1 94a1 94a4 94a4 942c 942c
    00:00:05;00\t1c20 1c20 1c70 1c70 54f7 ef80 1c2f 1c2f 942a 942a ced7 9420 9420 91ae 91ae 9223 9223 10a8 10a8 942f
    """

  static var scenarist: [String: [UInt8]] {
    [
      "pop-on": ScenaristWriter.write(pairs),
      "modes": Array("Scenarist_SCC V1.0\n\n".utf8) + Array(words.replacing("\n", with: "\n\n").utf8),
      "crlf": Array("Scenarist_SCC V1.0\r\n\r\n00:00:59;28 9420 942f\r\n00:01:00;00 942C\r\n".utf8),
    ]
  }

  static var macCaption: [String: [UInt8]] {
    [
      "pop-on": Array(MacCaptionWriter.write([pairs]).prefix(7_900)),
      "both": MacCaptionWriter.write([Array(pairs.prefix(20)), Array(pairs.prefix(20))]),
      "services": Array(
        "File Format=MacCaption_MCC V2.0\n\nTime Code Rate=24\n\n00:00:00:01.0,4\tT52S524F67ZZ72F4QRFF0222FE8CFFOM73918165"
          .utf8) + Array("6E67817FFF74ZZ1CB4\n".utf8),
    ]
  }

  /// Each pair comes after the distance to the one before, in frames.
  static var captionPairs: [String: [UInt8]] {
    [
      "pop-on": pairs.flatMap { [1, $0.pair.first, $0.pair.second] },
      "second-field": [0x94, 0x20, 0x94, 0x70, 0xC8, 0xE5, 0x01, 0x03, 0xC8, 0xE5, 0x8F, 0x1D, 0x94, 0x2F].pairwise(
        0x81),
      "roll-up": [0x94, 0x25, 0x94, 0xAD, 0x94, 0x70, 0xC8, 0xE5, 0x94, 0xAD, 0xEF, 0x80, 0x94, 0x2C].pairwise(0x01),
    ]
  }

  static var captionPackets: [String: [UInt8]] {
    let packet = CaptionDistributionPacket(
      rateCode: 4, sequence: 7,
      triples: [.init(.field1, CaptionPair(0x94, 0x2C)), .init(.digitalStart, CaptionPair(0x02, 0x21))])
    // Without its header and checksum, which the fuzzer adds.
    let time: [UInt8] = [0x4F, 0xC3, 0, 7, 0x71, 0xC0, 0x80, 0x80, 0x80]
    return [
      "whole": packet.bytes, "inside": Array(packet.bytes.dropFirst(3).dropLast()),
      "sections": time + [0x72, 0xE1, 0xFC, 0x94, 0x2C, 0x73, 0x91, 1, 0x65, 0x6E, 0x67, 1, 0x7F, 0xFF, 0x74, 0, 7],
    ]
  }

  static var captionedPictures: [String: [UInt8]] {
    let picture = CaptionedPicture([(0, 0x94, 0x20), (1, 0x80, 0x80), (3, 0x02, 0x22), (2, 0x41, 0x42)])
    return [
      "avc": picture.bytes,
      "avc-short": picture.with { $0.lengthByteCount = 2 }.bytes,
      "hevc": picture.with { $0.isHEVC = true }.bytes,
      "others": picture.with {
        $0.unitsBefore = [[0x09, 0xF0], [0x67, 0x64, 0, 0x1F]]
        $0.messagesBefore = [
          [0x05, 0x02, 0x00, 0x00], CaptionedPicture.message([0xB5, 0, 0x31] + Array("DTG1".utf8)),
        ]
        $0.isDirectTV = true
      }.bytes,
      "counts": picture.with { $0.claimedCount = 31 }.bytes,
    ]
  }
}

extension [UInt8] {
  /// Puts a byte before each pair of bytes.
  fileprivate func pairwise(_ head: UInt8) -> [UInt8] {
    stride(from: 0, to: count - 1, by: 2).flatMap { [head, self[$0], self[$0 + 1]] }
  }
}

import TestSupport
import Testing

@testable import MovieBox

struct FileSignatureTests {
  private func signature(_ bytes: [UInt8]) -> FileSignature? { FileSignature(Bytes(bytes)) }

  @Test func formatsAreToldByTheirFirstBytes() {
    let known: [(FileSignature, [UInt8])] = [
      (.matroska, [0x1A, 0x45, 0xDF, 0xA3, 1]), (.avi, text("RIFF") + [1, 2, 3, 4] + text("AVI LIST")),
      (.wave, text("RIFF") + [1, 2, 3, 4] + text("WAVEfmt ")), (.programStream, [0, 0, 1, 0xBA, 0x44]),
      (.flashVideo, text("FLV") + [1, 5]), (.ogg, text("OggS") + [0]), (.movie, TestMovie.simple.bytes()),
      (.webVTT, text("WEBVTT\n")), (.webVTT, [0xEF, 0xBB, 0xBF] + text("WEBVTT\n")),
      (.subRip, text("1\n00:00:01,000 --> 00:00:02,000\nHello\n")), (.text, text("no movie at all --> text")),
    ]
    for (format, bytes) in known { #expect(signature(bytes) == format) }
    #expect(signature([]) == nil)
    #expect(signature(text("RIFF") + [1, 2, 3, 4] + text("XXXX")) == nil)
    #expect(signature([UInt8](repeating: 0, count: 2000)) == nil)
  }

  @Test func transportStreamsHaveASyncByteForEachPacket() {
    for (lead, step) in [(0, 188), (4, 192)] {
      var bytes = [UInt8](repeating: 0, count: lead + 3 * step)
      for packet in 0..<3 { bytes[lead + packet * step] = 0x47 }
      #expect(signature(bytes) == .transportStream)
      #expect(signature(Array(bytes.prefix(lead + 2 * step))) == nil)
      bytes[lead + step] = 0x46
      #expect(signature(bytes) == nil)
    }
  }
}

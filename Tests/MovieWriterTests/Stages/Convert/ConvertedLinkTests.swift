import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Links in text that is converted to another format.
struct ConvertedLinkTests {
  private func sample(_ words: [UInt8], _ first: Int, _ last: Int) -> [UInt8] {
    u16(words.count) + words + atom("href") { u16(first, last) + pascalString("http://a.example") + [0] }
      + atom("encd") { u32(0x100) }
  }

  private func movie(_ samples: [[UInt8]]) -> TestMovie {
    TestMovie.filmWithChapters.with {
      $0.tracks[2].samples = samples.map { TestSample(content: $0, duration: 2000 / samples.count) }
    }
  }

  /// Returns the text of each sample and the characters of its link.
  private func links(_ trial: ConversionTrial) throws -> [String] {
    let track = try #require(trial.new.tracks.first { $0.id == 3 })
    return try track.samples.map { sample in
      let read = try Tx3gSample(payload: Bytes(trial.new.bytes(of: sample)))
      let href = try #require(read.boxes.first { $0.type == "href" }).payload
      let range = (Int(href[0]) << 8 | Int(href[1]))..<(Int(href[2]) << 8 | Int(href[3]))
      return String(String.UnicodeScalarView(Array(read.string.unicodeScalars)[range]))
    }
  }

  @Test func keepsSpacesAroundLinks() throws {
    let words = ["\n\n Start", "  Start", "Start\n", " ", "\n"]
    let trial = try ConversionTrial(movie(words.map { sample(text($0), 0, $0.unicodeScalars.count) }), to: .mp4)
    #expect(try links(trial) == words)
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(try links(back) == words)
    #expect(try links(ConversionTrial(back.bytes, to: .mp4)) == words)
  }

  /// A line break of two characters becomes one, which changes the character offsets of links.
  @Test func keepsTheCharactersOfLinks() throws {
    let trial = try ConversionTrial(
      movie([sample(text("\r\nOne\r\nTwo"), 7, 10), sample(text("\rOne"), 0, 4), sample(text("A\r\nB"), 3, 99)]),
      to: .mp4)
    #expect(try links(trial) == ["Two", "\nOne", "B"])
  }

  @Test func keepsLineBreaksWithoutLinks() throws {
    let plain = text("\nStart")
    let old = movie([u16(plain.count) + plain + atom("encd") { u32(0x100) }])
    let trial = try ConversionTrial(old, to: .mp4)
    let track = try #require(trial.new.tracks.first { $0.id == 3 })
    #expect(try Tx3gSample(payload: Bytes(trial.new.bytes(of: track.samples[0]))).string == "\nStart")
  }
}

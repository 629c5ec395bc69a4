import MovieBox
import SubtitleTestSupport
import Subtitles
import Testing

struct WildSubRipTests {
  /// Every word of every cue is in the track or in a notice.
  @Test(arguments: 0..<20)
  func reportsEveryLostWordOfARandomFile(hundred: Int) throws {
    var refusedCount = 0
    for seed in UInt64(hundred * 100)..<UInt64(hundred * 100 + 100) {
      let wild = WildSubRip(seed: seed)
      do {
        let file = try SubRipReader.read(wild.bytes)
        let timeline = try CueTimeline(file.cues, movieDuration: 15_000, movieTimeScale: 1_000)
        let media = Tx3gEncoder(geometry: .withoutPicture).encode(timeline)
        let shown = try texts(media).joined(separator: "\n")
        let notices = file.notices + timeline.notices + media.notices
        let reported = notices.compactMap(\.lostText).joined(separator: "\n")
        for word in wild.words {
          #expect(shown.contains(word) || reported.contains(word), "seed \(seed): \(word) is lost")
        }
        #expect(!notices.contains { $0.message.isEmpty })
      } catch let error as SubtitleError {
        // A file without a visible cue is rejected, so its words need no notice.
        #expect(error.code == .noCues, "seed \(seed): \(error)")
        refusedCount += 1
      }
    }
    #expect(refusedCount < 5)
  }

  private func texts(_ media: SubtitleMedia) throws -> [String] {
    var reader = ByteReader(Bytes(media.data))
    return try media.sampleSizes.map { try Tx3gSample(payload: try reader.readBytes(Int($0))).string }
  }
}

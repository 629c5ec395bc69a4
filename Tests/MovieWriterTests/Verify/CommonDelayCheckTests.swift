import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Verification of new subtitles in a movie whose tracks ffmpeg delayed together.
struct CommonDelayCheckTests {
  private let delayed = StreamableMovie.delayed
  private let plain = StreamableMovie.delayed.with { $0.tracks[1].samples[0].duration = 1_024 }

  @Test func rejectsSubtitlesWithoutTheDelay() throws {
    let cue = Cue(startMilliseconds: 1_000, endMilliseconds: 2_000, text: StyledText("Flash"))
    let input = SubtitleInput(cues: [cue], language: LanguageTag("en"))
    var edit = try MovieEdit(of: delayed.source)
    let id = try edit.addSubtitles(input).trackID
    #expect(throws: Never.self) { try edit.outputPlan(of: delayed.source, OutputLayout(interleaving: .none)) }
    // The same cues as they are encoded for a movie without the delay, and the reverse.
    for (movie, template) in [(delayed, plain), (plain, delayed)] {
      var edit = try MovieEdit(of: movie.source)
      try edit.addSubtitles(input)
      let other = try MovieEdit(of: template.source)
      let wrong = try GeneratedSubtitleTrack(input, as: TrackTemplate(other), SubtitleTemplate(other), id: id)
      edit.tracks[edit.tracks.count - 1].encodeAgain(wrong)
      #expect {
        try edit.outputPlan(of: movie.source, OutputLayout(interleaving: .none))
      } throws: { error in
        let error = error as? MovieError
        return error?.code == .planCheckFailed && error?.reason.contains("delay of its cues") == true
      }
    }
  }

  /// The planner and the checker compute the delay independently.
  @Test func agreesWithThePlanner() throws {
    for duration in [1_024, 1_300, 2_600, 3_528, 4_551, 4_552, 4_553, 4_554, 9_000] {
      for offset in [-1_024, -512, 0, 20_000] {
        let movie = delayed.with { movie in
          movie.tracks[1].samples[0].duration = duration
          for index in movie.tracks[0].samples.indices { movie.tracks[0].samples[index].compositionOffset += offset }
        }
        let read = try Movie(of: movie.source)
        #expect(CommonDelayCheck(read).delay == read.commonDelay(), "\(duration) \(offset)")
      }
    }
  }
}

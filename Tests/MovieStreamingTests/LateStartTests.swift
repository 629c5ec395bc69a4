import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Tracks that do not begin together.
struct LateStartTests {
  private func movie(_ index: Int, laterBy milliseconds: Int) -> TestMovie {
    StreamableMovie.talk.with { movie in
      movie.timeScale = 1_000
      for index in 0...2 {
        movie.tracks[index].edits = [TestEdit(duration: 23_000, mediaTime: index == 0 ? 512 : 1_024)]
      }
      movie.tracks[index].edits.insert(TestEdit(duration: milliseconds, mediaTime: -1), at: 0)
    }
  }

  private func notices(_ movie: TestMovie) throws -> [StreamPlan.Notice] {
    try Streamed(movie).plan.notices.filter { $0.code == "begins-late" }
  }

  @Test(arguments: [(44, false), (45, true), (300, true), (3_000, true)])
  func soundThatBeginsLaterIsWarnedOf(_ milliseconds: Int, _ isWarned: Bool) throws {
    let found = try notices(movie(1, laterBy: milliseconds))
    #expect(found.map(\.trackID) == (isWarned ? [2] : []) && found.allSatisfy(\.isWarning))
    #expect(
      found.allSatisfy { $0.message.contains("track 2 begins \(milliseconds) ms after the picture: with hls.js") })
  }

  @Test(arguments: [(44, false), (45, true), (3_000, true)])
  func aPictureThatBeginsLaterIsWarnedOf(_ milliseconds: Int, _ isWarned: Bool) throws {
    let found = try notices(movie(0, laterBy: milliseconds))
    #expect(found.map(\.trackID) == (isWarned ? [1] : []))
    #expect(found.allSatisfy { $0.message.contains("track 1 begins \(milliseconds) ms after the sound: with hls.js") })
  }

  /// Segments without samples stop players, so the first one of the sound is long; there are key pictures all the same.
  @Test func aLongFirstSegmentIsNotBlamedOnKeyPictures() throws {
    for index in 0...1 {
      let streamed = try Streamed(movie(index, laterBy: 13_000))
      let notes = streamed.plan.notices.filter { $0.code == "long-segments" }
      #expect(notes.count == 1 && notes[0].trackID == UInt32(index + 1), "\(notes)")
      #expect(notes.allSatisfy { $0.message.contains("begins late") && !$0.isWarning })
    }
  }
}

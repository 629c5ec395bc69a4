import MovieBox
import TestSupport
import Testing

/// The video track on which subtitles are placed.
struct MainPictureTests {
  private func picture(_ id: UInt32, _ width: Int, _ height: Int, _ sampleCount: Int, isEnabled: Bool = true)
    -> TestTrack
  {
    TestTrack(.video, id: id).with { track in
      (track.width, track.height, track.isEnabled) = (width, height, isEnabled)
      track.samples = .varied(sampleCount, around: 20, duration: 50)
    }
  }

  private func mainPicture(_ tracks: [TestTrack]) throws -> UInt32? {
    try Movie(of: MemorySource(Bytes(TestMovie(tracks: tracks).bytes()))).mainPicture?.id
  }

  @Test func prefersTheFirstEnabledVideoTrack() throws {
    #expect(try mainPicture([picture(1, 320, 180, 24, isEnabled: false), picture(2, 320, 180, 24)]) == 2)
    #expect(try mainPicture([picture(1, 320, 180, 24, isEnabled: false), TestTrack(.sound, id: 2)]) == 1)
    #expect(try mainPicture([TestTrack(.sound, id: 2)]) == nil)
  }

  @Test(arguments: [
    (320, 180, 24, 2), (640, 360, 24, 2), (319, 180, 24, 1), (320, 180, 1, 1), (320, 180, 2, 2),
  ])
  func prefersAFilmToAThumbnail(_ width: Int, _ height: Int, _ sampleCount: Int, _ expected: UInt32) throws {
    let tracks = [picture(1, 160, 90, 1), picture(2, width, height, sampleCount, isEnabled: false)]
    #expect(try mainPicture(tracks) == expected)
    #expect(try mainPicture(tracks.reversed()) == expected)
  }

  @Test func ignoresChapterPictures() throws {
    var film = picture(1, 160, 90, 1)
    film.references = [TestReference("chap", 2)]
    #expect(try mainPicture([film, picture(2, 640, 360, 24, isEnabled: false)]) == 1)
    // In an audiobook, the audio track refers to the pictures.
    let book = TestTrack(.sound, id: 3).with { $0.references = [TestReference("chap", 2)] }
    #expect(try mainPicture([book, picture(2, 640, 360, 24, isEnabled: false)]) == 2)
  }
}

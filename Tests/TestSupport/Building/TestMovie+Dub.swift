extension TestMovie {
  /// A dub with bytes of its own: French audio of slightly less than two seconds, in another time scale.
  package static let dub = TestMovie(tracks: [
    TestTrack(.sound, id: 21).with {
      $0.language = .packed("fra")
      $0.timeScale = 48000
      $0.samples = .varied(93, around: 25, duration: 1024)
      $0.chunking = [10, 7]
      $0.edits = [TestEdit(duration: 44, mediaTime: -1), TestEdit(duration: 1930, mediaTime: 1024)]
    }
  ]).with { $0.timeScale = 1000 }
}

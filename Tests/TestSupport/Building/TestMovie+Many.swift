extension TestMovie {
  /// Returns a second with many small tracks: alternately video, audio and subtitles, in four languages, all enabled.
  package static func tracks(_ count: Int) -> TestMovie {
    let languages = ["eng", "deu", "fra", "spa"]
    let tracks = (0..<count).map { index in
      let kinds: [TestTrack.Kind] = [.video, .sound, .subtitle]
      var track = TestTrack(kinds[index % 3], id: UInt32(index + 1))
      track.language = .packed(languages[index % 4])
      track.timeScale = 1000
      track.samples = [TestSample(content: u16(2) + text("Hi"), duration: 1000)]
      track.chunking = [1]
      return track
    }
    return TestMovie(tracks: tracks).with { $0.storesTrackAfterTrack = true }
  }

  /// Returns a small movie with many metadata items of distinct identifiers.
  package static func items(_ count: Int) -> TestMovie {
    simple.with { $0.movieAtoms = mdtaMetadata((0..<count).map { ("com.example.item\($0)", "value") }) }
  }
}

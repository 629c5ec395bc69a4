extension TestMovie {
  /// A small movie of many tracks: pictures, sound and subtitles in turn, in four languages, all enabled, of a second.
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

  /// A small movie with many metadata items, each of an identifier of its own.
  package static func items(_ count: Int) -> TestMovie {
    simple.with { $0.movieAtoms = mdtaMetadata((0..<count).map { ("com.example.item\($0)", "value") }) }
  }
}

import MovieBox
import TestSupport
import Testing

/// HEVC with parameter sets in samples that differ from those in the configuration.
struct InBandParameterSetTests {
  private func obstacle(
    _ movie: TestMovie, _ change: (inout TestTrack) -> Void = { _ in }
  ) throws -> String? {
    let source = MemorySource(Bytes(movie.with { change(&$0.tracks[0]) }.bytes()))
    let read = try Movie(of: source)
    #expect(InBandParameterSets.mayContainParameterSets(read.tracks[0]))
    return try InBandParameterSets.obstacle(to: read.tracks[0], of: read, nil, in: source)
  }

  @Test func acceptsRepeatedParameterSets() throws {
    #expect(try obstacle(.hev1()) == nil)
    #expect(try obstacle(.hev1(repeating: SampleEntry.setsOfHEVC)) == nil)
    #expect(try obstacle(.hev1(repeating: [SampleEntry.setsOfHEVC[2]])) == nil)
  }

  @Test func rejectsDifferentParameterSets() throws {
    let other: [UInt8] = [0x44, 1, 0xC2]
    #expect(
      try obstacle(.hev1(repeating: SampleEntry.setsOfHEVC + [other]))
        == "has parameter sets in sample 1 that are not in hvcC")
    // In the last of many key pictures.
    let movie = TestMovie.hev1(pictureCount: 1000).with {
      $0.tracks[0].samples[999] = TestMovie.pictureOfHEVC(after: [other])
    }
    #expect(try obstacle(movie) == "has parameter sets in sample 1000 that are not in hvcC")
  }

  /// Of a thousand key pictures, at most 65 are read, including the first and the last.
  @Test func limitsTheNumberOfPicturesRead() throws {
    let source = CountingSource(TestMovie.hev1(pictureCount: 1000).bytes())
    let movie = try Movie(of: source)
    let before = source.reads.count
    #expect(try InBandParameterSets.obstacle(to: movie.tracks[0], of: movie, nil, in: source) == nil)
    #expect((33...65).contains(source.reads.count - before))
  }

  @Test func requiresAllParameterSetsInTheConfiguration() throws {
    #expect(
      try obstacle(.hev1()) { track in
        track.sampleEntries = [
          SampleEntry.video(
            "hev1", width: 64, height: 36, extensions: SampleEntry.hvcC(Array(SampleEntry.setsOfHEVC.dropLast())))
        ]
      } == "lacks parameter sets in hvcC")
    #expect(
      try obstacle(.hev1()) { track in
        track.sampleEntries = [
          SampleEntry.video(
            "hev1", width: 64, height: 36, extensions: SampleEntry.hvcC() + atom("lhvC") { zeros(6) })
        ]
      } == "has several layers (lhvC)")
  }

  @Test func rejectsUnreadablePictures() throws {
    for sample in [
      TestSample(content: [0, 0, 0, 9], duration: 50), TestSample(content: u32(0, 0, 0), duration: 50),
      TestSample(content: u32(0xFFFF_FFFF) + [0x46, 1], duration: 50),
      TestSample(content: u32(70_000) + [0x4E, 1] + zeros(69_998) + u32(2) + [0x26, 1], duration: 50),
    ] {
      #expect(
        try obstacle(.hev1()) { $0.samples[0] = sample } == "has an unreadable key picture, sample 1")
    }
  }
}

import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// H.263 video, which is called `h263` in QuickTime movies and `s263` in 3GP files.
struct ConvertedH263Tests {
  /// Returns a picture whose header has this size and these options.
  private static func picture(size: UInt32 = 2, options: UInt32 = 0) -> [UInt8] {
    // Start code of 22 bits, time of 8, then the type: "10", three flags, the size, the coding, four options.
    let type = UInt64(0b10) << 11 | UInt64(size) << 5 | UInt64(options)  // 13 bits.
    let bits = UInt64(0x20) << 42 | type << 21
    return (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) } + zeros(20)
  }

  private func movie(
    _ picture: [UInt8] = ConvertedH263Tests.picture(), width: Int = 176, height: Int = 144, duration: Int = 40,
    extensions: [UInt8] = []
  ) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with { track in
        track.timeScale = 600
        track.samples = (0..<15).map { _ in TestSample(content: picture, duration: duration) }
        track.sampleEntries = [
          SampleEntry.video("h263", width: width, height: height, extensions: extensions)
        ]
      }
    ])
  }

  private func configuration(_ trial: ConversionTrial) throws -> [UInt8]? {
    let entry = trial.movie.tracks[0].sampleDescriptions.entries[0]
    return try SampleEntryAtoms(VideoDescription(body: entry.body).tail)["d263"]?.array
  }

  @Test(arguments: [(176, 144, 40, UInt8(10)), (176, 144, 20, 20), (352, 288, 20, 30), (704, 576, 20, 70)])
  func assignsTheRequiredLevelToH263(_ width: Int, _ height: Int, _ duration: Int, _ level: UInt8) throws {
    let trial = try ConversionTrial(movie(width: width, height: height, duration: duration), to: .threeGPP)
    try trial.expectSameMedia()
    #expect(trial.movie.tracks[0].formats == ["s263"])
    #expect(try configuration(trial) == zeros(5) + [level, 0])
    let there = try ConversionTrial(trial.bytes, to: .quickTime)
    try there.expectSameMedia()
    #expect(try configuration(ConversionTrial(there.bytes, to: .threeGPP)) == zeros(5) + [level, 0])
  }

  @Test func keepsAnExistingConfiguration() throws {
    let own = text("FFMP") + [0, 10, 0]
    #expect(try configuration(ConversionTrial(movie(extensions: atom("d263") { own }), to: .threeGPP)) == own)
  }

  @Test func rejectsPicturesWithoutALevel() throws {
    let refused = [
      movie(Self.picture(options: 8)), movie(Self.picture(size: 7)), movie(zeros(40)), movie(width: 1408, height: 1152),
      movie(duration: 2),
    ]
    for movie in refused {
      #expect {
        try ConversionTrial(movie, to: .threeGPP)
      } throws: { ($0 as? MovieError)?.reason.contains("baseline profile") == true }
    }
    for type in [MovieType.mp4, .m4v, .threeGPP2] {
      #expect { try ConversionTrial(movie(), to: type) } throws: { ($0 as? MovieError)?.code == .unsupported }
    }
  }

  @Test func detectsAnotherConfiguration() throws {
    for wrong in [zeros(5) + [70, 0], zeros(5) + [10, 3], text("FFMP") + [0, 10, 0]] {
      try SpoiledConversion(movie(), to: .threeGPP).expectFailure("does not describe") { edits, movie in
        var descriptions = movie.tracks[0].sampleDescriptions
        var video = try VideoDescription(body: descriptions.entries[0].body)
        video.tail = Bytes(atom("d263") { wrong })
        var writer = ByteWriter()
        video.write(to: &writer)
        descriptions.entries[0].body = Bytes(writer.bytes)
        let stbl = try #require(movie.tree.sampleTable(ofTrack: movie.tracks[0].atom))
        edits.replace(try #require(movie.tree.child(of: stbl, "stsd")), with: descriptions.atom("stsd"))
      }
    }
  }
}

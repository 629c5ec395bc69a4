import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// `VIDEO-RANGE`, where no atom of the movie says it and the codec's own parameters do.
struct VideoRangeTests {
  @Test(arguments: ["libx264", "libx265"], [("smpte2084", "PQ"), ("arib-std-b67", "HLG"), ("bt709", "SDR")])
  func rangeIsThatOfTheParametersOfTheCodec(_ encoder: String, _ transfer: (name: String, range: String)) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    // Of odd sizes, which want cropping, and with the encoder's own lists, which come before the colours.
    let parameters = encoder == "libx264" ? "-x264-params" : "-x265-params"
    let result = try ffmpeg.run([
      "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=130x98:r=25:d=0.4", "-pix_fmt", "yuv420p", "-c:v", encoder,
      parameters, "transfer=\(transfer.name):colorprim=bt709:colormatrix=bt709", "-tag:v",
      encoder == "libx264" ? "avc1" : "hvc1", folder.file("film.mp4"),
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let source = try FileSource(path: folder.file("film.mp4"))
    let movie = try Movie(of: source)
    let stsd = try #require(movie.tree.descendant(of: movie.tracks[0].atom, "mdia", "minf", "stbl", "stsd"))
    let entry = try #require(movie.tree.children(of: stsd).first { _ in true })
    #expect(movie.tree.child(of: entry, "colr") == nil)  // Else the test says nothing.
    let plan = try StreamPlan(of: movie, from: source, StreamOptions())
    #expect(plan.multivariant.variants.first?.picture?.range == transfer.range)
  }

  /// Cut anywhere, the configuration says nothing, and nothing breaks.
  @Test func parametersThatAreCutSayNothing() throws {
    for count in 0..<40 {
      let entry = SampleEntry.video(
        "hvc1", width: 64, height: 36,
        extensions: atom("hvcC") {
          Array((zeros(21) + u8(3, 1, 33) + u16(1, 60) + zeros(60)).prefix(23 + count))
        })
      let picture = StreamableMovie.picture().with { $0.sampleEntries = [entry] }
      let streamed = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso })
      #expect(streamed.plan.multivariant.variants.first?.picture?.range == "SDR")
    }
  }

  @Test func dolbyVisionSaysItsBase() throws {
    let corpus = try Corpus.require().folder
    let source = try FileSource(path: corpus + "/media3-hev1-08-05.mp4")
    let plan = try StreamPlan(of: Movie(of: source), from: source)
    #expect(plan.multivariant.variants.first?.picture?.range == "PQ")
    #expect(plan.notices.contains { $0.code == "sets-in-samples" })
  }
}

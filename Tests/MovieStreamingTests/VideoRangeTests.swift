import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// `VIDEO-RANGE` if only the codec's parameters declare it, not an atom of the movie.
struct VideoRangeTests {
  /// Returns the sample entry, which must lack `colr` for the test to be meaningful.
  private func entryWithoutColours(of movie: Movie) throws -> Int {
    let stsd = try #require(movie.tree.descendant(of: movie.tracks[0].atom, "mdia", "minf", "stbl", "stsd"))
    let entry = try #require(movie.tree.children(of: stsd).first { _ in true })
    #expect(movie.tree.child(of: entry, "colr") == nil)
    return entry
  }

  @Test(arguments: ["libx264", "libx265"], [("smpte2084", "PQ"), ("arib-std-b67", "HLG"), ("bt709", "SDR")])
  func readsTheRangeFromCodecParameters(_ encoder: String, _ transfer: (name: String, range: String)) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    // An odd size requires cropping. The encoder's own lists precede the colors.
    let parameters = encoder == "libx264" ? "-x264-params" : "-x265-params"
    let result = try ffmpeg.run([
      "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=130x98:r=25:d=0.4", "-pix_fmt", "yuv420p", "-c:v", encoder,
      parameters, "transfer=\(transfer.name):colorprim=bt709:colormatrix=bt709", "-tag:v",
      encoder == "libx264" ? "avc1" : "hvc1", folder.file("film.mp4"),
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let source = try FileSource(path: folder.file("film.mp4"))
    let movie = try Movie(of: source)
    _ = try entryWithoutColours(of: movie)
    let plan = try StreamPlan(of: movie, from: source, StreamOptions())
    #expect(plan.multivariant.variants.first?.picture?.range == transfer.range)
  }

  /// A configuration truncated anywhere yields no range and does not trap.
  @Test func ignoresTruncatedParameters() throws {
    for count in 1..<40 {
      // The first byte determines the type of parameter set.
      let sets = [SampleEntry.setsOfHEVC[0], [0x42] + zeros(count), SampleEntry.setsOfHEVC[2]]
      let entry = SampleEntry.video("hvc1", width: 64, height: 36, extensions: SampleEntry.hvcC(sets))
      let picture = StreamableMovie.picture().with { $0.sampleEntries = [entry] }
      let streamed = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso })
      #expect(streamed.plan.multivariant.variants.first?.picture?.range == "SDR")
    }
  }

  @Test(arguments: [(16, "PQ"), (18, "HLG"), (1, "SDR")])
  func readsTheRangeOfAV1FromTheSequenceHeader(_ transfer: Int, _ range: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    let result = try ffmpeg.run([
      "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=130x98:r=25:d=0.2", "-pix_fmt", "yuv420p", "-c:v", "libaom-av1",
      "-cpu-used", "8", "-bsf:v",
      "av1_metadata=color_primaries=9:transfer_characteristics=\(transfer):matrix_coefficients=9",
      folder.file("film.mp4"),
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let source = try FileSource(path: folder.file("film.mp4"))
    let movie = try Movie(of: source)
    let entry = try entryWithoutColours(of: movie)
    #expect(try StreamPlan(of: movie, from: source).multivariant.variants.first?.picture?.range == range)
    // A truncated header yields no range and does not trap.
    let av1C = movie.tree.payload(of: try #require(movie.tree.child(of: entry, "av1C")))
    for count in 4..<av1C.count {
      let configuration = atom("av1C") { Array(av1C.prefix(count)) }
      let cut = SampleEntry.video("av01", width: 130, height: 98, extensions: configuration)
      let picture = StreamableMovie.picture().with { $0.sampleEntries = [cut] }
      let streamed = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso })
      let found = streamed.plan.multivariant.variants.first?.picture?.range
      #expect(found == "SDR" || found == range)
    }
  }

  @Test func readsTheRangeOfDolbyVisionFromItsBaseLayer() throws {
    let corpus = try Corpus.require().folder
    let source = try FileSource(path: corpus + "/media3-hev1-08-05.mp4")
    let plan = try StreamPlan(of: Movie(of: source), from: source)
    #expect(plan.multivariant.variants.first?.picture?.range == "PQ")
    #expect(plan.notices.contains { $0.code == "sets-in-samples" })
  }
}

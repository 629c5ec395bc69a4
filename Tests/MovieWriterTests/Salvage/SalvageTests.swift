import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// What a cut-off movie still has comes into a new file, whole samples only.
struct SalvageTests {
  /// Pictures 1 and sound 2 in turns, the movie atom first.
  private static let plain = TestMovie.simple.with { $0.layout = .movieFirst }

  /// The movie that is written of the first bytes of a file, as another reader sees it.
  private func salvage(
    _ bytes: some Sequence<UInt8>, _ layout: OutputLayout = OutputLayout()
  ) throws -> (new: SecondReader, edit: MovieEdit, movie: Movie) {
    let source = MemorySource(Bytes(Array(bytes)))
    let edit = try MovieEdit(salvaging: Movie(of: source), from: source)
    let output = try edit.outputPlan(of: source, layout).rendered(from: source)
    return (try SecondReader(output), edit, try Movie(of: MemorySource(Bytes(output))))
  }

  @Test(arguments: [OutputLayout(), OutputLayout(isFastStart: true, interleaving: .all, isCompact: true)])
  func everyCutOfAPlainMovieKeepsTheSamplesUpToIt(layout: OutputLayout) throws {
    let bytes = Self.plain.bytes()
    let whole = try SecondReader(bytes)
    let media = try #require(whole.topLevel.last { $0.type == "mdat" })
    for cut in stride(from: Int(media.contentOffset) + 1, to: bytes.count, by: 7) {
      let expected = whole.tracks.map { $0.samples.prefix { $0.offset + UInt64($0.byteCount) <= UInt64(cut) } }
      guard expected.contains(where: { !$0.isEmpty }) else { continue }
      let (new, edit, movie) = try salvage(bytes[..<cut], layout)
      let kept = zip(whole.tracks, expected).filter { !$0.1.isEmpty }
      #expect(new.tracks.map(\.id) == kept.map(\.0.id), "cut at \(cut)")
      for (track, (old, samples)) in zip(new.tracks, kept) {
        #expect(
          try track.samples.map { try new.bytes(of: $0) } == samples.map { try whole.bytes(of: $0) },
          "cut at \(cut), track \(old.id)")
        #expect(track.samples.map(\.decodeTime) == samples.map(\.decodeTime), "cut at \(cut)")
        #expect(track.samples.map(\.isSync) == samples.map(\.isSync), "cut at \(cut)")
        #expect(track.mediaDuration == samples.reduce(0) { $0 + UInt64($1.duration) }, "cut at \(cut)")
      }
      let lost = zip(whole.tracks, expected).filter { $0.0.samples.count > $0.1.count }
      #expect(edit.missingSamples.map(\.trackID) == lost.map(\.0.id), "cut at \(cut)")
      #expect(edit.missingSamples.map(\.sampleCount) == lost.map { $0.0.samples.count - $0.1.count })
      #expect(edit.notes.filter { $0.kind == .cutOff && $0.isWarning }.map(\.trackID) == lost.map(\.0.id))
      // The new file is whole.
      #expect(movie.layout.cutOffset == nil && movie.misplacedSamples().isEmpty, "cut at \(cut)")
    }
  }

  @Test func aPlainMovieThatIsCutOffIsRefusedUnlessItIsToBeSalvaged() throws {
    let source = MemorySource(Bytes(Array(Self.plain.bytes().dropLast(1))))
    let movie = try Movie(of: source)
    let error = #expect(throws: MovieError.self) { try MovieEdit(of: movie, from: source) }
    #expect(error?.code == .truncated)
    #expect(throws: Never.self) { try MovieEdit(salvaging: movie, from: source) }
  }

  @Test func aWholeMovieIsWrittenAsItIs() throws {
    let (new, edit, _) = try salvage(Self.plain.bytes())
    #expect(edit.missingSamples.isEmpty && edit.isEmpty)
    #expect(new.tracks.count == 2)
  }

  @Test func nothingIsWrittenOfAMovieWithoutAWholeSample() throws {
    let bytes = Self.plain.bytes()
    let media = try #require(SecondReader(bytes).topLevel.last { $0.type == "mdat" })
    let error = #expect(throws: MovieError.self) { try salvage(bytes[..<(Int(media.contentOffset) + 1)]) }
    #expect(error?.code == .truncated)
    let fragment = TestFragment([.init(id: 1, runs: [.init(.pictures(3, around: 20, duration: 50))])])
    let recording = Flattened.header.bytes(fragments: [fragment])
    let start = Flattened.header.bytes(fragments: []).count
    for cut in [start + 20, recording.count - 60] {
      let source = MemorySource(Bytes(Array(recording[..<cut])))
      #expect(throws: MovieError.self) { try MovieEdit(of: Movie(of: source), from: source) }
    }
  }

  @Test func editsEndWithTheMediaThatIsThere() throws {
    let movie = Self.plain.with { movie in
      movie.tracks[0].edits = [
        .init(duration: 200, mediaTime: -1), .init(duration: 300, mediaTime: 100), .init(duration: 500, mediaTime: 400),
      ]
    }
    let bytes = movie.bytes()
    let whole = try SecondReader(bytes)
    let samples = try #require(whole.track(1)).samples
    let cut = samples[10].offset + 1
    let (_, _, new) = try salvage(bytes[..<Int(cut)])
    let list = try #require(new.track(1)?.editList)
    let end = samples[..<10].map { $0.presentationTime + Int64($0.duration) }.max() ?? 0
    let scale = try Int64(#require(new.track(1)).mediaTimeScale)
    #expect(list.entries.map(\.mediaTime) == Array(([-1, 100, 400] as [Int64]).prefix(end > 400 ? 3 : 2)))
    let last = try #require(list.entries.last)
    let shown = (end - last.mediaTime) * Int64(new.timeScale)
    #expect(Int64(last.segmentDuration) == (shown + scale - 1) / scale)
  }

  // MARK: - The file itself

  @Test func aFileThatLostSamplesIsNotReplaced() throws {
    let fragment = TestFragment([.init(id: 1, runs: [.init(.pictures(3, around: 20, duration: 50))])])
    let recording = Flattened.header.bytes(fragments: [fragment, fragment])
    let folder = try TemporaryFolder()
    for (name, bytes) in [
      ("media.mp4", recording.dropLast(1)), ("list.mp4", recording.dropLast(100)),
    ] {
      try folder.write(Array(bytes), as: name)
      let source = try FileSource(path: folder.file(name))
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      try edit.setTitle("Title", of: 1)
      let error = #expect(throws: MovieError.self, "\(name)") {
        try MovieFileWriter(edit, of: source, to: .itself(folder.file(name)))
      }
      #expect(error?.code == .invalidEdit && error?.reason.contains("only copy") == true)
      #expect(throws: MovieError.self) { try edit.inPlacePlan(of: source) }
      #expect(try folder.read(name) == Array(bytes))
      let output = folder.file("new-" + name)
      try MovieFileWriter(edit, of: source, to: .newFile(output, overwrites: false, synchronizes: false)).write()
      #expect(try Movie(of: FileSource(path: output)).layout.cutOffset == nil)
    }
  }

  // MARK: - The checker

  /// The revision of a salvage, and its plan.
  private func revision(_ bytes: [UInt8]) throws -> (MovieRevision, OutputPlan, MemorySource) {
    let source = MemorySource(Bytes(bytes))
    let edit = try MovieEdit(salvaging: Movie(of: source), from: source)
    return (try edit.revision(isInterleaved: false), try edit.outputPlan(of: source), source)
  }

  @Test func theCheckerRefusesASalvageThatDropsASampleTooMany() throws {
    let bytes = Self.plain.bytes()
    let early = try #require(SecondReader(bytes).tracks[0].samples.dropLast(4).last)
    // What is written of a file that was cut earlier is not what is to be written of this one.
    let (shorter, _, _) = try revision(Array(bytes[..<Int(early.offset)]))
    var (revision, _, source) = try revision(Array(bytes.dropLast(1)))
    let layout = OutputLayout()
    #expect(throws: Never.self) {
      try PlanChecker.check(
        MovieEdit(salvaging: Movie(of: source), from: source).outputPlan(of: source, layout), of: revision,
        strategy: .rewrite(layout), source: source)
    }
    revision = MovieRevision(movie: try source.movie.replacingMovieAtom(with: shorter.movie.tree.bytes))
    revision.salvagedMovie = SalvagedMovie(
      original: try source.movie, missingSamples: try source.movie.missingSamples())
    let own = try MoviePlanner(revision: revision, source: source).newFilePlan(layout)
    let error = #expect(throws: MovieError.self) {
      try PlanChecker.check(own, of: revision, strategy: .rewrite(layout), source: source)
    }
    #expect(error?.code == .planCheckFailed && error?.reason.contains("is left out") == true, "\(error?.reason ?? "")")
  }
}

extension MemorySource {
  fileprivate var movie: Movie {
    get throws { try Movie(of: self) }
  }
}

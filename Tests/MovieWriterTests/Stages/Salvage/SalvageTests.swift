import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The complete samples of a cut-off movie are copied into a new file.
struct SalvageTests {
  /// Interleaved video 1 and audio 2, with a leading movie atom.
  private static let plain = TestMovie.simple.with { $0.layout = .movieFirst }

  /// Returns the movie salvaged from the first bytes of a file, in another reader.
  private func salvage(
    _ bytes: some Sequence<UInt8>, _ layout: OutputLayout = OutputLayout()
  ) throws -> (new: SecondReader, edit: MovieEdit, movie: Movie) {
    let source = MemorySource(Bytes(Array(bytes)))
    let edit = try MovieEdit(salvaging: Movie(of: source), from: source)
    let output = try edit.outputPlan(of: source, layout).rendered(from: source)
    return (try SecondReader(output), edit, try Movie(of: MemorySource(Bytes(output))))
  }

  @Test(arguments: [OutputLayout(), OutputLayout(isFastStart: true, interleaving: .all, isCompact: true)])
  func salvagesSamplesUpToEveryCut(layout: OutputLayout) throws {
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
      #expect(edit.notices.filter { $0.kind == .cutOff && $0.isWarning }.map(\.trackID) == lost.map(\.0.id))
      // The new file is complete.
      #expect(movie.layout.cutOffset == nil && movie.misplacedSamples().isEmpty, "cut at \(cut)")
    }
  }

  @Test func rejectsACutOffMovieUnlessSalvaging() throws {
    let source = MemorySource(Bytes(Array(Self.plain.bytes().dropLast(1))))
    let movie = try Movie(of: source)
    let error = #expect(throws: MovieError.self) { try MovieEdit(of: movie, from: source) }
    #expect(error?.code == .truncated)
    #expect(throws: Never.self) { try MovieEdit(salvaging: movie, from: source) }
  }

  /// Atoms that no sample needs may be cut off as well.
  @Test(arguments: ["free", "skip", "mdat", "uuid"], [0, 500])
  func declaresTheSizesOfAtomsThatAreCutOff(_ type: String, _ byteCount: Int) throws {
    let cut = u32(1_000) + Array(type.utf8) + Array(repeating: UInt8(7), count: byteCount)
    let (new, edit, movie) = try salvage(Self.plain.bytes() + cut)
    #expect(edit.missingSamples.isEmpty && movie.layout.cutOffset == nil)
    let last = try #require(new.topLevel.last)
    #expect(last.type == type && last.byteCount == UInt64(8 + byteCount))
    // Without salvaging, the atom is copied as it is.
    let source = MemorySource(Bytes(Self.plain.bytes() + cut))
    let plain = try MovieEdit(of: Movie(of: source), from: source).outputPlan(of: source).rendered(from: source)
    #expect(plain.suffix(cut.count).elementsEqual(cut))
  }

  @Test func keepsACompleteMovie() throws {
    let (new, edit, _) = try salvage(Self.plain.bytes())
    #expect(edit.missingSamples.isEmpty && edit.isEmpty)
    #expect(new.tracks.count == 2)
  }

  @Test func rejectsAMovieWithoutACompleteSample() throws {
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

  @Test func truncatesEditsToTheMedia() throws {
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

  @Test func truncatesPartialSyncSamples() throws {
    let movie = Self.plain.with { $0.tracks[0].sampleTableAtoms = atom("stps") { u32(0, 3, 5, 6, 20) } }
    let bytes = movie.bytes()
    let cut = try #require(SecondReader(bytes).track(1)).samples[5].offset + 1
    let new = try salvage(bytes[..<Int(cut)]).new
    let stps = try #require(new.atoms.first { $0.type == "stps" })
    #expect(try new.track(1)?.samples.count == 5 && new.content(of: stps) == u32(0, 1, 5))
  }

  @Test func convertsACutOffMovie() throws {
    let bytes = Self.plain.bytes()
    let media = try #require(SecondReader(bytes).topLevel.last { $0.type == "mdat" })
    for cut in stride(from: Int(media.contentOffset) + 120, to: bytes.count, by: 97) {
      let source = MemorySource(Bytes(Array(bytes[..<cut])))
      let movie = try Movie(of: source)
      var edit = try MovieEdit(salvaging: movie, from: source)
      try edit.convert(to: movie.dialect == .iso ? .quickTime : .mp4)
      #expect(edit.otherSources.isEmpty)
      let output = try edit.outputPlan(of: source).rendered(from: source)
      let expected = try salvage(bytes[..<cut]).new
      let new = try SecondReader(output)
      #expect(new.tracks.map(\.id) == expected.tracks.map(\.id), "cut at \(cut)")
      for (one, other) in zip(new.tracks, expected.tracks) {
        #expect(try one.samples.map { try new.bytes(of: $0) } == other.samples.map { try expected.bytes(of: $0) })
      }
      #expect(edit.notices.count { $0.kind == .removed } == 2 - new.tracks.count)
    }
  }

  @Test func distinguishesMisplacedFromMissingSamples() throws {
    var bytes = Self.plain.bytes()
    let stco = try #require(SecondReader(bytes).atom("moov/trak#1/mdia/minf/stbl/stco"))
    let last = Int(stco.contentOffset) + 8
    bytes.replaceSubrange(last..<last + 4, with: u32(bytes.count - 1))
    let error = #expect(throws: MovieError.self) { try salvage(bytes) }
    #expect(error?.reason.contains("reaches past the end") == true)
  }

  @Test func keepsTheClockOnRequest() throws {
    let fragment = TestFragment([
      .init(id: 1, decodeTime: 6_000, runs: [.init(.pictures(3, around: 20, duration: 50))])
    ])
    let source = MemorySource(Bytes(Flattened.header.bytes(fragments: [fragment, fragment]).dropLast(1)))
    for keepingStart in [false, true] {
      let edit = try MovieEdit(salvaging: Movie(of: source), from: source, keepingStart: keepingStart)
      #expect(edit.notices.contains { $0.kind == .startSubtracted } == !keepingStart)
    }
  }

  // MARK: - The file itself

  @Test func refusesToReplaceACutOffFile() throws {
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
        try MovieFileWriter(edit, to: .sourceFile(folder.file(name)))
      }
      #expect(error?.code == .invalidEdit && error?.reason.contains("only copy") == true)
      #expect(throws: MovieError.self) { try edit.inPlacePlan(of: source) }
      #expect(try folder.read(name) == Array(bytes))
      let output = folder.file("new-" + name)
      try MovieFileWriter(edit, to: .newFile(output, overwrites: false, synchronizes: false)).write()
      #expect(try Movie(of: FileSource(path: output)).layout.cutOffset == nil)
    }
  }

  // MARK: - The checker

  /// Returns the resolved edit of a salvage, and its plan.
  private func resolved(_ bytes: [UInt8]) throws -> (ResolvedEdit, OutputPlan, MemorySource) {
    let source = MemorySource(Bytes(bytes))
    let edit = try MovieEdit(salvaging: Movie(of: source), from: source)
    return (try edit.resolved(isInterleaved: false), try edit.outputPlan(of: source), source)
  }

  @Test func detectsADroppedSampleInASalvage() throws {
    let bytes = Self.plain.bytes()
    let early = try #require(SecondReader(bytes).tracks[0].samples.dropLast(4).last)
    // The result for an earlier cut does not match the request for this one.
    let (shorter, _, _) = try resolved(Array(bytes[..<Int(early.offset)]))
    var (resolved, _, source) = try resolved(Array(bytes.dropLast(1)))
    let layout = OutputLayout()
    #expect(throws: Never.self) {
      try PlanChecker.check(
        MovieEdit(salvaging: Movie(of: source), from: source).outputPlan(of: source, layout), of: resolved,
        strategy: .rewrite(layout), source: source)
    }
    resolved = ResolvedEdit(try MovieStages(source.movie.replacingMovieAtom(with: shorter.movie.tree.bytes)))
    resolved.stages.salvaged = SalvagedMovie(
      original: try source.movie, missingSamples: try source.movie.missingSamples())
    let own = try MoviePlanner(resolved: resolved, source: source).newFilePlan(layout)
    let error = #expect(throws: MovieError.self) {
      try PlanChecker.check(own, of: resolved, strategy: .rewrite(layout), source: source)
    }
    #expect(error?.code == .planCheckFailed && error?.reason.contains("was dropped") == true, "\(error?.reason ?? "")")
  }
}

extension SalvageTests {
  /// A track without losses is compared as in any other edit. For the other, the expected changes are computed again.
  @Test(arguments: [
    ("moov/trak#WHOLE/edts/elst", 11, "its bytes changed"), ("moov/trak#WHOLE/mdia/mdhd", 19, "its bytes changed"),
    ("moov/trak#WHOLE/tkhd", 23, "its bytes changed"), ("moov/trak#WHOLE/mdia/minf/stbl/sdtp", 4, "its bytes changed"),
    ("moov/trak#CUT/tkhd", 23, "declares a wrong"), ("moov/trak#CUT/mdia/mdhd", 19, "declares a wrong"),
    ("moov/mvhd", 19, "declares a wrong"), ("moov/trak#CUT/mdia/minf/stbl/stps", 11, "partial sync samples"),
    ("moov/trak#CUT/mdia/minf/stbl/sdtp", 4, "changed its flags"),
  ])
  func detectsOtherChangesOfTheMovieAtom(path: String, offset: Int, reason: String) throws {
    let bytes = Self.plain.with { movie in
      for place in movie.tracks.indices {
        movie.tracks[place].edits = [.init(duration: 100, mediaTime: 0)]
        movie.tracks[place].sampleTableAtoms =
          atom("stps") { u32(0, 1, 1) }
          + fullAtom("sdtp") { [UInt8](repeating: 0x20, count: movie.tracks[place].samples.count) }
      }
    }.bytes()
    let source = MemorySource(Bytes(Array(bytes.dropLast(1))))
    let movie = try source.movie
    let missing = movie.missingSamples()
    #expect(missing.count == 1)
    var changed = try SalvagedTrack.cut(movie).tree.bytes.array
    let cutID = try #require(missing.first?.trackID)
    let place = path.replacing("CUT", with: "\(cutID)").replacing("WHOLE", with: "\(3 - cutID)")
    let found = try #require(SecondReader(changed).atom(place))
    changed[Int(found.contentOffset) + offset] ^= 1
    var resolved = ResolvedEdit(try MovieStages(movie.replacingMovieAtom(with: Bytes(changed))))
    resolved.stages.salvaged = SalvagedMovie(original: movie, missingSamples: missing)
    let plan = try MoviePlanner(resolved: resolved, source: source).newFilePlan(OutputLayout())
    let error = #expect(throws: MovieError.self) {
      try PlanChecker.check(plan, of: resolved, strategy: .rewrite(OutputLayout()), source: source)
    }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "none")")
  }
}

extension MemorySource {
  fileprivate var movie: Movie {
    get throws { try Movie(of: self) }
  }
}

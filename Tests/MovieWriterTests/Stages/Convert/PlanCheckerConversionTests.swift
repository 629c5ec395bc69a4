import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Converted movies that deviate from the requested type: each is corrupted deliberately, and must be detected.
struct PlanCheckerConversionTests {
  /// Plans a conversion whose movie atom is changed afterwards, and expects that the checker detects it.
  private func expectFailure(
    _ old: [UInt8], _ new: [UInt8], in path: String, _ reason: String, to type: MovieType = .mp4,
    _ movie: TestMovie = .filmWithChapters, at location: SourceLocation = #_sourceLocation
  ) throws {
    let source = MemorySource(Bytes(movie.bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: type)
    let text = try edit.recodedText()
    let joined = try JoinedSource([source] + (text.map { [$0] } ?? []))
    _ = try edit.outputPlan(of: joined)  // Unspoiled it passes.
    let conversion = try #require(edit.stages.converted)
    var bytes = conversion.movie.tree.bytes.array
    let found = (0...bytes.count - old.count).filter { bytes[$0..<$0 + old.count].elementsEqual(old) }
    let place = try #require(found.first, "\(path) does not hold these bytes", sourceLocation: location)
    bytes.replaceSubrange(place..<place + old.count, with: new)
    let tree = try AtomTree(Bytes(bytes), at: 0)
    let spoiled = try Movie(
      layout: conversion.movie.layout, tree: tree, fileType: type.fileType, limits: MovieLimits())
    edit.stages.converted = ConvertedMovie(
      original: conversion.original, type: type, movie: spoiled, recodedTracks: conversion.recodedTracks,
      removedTracks: [], omittedTracks: [], refusals: [:], notices: [], losses: [])
    edit.stages.current = spoiled
    edit.replaceStages(with: edit.stages)
    edit.tracks = spoiled.tracks.map { EditedTrack($0) }
    #expect(sourceLocation: location) {
      _ = try edit.outputPlan(of: joined)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .planCheckFailed && "\(error?.path ?? "") \(error?.reason ?? "")".contains(reason)
    }
  }

  @Test func detectsAnotherDecoderConfiguration() throws {
    try expectFailure([0x05, 2, 0x11, 0x90], [0x05, 2, 0x12, 0x10], in: "esds", "does not describe")
    try expectFailure(u32(0x0142_001E), u32(0x014D_001E), in: "avcC", "does not describe")
    try expectFailure(
      u16(16, 0, 0) + u32(48_000 << 16), u16(16, 0, 0) + u32(44_100 << 16), in: "mp4a", "does not describe")
  }

  @Test func detectsOtherColors() throws {
    try expectFailure(text("nclx") + u16(1, 1, 6, 0), text("nclx") + u16(9, 1, 6, 0), in: "colr", "does not describe")
  }

  @Test func detectsOtherTimesAndEdits() throws {
    try expectFailure(u32(16, 1024), u32(16, 1023), in: "stts", "stts")
    try expectFailure(u32(24, 50), u32(24, 51), in: "stts", "stts")
  }

  @Test func detectsAnotherLanguage() throws {
    try expectFailure(u16(0x10B5, 0), u16(0x15C7, 0), in: "mdhd", "language")
  }

  @Test func detectsOtherTexts() throws {
    // The text is outside of the movie atom, so a smaller sample size truncates it.
    try expectFailure(u32(0, 0, 3, 7), u32(0, 0, 3, 6), in: "stsz", "")
  }

  @Test func movesOnlyUserDataForReaders() throws {
    let tags = TestMovie.iTunes(atom("©nam") { TestMovie.data(1, text("Old")) })
    let user = atom("udta") { tags }
    let unknown = atom("XXXX") { text("unknown") }
    let keys = TestMovie.keyed([("com.example.id", "7")])
    /// Returns a movie with these atoms before and after its tracks.
    func movie(_ early: [UInt8], _ late: [UInt8] = []) -> TestMovie {
      TestMovie.simple.with {
        ($0.dialect, $0.brands) = (.iso, ["mp42"])
        ($0.atomsAfterHeader, $0.movieAtoms) = (early, late)
      }
    }
    func passes(_ old: TestMovie, _ new: TestMovie) throws -> Bool {
      let (before, after) = try (Movie(of: old.source), Movie(of: new.source))
      do throws(MovieError) {
        let ids = Set(before.tracks.map { $0.id })
        try AtomChangePolicy.conversion(from: before, to: after, .mp4, keeping: ids, DroppedContents([]))
          .check(.init(before.tree), .init(after.tree))
        return true
      } catch {
        return false
      }
    }
    #expect(try passes(movie(user), movie([], user)))
    #expect(try passes(movie(keys + user), movie(user + keys)))
    #expect(try !passes(movie([], user), movie(user)))
    #expect(try !passes(movie(user + unknown), movie([], user + unknown)))
    #expect(try !passes(movie(unknown + keys), movie(keys + unknown)))
    #expect(try !passes(movie(keys + user + unknown), movie(unknown + user + keys)))
  }

  @Test func detectsBrandsOfAnotherType() throws {
    let source = MemorySource(Bytes(TestMovie.film().bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: .mp4)
    let resolved = try edit.resolved(isInterleaved: false)
    let plan = try edit.outputPlan(of: source, OutputLayout(interleaving: .none))
    for brand in ["M4V ", "qt  "] {
      let spoiled = try plan.spoiled(8..<12, with: text(brand))
      #expect {
        try PlanChecker.check(
          spoiled, of: resolved, strategy: .rewrite(OutputLayout(interleaving: .none)), source: source)
      } throws: { ($0 as? MovieError)?.code == .planCheckFailed }
    }
  }

  // MARK: - Facts

  private static let titled = TestMovie.film().with {
    $0.userData = atom("©nam") { u16(4, 0x15C7) + text("Film") } + atom("©req") { u16(2, 0x15C7) + text("QT") }
  }

  /// Converts, corrupts the converted facts, and expects that the checker detects it.
  private func expectFailure(
    _ reason: String, at location: SourceLocation = #_sourceLocation, _ spoil: (inout MovieEdit) -> Void
  ) throws {
    let source = MemorySource(Bytes(Self.titled.bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: .mp4)
    spoil(&edit)
    edit.stages.converted?.metadata = edit.changes.metadata.edits
    #expect(sourceLocation: location) {
      _ = try edit.outputPlan(of: source)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .planCheckFailed && error?.reason.contains(reason) == true
    }
  }

  @Test func detectsALostFact() throws {
    try expectFailure("dropped without a warning") { $0.stages.converted?.reportedItems = [] }
    try expectFailure("dropped without a warning") { $0.changes.metadata.edits.added = [] }
  }

  @Test func detectsAnInventedFact() throws {
    try expectFailure("has a value that no item of the old movie had") { edit in
      let titles = edit.changes.metadata.edits.added
      edit.changes.metadata.edits.added = titles.map {
        NewMetadataItem(
          $0.identifier,
          MetadataContent(Bytes(text("Flim")), typeCode: $0.content.typeCode, localeCode: $0.content.localeCode),
          language: $0.language, trackID: nil)
      }
    }
  }

  @Test func detectsARemainingUnsupportedText() throws {
    try expectFailure("cannot contain it") { $0.changes.metadata.edits.removed = [] }
  }

  @Test func ignoresEmptyFrames() throws {
    let movie = TestMovie.simple.with {
      $0.movieAtoms = fullAtom("meta") {
        TestMovie.handler("ID32")
        fullAtom("ID32") { u16(0x15C7) + text("ID3") + [4, 0, 0, 0, 0, 0, 10] + code("TIT2") + zeros(6) }
      }
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(trial.movie.metadata.map(\.identifier.description) == ["id3/TIT2"])
    #expect(trial.messages(.leftOut).isEmpty)
  }
}

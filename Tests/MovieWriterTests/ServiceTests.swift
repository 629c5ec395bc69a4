// A service's use of the libraries. The articles of each library show that the public interface suffices.
import SubtitleTestSupport
import MovieBox
import MovieWriter
import Subtitles
import Synchronization
import TestSupport
import Testing

/// An object of a store, read in parts over a simulated network.
private struct StoredObject: RandomAccessSource {
  let name: String
  let eTag: String
  let bytes: [UInt8]

  func identity() -> SourceIdentity { SourceIdentity(byteCount: UInt64(bytes.count), tag: eTag) }

  func read(_ range: ByteRange) throws -> Bytes {
    guard range.end <= UInt64(bytes.count) else { throw TestSupportError("\(name) has no bytes up to \(range.end)") }
    return Bytes(Array(bytes[Int(range.offset)..<Int(range.end)]))
  }
}

struct ServiceTests {
  private let object = StoredObject(
    name: "talk.mov", eTag: "\"5d41402a\"", bytes: TestMovie.talk.with { $0.layout = .movieFirst }.bytes())
  private let subtitles = Array("1\n00:00:00,500 --> 00:00:01,500\nWho is <i>there</i>?\n".utf8)

  private func edit() throws -> (MovieEdit, UInt32) {
    let movie = try Movie(of: object)
    let spanish = try #require(movie.tracks.first { $0.mediaType == .subtitle }).id
    let englishSound = try #require(movie.tracks.first { $0.mediaType == .audio && $0.language?.description == "en" })
      .id
    var input = SubtitleInput(cues: try SubRipReader.read(subtitles).cues, language: LanguageTag("en"), title: "Full")
    input.mediaCharacteristics = MediaCharacteristic.sdh
    var edit = try MovieEdit(of: movie, from: object)
    let english = try edit.add(input)
    try edit.group(TrackGroup(members: [spanish, english], defaultMember: spanish))
    try edit.link(englishSound, to: english, .selectionFollower)
    return (edit, english)
  }

  @Test func addsSubtitlesAndServesRanges() throws {
    let (edit, english) = try edit()
    let plan = try edit.outputPlan(of: object, OutputLayout(isFastStart: true))
    #expect(plan.source == object.identity())

    // The client's view, in parts of 1000 bytes, each read from the plan alone.
    let output = PlannedSource(plan, of: object)
    var received: [UInt8] = []
    while received.count < Int(plan.byteCount) {
      let end = min(plan.byteCount, UInt64(received.count) + 1000)
      received += try output.read(ByteRange(UInt64(received.count)..<end)).array
    }
    let allowed = AllowedChanges.adding(english).with { $0.references = [2: ["folw"]] }
    #expect(try differences(old: object.bytes, new: received, allowing: allowed) == [])

    let movie = try Movie(of: StoredObject(name: "new.mov", eTag: "", bytes: received))
    let menu = try #require(movie.mediaSelectionGroups.first { $0.kind == .legible })
    #expect(menu.options.map(\.displayName) == ["Spanish", "English SDH — Full"])
    #expect(menu.defaultOption?.displayName == "Spanish")
    #expect(movie.track(2)?.referenced("folw") == [english])
    #expect(movie.findings.isEmpty)
  }

  @Test func copiesRangesWithinTheStore() throws {
    // An object store copies ranges of the old object itself, so only new bytes are uploaded.
    let plan = try edit().0.outputPlan(of: object, OutputLayout(isFastStart: true))
    var parts: [UInt8] = []
    var sent = 0
    for extent in plan.extents {
      switch extent.content {
      case .generated(let bytes):
        parts += bytes.array
        sent += bytes.count
      case .zeros(let count):
        parts += [UInt8](repeating: 0, count: Int(count))
      case .source(let range):
        #expect(extent.sourceRange == range)
        parts += object.bytes[Int(range.offset)..<Int(range.end)]
      }
    }
    #expect(parts == (try PlannedSource(plan, of: object).read(ByteRange(0..<plan.byteCount)).array))
    #expect(sent < parts.count)
    #expect(plan.outputOffset(ofSource: 0) == 0)
  }

  @Test func reportsImpossibleEdits() throws {
    let (edit, _) = try edit()
    #expect(try edit.inPlaceBlocker(of: object)?.contains("fast start") == true)
    #expect(throws: MovieError.self) { try edit.inPlacePlan(of: object) }
    let segment = StoredObject(name: "segment.m4s", eTag: "", bytes: atom("styp") + atom("moof") + atom("mdat"))
    do {
      _ = try Movie(of: segment)
      Issue.record("a segment is not a movie")
    } catch let error as MovieError {
      #expect(error.code == .notAMovie)
      #expect(error.code.rawValue == "not-a-movie")
    }
  }

  @Test func writesTheFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(TestMovie.simple.bytes(), as: "interview.mov")
    let source = try FileSource(path: path)
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    let english = try edit.add(SubtitleInput(cues: SubRipReader.read(subtitles).cues, language: LanguageTag("en")))
    try edit.addToSubtitleGroup(english, asDefault: false)
    let writer = try MovieFileWriter(edit, to: .sourceFile(path))
    guard case .inPlace(let plan) = writer.verifiedPlan else {
      Issue.record("a movie whose header stands last is edited in place")
      return
    }
    #expect(writer.byteCountToWrite == plan.byteCount && writer.notices.isEmpty)
    try writer.write()
    #expect(UInt64(try folder.read("interview.mov").count) == writer.outputByteCount)
    let allowed = AllowedChanges.adding(english).with { $0.movieMoved = true }
    #expect(try differences(old: TestMovie.simple.bytes(), new: folder.read("interview.mov"), allowing: allowed) == [])
  }

  @Test func streamsAMovie() throws {
    let received = Mutex<[UInt8]>([])
    let sink = StreamSink { block in received.withLock { $0 += block } }
    let writer = try MovieFileWriter(edit().0, to: .stream(sink))
    #expect(writer.plan.byteCount == writer.outputByteCount)
    #expect(try writer.write().bytesWritten == writer.outputByteCount)
    let bytes = received.withLock { $0 }
    #expect(try bytes == PlannedSource(writer.plan, of: object).read(ByteRange(0..<writer.outputByteCount)).array)
  }

  @Test func leavesNothingAfterACancelledTask() async throws {
    for (layout, name) in [
      ([TestMovie.Piece].movieFirst, "in.mov"), (.movieFirst, "out.mov"), (.movieLast, "in.mov"),
    ] {
      let folder = try TemporaryFolder()
      let old = TestMovie.talk.with { $0.layout = layout }.bytes()
      let path = try folder.write(old, as: "in.mov")
      let cues = try SubRipReader.read(subtitles).cues
      let target = folder.file(name)
      await #expect(throws: CancellationError.self) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.cancelAll()  // The client that waited for the movie has disconnected.
          group.addTask {
            let source = try FileSource(path: path)
            var edit = try MovieEdit(of: Movie(of: source), from: source)
            _ = try edit.add(SubtitleInput(cues: cues, language: LanguageTag("en")))
            let isItself = target == path
            let writer = try MovieFileWriter(
              edit, to: isItself ? .sourceFile(path) : .newFile(target, overwrites: false, synchronizes: false))
            try await writer.write()
          }
          try await group.waitForAll()
        }
      }
      #expect(try folder.names() == ["in.mov"] && folder.read("in.mov") == old)
    }
  }

  /// Returns a writer of a movie with subtitles, for `out.mov`.
  private func plannedInTask(_ folder: TemporaryFolder) async throws -> MovieFileWriter {
    let source = try FileSource(path: folder.write(TestMovie.talk, as: "in.mov"))
    var edit = try await MovieEdit(of: Movie.load(from: source), from: source)
    _ = try edit.add(SubtitleInput(cues: SubRipReader.read(subtitles).cues, language: LanguageTag("en")))
    return try await MovieFileWriter.plan(
      edit, to: .newFile(folder.file("out.mov"), overwrites: false, synchronizes: false))
  }

  @Test func writesAMovieInATask() async throws {
    let folder = try TemporaryFolder()
    let report = try await plannedInTask(folder).write { done, planned in #expect(done <= planned) }
    #expect(report.bytesWritten > 0)
    #expect(try Movie(of: FileSource(path: folder.file("out.mov"))).tracks.count == 5)
  }

  /// An error thrown by a task's progress closure cancels the work, even halfway.
  @Test func cancelsATaskByAnErrorInItsProgress() async throws {
    let folder = try TemporaryFolder()
    let writer = try await plannedInTask(folder)
    await #expect(throws: CancellationError.self) { try await writer.write { _, _ in throw CancellationError() } }
    #expect(try folder.names() == ["in.mov"])
  }

  @Test func writesAMovieJustWithinTheLimits() throws {
    let source = TestMovie.simple.source
    var limits = MovieLimits()
    limits.topLevelAtomCount = TestMovie.simple.layout.count
    var edit = try MovieEdit(of: Movie(of: source, limits: limits), from: source)
    _ = try edit.add(SubtitleInput(cues: SubRipReader.read(subtitles).cues, language: LanguageTag("en")))
    let output = MovieFileWriter.Output.newFile("out.mov", overwrites: false, synchronizes: false)
    #expect(try MovieFileWriter(edit, to: output).outputByteCount > UInt64(source.bytes.count))
  }

  // MARK: - The examples of the main types' documentation

  @Test func runsExamplesOfMovieBox() throws {
    let atom = Bytes([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])
    #expect(atom.load(at: 0, as: UInt32.self) == 8)

    var writer = ByteWriter()
    writer.atom("free") { $0.writeZeros(4) }
    #expect(writer.bytes == [0, 0, 0, 12, 0x66, 0x72, 0x65, 0x65, 0, 0, 0, 0])

    let type: FourCC = "moov"
    #expect(type.rawValue == 0x6D6F_6F76)

    let bytes = Bytes([0, 0, 0, 16, 0x6D, 0x6F, 0x6F, 0x76, 0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])  // moov(free)
    let tree = try AtomTree(bytes, at: 0)
    #expect(tree.path(of: 1) == "moov/free")

    let movie = try Movie(of: object)
    var lines: [String] = []
    for track in movie.tracks where track.mediaType == .audio {
      lines.append("\(track.id) \(track.language?.description ?? "und")")
    }
    #expect(lines == ["2 en", "3 es"])

    let sdh: [MediaCharacteristic] = [.transcribesSpokenDialog, .describesMusicAndSound]
    #expect(sdh[0].rawValue == "public.accessibility.transcribes-spoken-dialog")
  }

  @Test func runsExamplesOfMovieWriter() throws {
    let source = MemorySource(Bytes([1, 2, 3, 4, 5]))
    let plan = try OutputPlan(of: source.identity(), [.generated(Bytes([9])), .source(ByteRange(2..<5))])
    #expect(plan.byteCount == 4)
    #expect(plan.outputOffset(ofSource: 4) == 3)

    let file = try SubRipReader.read(Array("00:00:01,000 --> 00:00:02,500\nHello\n".utf8))
    #expect(file.cues[0].text.text == "Hello")

    let cues = [Cue(startMilliseconds: 1_000, endMilliseconds: 2_500, text: StyledText("Who is there?"))]
    var english = SubtitleInput(cues: cues, language: LanguageTag("en"))
    english.mediaCharacteristics = MediaCharacteristic.sdh
    #expect(english.mediaType == .subtitle)

    let group = TrackGroup(members: [4, 5], defaultMember: 4)
    #expect(group.members.contains(4))
    let text = StyledText("Who is there?", runs: [StyledText.Run(0..<3, StyledText.Style(isItalic: true))])
    #expect(text?.runs.count == 1)
  }

  @Test func readsTextOnTheScreen() throws {
    let source = object
    let movie = try Movie(of: source)
    let track = try #require(movie.tracks.first { TextTrackReader.canRead($0) && $0.mediaType == .subtitle })
    let output = LegibleOutput(try TextTrackReader(track, of: movie).read(from: source))
    let shown = try #require(output.first)
    #expect(output.texts(atMilliseconds: shown.startMilliseconds) == [shown])
    #expect(shown.runs.map(\.foregroundColor) == [.white])
    #expect(shown.alignment == .center && shown.linePositionInPercent == 85 && !shown.isForced)
    #expect(output.nextChange(afterMilliseconds: shown.startMilliseconds) == shown.endMilliseconds)
    var index: [String: Int64] = [:]
    for text in output { index[text.text] = text.startMilliseconds }
    #expect(index.count == output.count)
  }
}

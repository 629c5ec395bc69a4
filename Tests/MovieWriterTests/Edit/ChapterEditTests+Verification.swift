import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

// Plans that verification rejects.
extension ChapterEditTests {
  @Test func rejectsAPlanWithOtherChapters() throws {
    let movie = TestMovie.podcast()
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    var chapters = Self.twoLanguages
    chapters[0].image = .data(Bytes(jpegPicture(8, 6)))
    chapters[0].link = "https://a.example/x"
    try edit.setChapters(chapters)
    let layout = OutputLayout()
    let plan = try edit.outputPlan(of: movie.source, layout)
    var resolved = try edit.resolved(isInterleaved: false)
    func check() throws {
      try PlanChecker.check(plan, of: resolved, strategy: .rewrite(layout), source: movie.source)
    }
    try check()
    let wanted = try #require(resolved.requestedChapters)
    #expect(wanted.chapters == chapters)  // As requested, not as written.
    func changed(writesNero: Bool = true, _ change: (inout [Chapter]) -> Void = { _ in }) -> RequestedChapters {
      var other = wanted
      change(&other.chapters)
      other.writesNero = writesNero
      return other
    }
    for other in [
      changed { $0[0].titles[0].text = "Other" }, changed { $0[1].titles[1].language = LanguageTag("fr") },
      changed { $0[0].titles.removeLast() },
      changed { $0[1].titles.append(.init("Deux", language: LanguageTag("fr"))) },
      changed { $0[1].startMilliseconds = 751 }, changed { $0.removeLast() },
      changed { $0[1].image = .data(Bytes(jpegPicture(9, 6))) }, changed { $0[0].link = "https://a.example/y" },
      changed { $0[1].link = "https://a.example/y" }, changed(writesNero: false), .none,
    ] {
      resolved.requestedChapters = other
      let error = #expect(throws: MovieError.self) { try check() }
      #expect(error?.code == .planCheckFailed)
    }
  }

  /// The result of an edit with one deliberate mistake.
  @Test func rejectsChaptersThatPlayersWouldNotFind() throws {
    let movie = TestMovie.podcast().with { $0.tracks.append(TestTrack(.video, id: 5)) }
    let mistakes: [(String, (inout MovieEdit) throws -> Void)] = [
      ("does not refer to the new chapter tracks", { $0.tracks[0].references["chap"] = nil }),
      ("does not refer to the new chapter tracks", { $0.tracks[0].references["chap"]?.reverse() }),
      ("for subtitles", { $0.tracks[$0.tracks.count - 1].alternateGroup = 1 }),
      ("for subtitles", { $0.tracks[$0.tracks.count - 1].isEnabled = true }),
      ("0 chapter lists", { $0.changes.metadata.edits.added = [] }),
      (
        "differs from the chapter track",
        {
          let list = NeroChapters.list(of: [
            Chapter(startMilliseconds: 0, title: "One ü"), Chapter(startMilliseconds: 751, title: "Two"),
          ])
          let content = MetadataContent(Bytes(list.list.payloadBytes))
          $0.changes.metadata.edits.added = [
            NewMetadataItem(
              MetadataIdentifier(.isoUserData, key: "chpl"), content, language: nil, trackID: nil)
          ]
        }
      ),
    ]
    for (reason, mistake) in mistakes {
      var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
      try edit.setChapters(Self.titles.chapters)
      try mistake(&edit)
      let error = #expect(throws: MovieError.self) { try edit.outputPlan(of: movie.source) }
      #expect(error?.code == .planCheckFailed && error?.reason.contains(reason) ?? false, "\(error as Any) \(reason)")
    }
  }
}

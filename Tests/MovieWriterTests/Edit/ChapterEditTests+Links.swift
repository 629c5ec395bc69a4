import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

// Links of chapters.
extension ChapterEditTests {
  @Test func writesLinksAsATrack() throws {
    var chapters = Self.titles.chapters
    chapters[1].link = "https://a.example/x"
    let movie = TestMovie.simple
    for (_, list, _) in try edited(
      movie, allowing: adding(3, 4), { try $0.setChapters(chapters) })
    {
      #expect(
        list.chapters.map(\.link) == [nil, "https://a.example/x"] && list.forms.map(\.kind) == [.titles, .links])
    }
  }

  /// Texts of link tracks that this program wrote are titles, for programs that show them as titles. Therefore links are
  /// kept with new titles if chapters begin at the same times.
  @Test func keepsLinksOfChaptersWithEqualStarts() throws {
    var chapters = Self.titles.chapters
    (chapters[0].link, chapters[1].link) = ("https://a.example/1", "https://a.example/2")
    let first = try edited(
      .simple, allowing: adding(3, 4), { try $0.setChapters(chapters) })
    let old = MemorySource(Bytes(try #require(first.first).bytes))
    let links = try Movie(of: old).readChapters(from: old).forms.filter { $0.kind == .links }
    #expect(links.map(\.repeatsTitles) == [true] && links.map(\.count) == [2])

    var edit = try MovieEdit(of: Movie(of: old), from: old)
    let new = [Chapter(startMilliseconds: 0, title: "Eins"), Chapter(startMilliseconds: 800, title: "Zwei")]
    try edit.setChapters(new)
    #expect(
      edit.notices.filter(\.isWarning).map(\.message) == [
        "1 link of old chapters is dropped, because no new chapter begins at the same time"
      ])
    let output = MemorySource(Bytes(try edit.outputPlan(of: old).rendered(from: old)))
    let list = try Movie(of: output).chapters(from: output)
    #expect(list.chapters.map(\.link) == ["https://a.example/1", nil] && texts(list) == [["Eins"], ["Zwei"]])
    #expect(list.forms.map(\.kind) == [.titles, .links] && list.forms.map(\.trackID) == [5, 6])
  }

  @Test func distinguishesURLTitlesFromLinks() throws {
    var chapters = Self.titles.chapters
    chapters[0].titles[0].text = "https://a.example/title"
    for index in 0..<2 {
      var linked = chapters
      linked[index].link = "https://a.example/link"
      for (_, list, _) in try edited(
        .simple, allowing: adding(3, 4), { try $0.setChapters(linked) })
      {
        #expect(texts(list) == [["https://a.example/title"], ["Two"]] && list.forms.map(\.kind) == [.titles, .links])
        #expect(list.chapters[index].link == "https://a.example/link")
      }
    }
  }
}

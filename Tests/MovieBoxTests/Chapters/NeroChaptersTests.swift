import MovieBox
import TestSupport
import Testing

/// The list in user data: all known interpretations, and the limits of the format.
struct NeroChaptersTests {
  private func entries(_ titles: [String]) -> [UInt8] {
    titles.enumerated().flatMap { u64(UInt64($0.offset) * 10_000_000) + pascalString($0.element) }
  }

  private func titles(_ payload: [UInt8]) throws -> [String?] {
    try NeroChapters(payload: Bytes(payload)).chapters.map { $0.title() }
  }

  @Test func readsEveryInterpretationOfTheList() throws {
    let entries = entries(["One", "Zwei ü"])
    #expect(try titles(u8(1, 0, 0, 0) + u32(0) + u8(2) + entries) == ["One", "Zwei ü"])
    #expect(try titles(u8(0, 0, 0, 0) + u8(2) + entries) == ["One", "Zwei ü"])
    #expect(try titles(u8(0, 0, 0, 0) + u32(0) + u8(2) + entries) == ["One", "Zwei ü"])
    let many = self.entries((0..<300).map { "Chapter \($0)" })
    #expect(try titles(u8(1, 0, 0, 0) + u8(0) + u32(300) + many).count == 300)
  }

  @Test func roundsTimesToMilliseconds() throws {
    let payload = u8(1, 0, 0, 0) + u32(0) + u8(2) + u64(14_999) + u8(0) + u64(15_000) + u8(0)
    #expect(try NeroChapters(payload: Bytes(payload)).chapters.map(\.startMilliseconds) == [1, 2])
  }

  @Test func countsMissingChapters() throws {
    let whole = u8(1, 0, 0, 0) + u32(0) + u8(3) + entries(["One", "Two", "Three"])
    for count in 0..<whole.count {
      guard count >= 5 else {
        #expect(throws: MovieError.self) { try NeroChapters(payload: Bytes(Array(whole.prefix(count)))) }
        continue
      }
      let list = try? NeroChapters(payload: Bytes(Array(whole.prefix(count))))
      #expect((list?.entries.count ?? 0) <= 3)
    }
    let cut = try NeroChapters(payload: Bytes(Array(whole.dropLast())))
    #expect(cut.entries.count == 2 && cut.missingCount == 1)
  }

  @Test func writesTheFirst255Chapters() throws {
    let chapters = (0..<300).map { Chapter(startMilliseconds: Int64($0), title: "Chapter \($0)") }
    let (list, notices) = NeroChapters.list(of: chapters)
    #expect(try NeroChapters(payload: Bytes(list.payloadBytes)).entries.count == 255)
    #expect(notices.map(\.code) == ["nero-list-cut"])
  }

  @Test func truncatesLongTitlesAtACharacter() throws {
    let title = String(repeating: "x", count: 254) + "ü"
    let (list, notices) = NeroChapters.list(of: [Chapter(startMilliseconds: 0, title: title)])
    let read = try NeroChapters(payload: Bytes(list.payloadBytes))
    #expect(read.chapters[0].title() == String(title.dropLast()) && notices.map(\.code) == ["nero-title-cut"])
  }
}

import Testing

@testable import MovtoolCommands

struct TextTableTests {
  @Test func alignsColumns() {
    var table = TextTable([.init("id", .right), .init("name"), .init("size", .right)])
    table.add(["1", "日本", "10"])
    table.add(["12", "e\u{301}", "9"])
    #expect(
      table.lines == [
        "id  name  size",
        " 1  日本    10",
        "12  e\u{301}        9",
      ])
  }

  @Test func trimsTrailingBlanks() {
    var table = TextTable([.init("a"), .init("note")])
    table.add(["1", ""])
    #expect(table.lines == ["a  note", "1"])
  }

  @Test func omitsAnEmptyColumn() {
    var table = TextTable([.init("a"), .init(""), .init("b")])
    table.add(["1", "", "2"])
    #expect(table.lines == ["a  b", "1  2"])
  }

  @Test func escapesControlCharactersInCells() {
    var table = TextTable([.init("a"), .init("b")])
    table.add(["\n", "x"])
    #expect(table.lines == ["a   b", "\\n  x"])
  }
}

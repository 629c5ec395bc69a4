import Subtitles
import TestSupport
import Testing

@testable import MovieBox

struct QuickTimeTextDescriptionTests {
  private let body =
    u32(0x2008, -1) + u16(0x1234, 0x5678, 0x9ABC) + u16(1, 2, 30, 400) + zeros(8) + u16(7, 6) + zeros(3)
    + u16(0xFFFF, 0x80FF, 0) + pascalString("Geneva")

  @Test func readsFieldsAtTheirPositions() {
    let description = QuickTimeTextDescription(entryBody: Bytes(body))
    #expect(description.displayFlags == 0x2008 && description.justification == -1)
    #expect(description.background == StyledText.Color(red: 0x12, green: 0x56, blue: 0x9A))
    #expect(description.defaultTextBox == Tx3gTextBox(top: 1, left: 2, bottom: 30, right: 400))
    #expect(description.face == [.italic, .underline])
    #expect(description.foreground == StyledText.Color(red: 255, green: 0x80, blue: 0))
  }

  @Test func readsMissingFieldsAsZero() {
    for count in 0..<body.count { _ = QuickTimeTextDescription(entryBody: Bytes(Array(body.prefix(count)))) }
    let empty = QuickTimeTextDescription(entryBody: Bytes())
    #expect(
      empty.displayFlags == 0 && empty.face == [] && empty.foreground == StyledText.Color(red: 0, green: 0, blue: 0))
  }
}

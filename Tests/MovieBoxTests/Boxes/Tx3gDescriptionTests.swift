@testable import MovieBox
import Subtitles
import Testing

struct Tx3gDescriptionTests {
  /// A description with every field, an unknown box, a byte after the fonts inside `ftab`, and a tail.
  private static let everything: [UInt8] = {
    var writer = ByteWriter()
    writer.write(UInt32(0xE004_0060))
    writer.write(Int8(1))
    writer.write(Int8(-1))
    writer.write([1, 2, 3, 4])
    for edge in [0, 0, 162, 1920] as [Int16] { writer.write(edge) }
    writer.write([0, 0, 0, 0, 0, 7, 5, 54, 255, 254, 253, 252])
    writer.atom("disp") { $0.write([0, 9]) }
    writer.atom("ftab") { atom in
      atom.write(UInt16(2))
      atom.write(UInt16(7))
      atom.write(UInt8(10))
      atom.write(utf8: "Sans-Serif")
      atom.write(UInt16(8))
      atom.write(UInt8(5))
      atom.write(utf8: "Serif")
      atom.write(UInt8(0))
    }
    writer.write([9, 9, 9])
    return writer.bytes
  }()

  @Test func readsEveryField() throws {
    let description = try Tx3gDescription(payload: Bytes(Self.everything))
    #expect(description.displayFlags.contains(.forcedOnly))
    #expect(description.displayFlags.rawValue == 0xE004_0060 && description.displayFlags.contains(.verticalPlacement))
    #expect(description.horizontalJustification == 1)
    #expect(description.verticalJustification == -1)
    #expect(description.background == StyledText.Color(red: 1, green: 2, blue: 3, alpha: 4))
    #expect(description.defaultTextBox == Tx3gTextBox(top: 0, left: 0, bottom: 162, right: 1920))
    #expect(description.defaultStyle.fontID == 7)
    #expect(description.defaultStyle.face == [.bold, .underline])
    #expect(description.defaultStyle.fontSize == 54)
    #expect(description.defaultStyle.color == StyledText.Color(red: 255, green: 254, blue: 253, alpha: 252))
    #expect(description.fonts == [Tx3gFont(id: 7, name: "Sans-Serif"), Tx3gFont(id: 8, name: "Serif")])
    #expect(description.boxes.map(\.type) == ["disp", "ftab"])
    #expect(description.tail == Bytes([9, 9, 9]))
  }

  @Test func writesUnchangedBytes() throws {
    let description = try Tx3gDescription(payload: Bytes(Self.everything))
    #expect(description.payloadBytes == Self.everything)
    #expect(try Tx3gDescription(payload: Bytes(description.payloadBytes)) == description)
  }

  @Test func throwsOrKeepsBytesOnEveryTruncation() {
    let boxStarts = [30, 40, 72]
    for count in 0..<Self.everything.count {
      let cut = Bytes(Array(Self.everything[..<count]))
      // Less than 8 bytes after the fixed part or a complete box are not a box and are kept.
      let isTail = boxStarts.contains { count >= $0 && count < $0 + 8 }
      do {
        let description = try Tx3gDescription(payload: cut)
        #expect(isTail, "\(count) bytes were accepted")
        #expect(description.payloadBytes == cut.array)
      } catch {
        #expect(error.code == .truncated)
        #expect(!isTail, "\(count) bytes were refused")
      }
    }
  }

  @Test func rejectsABoxSmallerThanItsHeader() throws {
    var bytes = Self.everything
    bytes[33] = 7
    #expect(throws: MovieError(.malformed, at: 30, "disp declares 7 bytes, but its header needs 8")) {
      try Tx3gDescription(payload: Bytes(bytes))
    }
    bytes[33] = 8
    #expect(throws: MovieError.self) { try Tx3gDescription(payload: Bytes(bytes)) }
  }

  @Test func keeps64BitSizesOfBoxes() throws {
    var bytes = Array(Self.everything[..<30])
    bytes += [0, 0, 0, 1, 0x66, 0x74, 0x61, 0x62, 0, 0, 0, 0, 0, 0, 0, 22, 0, 1, 0, 1, 1, 0x41]
    let description = try Tx3gDescription(payload: Bytes(bytes))
    #expect(description.fonts == [Tx3gFont(id: 1, name: "A")])
    #expect(description.payloadBytes == bytes)
    for size in [15, 23, 255] as [UInt8] {
      bytes[45] = size
      #expect(throws: MovieError.self) { try Tx3gDescription(payload: Bytes(bytes)) }
    }
    bytes.replaceSubrange(38..<46, with: repeatElement(0xFF, count: 8))
    #expect(throws: MovieError.self) { try Tx3gDescription(payload: Bytes(bytes)) }
  }

  @Test func rejectsAnOversizedFontTable() {
    #expect(Tx3gBox("ftab", payload: Bytes([0, 2, 0, 1, 1, 0x41])).fonts == nil)
    #expect(Tx3gBox("ftab", payload: Bytes([0, 1, 0, 1, 2, 0x41])).fonts == nil)
    #expect(Tx3gBox("ftab", payload: Bytes([0])).fonts == nil)
    #expect(Tx3gBox("ftab", payload: Bytes([0, 0])).fonts == [])
  }

  @Test func writesTheFontTable() {
    var writer = ByteWriter()
    Tx3gBox.fontTable([Tx3gFont(id: 1, name: "Sans-Serif")]).write(to: &writer)
    #expect(
      writer.bytes == [
        0, 0, 0, 0x17, 0x66, 0x74, 0x61, 0x62, 0, 1, 0, 1, 0x0A, 0x53, 0x61, 0x6E, 0x73, 0x2D, 0x53, 0x65, 0x72, 0x69,
        0x66,
      ])
  }

  @Test func recognizesATextEntryWithATx3gBody() throws {
    func isTimedText(_ body: [UInt8]) -> Bool { SampleEntry(format: "text", body: Bytes(body)).isTimedText }
    #expect(!isTimedText(Self.everything))  // The font table is not the first box.
    // FFmpeg's `text` entry in a .mov: flags, centred at the bottom, 16 points, "Arial".
    var foreign = ByteWriter()
    foreign.write([0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0xFF] + [UInt8](repeating: 0, count: 8))
    foreign.write([0, 0, 0, 0, 0, 1, 0, 16, 255, 255, 255, 255])
    Tx3gBox.fontTable([Tx3gFont(id: 1, name: "Arial")]).write(to: &foreign)
    #expect(isTimedText(foreign.bytes))
    #expect(try Tx3gDescription(payload: Bytes(foreign.bytes)).payloadBytes == foreign.bytes)
    // A QuickTime text entry: 43 bytes, colors with 16 bits per channel, a Pascal string.
    let quickTime = [0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0xFF, count: 6) + [UInt8](repeating: 0, count: 29)
    #expect(!isTimedText(quickTime))
    #expect(!isTimedText([]))
  }
}

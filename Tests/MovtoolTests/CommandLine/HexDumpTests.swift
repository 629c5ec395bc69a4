import MovieBox
import Testing

@testable import MovtoolCommands

struct HexDumpTests {
  private func text(_ bytes: [UInt8], at offset: UInt64) -> String {
    String(decoding: HexDump.lines(Bytes(bytes), at: offset), as: UTF8.self)
  }

  @Test func printsSixteenBytesPerLine() {
    #expect(
      text(Array(0x41...0x51), at: 0x1F8) == """
        000001f8  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  |ABCDEFGHIJKLMNOP|
        00000208  51                                                |Q|

        """)
    #expect(text([], at: 0) == "")
  }

  @Test func printsUnprintableBytesAsDots() {
    #expect(text([0, 0x1B, 0x7F, 0xFF], at: .max - 3).hasSuffix("  |....|\n"))
    #expect(text([0], at: 1 << 32).hasPrefix("100000000  00"))
  }
}

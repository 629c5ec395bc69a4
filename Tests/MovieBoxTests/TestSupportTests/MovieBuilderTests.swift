import TestSupport
import Testing

struct MovieBuilderTests {
  @Test func writesSizeTypeAndContent() {
    let bytes = movie { atom("moov") { atom("free") { u8(1, 2) } } }
    #expect(bytes == [0, 0, 0, 18] + Array("moov".utf8) + [0, 0, 0, 10] + Array("free".utf8) + [1, 2])
  }

  @Test func writesFalseSizesOnRequest() {
    let bad = movie { atom("moov") { atom("trak", claiming: 4) {} } }
    #expect(bad == u32(16) + code("moov") + u32(4) + code("trak"))
    #expect(atom("mdat", claiming: 1 << 40, header: .extended) == u32(1) + code("mdat") + u64(1 << 40))
  }

  @Test func writesAllThreeFormsOfHeaders() {
    #expect(atom("mdat", header: .extended) { u8(7) } == u32(1) + code("mdat") + u64(17) + [7])
    #expect(atom("mdat", header: .toTheEnd) { u8(7) } == u32(0) + code("mdat") + [7])
    #expect(fullAtom("stco", version: 1, flags: 2) { u32(3) } == u32(16) + code("stco") + [1, 0, 0, 2] + u32(3))
    #expect(atom(numbered: 2) == u32(8, 2))
  }

  @Test func writesNegativeNumbersAndMacintoshLetters() {
    #expect(u16(-1) == [255, 255])
    #expect(u32(-2) == [255, 255, 255, 254])
    #expect(code("©nam") == [0xA9, 0x6E, 0x61, 0x6D])
  }

  @Test func supportsConditionsAndLoops() {
    let deep = true
    let bytes = movie {
      for type in ["aaaa", "bbbb"] { atom(type) }
      if deep { atom("cccc") }
    }
    #expect(bytes == u32(8) + code("aaaa") + u32(8) + code("bbbb") + u32(8) + code("cccc"))
  }
}

import MovieBox
import Testing

struct FourCCTests {
  @Test func convertsBetweenTextAndNumber() throws {
    for (text, value) in [
      ("moov", 0x6D6F_6F76), ("url ", 0x7572_6C20), ("©nam", 0xA96E_616D), ("----", 0x2D2D_2D2D), ("0x00", 0x3078_3030),
    ] as [(String, UInt32)] {
      let code = try #require(FourCC(text))
      #expect(code.rawValue == value)
      #expect(code.description == text)
    }
    #expect(("©too" as FourCC).rawValue == 0xA974_6F6F)
  }

  @Test func writesAndReadsOtherBytesAsHexadecimal() throws {
    for value in [0, 1, 0x6D6F_6F00, 0xFFFF_FFFF, 0x7F41_4141] as [UInt32] {
      let text = FourCC(rawValue: value).description
      #expect(text.count == 10 && text.hasPrefix("0x"))
      #expect(FourCC(text)?.rawValue == value)
    }
    let lowercase = "0x0000000a"
    #expect(FourCC(lowercase) == FourCC(rawValue: 10))
  }

  @Test(arguments: [
    "", "moo", "moovs", "mööv", "0x1234567", "0x123456789", "0xGGGGGGGG", "0x+1234567", "0x-1234567", "\r\nabc", "日本語文",
  ])
  func rejectsOtherText(text: String) {
    #expect(FourCC(text) == nil)
  }
}

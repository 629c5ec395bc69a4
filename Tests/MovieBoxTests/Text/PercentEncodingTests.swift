import MovieBox
import Subtitles
import Testing

struct PercentEncodingTests {
  @Test func decodesEscapesAsBytes() {
    #expect(PercentEncoding.decoded("a%20b%C3%a4".utf8) == Array("a bä".utf8))
    for text in ["%", "%4", "%zz", "%+5", "a%2"] { #expect(PercentEncoding.decoded(text.utf8) == nil, "\(text)") }
  }

  @Test func keepsInvalidEscapes() {
    #expect(PercentEncoding.decoded("50%%20off%4".utf8, isStrict: false) == Array("50% off%4".utf8))
  }

  @Test func encodesReservedCharacters() {
    let text = PercentEncoding.encoded("a/ä~%".utf8, where: PercentEncoding.isUnreserved)
    #expect(text == "a%2F%C3%A4~%25")
    #expect(PercentEncoding.decoded(text.utf8) == Array("a/ä~%".utf8))
  }

  @Test func acceptsOnlyDigitsAsNumbers() {
    #expect(UInt32(digits: "007") == 7 && UInt8(digits: "ff", radix: 16) == 255)
    for text in ["", "+5", "-0", " 5", "5 ", "300", "１"] { #expect(UInt8(digits: text) == nil, "\(text)") }
    #expect(7.padded(to: 3) == "007" && 1234.padded(to: 3) == "1234")
  }
}

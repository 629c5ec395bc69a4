import Subtitles
import TestSupport
import Testing

struct EncodingGuessTests {
  private static let timing = "1\r\n00:00:01,000 --> 00:00:04,000\r\n<i>"

  private func encoded(_ text: String, as encoding: String) throws -> [UInt8] {
    let iconv = try Witness.require("iconv")
    let result = try iconv.run(["-f", "UTF-8", "-t", encoding], input: Array((Self.timing + text).utf8))
    #expect(result.code == 0, "\(encoding): \(result.errorText)")
    return result.output
  }

  @Test(arguments: EncodingSample.all)
  func detectsTheEncodingOfTwoLines(sample: EncodingSample) throws {
    for encoding in sample.encodings {
      let text = try SubtitleText(try encoded(sample.text, as: encoding))
      #expect(
        String(decoding: text.utf8, as: UTF8.self) == Self.timing + sample.text, "\(sample.language) in \(encoding)")
      #expect(text.notices.map(\.kind) == [.encodingGuessed])
    }
  }

  @Test(arguments: EncodingSample.all)
  func detectsTheEncodingWithAKnownLanguage(sample: EncodingSample) throws {
    for encoding in sample.encodings {
      let text = try SubtitleText(try encoded(sample.text, as: encoding), language: sample.language)
      #expect(
        String(decoding: text.utf8, as: UTF8.self) == Self.timing + sample.text, "\(sample.language) in \(encoding)")
    }
  }

  /// The language in the file name may be wrong.
  @Test(arguments: EncodingSample.all)
  func detectsTheEncodingDespiteAWrongLanguage(sample: EncodingSample) throws {
    // Six times the text, as evidence against the declared language.
    let text = Array(repeating: sample.text, count: 6).joined(separator: "\n")
    let wrong = sample.language == "en" ? "ru" : "en"
    let read = try SubtitleText(try encoded(text, as: sample.encodings[0]), language: wrong)
    #expect(String(decoding: read.utf8, as: UTF8.self) == Self.timing + text, "\(sample.language)")
  }

  @Test(
    arguments: [
      ("Café", "CP1252", nil), ("Łódź", "CP1250", "pl"), ("Řeka", "CP1250", "cs"), ("Да", "CP1251", "ru"),
      ("Нет", "KOI8-R", "ru"), ("Почему", "CP866", "ru"),
      ("Ναι", "CP1253", "el"), ("כן", "CP1255", "he"), ("نعم", "CP1256", "ar"), ("Şimdi", "CP1254", "tr"),
      ("Ačiū", "CP1257", "lt"), ("はい", "CP932", "ja"), ("是", "GB18030", "zh"), ("네", "CP949", "ko"),
      ("It’s – “fine”…", "CP1252", nil),
    ] as [(String, String, String?)])
  func detectsTheEncodingOfAWordInAKnownLanguage(word: String, encoding: String, language: String?) throws {
    let text = try SubtitleText(try encoded(word, as: encoding), language: language)
    #expect(String(decoding: text.utf8, as: UTF8.self) == Self.timing + word)
  }

  @Test func namesTheLanguageInTheReason() throws {
    let russian = try SubtitleText(try encoded("Где ты был?", as: "CP1251"), language: "ru")
    #expect(
      russian.notices.map(\.message) == [
        "the text is not UTF-8 (byte 37 is 0xC3), so its encoding is a guess: it is read as windows-1251, in which its letters fit Russian, the requested language"
      ])
    let japanese = try SubtitleText(try encoded("どこにいたんだ？", as: "CP932"))
    #expect(
      japanese.notices.map(\.message) == [
        "the text is not UTF-8 (byte 37 is 0x82), so its encoding is a guess: it is read as Shift_JIS, in which the text is Japanese"
      ])
  }
}

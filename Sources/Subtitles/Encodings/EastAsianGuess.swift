/// Finds Japanese, Chinese and Korean texts by the pairs that their bytes make.
struct EastAsianGuess {
  let encoding: TextEncoding
  /// The language, for a person.
  let language: String

  /// Fails when the bytes make no pairs in any of the encodings, or pairs that nobody would write.
  init?(_ bytes: ArraySlice<UInt8>, _ census: ByteCensus, language given: String?) {
    // Letters beyond ASCII are few among those of Latin writing, and all there is in East Asian.
    guard given.map(EastAsianGuess.languages.contains) == true || census.highCount * 2 >= census.asciiLetterCount else {
      return nil
    }
    if PairCount(bytes, .eucJP).isLikely(atLeast: 20, given == "ja") {
      (encoding, language) = (.eucJP, "Japanese")
    } else if PairCount(bytes, .shiftJIS).isLikely(atLeast: 20, given == "ja") {
      (encoding, language) = (.shiftJIS, "Japanese")
    } else if PairCount(bytes, .eucKR).isLikely(atLeast: 85, given == "ko") {
      (encoding, language) = (.eucKR, "Korean")
    } else {
      let big5 = PairCount(bytes, .big5)
      // Half of all pairs of Big5 have a second byte of ASCII; in texts of GB 18030 nearly none have.
      if big5.isLikely(atLeast: 75, given == "zh"), big5.lowTrailCount * 10 > big5.pairCount {
        (encoding, language) = (.big5, "Chinese in traditional characters")
      } else if PairCount(bytes, .gb18030).isLikely(atLeast: 70, given == "zh") {
        (encoding, language) = (.gb18030, "Chinese")
      } else {
        return nil
      }
    }
  }

  private static let languages: Set<String> = ["ja", "zh", "ko"]
}

/// The pairs of bytes that a text is cut into.
private struct PairCount {
  /// Pairs that are characters, punctuation aside.
  private(set) var pairCount = 0
  /// Those among them that ordinary texts are made of.
  private(set) var commonCount = 0
  /// Those whose second byte is one of ASCII.
  private(set) var lowTrailCount = 0
  /// Bytes that cannot stand where they do.
  private(set) var brokenCount = 0

  init(_ bytes: ArraySlice<UInt8>, _ encoding: TextEncoding) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let lead = bytes[index]
      let second = index + 1 < bytes.endIndex ? bytes[index + 1] : 0
      switch PairCount.length(lead, second, encoding) {
      case 0:
        brokenCount += 1
        index += 1
      case 1: index += 1
      case 2:
        if !PairCount.isPunctuation(lead, encoding) {
          pairCount += 1
          if PairCount.isCommon(lead, second, encoding) { commonCount += 1 }
          if second < 0x80 { lowTrailCount += 1 }
        }
        index += 2
      case let length: index = min(index + length, bytes.endIndex)
      }
    }
  }

  /// Whether enough pairs are common, in percent, and nothing or nearly nothing is broken: a file may have a slip of
  /// its writer. Where the language is given, one pair suffices, and more may be broken; four are as many as another
  /// encoding makes by chance in a short text.
  func isLikely(atLeast percent: Int, _ isGiven: Bool) -> Bool {
    guard pairCount >= (isGiven ? 1 : 4), brokenCount * (isGiven ? 50 : 500) <= pairCount else { return false }
    return commonCount * 100 >= pairCount * percent
  }

  /// How many bytes the character has that begins with these two; 0 where none does.
  private static func length(_ lead: UInt8, _ second: UInt8, _ encoding: TextEncoding) -> Int {
    if lead < 0x80 { return 1 }
    let isHigh = (0xA1...0xFE).contains(second)
    switch encoding {
    case .eucJP:
      if lead == 0x8F { return isHigh ? 3 : 0 }
      if lead == 0x8E { return (0xA1...0xDF).contains(second) ? 2 : 0 }
      return (0xA1...0xFE).contains(lead) && isHigh ? 2 : 0
    case .shiftJIS:
      if (0xA1...0xDF).contains(lead) { return 1 }
      let isLead = (0x81...0x9F).contains(lead) || (0xE0...0xFC).contains(lead)
      return isLead && (0x40...0xFC).contains(second) && second != 0x7F ? 2 : 0
    case .eucKR:
      let isLow = (0x41...0x5A).contains(second) || (0x61...0x7A).contains(second)
      return (0x81...0xFE).contains(lead) && (isLow || (0x81...0xFE).contains(second)) ? 2 : 0
    case .big5:
      return (0x81...0xFE).contains(lead) && (isHigh || (0x40...0x7E).contains(second)) ? 2 : 0
    default:
      guard (0x81...0xFE).contains(lead) else { return 0 }
      if Ascii.isDigit(second) { return 4 }
      return (0x40...0xFE).contains(second) && second != 0x7F ? 2 : 0
    }
  }

  private static func isPunctuation(_ lead: UInt8, _ encoding: TextEncoding) -> Bool {
    encoding == .shiftJIS ? lead == 0x81 : (0xA1...0xA3).contains(lead)
  }

  /// Kana, hangul, and the half of the Chinese characters that is used most.
  private static func isCommon(_ lead: UInt8, _ second: UInt8, _ encoding: TextEncoding) -> Bool {
    switch encoding {
    case .eucJP: lead == 0xA4 || lead == 0xA5
    case .shiftJIS: lead == 0x82 && second >= 0x9F || lead == 0x83 && second <= 0x96
    case .eucKR: (0xB0...0xC8).contains(lead) && second >= 0xA1
    case .big5: (0xA4...0xC6).contains(lead)
    default: (0xB0...0xD7).contains(lead) && second >= 0xA1
    }
  }
}

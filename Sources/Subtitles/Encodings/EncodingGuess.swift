/// The most likely encoding of a text that is not UTF-8.
///
/// East Asian encodings betray themselves: their bytes come in pairs that other texts soon break. Any byte is a
/// character in the others, so that one is taken whose letters are those of some language, as often as that language
/// uses them.
struct EncodingGuess {
  /// The guessed encoding.
  let encoding: TextEncoding
  /// The reason for the guess, for a person. It continues the sentence "read as windows-1251, ".
  let reason: String

  /// The number of bytes of a text that are examined. More changes nothing.
  private static let lookedAt = 1 << 20

  /// Guesses from the bytes, and the language where that is known, as a BCP 47 tag.
  init(_ bytes: [UInt8], language tag: String?) {
    let language = tag.map { $0.prefix { $0 != "-" }.lowercased() }
    let head = bytes.prefix(EncodingGuess.lookedAt)
    let census = ByteCensus(head)
    if let guess = EastAsianGuess(head, census, language: language) {
      encoding = guess.encoding
      reason = "in which it is \(guess.language)"
      return
    }
    let fit = LetterFit.best(census, language: language)
    encoding = fit.encoding
    reason =
      fit.isPoor
      ? "though its letters fit no known language well, and \(fit.language) least badly"
      : fit.isGivenLanguage
        ? "in which its letters fit \(fit.language), the language that was given"
        : "in which its letters fit \(fit.language) best"
  }
}

/// The frequencies of the bytes in a text.
struct ByteCensus {
  /// A count for each of the 256 bytes.
  let counts: [Int]
  /// The number of ASCII letters.
  let asciiLetterCount: Int
  /// The number of bytes from 0x80 on.
  let highCount: Int

  init(_ bytes: ArraySlice<UInt8>) {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    self.counts = counts
    highCount = counts[0x80...].reduce(0, +)
    asciiLetterCount = (UInt8(0)..<0x80).filter(Ascii.isLetter).reduce(0) { $0 + counts[Int($1)] }
  }
}

/// The fit of a text's letters, in one encoding, to a language.
private struct LetterFit {
  let encoding: TextEncoding
  let language: String
  let isGivenLanguage: Bool
  /// In 64ths of a bit: how unlikely the text is.
  let cost: Int
  /// Whether hardly any text of the language is so unlikely.
  let isPoor: Bool

  static func best(_ census: ByteCensus, language given: String?) -> LetterFit {
    var best: LetterFit?
    for language in LanguageLetters.all {
      let isGiven = given.map { language.isMatched(by: $0) } ?? false
      let costs = language.costs
      for (encoding, penalty) in language.alphabet.encodings {
        guard let characters = encoding.upperHalf else { continue }
        var cost = census.asciiLetterCount * language.costOfASCII + 16 * penalty - (isGiven ? 16 * givenBonus : 0)
        for (index, unit) in characters.enumerated() where census.counts[0x80 + index] > 0 {
          cost += census.counts[0x80 + index] * 16 * Self.cost(of: UInt32(unit), costs)
        }
        if best.map({ cost < $0.cost }) ?? true {
          // The mean cost of a letter beyond ASCII, in quarters of a bit.
          let share = (cost - census.asciiLetterCount * language.costOfASCII) / 16 / max(1, census.highCount)
          best = LetterFit(
            encoding: encoding, language: language.name, isGivenLanguage: isGiven, cost: cost,
            isPoor: share > (language.hasLettersOfASCII ? poorLatinCost : poorCost))
        }
      }
    }
    return best ?? LetterFit(encoding: .windows1252, language: "English", isGivenLanguage: false, cost: 0, isPoor: true)
  }

  /// The bonus of the declared language, in quarters of a bit: two or three letters that it does not have, each of
  /// which costs some 45 more than one that it has.
  private static let givenBonus = 120

  /// The largest cost of a letter in a text that fits, in quarters of a bit: the mean is 18 to 24.
  private static let poorCost = 36
  /// The same for Latin writing, where letters beyond ASCII are rare.
  private static let poorLatinCost = 70

  /// Quarters of a bit.
  private static func cost(of value: UInt32, _ letters: [UInt32: Int]) -> Int {
    if let cost = letters[value] { return cost }
    guard value != 0xFFFD, let scalar = Unicode.Scalar(value) else { return 120 }
    if value < 0xA0 { return 100 }  // Control characters, which nobody writes.
    let properties = scalar.properties
    if properties.isAlphabetic, !punctuation.contains(scalar) {
      let lower = properties.lowercaseMapping.unicodeScalars.first.map { letters[$0.value] } ?? nil
      // Capitals are about an eighth as frequent.
      return lower.map { $0 + 12 } ?? 64
    }
    return punctuation.contains(scalar) ? 28 : 62
  }

  private static let punctuation: Set<Unicode.Scalar> = [
    "\u{A0}", "¡", "¿", "«", "»", "‘", "’", "‚", "“", "”", "„", "–", "—", "…", "•", "·", "°", "ª", "º", "€", "£", "©",
    "®", "™",
    "§",
  ]
}

extension LanguageLetters {
  /// Whether a language code means this language; several mean Norwegian, and some use the letters of another.
  fileprivate func isMatched(by code: String) -> Bool {
    let relatives = ["no": "nb", "nn": "nb", "bs": "hr", "mk": "sr", "gl": "pt"]
    return code == self.code || relatives[code] == self.code
  }
}

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
  /// The number of common characters among them.
  private(set) var commonCount = 0
  /// The number of characters whose second byte is ASCII.
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

  /// Returns the number of bytes of the character that begins with these two; 0 if there is none.
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

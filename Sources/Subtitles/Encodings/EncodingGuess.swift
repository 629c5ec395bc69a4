/// The most likely encoding of a text that is not UTF-8.
///
/// Multibyte encodings of East Asia are recognized by their byte pairs, because a text in another encoding soon
/// contains invalid pairs. In single-byte encodings, every byte is a character. The guess is the encoding in which the
/// frequencies of letters are most similar to the frequencies in a language.
struct EncodingGuess {
  let encoding: TextEncoding
  /// The reason for the guess, for messages. It continues the sentence "read as windows-1251, ".
  let reason: String

  /// The number of examined bytes. More bytes do not change the guess.
  private static let examinedByteCount = 1 << 20

  /// Guesses the encoding from the bytes and, if known, the language as a BCP 47 tag.
  init(_ bytes: [UInt8], language tag: String?) {
    let language = tag.map { $0.prefix { $0 != "-" }.lowercased() }
    let head = bytes.prefix(EncodingGuess.examinedByteCount)
    let census = ByteCensus(head)
    if let guess = EastAsianGuess(head, census, language: language) {
      encoding = guess.encoding
      reason = "in which the text is \(guess.language)"
      return
    }
    let fit = LetterFit.best(census, language: language)
    encoding = fit.encoding
    reason =
      fit.isPoor
      ? "although its letters fit no known language well; the best match is \(fit.language)"
      : fit.isRequestedLanguage
        ? "in which its letters fit \(fit.language), the requested language"
        : "in which its letters best fit \(fit.language)"
  }
}

/// The frequencies of the bytes in a text.
struct ByteCensus {
  /// The count of each byte value.
  let counts: [Int]
  let asciiLetterCount: Int
  /// The number of bytes from 0x80 to 0xFF.
  let nonASCIICount: Int

  init(_ bytes: ArraySlice<UInt8>) {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    self.counts = counts
    nonASCIICount = counts[0x80...].reduce(0, +)
    asciiLetterCount = (UInt8(0)..<0x80).filter(Ascii.isLetter).reduce(0) { $0 + counts[Int($1)] }
  }
}

/// The probability that a text is in one encoding and one language.
private struct LetterFit {
  let encoding: TextEncoding
  let language: String
  let isRequestedLanguage: Bool
  /// The improbability of the text, in 1/64 bit. A lower cost is a better fit.
  let cost: Int
  /// Whether the text is more improbable than almost every text in the language.
  let isPoor: Bool

  static func best(_ census: ByteCensus, language given: String?) -> LetterFit {
    var bestFit: LetterFit?
    for language in LanguageLetters.all {
      let isRequested = given.map { language.isMatched(by: $0) } ?? false
      let costs = language.costs
      for (encoding, penalty) in language.alphabet.encodings {
        guard let characters = encoding.upperHalf else { continue }
        var cost =
          census.asciiLetterCount * language.asciiCost + 16 * penalty - (isRequested ? 16 * requestedLanguageBonus : 0)
        for (index, unit) in characters.enumerated() where census.counts[0x80 + index] > 0 {
          cost += census.counts[0x80 + index] * 16 * Self.cost(of: UInt32(unit), costs)
        }
        if bestFit.map({ cost < $0.cost }) ?? true {
          // The mean cost of a character that is not ASCII, in quarters of a bit.
          let share = (cost - census.asciiLetterCount * language.asciiCost) / 16 / max(1, census.nonASCIICount)
          bestFit = LetterFit(
            encoding: encoding, language: language.name, isRequestedLanguage: isRequested, cost: cost,
            isPoor: share > (language.hasASCIILetters ? maximumMeanLatinCost : maximumMeanCost))
        }
      }
    }
    return bestFit
      ?? LetterFit(encoding: .windows1252, language: "English", isRequestedLanguage: false, cost: 0, isPoor: true)
  }

  /// The amount by which the cost of the requested language is reduced, in quarters of a bit. It compensates for two or
  /// three letters that do not occur in the language. Each of these letters costs about 45 more than other letters.
  private static let requestedLanguageBonus = 120

  /// The maximum mean cost of a character in a matching text, in quarters of a bit. The mean cost is usually 18 to 24.
  private static let maximumMeanCost = 36
  /// The maximum mean cost for languages in Latin script. Characters that are not ASCII are rare in these languages.
  private static let maximumMeanLatinCost = 70

  /// Returns the cost of a character in quarters of a bit.
  private static func cost(of value: UInt32, _ letters: [UInt32: Int]) -> Int {
    if let cost = letters[value] { return cost }
    guard value != 0xFFFD, let scalar = Unicode.Scalar(value) else { return 120 }
    if value < 0xA0 { return 100 }  // Control characters do not occur in texts.
    let properties = scalar.properties
    if properties.isAlphabetic, !punctuation.contains(scalar) {
      let lower = properties.lowercaseMapping.unicodeScalars.first.map { letters[$0.value] } ?? nil
      // A capital letter is about an eighth as frequent as its lowercase letter, so it costs 3 bits more.
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
  /// Whether this entry applies to the language with the code `code`. Norwegian has several codes, and some languages
  /// use the letters of another language.
  fileprivate func isMatched(by code: String) -> Bool {
    let relatives = ["no": "nb", "nn": "nb", "bs": "hr", "mk": "sr", "gl": "pt"]
    return code == self.code || relatives[code] == self.code
  }
}

/// Detects Japanese, Chinese and Korean texts by their byte pairs.
struct EastAsianGuess {
  let encoding: TextEncoding
  /// The name of the language, for messages.
  let language: String

  /// Guesses the encoding. Returns `nil` if the byte pairs are not plausible in any of the encodings.
  init?(_ bytes: ArraySlice<UInt8>, _ census: ByteCensus, language given: String?) {
    // Don't examine a text in a Latin script. Most of its letters are ASCII, but almost no letters of an East Asian
    // text are ASCII.
    guard given.map(EastAsianGuess.languages.contains) == true || census.nonASCIICount * 2 >= census.asciiLetterCount
    else {
      return nil
    }
    if PairCount(bytes, .eucJP).isLikely(atLeast: 20, isRequested: given == "ja") {
      (encoding, language) = (.eucJP, "Japanese")
    } else if PairCount(bytes, .shiftJIS).isLikely(atLeast: 20, isRequested: given == "ja") {
      (encoding, language) = (.shiftJIS, "Japanese")
    } else if PairCount(bytes, .eucKR).isLikely(atLeast: 85, isRequested: given == "ko") {
      (encoding, language) = (.eucKR, "Korean")
    } else {
      let big5 = PairCount(bytes, .big5)
      // The second byte is ASCII in half of all Big5 pairs, but almost never in GB 18030. So a text with few of these
      // pairs is not Big5.
      if big5.isLikely(atLeast: 75, isRequested: given == "zh"), big5.asciiSecondByteCount * 10 > big5.pairCount {
        (encoding, language) = (.big5, "Chinese in traditional characters")
      } else if PairCount(bytes, .gb18030).isLikely(atLeast: 70, isRequested: given == "zh") {
        (encoding, language) = (.gb18030, "Chinese")
      } else {
        return nil
      }
    }
  }

  private static let languages: Set<String> = ["ja", "zh", "ko"]
}

/// Statistics of the byte pairs in a text.
private struct PairCount {
  /// The number of pairs that are characters, excluding punctuation.
  private(set) var pairCount = 0
  /// The number of common characters among the pairs.
  private(set) var commonCount = 0
  /// The number of characters whose second byte is ASCII.
  private(set) var asciiSecondByteCount = 0
  /// The number of bytes that are invalid at their position.
  private(set) var invalidByteCount = 0

  init(_ bytes: ArraySlice<UInt8>, _ encoding: TextEncoding) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let lead = bytes[index]
      let second = index + 1 < bytes.endIndex ? bytes[index + 1] : 0
      switch PairCount.length(lead, second, encoding) {
      case 0:
        invalidByteCount += 1
        index += 1
      case 1: index += 1
      case 2:
        if !PairCount.isPunctuation(lead, encoding) {
          pairCount += 1
          if PairCount.isCommon(lead, second, encoding) { commonCount += 1 }
          if second < 0x80 { asciiSecondByteCount += 1 }
        }
        index += 2
      case let length: index = min(index + length, bytes.endIndex)
      }
    }
  }

  /// Whether enough of the pairs are common characters, and almost no bytes are invalid.
  ///
  /// A few bytes may be invalid, because a file may contain a typing error. At least four pairs are required, because a
  /// short text in another encoding may contain some pairs by chance. If the caller requested the language, one pair is
  /// sufficient, and more bytes may be invalid.
  func isLikely(atLeast percent: Int, isRequested: Bool) -> Bool {
    guard pairCount >= (isRequested ? 1 : 4), invalidByteCount * (isRequested ? 50 : 500) <= pairCount else {
      return false
    }
    return commonCount * 100 >= pairCount * percent
  }

  /// Returns the length of the character that begins with the bytes `lead` and `second`, or 0 if no character does.
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

  /// Whether a character is common: kana, hangul, or a character in the more frequent half of the Chinese characters.
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

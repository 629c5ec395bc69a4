/// Which encoding a text that is not UTF-8 most likely has.
///
/// East Asian encodings betray themselves: their bytes come in pairs that other texts soon break. Any byte is a
/// character in the others, so that one is taken whose letters are those of some language, as often as that language
/// uses them.
struct EncodingGuess {
  /// What to read the text as.
  let encoding: TextEncoding
  /// Why, for a person: goes on from "read as windows-1251, ".
  let reason: String

  /// How much of a text is looked at. More changes nothing.
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

/// How often each byte stands in a text.
struct ByteCensus {
  /// A count for each of the 256 bytes.
  let counts: [Int]
  /// How many letters of ASCII.
  let asciiLetterCount: Int
  /// How many bytes from 0x80 on.
  let highCount: Int

  init(_ bytes: ArraySlice<UInt8>) {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    self.counts = counts
    highCount = counts[0x80...].reduce(0, +)
    asciiLetterCount = (UInt8(0)..<0x80).filter(Ascii.isLetter).reduce(0) { $0 + counts[Int($1)] }
  }
}

/// How well the letters that an encoding makes of a text fit a language.
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
      let isGiven = given.map { language.isMeant(by: $0) } ?? false
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

  /// What the language being given is worth, in quarters of a bit: two or three letters that it does not have, each of
  /// which costs some 45 more than one that it has.
  private static let givenBonus = 120

  /// What a letter of a text that fits costs at most, in quarters of a bit: the mean is 18 to 24.
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
  fileprivate func isMeant(by code: String) -> Bool {
    let relatives = ["no": "nb", "nn": "nb", "bs": "hr", "mk": "sr", "gl": "pt"]
    return code == self.code || relatives[code] == self.code
  }
}

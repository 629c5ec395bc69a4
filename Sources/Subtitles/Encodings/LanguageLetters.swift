/// The frequencies of a language's letters that are encoded as bytes from 0x80.
///
/// The cost of a letter measures how improbable it is: the negative binary logarithm of its share of all letters. The
/// shares were counted in the translated messages of Debian 12 (`/usr/share/locale`) with `Scripts/count-letters`.
struct LanguageLetters: Sendable {
  /// The alphabets. Several encodings may contain the same alphabet.
  enum Alphabet: Sendable {
    case western, central, cyrillic, greek, turkish, hebrew, arabic, baltic, thai

    /// The encodings that contain the alphabet. The penalty of an encoding measures how rare it is compared to
    /// windows-1252, in quarters of a bit.
    var encodings: [(encoding: TextEncoding, penalty: Int)] {
      switch self {
      case .western: [(.windows1252, 0), (.iso8859_15, 18), (.macRoman, 40)]
      case .central: [(.windows1250, 8), (.iso8859_2, 20)]
      case .cyrillic: [(.windows1251, 8), (.koi8_r, 20), (.koi8_u, 20), (.ibm866, 24), (.iso8859_5, 24)]
      case .greek: [(.windows1253, 8)]
      case .turkish: [(.windows1254, 8)]
      case .hebrew: [(.windows1255, 8)]
      case .arabic: [(.windows1256, 8)]
      case .baltic: [(.windows1257, 8)]
      case .thai: [(.windows874, 8)]
      }
    }
  }

  /// The ISO 639-1 code.
  let code: String
  let name: String
  let alphabet: Alphabet
  /// The cost of an ASCII letter in 1/64 bit. In alphabets without ASCII letters, the cost is 213, which equals the
  /// cost of a letter with a share of one in ten.
  let asciiCost: Int
  /// Whether the alphabet includes the ASCII letters.
  var hasASCIILetters: Bool { asciiCost < 213 }
  /// The costs in quarters of a bit. Each cost is followed by the lowercase letters that have this cost.
  private let list: String

  private init(_ code: String, _ name: String, _ alphabet: Alphabet, ascii: Int, _ list: String) {
    self.code = code
    self.name = name
    self.alphabet = alphabet
    asciiCost = ascii
    self.list = list
  }

  /// The costs of the letters, in quarters of a bit.
  var costs: [UInt32: Int] {
    var costs: [UInt32: Int] = [:]
    var cost = 0
    var isNumber = false
    for scalar in list.unicodeScalars where scalar != " " {
      if let digit = Character(scalar).wholeNumberValue {
        cost = (isNumber ? cost * 10 : 0) + digit
        isNumber = true
      } else {
        costs[scalar.value] = cost
        isNumber = false
      }
    }
    return costs
  }

  /// The languages with which texts in old encodings are compared.
  static let all: [LanguageLetters] = [
    LanguageLetters("en", "English", .western, ascii: 0, "50éèïñçö 51áüóíôêàâ"),
    LanguageLetters("fr", "French", .western, ascii: 3, "22é 33èà 36ê 41ç 42ùœ 43ôîâû 50ëï"),
    LanguageLetters("de", "German", .western, ascii: 1, "28ü 33ä 35ö 40ß 48éà"),
    LanguageLetters("es", "Spanish", .western, ascii: 2, "27ó 31á 33íé 37úñ 46ü"),
    LanguageLetters("pt", "Portuguese", .western, ascii: 4, "26ã 28ç 30á 31í 34é 35ó 37úõ 39ê 46â 48à 50ô"),
    LanguageLetters("it", "Italian", .western, ascii: 1, "34è 37à 42òùì 45é"),
    LanguageLetters("nl", "Dutch", .western, ascii: 0, "41éë 47ï 51áíóäöüè"),
    LanguageLetters("sv", "Swedish", .western, ascii: 3, "24ä 26ö 28å 44é 48á"),
    LanguageLetters("da", "Danish", .western, ascii: 2, "28æ 29ø 31å 41é"),
    LanguageLetters("nb", "Norwegian", .western, ascii: 2, "27å 28ø 41æ 51é"),
    LanguageLetters("fi", "Finnish", .western, ascii: 4, "19ä 32ö"),
    LanguageLetters("ca", "Catalan", .western, ascii: 3, "29ó 30à 31é 33í 36è 37òçú 43ï 45ü"),
    LanguageLetters("ga", "Irish", .western, ascii: 7, "22á 23í 26éú 28ó"),
    LanguageLetters("pl", "Polish", .central, ascii: 5, "26ł 28żę 29ąśó 30ć 35ń 37ź"),
    LanguageLetters("cs", "Czech", .central, ascii: 12, "20í 22á 25ř 27čéý 28žě 30š 33ů 40ú 43ó 44ň"),
    LanguageLetters("sk", "Slovak", .central, ascii: 10, "22á 25č 26íý 27éťú 28ž 30šľ 39ó 41ňôä 44ĺ"),
    LanguageLetters("hu", "Hungarian", .central, ascii: 11, "19á 21é 26íó 28ö 29ő 31ü 34ú 37ű"),
    LanguageLetters("ro", "Romanian", .central, ascii: 5, "21ă 27ţş 30îâ"),
    LanguageLetters("hr", "Croatian", .central, ascii: 2, "28č 30š 32žć 36đ"),
    LanguageLetters("sl", "Slovenian", .central, ascii: 3, "24č 27š 32ž"),
    LanguageLetters("sq", "Albanian", .western, ascii: 6, "16ë 39ç"),
    LanguageLetters("tr", "Turkish", .turkish, ascii: 9, "18ı 25çşü 27ğ 28İ 30ö 48âî"),
    LanguageLetters("lt", "Lithuanian", .baltic, ascii: 6, "25šė 26ų 30žį 31ą 33č 34ū 36ę"),
    LanguageLetters("lv", "Latvian", .baltic, ascii: 9, "20ā 23ē 24ī 26š 32ļ 33ūņ 37ž 38ķ 43ģ 45č"),
    LanguageLetters("et", "Estonian", .baltic, ascii: 3, "25ä 27õ 28ü 38ö 40šž"),
    LanguageLetters(
      "ru", "Russian", .cyrillic, ascii: 213,
      "14ое 15аи 16н 17т 18рс 19лв 20кпд 21м 22у 23языь 25йб 27чг 28ж 29ф 30цх 31юш 33щ 36э 38ё 44ъ"),
    LanguageLetters(
      "uk", "Ukrainian", .cyrillic, ascii: 213,
      "14а 15но 17ие 18втір 19кс 20лдупм 22яз 25бь 26йгч 29жцх 30фє 31шю 34ї 35щ 53ґ"),
    LanguageLetters(
      "bg", "Bulgarian", .cyrillic, ascii: 213,
      "12а 14е 15нио 16т 17р 19св 20дкплз 22м 24ъ 25яб 26у 27ч 28гйж 29ф 30ц 31ш 32щ 33х 38ю"),
    LanguageLetters(
      "sr", "Serbian", .cyrillic, ascii: 213,
      "12а 14е 15ио 17нр 18тс 19ку 20пдв 21м 22јзл 25бг 27шчњ 29ц 30љ 32жћ 33х 34ф 36ђ 48џ"),
    LanguageLetters(
      "be", "Belarusian", .cyrillic, ascii: 213,
      "11а 15н 17р 18к 19іысле 20тдяв 21мпоу 22цз 23эь 24гб 25ў 26ч 27й 28ш 29х 30фж 32ю 36ё"),
    LanguageLetters(
      "el", "Greek", .greek, ascii: 213,
      "14α 15ο 16ετ 17ιν 18σρ 19μη 20πκ 21υςλ 22ίγδ 23ήέ 24άό 25χ 26ω 27θ 28φύ 31βώ 34ζξ 40ψ 47ϊ"),
    LanguageLetters(
      "he", "Hebrew", .hebrew, ascii: 213,
      "13י 14ו 16התל 17מר 18אנ 19ב 20שק 21פ 22דסג 23ט 24עחם 25ןכ 26צ 28ז 32ך 33ץ 38ף"),
    LanguageLetters(
      "ar", "Arabic", .arabic, ascii: 213,
      "12ا 13ل 15ي 16م 18روت 19ةن 21فدسعب 23ح 24قك 25جصأ 26طه 27خإ 28شذغ 29زض 31ى 32ث 34ئ 35ء 36ظ 38ؤ 45آ"),
    LanguageLetters(
      "fa", "Persian", .arabic, ascii: 213,
      "12ا 13ي 15نر 17دوه 18تم 20ب 21سک 22شل 24پزگ 25فج 26خع 27ق 28ص 29ح 31طچ 33آ 35غذ 36ظ 37ض 38ئ 41ث 42ژ 47أ 51ء"),
    LanguageLetters(
      "th", "Thai", .thai, ascii: 213,
      "16า 17รอ 18กนม 19เ่ 21้งลดัี 22ติสบย 23วแ 24ไ์ 25ทคขปหจ 26พูะช 27ืโ 28ซำุใ 29ฟถ 31็ณ 33ผภ 34ธษ 36ฐ 37ึฮ 38ญ 40ศ 43ฉ 45ฤ 46ฝๆ 48ฏ 52๊"
    ),
    LanguageLetters("is", "Icelandic", .western, ascii: 9, "22ð 23í 24á 28ó 29ú 31ýæ 32ö 33þ 37é"),
  ]
}

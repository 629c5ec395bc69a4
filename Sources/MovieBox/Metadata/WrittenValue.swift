import Subtitles

/// Parsers for values in the notations of people and other programs.
///
/// The command line parses its options with these parsers, so a caller can check a value before an edit rejects it.
///
///     let date = WrittenValue.date("2024:01:20 10:26:09+01:00")
///     let place = WrittenValue.location("48 deg 8' 13.00\" N, 11 deg 34' 30.00\" E")
public enum WrittenValue {
  // MARK: - Dates

  /// Parses a date, or returns `nil` if the text is not a date.
  ///
  /// Accepts ISO 8601, with or without a blank before the time and the zone. Also accepts the formats of ExifTool
  /// (`2024:01:20 10:26:09+01:00`, `2024:01`), git (`Sat Jan 20 10:26:09 2024 +0100`, `1705742769 +0100`) and mail
  /// (`Sat, 20 Jan 2024 10:26:09 +0100 (CET)`).
  public static func date(_ text: String) -> MetadataDate? {
    if let date = MetadataDate(text) { return date }
    guard text.utf8.count <= 64 else { return nil }
    var words = text.split(separator: " ").map(String.init)
    if let first = words.first, weekdays.contains(String(first.lowercased().prefix(3))), first.utf8.count <= 10 {
      words.removeFirst()
    }
    if words.count == 2, let seconds = Int64(digits: words[0].drop { $0 == "@" }), seconds > 99_999_999 {
      return date(secondsSince1970: seconds, zone: words[1])
    }
    if words.count > 2, let comment = words.last, comment.hasPrefix("("), comment.hasSuffix(")") {
      words.removeLast()  // Mail programs append the name of the zone in parentheses (RFC 5322 3.2.2).
    }
    guard let day = removeDay(from: &words) else { return nil }
    guard let time = words.first else { return MetadataDate(day) }
    guard words.count <= 2 else { return nil }
    let zone = words.count == 2 ? (["UTC", "GMT"].contains(words[1].uppercased()) ? "Z" : words[1]) : ""
    guard zone.isEmpty || "Z+-".contains(zone.first ?? " ") else { return nil }
    return MetadataDate(day + "T" + time + zone)
  }

  private static let weekdays: Set = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Removes the words of a calendar day, such as `Jan 20 2024`, and returns the day in ISO 8601. A time may be among
  /// these words, as in `Jan 20 10:26:09 2024`.
  private static func removeDay(from words: inout [String]) -> String? {
    func month(_ word: String) -> String? {
      guard word.utf8.count <= 9 else { return nil }
      return months.firstIndex(of: String(word.lowercased().prefix(3))).map { ($0 + 1).padded(to: 2) }
    }
    func number(_ word: String, atMost limit: Int) -> String? {
      word.utf8.count <= 2 ? Int(digits: word).flatMap { $0 <= limit ? $0.padded(to: 2) : nil } : nil
    }
    guard let first = words.first else { return nil }
    if words.count >= 3, let month = month(words[1]), let day = number(first, atMost: 31), words[2].utf8.count == 4 {
      let year = words[2]
      words.removeFirst(3)
      return "\(year)-\(month)-\(day)"
    }
    if words.count >= 4, let month = month(first), let day = number(words[1], atMost: 31), words[3].utf8.count == 4 {
      let year = words[3]
      words = [words[2]] + words[4...]
      return "\(year)-\(month)-\(day)"
    }
    words.removeFirst()
    if let mark = first.firstIndex(of: "T") {
      words.insert(String(first[first.index(after: mark)...]), at: 0)
      return String(first[..<mark])
    }
    guard first.contains(":") else { return first }
    let fields = first.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.map(\.utf8.count).elementsEqual([4, 2, 2].prefix(max(2, fields.count))) else { return nil }
    return fields.joined(separator: "-")
  }

  /// Converts git's seconds since 1970 to a date in the author's zone.
  private static func date(secondsSince1970 seconds: Int64, zone: String) -> MetadataDate? {
    guard seconds <= MetadataDate.secondsSince1970Limits.upperBound, "+-".contains(zone.first ?? " "),
      let offset = MetadataDate("2000-01-01T00:00:00" + zone)?.secondsFromUTC
    else { return nil }
    let localDate = MetadataDate(secondsSince1970: seconds + Int64(offset)).description
    return MetadataDate(localDate.dropLast() + zone)  // The zone replaces the final `Z`.
  }

  // MARK: - Places

  /// Parses a location, or returns `nil` if the text is not a location.
  ///
  /// Accepts degrees and meters (`48.137,11.575,520`), RFC 5870 URIs (`geo:48.1,11.5`) and ISO 6709. Also accepts
  /// degrees with N, S, E or W, as map applications and ExifTool write them (`48 deg 8' 13.00" N, 11 deg 34' 30.00" E`,
  /// `N48.137 E11.575`).
  public static func location(_ text: String) -> GeographicLocation? {
    guard text.utf8.count <= 200 else { return nil }
    if let position = geoURI(text) { return position }
    if let position = namedDegrees(text) { return position }
    // Map applications write a blank after the comma or in place of the comma.
    let parts = text.split(separator: text.contains(",") ? "," : " ", omittingEmptySubsequences: false)
    let words = parts.enumerated().map { index, part in
      var pieces = part.split(separator: " ")
      if index == 2, pieces.count == 2, pieces[1] == "m" { pieces.removeLast() }
      guard pieces.count == 1 else { return "" }
      return String(index == 2 && pieces[0].last == "m" ? pieces[0].dropLast() : pieces[0])
    }
    let numbers = words.compactMap { Double($0) }
    guard numbers.count == words.count, 2...3 ~= numbers.count else { return GeographicLocation(text) }
    return GeographicLocation(
      latitude: numbers[0], longitude: numbers[1], altitude: numbers.count == 3 ? numbers[2] : nil)
  }

  /// Whether a location consists of two whole numbers, such as `48,137`. This text may also be the number 48.137 with
  /// a decimal comma.
  public static func isAmbiguousLocation(_ text: String) -> Bool {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
    return parts.count == 2
      && parts.allSatisfy { part in
        Int(digits: part.first == "-" || part.first == "+" ? part.dropFirst() : part[...]) != nil
      }
  }

  /// Parses a URI such as `geo:48.1,11.5,520;u=35`, if the location is on Earth. Map applications append their own
  /// parameters after a question mark.
  private static func geoURI(_ text: String) -> GeographicLocation? {
    guard text.lowercased().hasPrefix("geo:") else { return nil }
    let fields = text.dropFirst(4).prefix { $0 != "?" }.split(separator: ";", omittingEmptySubsequences: false)
    let isOnEarth = fields.dropFirst().allSatisfy { field in
      let field = field.lowercased()
      return !field.hasPrefix("crs=") || field == "crs=wgs84"
    }
    let words = fields[0].split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Double($0) }
    guard isOnEarth, numbers.count == words.count, 2...3 ~= numbers.count else { return nil }
    return GeographicLocation(
      latitude: numbers[0], longitude: numbers[1], altitude: numbers.count == 3 ? numbers[2] : nil)
  }

  /// Parses `48° 8′ 13″ N, 11° 34′ 30″ E`, optionally with ExifTool's altitude: `, 520 m Above Sea Level`.
  private static func namedDegrees(_ text: String) -> GeographicLocation? {
    var degrees = text.lowercased()
    var altitude: Double?
    if let comma = degrees.lastIndex(of: ","), degrees[comma...].contains("m") {
      // Insert a blank before the unit of the altitude, so that `520m` is accepted like `520 m`.
      let words = degrees[degrees.index(after: comma)...].replacing("m", with: " m", maxReplacements: 1)
        .split(separator: " ")
      guard words.count == 2 || words.count == 5, words[1] == "m", let meters = Double(words[0]) else { return nil }
      let level = words.dropFirst(2).joined(separator: " ")
      guard ["", "above sea level", "below sea level"].contains(level) else { return nil }
      altitude = level.hasPrefix("below") ? -meters : meters
      degrees = String(degrees[..<comma])
    }
    degrees = degrees.replacing("deg", with: "°")
    guard let pair = pair(ofDegrees: Self.withLettersAfterDegrees(degrees)) else { return nil }
    return GeographicLocation(latitude: pair[0], longitude: pair[1], altitude: altitude)
  }

  /// Converts `n48.1 e11.5` to `48.1n, 11.5e`. Returns other texts unchanged.
  private static func withLettersAfterDegrees(_ word: String) -> String {
    let word = word.trimmed
    guard let first = word.first, "ns".contains(first), let second = word.lastIndex(where: { "ew".contains($0) })
    else { return String(word) }
    let latitude = word[..<second].dropFirst().filter { $0 != "," }
    return "\(latitude)\(first), \(word[word.index(after: second)...])\(word[second])"
  }

  private static func pair(ofDegrees word: String) -> [Double]? {
    var (degrees, parts, digits): ([Double], [Double], String) = ([], [], "")
    for character in word.uppercased() {
      if character == "." || "0"..."9" ~= character {
        digits.append(character)
        continue
      }
      if !digits.isEmpty {
        guard let number = Double(digits) else { return nil }
        parts.append(number)
        digits = ""
      }
      guard (degrees.isEmpty ? "NS" : "EW").contains(character) else {
        // Commas are accepted only between the coordinates, because a decimal comma would be misread.
        let separates = character == "," && degrees.count == 1 && parts.isEmpty
        guard separates || " °'′’\"″”".contains(character) else { return nil }
        continue
      }
      guard 1...3 ~= parts.count, parts.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
      let value = parts.reversed().reduce(0) { $0 / 60 + $1 }  // Minutes and seconds are fractions of 60.
      degrees.append("SW".contains(character) ? -value : value)
      parts = []
    }
    return degrees.count == 2 && parts.isEmpty && digits.isEmpty ? degrees : nil
  }

  // MARK: - Languages and ratios

  /// Parses a language tag, or returns `nil` if the text is not a language tag. Underscores are treated as hyphens,
  /// as in locale names (`pt_BR`).
  public static func language(_ text: String) -> LanguageTag? {
    LanguageTag(String(text.map { $0 == "_" ? "-" : $0 }))
  }

  /// Parses a positive number, or returns `nil` if the text is not a positive number. See ``DecimalRatio/init(_:)``.
  public static func ratio(_ text: String) -> DecimalRatio? { DecimalRatio(text) }
}

extension MetadataDate: CustomStringConvertible {
  /// The date in ISO 8601, with the zone in the format of Apple's devices: `2026-01-09T18:32:07+0900`.
  public var description: String {
    let date = [year.padded(to: 4)] + [month, day].compactMap { $0?.padded(to: 2) }
    guard let secondsOfDay else { return date.joined(separator: "-") }
    // A leap second is the 61st second of its minute.
    let wholeSeconds = Int(min(max(0, secondsOfDay), 86_400))
    let clock =
      wholeSeconds == 86_400 ? [23, 59, 60] : [wholeSeconds / 3600, wholeSeconds / 60 % 60, wholeSeconds % 60]
    var text = date.joined(separator: "-") + "T" + clock.map { $0.padded(to: 2) }.joined(separator: ":")
    // The binary fraction may be slightly below the intended three digits, so add a microsecond before rounding down.
    let milliseconds = Int(((secondsOfDay - Double(wholeSeconds)) * 1_000 + 0.001).rounded(.down))
    if 1..<1000 ~= milliseconds { text += "." + milliseconds.padded(to: 3) }
    guard let secondsFromUTC else { return text }
    guard secondsFromUTC != 0 else { return text + "Z" }
    let minutes = abs(secondsFromUTC) / 60
    return text + (secondsFromUTC < 0 ? "-" : "+") + (minutes / 60).padded(to: 2) + (minutes % 60).padded(to: 2)
  }
}

extension MetadataDate {
  /// Shifts the date and time in a text by a number of seconds. Changes only the digits, and keeps the format and the
  /// zone.
  ///
  /// Returns `nil` if the text has no time of day, or if the new date is before the year 1 or after 9999.
  package static func shifting(_ text: String, bySeconds seconds: Int64) -> String? {
    guard let date = MetadataDate(text), let month = date.month, let day = date.day,
      let secondsOfDay = date.secondsOfDay
    else { return nil }
    let start = Int64(CalendarDay.daysSince1970(year: date.year, month: month, day: day)) * 86_400 + Int64(secondsOfDay)
    let (sum, overflow) = start.addingReportingOverflow(seconds)
    guard !overflow, secondsSince1970Limits ~= sum else { return nil }
    let shiftedDate = MetadataDate(secondsSince1970: sum)
    let wholeSeconds = Int(shiftedDate.secondsOfDay ?? 0)
    let digits =
      shiftedDate.year.padded(to: 4)
      + [shiftedDate.month ?? 1, shiftedDate.day ?? 1, wholeSeconds / 3600, wholeSeconds / 60 % 60, wholeSeconds % 60]
      .map {
        $0.padded(to: 2)
      }.joined()
    // Exclude the digits of the zone and of the fraction of a second.
    let clock = text.firstIndex { $0 == "T" || $0 == " " } ?? text.endIndex
    let end = text[clock...].dropFirst().firstIndex { "Z+-.,".contains($0) } ?? text.endIndex
    let digitCount = text[..<end].utf8.count(where: Ascii.isDigit)
    // If the text contains only the hour, the shifted time must be a whole hour.
    guard digitCount >= 8, digits.dropFirst(digitCount).allSatisfy({ $0 == "0" }) else {
      let zone = text[end...].first { "Z+-".contains($0) }.flatMap { text[end...].firstIndex(of: $0) }
      return String(shiftedDate.description.dropLast()) + (zone.map { String(text[$0...]) } ?? "")
    }
    var next = digits[...]
    return String(text[..<end].map { Ascii.isDigit($0.utf8.first ?? 0) ? next.popFirst() ?? $0 : $0 }) + text[end...]
  }
}

import Subtitles

/// A fact that a movie or one of its tracks states about itself: a title, a place, a camera.
///
/// What stands twice in a file is two items, and what is not known is there with its bytes.
///
///     for item in movie.metadata {
///       print(item.identifier, item.stringValue ?? "\(item.bytes.count) bytes", item.language?.description ?? "")
///     }
public struct MetadataItem: Hashable, Sendable {
  /// The identifier.
  public let identifier: MetadataIdentifier
  /// The decoded value.
  public let value: MetadataValue
  /// The code of its well-known type (QTFF "Well-Known Types"); `nil` where its form has none.
  public let typeCode: UInt32?
  /// The value as it stands in the file.
  public let bytes: Bytes
  /// The language that it is in, with the country where one is given; `nil` for one that holds in all.
  public let language: LanguageTag?
  /// The country and the language as they stand in the file: two letters, then three packed ones or a Macintosh code;
  /// `nil` where the form of the item has no place for them.
  public let localeCode: UInt32?
  /// Further properties of the item, such as the `description` of a picture in ID3.
  public let details: [String: String]
  /// The track that it is about; `nil` for the movie.
  public let trackID: UInt32?
  /// The atom that it stands in.
  public let path: String
  /// The start of that atom, in bytes from the start of the file.
  public let offset: UInt64
  /// The place of the item, for writers.
  package let place: Place

  init(
    _ identifier: MetadataIdentifier, _ value: MetadataValue, typeCode: UInt32? = nil, _ bytes: Bytes,
    language: LanguageTag? = nil, localeCode: UInt32? = nil, details: [String: String] = [:], at place: Place
  ) {
    self.identifier = identifier
    self.value = value
    self.typeCode = typeCode
    self.bytes = bytes
    self.language = language
    self.localeCode = localeCode
    self.details = details
    trackID = place.trackID
    path = place.path
    offset = place.offset
    self.place = place
  }

  /// The same item with another value, which its bytes do not say.
  func saying(_ value: MetadataValue) -> MetadataItem {
    MetadataItem(
      identifier, value, typeCode: typeCode, bytes, language: language, localeCode: localeCode, details: details,
      at: place)
  }

  /// The same item with other content.
  package func holding(_ content: MetadataContent) -> MetadataItem {
    MetadataItem(
      identifier, content.value(of: identifier), typeCode: content.typeCode, content.bytes, language: language,
      localeCode: content.localeCode, details: content.details, at: place)
  }

  /// The place of an item.
  package struct Place: Hashable, Sendable {
    let trackID: UInt32?
    let path: String
    let offset: UInt64
    /// The index of the atom in the tree of the movie atom; `nil` beside it.
    package let atom: Int?
    /// The number of the item among those of the atom, from 0.
    package var number = 0
  }

  /// Whether the bytes have a form that their type can have; players pass over others.
  public var isWellFormed: Bool { typeCode.map { MetadataValue.fits(bytes, typeCode: $0) } ?? true }
}

// MARK: - Values

extension MetadataItem {
  /// A text, or a number as text; `nil` for bytes.
  public var stringValue: String? { value.stringValue }

  /// A number, or a text that is one; `nil` for others.
  public var numberValue: Double? {
    switch value {
    case .text(let text): Double(text)
    case .integer(let number): Double(number)
    case .unsignedInteger(let number): Double(number)
    case .number(let number): number
    case .part(let number, _): Double(number)
    case .numbers, .data: nil
    }
  }

  /// A picture, or bytes of a type that is not known; `nil` for others.
  public var dataValue: Bytes? {
    if case .data(let bytes) = value { bytes } else { nil }
  }

  /// A date, as ISO 8601 writes it or as a year, and a time of Windows'; `nil` for others.
  public var dateValue: MetadataDate? {
    switch value {
    case .text(let text): return MetadataDate(text)
    case .integer, .unsignedInteger:
      guard let number = value.wholeNumber.flatMap({ Int64(exactly: $0) }) else { return nil }
      if identifier.space == .windows {
        // Tenths of microseconds since 1601.
        return details["type"] == WindowsMetadata.timeType.description
          ? MetadataDate(secondsSince1970: number / 10_000_000 - 11_644_473_600) : nil
      }
      return identifier.common?.key == "creationDate" && 1...9999 ~= number
        ? MetadataDate(number.padded(to: 4)) : nil
    case .number, .numbers, .part, .data: return nil
    }
  }

  /// A place on Earth as ISO 6709 writes it, such as `+37.3938+126.9636+043.639/`; `nil` for others.
  public var locationValue: GeographicLocation? { stringValue.flatMap { GeographicLocation($0) } }
}

/// A place on Earth.
public struct GeographicLocation: Hashable, Sendable {
  /// Degrees to the north, from -90 to 90.
  public let latitude: Double
  /// Degrees to the east, from -180 to 180.
  public let longitude: Double
  /// Metres above the sea; `nil` where it is not given.
  public let altitude: Double?

  /// A place; `nil` outside of the ranges, and for an altitude of more than a million kilometres.
  public init?(latitude: Double, longitude: Double, altitude: Double? = nil) {
    guard abs(latitude) <= 90, abs(longitude) <= 180, abs(altitude ?? 0) <= 1e9 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Reads ISO 6709, annex H: degrees, degrees and minutes, or degrees, minutes and seconds, as the number of digits
  /// says; altitude, a reference system and the slash at the end may be missing.
  public init?(_ text: String) {
    var fields: [Substring] = []
    var rest = text[...]
    if let end = rest.firstIndex(of: "/") { rest = rest[..<end] }
    if let system = rest.firstRange(of: "CRS")?.lowerBound { rest = rest[..<system] }
    while let first = rest.first, first == "+" || first == "-" {
      let end = rest.dropFirst().firstIndex { $0 == "+" || $0 == "-" } ?? rest.endIndex
      fields.append(rest[..<end])
      rest = rest[end...]
    }
    guard rest.isEmpty, fields.count == 2 || fields.count == 3,
      let latitude = Self.degrees(fields[0], wholeDigitCount: 2),
      let longitude = Self.degrees(fields[1], wholeDigitCount: 3)
    else { return nil }
    var altitude: Double?
    if fields.count == 3 {
      guard let metres = Double(fields[2]) else { return nil }
      altitude = metres
    }
    self.init(latitude: latitude, longitude: longitude, altitude: altitude)
  }

  /// `±DD.D`, `±DDMM.M` or `±DDMMSS.S`, with a further digit of degrees for longitudes. Old Android phones leave zeros
  /// in front out (`-0.2431`).
  private static func degrees(_ field: Substring, wholeDigitCount: Int) -> Double? {
    let digits = field.dropFirst()
    let whole = digits.prefix { $0 != "." }
    guard !whole.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits)
    else {
      return nil
    }
    var degrees = number
    switch whole.count - wholeDigitCount {
    case ...0: break
    case 2:
      let whole = (number / 100).rounded(.towardZero)
      degrees = whole + (number - whole * 100) / 60
    case 4:
      let whole = (number / 10_000).rounded(.towardZero)
      let minutes = ((number - whole * 10_000) / 100).rounded(.towardZero)
      degrees = whole + minutes / 60 + (number - whole * 10_000 - minutes * 100) / 3_600
    default: return nil
    }
    return field.first == "-" ? -degrees : degrees
  }
}

extension [MetadataItem] {
  /// The items of the movie that say something else than the first item of another vocabulary that states the same fact
  /// in the same language.
  ///
  /// Lists agree that have a value in common, keywords however they are set apart, a year with a date in it, and places
  /// with others a hundred metres away.
  public var disagreeing: Set<MetadataItem> { Set(contradictions.map(\.item)) }

  /// No more items of a fact are compared: each is held against all.
  private static var comparedCount: Int { 500 }

  /// The facts of the movie of which two vocabularies say different things in one language, and what they say; English
  /// is none.
  var contradictions: [(fact: String, language: LanguageTag?, item: MetadataItem, reason: String)] {
    let stated = filter { $0.trackID == nil && $0.stringValue != nil }
    var found: [(fact: String, language: LanguageTag?, item: MetadataItem, reason: String)] = []
    for name in MetadataIdentifier.commonNames {
      let fact = stated.filter { $0.identifier.common?.key == name }.prefix(Self.comparedCount)
      // Of a language alone: user data holds no country, which QuickTime metadata does.
      for language in Set(fact.map(\.language?.language)).sorted(by: { $0 ?? "" < $1 ?? "" }) {
        // English is what many writers say who do not know the language.
        let items = fact.filter { $0.language?.language == language || language == "en" && $0.language == nil }
        guard let first = items.first, let other = items.first(where: { !$0.agrees(with: first, among: items) }) else {
          continue
        }
        // What holds in all languages is held against English once.
        guard !found.contains(where: { $0.item == other }) else { continue }
        found.append(
          (
            name, language == "en" ? nil : other.language?.region == nil ? first.language : other.language, other,
            "\(other.identifier) says \(excerpt((other.stringValue ?? "").utf8)), \(first.identifier) "
              + excerpt((first.stringValue ?? "").utf8)
          ))
      }
    }
    return found
  }
}

extension MetadataValue {
  /// The words of a list of keywords, as people write them: with commas or semicolons between them.
  package static func keywords(in text: String) -> [String] {
    text.split { $0 == "," || $0 == ";" }.map(\.trimmed).filter { !$0.isEmpty }
  }
}

extension MetadataItem {
  /// The words of a list of keywords, which some forms have one by one, and others as one text; `nil` for other facts.
  package var keywords: [String]? {
    identifier.common?.key == "keywords" ? stringValue.map { MetadataValue.keywords(in: $0) } : nil
  }

  /// Whether an item says what the values of another's identifier say: of lists one will do, a year is that of a date,
  /// times agree in any zone, and places a hundred metres apart are one.
  fileprivate func agrees(with other: MetadataItem, among items: [MetadataItem]) -> Bool {
    guard identifier.space != other.identifier.space, let text = stringValue else { return true }
    let (mine, others) = (
      items.filter { $0.identifier == identifier }, items.filter { $0.identifier == other.identifier }
    )
    if keywords != nil { return Set(mine.flatMap { $0.keywords ?? [] }) == Set(others.flatMap { $0.keywords ?? [] }) }
    let agrees = others.contains { item in
      guard let known = item.stringValue else { return false }
      if text == known { return true }
      if identifier.common?.key == "creationDate", let date = dateValue, let other = item.dateValue {
        return date.agrees(with: other)
      }
      guard let here = locationValue, let there = item.locationValue else { return false }
      return abs(here.latitude - there.latitude) < 0.001 && abs(here.longitude - there.longitude) < 0.001
    }
    // Where one has several values, the other may have them as one text.
    func joined(_ items: [MetadataItem]) -> String {
      items.compactMap(\.stringValue).joined(separator: MetadataValue.listSeparator)
    }
    return agrees || joined(mine) == joined(others)
  }
}

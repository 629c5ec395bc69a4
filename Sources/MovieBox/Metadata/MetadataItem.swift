import Subtitles

/// A metadata item of a movie or a track, such as a title, a location or a camera model.
///
/// Duplicates in a file are separate items. The value of an item with an unknown meaning is its bytes.
///
///     for item in movie.metadata {
///       print(item.identifier, item.stringValue ?? "\(item.bytes.count) bytes", item.language?.description ?? "")
///     }
public struct MetadataItem: Hashable, Sendable {
  /// The vocabulary and key of the item.
  public let identifier: MetadataIdentifier
  /// The decoded value.
  public let value: MetadataValue
  /// The code of the value's well-known type (QTFF "Well-Known Types"), or `nil` if the item's vocabulary stores no
  /// types.
  public let typeCode: UInt32?
  /// The value as stored in the file.
  public let bytes: Bytes
  /// The language, with the country if it is known, or `nil` if the item applies to all languages.
  public let language: LanguageTag?
  /// The country and language as stored in the file, or `nil` if the item's vocabulary does not store them. The upper
  /// 16 bits contain two letters, and the lower 16 bits contain a packed ISO 639-2 code or a Macintosh code.
  public let localeCode: UInt32?
  /// Further properties of the item, such as the `description` of a picture in ID3.
  public let details: [String: String]
  /// The ID of the track that the item describes, or `nil` for the movie.
  public var trackID: UInt32? { atomLocation.trackID }
  /// The path of the atom that contains the item.
  public var path: String { atomLocation.path }
  /// The offset of the atom that contains the item, in the file.
  public var offset: UInt64 { atomLocation.offset }
  /// The items inside a structured value of timed metadata, such as the bounds of a face. The array is empty for other
  /// items.
  public internal(set) var nestedItems: [MetadataItem]
  /// The location at which the file stores the item.
  package let atomLocation: AtomLocation

  init(
    _ identifier: MetadataIdentifier, _ value: MetadataValue, typeCode: UInt32? = nil, _ bytes: Bytes,
    language: LanguageTag? = nil, localeCode: UInt32? = nil, details: [String: String] = [:],
    nestedItems: [MetadataItem] = [], at atomLocation: AtomLocation
  ) {
    self.identifier = identifier
    self.value = value
    self.typeCode = typeCode
    self.bytes = bytes
    self.language = language
    self.localeCode = localeCode
    self.details = details
    self.nestedItems = nestedItems
    self.atomLocation = atomLocation
  }

  /// Creates an item for timed metadata that is written to a movie, or returns `nil` if the type cannot express the
  /// value.
  ///
  ///     let key = MetadataIdentifier("mdta/com.example.heart-rate")
  ///     let item = key.flatMap { MetadataItem($0, .integer(72), typeCode: 67) }
  ///
  /// - Parameters:
  ///   - identifier: the vocabulary and key, such as `mdta/com.example.heart-rate`.
  ///   - value: the value.
  ///   - typeCode: the code of a well-known type or of a base type, or `nil` for the usual type of the value.
  ///   - typeName: the name of the type, such as `com.example.beats`, or `nil` for a well-known type.
  ///   - language: the language, or `nil` if the item applies to all languages.
  public init?(
    _ identifier: MetadataIdentifier, _ value: MetadataValue, typeCode: UInt32? = nil, typeName: String? = nil,
    language: LanguageTag? = nil
  ) {
    let code = typeCode ?? value.usualTypeCode
    guard let bytes = value.bytes(ofType: code) else { return nil }
    self.init(identifier, bytes: bytes, typeCode: code, typeName: typeName, language: language)
  }

  /// Creates an item with a value as a file stores it. Bytes that do not match the type become the value `.data`.
  package init(
    _ identifier: MetadataIdentifier, bytes: Bytes, typeCode: UInt32?, typeName: String?, language: LanguageTag?,
    nestedItems: [MetadataItem] = []
  ) {
    self.init(
      identifier, typeCode.map { MetadataValue(bytes, typeCode: $0) } ?? .data(bytes), typeCode: typeCode, bytes,
      language: language, details: typeName.map { ["type": $0] } ?? [:], nestedItems: nestedItems, at: .nowhere)
  }

  /// Returns a copy of the item with another value and unchanged bytes.
  func withValue(_ value: MetadataValue) -> MetadataItem {
    MetadataItem(
      identifier, value, typeCode: typeCode, bytes, language: language, localeCode: localeCode, details: details,
      at: atomLocation)
  }

  package func withContent(_ content: MetadataContent) -> MetadataItem {
    MetadataItem(
      identifier, content.value(of: identifier), typeCode: content.typeCode, content.bytes, language: language,
      localeCode: content.localeCode, details: content.details, at: atomLocation)
  }

  package struct AtomLocation: Hashable, Sendable {
    let trackID: UInt32?
    let path: String
    let offset: UInt64
    /// The index of the atom in the tree of the movie atom, or `nil` outside the movie atom.
    package let atom: Int?
    /// The index of the item among the items of the atom.
    package var number = 0

    /// The location of an item that no file contains yet.
    static let nowhere = AtomLocation(trackID: nil, path: "", offset: 0, atom: nil)
  }

  /// Whether the bytes are valid for their type. Players skip invalid items.
  public var isWellFormed: Bool { typeCode.map { MetadataValue.isValid(bytes, typeCode: $0) } ?? true }
}

// MARK: - Values

extension MetadataItem {
  /// The text, or the number as text, or `nil` for bytes.
  public var stringValue: String? { value.stringValue }

  /// The number, or `nil` for other values. The number may be stored as text.
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

  /// A picture or the bytes of an unknown type, or `nil` for other values.
  public var dataValue: Bytes? {
    if case .data(let bytes) = value { bytes } else { nil }
  }

  /// The date, or `nil` for other values. The item may contain a date in ISO 8601, a year, or a time of Windows.
  public var dateValue: MetadataDate? {
    switch value {
    case .text(let text): return MetadataDate(text)
    case .integer, .unsignedInteger:
      guard let number = value.wholeNumber.flatMap({ Int64(exactly: $0) }) else { return nil }
      if identifier.space == .windows {
        // In Windows metadata, the number of a date counts units of 100 ns since 1601.
        return details["type"] == WindowsMetadata.timeType.description
          ? MetadataDate(secondsSince1970: number / 10_000_000 - 11_644_473_600) : nil
      }
      return identifier.common?.key == "creationDate" && 1...9999 ~= number
        ? MetadataDate(number.padded(to: 4)) : nil
    case .number, .numbers, .part, .data: return nil
    }
  }

  /// The location in ISO 6709, such as `+37.3938+126.9636+043.639/`, or `nil` for other values.
  public var locationValue: GeographicLocation? { stringValue.flatMap { GeographicLocation($0) } }
}

/// A location on Earth.
public struct GeographicLocation: Hashable, Sendable {
  /// The latitude in degrees north, from -90 to 90.
  public let latitude: Double
  /// The longitude in degrees east, from -180 to 180.
  public let longitude: Double
  /// The altitude in meters above sea level, or `nil` if unknown.
  public let altitude: Double?

  /// The highest absolute altitude in meters.
  static let highestAltitude = 1e9

  /// Creates a location, or returns `nil` if a value is out of range. The altitude must not exceed a million
  /// kilometers.
  public init?(latitude: Double, longitude: Double, altitude: Double? = nil) {
    guard abs(latitude) <= 90, abs(longitude) <= 180, abs(altitude ?? 0) <= Self.highestAltitude else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Parses ISO 6709, annex H. The number of digits determines whether the text contains degrees, degrees and
  /// minutes, or degrees, minutes and seconds. The altitude, the reference system and the final slash are optional.
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
      guard let meters = Double(fields[2]) else { return nil }
      altitude = meters
    }
    self.init(latitude: latitude, longitude: longitude, altitude: altitude)
  }

  /// Parses `±DD.D`, `±DDMM.M` or `±DDMMSS.S`. Longitudes have an additional digit of degrees. Old Android phones omit
  /// leading zeros (`-0.2431`).
  private static func degrees(_ field: Substring, wholeDigitCount: Int) -> Double? {
    let digits = field.dropFirst()
    let wholeDigits = digits.prefix { $0 != "." }
    guard !wholeDigits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits)
    else {
      return nil
    }
    var degrees = number
    switch wholeDigits.count - wholeDigitCount {
    case ...0: break
    case 2:
      let wholeDigits = (number / 100).rounded(.towardZero)
      degrees = wholeDigits + (number - wholeDigits * 100) / 60
    case 4:
      let wholeDigits = (number / 10_000).rounded(.towardZero)
      let minutes = ((number - wholeDigits * 10_000) / 100).rounded(.towardZero)
      degrees = wholeDigits + minutes / 60 + (number - wholeDigits * 10_000 - minutes * 100) / 3_600
    default: return nil
    }
    return field.first == "-" ? -degrees : degrees
  }
}

extension [MetadataItem] {
  /// The items of the movie that contradict an item of another vocabulary with the same property and language. The
  /// first item of a property takes precedence.
  ///
  /// Lists agree if they share a value. Keywords agree even if their separators differ. A year agrees with any date in
  /// that year, and locations agree if they are less than about a hundred meters apart.
  public var disagreeing: Set<MetadataItem> { Set(contradictions.map(\.item)) }

  /// The maximum number of items compared per property, because each item is compared with all others.
  private static var comparedCountLimit: Int { 500 }

  /// The contradictions between two vocabularies about one property of the movie in one language. An undetermined
  /// language counts as English.
  var contradictions: [(fact: String, language: LanguageTag?, item: MetadataItem, reason: String)] {
    let statements = filter { $0.trackID == nil && $0.stringValue != nil }
    var contradictions: [(fact: String, language: LanguageTag?, item: MetadataItem, reason: String)] = []
    for name in MetadataIdentifier.commonNames {
      let fact = statements.filter { $0.identifier.common?.key == name }.prefix(Self.comparedCountLimit)
      // Compare languages without their countries, because QuickTime metadata stores countries but user data does not.
      for language in Set(fact.map(\.language?.language)).sorted(by: { $0 ?? "" < $1 ?? "" }) {
        // Many writers declare English if they do not know the language, so compare English items with items without a
        // language.
        let items = fact.filter { $0.language?.language == language || language == "en" && $0.language == nil }
        guard let first = items.first, let other = items.first(where: { !$0.agrees(with: first, among: items) }) else {
          continue
        }
        // Report an item only once, even if it is compared in several languages.
        guard !contradictions.contains(where: { $0.item == other }) else { continue }
        contradictions.append(
          (
            name, language == "en" ? nil : other.language?.region == nil ? first.language : other.language, other,
            "\(other.identifier) is \(excerpt((other.stringValue ?? "").utf8)), but \(first.identifier) is "
              + excerpt((first.stringValue ?? "").utf8)
          ))
      }
    }
    return contradictions
  }
}

extension MetadataValue {
  /// Splits a list of keywords at commas and semicolons.
  package static func keywords(in text: String) -> [String] {
    text.split { $0 == "," || $0 == ";" }.map(\.trimmed).filter { !$0.isEmpty }
  }
}

extension MetadataItem {
  /// The keywords, or `nil` for other properties. Some vocabularies store each keyword separately, and other
  /// vocabularies store all keywords as one text.
  package var keywords: [String]? {
    identifier.common?.key == "keywords" ? stringValue.map { MetadataValue.keywords(in: $0) } : nil
  }

  /// Whether the item agrees with the items of another identifier. An item agrees with an equal element of a list, an
  /// equal year, an equal time in another zone, or a location within about a hundred meters.
  fileprivate func agrees(with other: MetadataItem, among items: [MetadataItem]) -> Bool {
    guard identifier.space != other.identifier.space, let text = stringValue else { return true }
    let (ownItems, otherItems) = (
      items.filter { $0.identifier == identifier }, items.filter { $0.identifier == other.identifier }
    )
    if keywords != nil {
      return Set(ownItems.flatMap { $0.keywords ?? [] }) == Set(otherItems.flatMap { $0.keywords ?? [] })
    }
    let hasAgreement = otherItems.contains { item in
      guard let known = item.stringValue else { return false }
      if text == known { return true }
      if identifier.common?.key == "creationDate", let date = dateValue, let other = item.dateValue {
        return date.agrees(with: other)
      }
      guard let here = locationValue, let there = item.locationValue else { return false }
      return abs(here.latitude - there.latitude) < 0.001 && abs(here.longitude - there.longitude) < 0.001
    }
    // One vocabulary may store several values as separate items, while the other vocabulary stores them as one text. So
    // compare the joined texts too.
    func joined(_ items: [MetadataItem]) -> String {
      items.compactMap(\.stringValue).joined(separator: MetadataValue.listSeparator)
    }
    return hasAgreement || joined(ownItems) == joined(otherItems)
  }
}

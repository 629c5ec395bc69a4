/// The stored form of a metadata item: its bytes, and the codes that are needed to decode the bytes.
///
/// Each vocabulary stores values in its own form. ``init(_:for:typeCode:language:details:replacing:)`` encodes a
/// value, and ``value(of:)`` decodes the content.
package struct MetadataContent: Hashable, Sendable {
  package var bytes: Bytes
  /// The code of the well-known type, or `nil` if the vocabulary stores no types.
  package var typeCode: UInt32?
  /// The country and language, or `nil` if the vocabulary does not store them.
  package var localeCode: UInt32?
  package var details: [String: String]

  package init(_ item: MetadataItem) {
    (bytes, typeCode, localeCode, details) = (item.bytes, item.typeCode, item.localeCode, item.details)
  }

  package init(_ bytes: Bytes, typeCode: UInt32? = nil, localeCode: UInt32? = nil, details: [String: String] = [:]) {
    (self.bytes, self.typeCode, self.localeCode, self.details) = (bytes, typeCode, localeCode, details)
  }

  /// Encodes a value for the vocabulary of an identifier. Returns `nil` if the vocabulary cannot express the value.
  ///
  /// - Parameters:
  ///   - typeCode: the well-known type, if the vocabulary stores types. Defaults to the type of the old item, or else
  ///     to the usual type.
  ///   - language: the language. Defaults to the language of the old item.
  ///   - details: the details of a new item.
  ///   - old: the item to be replaced, whose form is kept.
  package init?(
    _ value: MetadataValue, for identifier: MetadataIdentifier, typeCode: UInt32? = nil,
    language: LanguageTag? = nil, details: [String: String] = [:], replacing old: MetadataItem? = nil
  ) {
    switch identifier.space {
    case .id3:
      let payload = identifier.type.flatMap { type in
        typeCode != nil
          ? nil
          : ID3Tag.payload(type, value, language: language, description: details["description"], replacing: old?.bytes)
      }
      guard let payload, let type = identifier.type else { return nil }
      self.init(payload, details: ID3Tag.frame(type, payload).details)
      return
    case .windows:
      let type =
        typeCode.map { UInt16(exactly: $0) } ?? WindowsMetadata.type(of: old?.details ?? details)
        ?? WindowsMetadata.usualType(of: identifier.key)
      guard let type, let bytes = WindowsMetadata.bytes(value, type: type) else { return nil }
      self.init(bytes, details: ["type": String(type)])
      return
    default: break
    }
    if old?.typeCode != nil || old == nil && identifier.space.storesValueTypes {
      self.init(typed: value, for: identifier, typeCode, language, old)
      return
    }
    guard [.quickTimeUserData, .isoUserData].contains(identifier.space), let type = identifier.type else { return nil }
    let code = language.map { LanguageCode.packed(for: $0) }
    if identifier.space == .quickTimeUserData, type.rawValue >> 24 == 0xA9 {
      guard let text = value.stringValue, text.utf8.count <= Int(UInt16.max) - 4 else { return nil }
      let bytes = Bytes(Array(text.utf8))
      self.init(bytes, localeCode: UInt32(code ?? Self.languageCode(of: old, for: bytes)))
    } else {
      let payload = ISOUserDataItem.payload(type, value, language: code, replacing: old?.bytes)
      guard let payload else { return nil }
      self.init(payload)
      // The details are part of the payload, so they are decoded from it.
      self.details = ISOUserDataItem(type, payload)?.details ?? [:]
    }
  }

  /// Decodes the content as the value of an item with this identifier.
  package func value(of identifier: MetadataIdentifier) -> MetadataValue {
    if let typeCode { return MetadataReader.value(bytes, typeCode: typeCode, of: identifier) }
    if identifier.space == .windows {
      return WindowsMetadata.value(bytes, type: WindowsMetadata.type(of: details) ?? WindowsMetadata.textType)
    }
    guard let type = identifier.type else { return MetadataValue(bytes, typeCode: 1) }
    if identifier.space == .id3 { return details["form"] == nil ? ID3Tag.frame(type, bytes).value : .data(bytes) }
    if let localeCode, identifier.space == .quickTimeUserData {
      return .text(UserDataText.Entry(language: UInt16(truncatingIfNeeded: localeCode), text: bytes).string)
    }
    return ISOUserDataItem(type, bytes)?.value ?? .data(bytes)
  }

  /// Returns the language code of the old text. If this code would make readers decode the new bytes in a Macintosh
  /// encoding, returns the packed ISO 639-2 code of the language instead.
  private static func languageCode(of old: MetadataItem?, for bytes: Bytes) -> UInt16 {
    guard let old, let code = old.localeCode.map({ UInt16(truncatingIfNeeded: $0) }) else {
      return LanguageCode.undetermined
    }
    let isMacintosh = code < 0x400 || code == 0x7FFF
    guard isMacintosh, bytes.contains(where: { $0 >= 0x80 }) else { return code }
    return old.language.map { LanguageCode.packed(for: $0) } ?? LanguageCode.undetermined
  }

  private init?(
    typed value: MetadataValue, for identifier: MetadataIdentifier, _ typeCode: UInt32?, _ language: LanguageTag?,
    _ old: MetadataItem?
  ) {
    let locale = language.map { Self.localeCode($0) } ?? old?.localeCode ?? 0
    let details = old?.details ?? [:]
    func content(_ bytes: Bytes?, _ code: UInt32) -> MetadataContent? {
      bytes.map { MetadataContent($0, typeCode: code, localeCode: locale, details: details) }
    }
    let foundContent: MetadataContent?
    if let typeCode {
      foundContent = content(value.bytes(ofType: typeCode), typeCode)
    } else if case .data(let bytes) = value {
      foundContent = content(bytes, PictureFormat(bytes)?.typeCode ?? old?.typeCode ?? 0)
    } else if identifier.space == .iTunes, let type = identifier.type, let form = ITunesForm(type) {
      foundContent = content(form.bytes(ITunesNames.number(named: value.stringValue, in: type) ?? value), form.typeCode)
    } else if let old, let code = old.typeCode, code != 0, PictureFormat(typeCode: code) == nil,
      let bytes = value.bytes(ofType: code, byteCount: old.bytes.count) ?? value.bytes(ofType: code)
    {
      foundContent = content(bytes, code)
    } else {
      foundContent = content(value.bytes(ofType: value.usualTypeCode), value.usualTypeCode)
    }
    guard let foundContent else { return nil }
    self = foundContent
  }

  /// Returns the locale code of a language (QTFF "Data Atom"). The code contains the country, if the country has two
  /// letters, and the packed language.
  private static func localeCode(_ language: LanguageTag) -> UInt32 {
    let country = language.description.split(separator: "-").dropFirst()
      .first { $0.utf8.count == 2 && $0.allSatisfy(\.isLetter) }
    let letters = country.map { Array($0.uppercased().utf8) } ?? [0, 0]
    guard language.ifDetermined != nil else { return 0 }  // A locale code of 0 represents all languages.
    return UInt32(letters[0]) << 24 | UInt32(letters[1]) << 16 | UInt32(LanguageCode.packed(for: language))
  }
}

extension MetadataIdentifier.Space {
  /// Whether items of the vocabulary are contained in `ilst` and store the types of their values.
  package var storesValueTypes: Bool {
    ![.quickTimeUserData, .isoUserData, .id3, .xmp, .windows, .sonyXML, .xml, .common].contains(self)
  }
}

/// The binary format of an iTunes item that is not a text.
private enum ITunesForm {
  /// A whole number of fixed size.
  case integer(byteCount: Int)
  /// A number and a total. `byteCount` includes the zeros around them.
  case part(byteCount: Int)
  /// A one-based index of a genre.
  case genre

  init?(_ type: FourCC) {
    switch type {
    case "cpil", "pgap", "pcst", "shwm", "stik", "hdvd", "rtng", "akID", "itnu": self = .integer(byteCount: 1)
    case "tmpo", "©mvi", "©mvc": self = .integer(byteCount: 2)
    case "tvsn", "tves", "cnID", "geID", "atID", "sfID", "cmID": self = .integer(byteCount: 4)
    case "plID": self = .integer(byteCount: 8)
    case "trkn": self = .part(byteCount: 8)
    case "disk": self = .part(byteCount: 6)
    case "gnre": self = .genre
    default: return nil
    }
  }

  var typeCode: UInt32 {
    if case .integer = self { 21 } else { 0 }
  }

  func bytes(_ value: MetadataValue) -> Bytes? {
    switch self {
    case .integer(let byteCount):
      // Users write yes or no for flags, so accept these words.
      let words: [String?: MetadataValue] = [
        "yes": .integer(1), "true": .integer(1), "no": .integer(0), "false": .integer(0),
      ]
      let value = words[value.stringValue] ?? value
      // Reject negative values, although the file stores a signed number.
      guard value.wholeNumber ?? -1 >= 0 else { return nil }
      return value.bytes(ofType: 21, byteCount: byteCount)
    case .genre: return value.bytes(ofType: 76)
    case .part(let byteCount):
      guard let (number, count) = value.part else { return nil }
      var writer = ByteWriter()
      writer.write(UInt16(0))
      writer.write(number)
      writer.write(count)
      writer.writeZeros(byteCount - 6)
      return Bytes(writer.bytes)
    }
  }
}

import Subtitles

/// A user data item in a format of 3GPP or Apple (3GPP TS 26.244, clause 8). Texts whose type begins with `©` are
/// excluded.
///
/// Each type has its own layout. Keywords have two layouts, by 3GPP and by Apple. Payloads that do not match a layout
/// are not decoded. The writer keeps the layout of the replaced item.
package struct ISOUserDataItem {
  /// The types of 3GPP items that are undefined in QuickTime user data, or have a different meaning there.
  static let isoOnlyTypes: Set<FourCC> = [
    "titl", "dscp", "cprt", "perf", "auth", "gnre", "coll", "ades", "albm", "yrrc", "rtng", "clsf", "kywd", "loci",
    "urat", "thmb", "date", "manu", "modl",
  ]

  let value: MetadataValue
  var language: LanguageTag?
  var details: [String: String] = [:]

  /// Parses the payload of an atom, or returns `nil` if the type is unknown or the payload does not match it.
  init?(_ type: FourCC, _ payload: Bytes) {
    switch type {
    case "titl", "dscp", "cprt", "perf", "auth", "gnre", "coll", "ades":
      guard let (language, rest) = Self.head(payload), case let text = Self.string(rest), text.rest.isEmpty else {
        return nil
      }
      (value, self.language) = (.text(text.text), language)
    case "albm":
      guard let (language, rest) = Self.head(payload), case let text = Self.string(rest), text.rest.count <= 1 else {
        return nil
      }
      (value, self.language) = (.text(text.text), language)
      if let number = text.rest.first { details["track"] = String(number) }
    case "yrrc":
      guard payload.count == 6, let year = payload.load(at: 4, as: UInt16.self) else { return nil }
      value = .unsignedInteger(UInt64(year))
    case "rtng", "clsf":
      let isRating = type == "rtng"
      guard let entity = Self.code(payload, at: 4), let second = isRating ? Self.code(payload, at: 8) : "",
        let (language, rest) = Self.language(payload.dropFirst(isRating ? 12 : 10)), case let text = Self.string(rest),
        text.rest.isEmpty
      else { return nil }
      (value, self.language) = (.text(text.text), language)
      details["entity"] = entity
      if isRating { details["criteria"] = second }
    case "kywd":
      guard let words = Self.keywords(payload) else {
        guard let text = Self.bareText(payload) else { return nil }  // Apple stores the keywords as a single text.
        value = .text(text)
        return
      }
      (value, language) = (.text(words.joined(separator: ", ")), Self.head(payload)?.0)
    case "loci":
      guard let place = Self.location(payload) else { return nil }
      self = place
    case "urat":
      guard payload.count >= 5, let rating = payload.last else { return nil }
      value = .unsignedInteger(UInt64(rating))
    case "thmb":
      guard payload.count > 8, let format = Self.code(payload, at: 4) else { return nil }
      value = .data(payload.dropFirst(8))
      details["format"] = format
    case "date", "clfn", "name", "manu", "modl", "slno":
      guard let text = Self.bareText(payload) else { return nil }
      value = .text(text)
    // Cameras of GoPro store the firmware and lens as text, and phones of Samsung store the recording mode. Other
    // programs may use the same types for binary data, so reject values that are not printable text.
    case "FIRM", "LENS", "SDLN", "smrd", "VERS":
      guard let text = Self.bareText(payload), !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        return nil
      }
      value = .text(text)
    case "tagc": value = .text(payload.withoutTrailingNULs.unicodeText)
    case "tnam":
      guard let (language, rest) = Self.head(payload) else { return nil }
      (value, self.language) = (.text(Self.string(rest).text), language)
    case "kind":
      let scheme = Self.string(payload.dropFirst(4))
      value = .text(Self.string(scheme.rest).text)
      details["scheme"] = scheme.text
    default: return nil
    }
  }

  /// Skips the version and flags. Returns the language that follows, and the remaining bytes.
  static func head(_ payload: Bytes) -> (language: LanguageTag?, rest: Bytes)? {
    guard payload.load(at: 0, as: UInt32.self) == 0 else { return nil }
    return language(payload.dropFirst(4))
  }

  private static func language(_ bytes: Bytes) -> (language: LanguageTag?, rest: Bytes)? {
    guard let code = bytes.load(at: 0, as: UInt16.self) else { return nil }
    return (MediaLanguage.resolve(mediaHeaderCode: code, extendedTag: nil), bytes.dropFirst(2))
  }

  private static func code(_ bytes: Bytes, at offset: Int) -> String? {
    bytes.load(at: offset, as: UInt32.self).map { FourCC(rawValue: $0).description }
  }

  /// Splits the bytes at the first NUL, and returns the text before the NUL and the bytes after it. The text is
  /// UTF-8, or UTF-16 if it begins with a byte order mark.
  static func string(_ bytes: Bytes) -> (text: String, rest: Bytes) {
    let (text, rest) = bytes.splitAtNUL(unitByteCount: UTF16ByteOrder(markOf: bytes) == nil ? 1 : 2)
    return (text.unicodeText, rest)
  }

  /// Parses a payload that consists of a text, with or without version and flags.
  private static func bareText(_ payload: Bytes) -> String? {
    let bytes = payload.load(at: 0, as: UInt32.self) == 0 ? payload.dropFirst(4) : payload
    guard case .text(let text) = MetadataValue(bytes.withoutTrailingNULs, typeCode: 1) else { return nil }
    return text
  }

  static func keywords(_ payload: Bytes) -> [String]? {
    guard let (_, rest) = head(payload), let count = rest.first else { return nil }
    var words: [String] = []
    var position = 1
    for _ in 0..<count {
      guard position < rest.count, let word = rest.slice(at: position + 1, count: Int(rest[position])) else {
        return nil
      }
      words.append(word.withoutTrailingNULs.unicodeText)
      position += 1 + word.count
    }
    return position == rest.count ? words : nil
  }

  /// Parses a location. It consists of a name, a role in the movie, and coordinates.
  private static func location(_ payload: Bytes) -> ISOUserDataItem? {
    guard let (language, rest) = head(payload), case let name = locationName(rest), let role = name.rest.first else {
      return nil
    }
    let coordinates = [1, 5, 9].compactMap { name.rest.load(at: $0, as: UInt32.self) }
      .map { Double(Int32(bitPattern: $0)) / 65_536 }
    guard coordinates.count == 3,
      let place = GeographicLocation(latitude: coordinates[1], longitude: coordinates[0], altitude: coordinates[2])
    else { return nil }
    var item = ISOUserDataItem(value: .text(place.description), language: language)
    if !name.text.isEmpty { item.details["name"] = name.text }
    item.details["role"] =
      ["shooting", "real", "fictional"].indices.contains(Int(role))
      ? ["shooting", "real", "fictional"][Int(role)] : String(role)
    return item
  }

  /// Returns the name of a location and the remaining bytes. Some phones end an empty UTF-16 name with a single NUL.
  /// The name has this defect if `earth`, the astronomical body after the coordinates, is one byte early.
  static func locationName(_ bytes: Bytes) -> (text: String, rest: Bytes) {
    let name = string(bytes)
    let short = bytes.dropFirst(3)
    let isShort =
      [0xFEFF, 0xFFFE].contains(bytes.load(at: 0, as: UInt16.self)) && name.text.isEmpty
      && short.slice(at: 13, count: 5)?.array == Array("earth".utf8)
    return isShort ? ("", short) : name
  }

  private init(value: MetadataValue, language: LanguageTag?) {
    (self.value, self.language) = (value, language)
  }
}

extension GeographicLocation: CustomStringConvertible {
  /// The location in ISO 6709 with degrees: `+37.39380+126.96360+043.639/`.
  public var description: String {
    Self.text(latitude, wholeDigitCount: 2, decimals: 5) + Self.text(longitude, wholeDigitCount: 3, decimals: 5)
      + (altitude.map { Self.text($0, wholeDigitCount: 3, decimals: 3) } ?? "") + "/"
  }

  private static func text(_ number: Double, wholeDigitCount: Int, decimals: Int) -> String {
    let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
    let units = Int64(clamping: Int128((abs(number) * Double(scale)).rounded()))
    let fraction = String(scale + units % scale).dropFirst()
    return (number < 0 ? "-" : "+") + (units / scale).padded(to: wholeDigitCount) + "." + fraction
  }
}

// Encoding of items (3GPP TS 26.244, clause 8).
extension ISOUserDataItem {
  /// Encodes a value as the payload of a user data atom, or returns `nil` if the format cannot express the value.
  ///
  /// `old` is the payload to be replaced. The new payload keeps the other properties of `old`. If the type has several
  /// formats, it keeps the format of `old`. It keeps the language of `old` unless `language` is given.
  package static func payload(
    _ type: FourCC, _ value: MetadataValue, language: UInt16?, replacing old: Bytes?
  ) -> Bytes? {
    var writer = ByteWriter()
    let oldLanguage = old.flatMap { head($0) != nil ? $0.load(at: 4, as: UInt16.self) : nil }
    let code = language ?? oldLanguage ?? LanguageCode.undetermined
    switch type {
    case "titl", "dscp", "cprt", "perf", "auth", "gnre", "coll", "ades", "albm":
      guard let text = value.stringValue, canWrite(text) else { return nil }
      writer.write(UInt32(0))
      writer.write(code)
      writer.write(cString: text)
      if type == "albm", let old, let rest = head(old)?.1, let number = string(rest).rest.first {
        writer.write(number)
      }
    case "yrrc":
      guard let text = value.stringValue, let year = UInt16(digits: text.prefix(4)) else { return nil }
      writer.write(UInt32(0))
      writer.write(year)
    case "rtng", "clsf":
      let headByteCount = type == "rtng" ? 12 : 10
      guard let text = value.stringValue, canWrite(text) else { return nil }
      // In a new item, blanks represent the unknown rating entity or classification.
      let blank = Array("    ".utf8)
      let newHead = [0, 0, 0, 0] + blank + (type == "rtng" ? blank : [0, 0])
      writer.write(old?.slice(at: 0, count: headByteCount) ?? Bytes(newHead))
      writer.write(language ?? old?.load(at: headByteCount, as: UInt16.self) ?? code)
      writer.write(cString: text)
    case "kywd" where old.map { keywords($0) == nil } != true:
      guard let keywords = keywordList(value, code) else { return nil }
      writer.write(keywords)
    case "loci":
      guard let text = value.stringValue, let place = GeographicLocation(text), abs(place.altitude ?? 0) < 32_768 else {
        return nil
      }
      writer.write(encodedLocation(place, code, replacing: old))
    case "urat":
      guard let number = value.wholeNumber, let rating = UInt8(exactly: number), rating <= 100 else { return nil }
      // Before the rating, the payload of `urat` contains the version, the flags and three bytes that ExifTool also
      // skips.
      writer.write(old.flatMap { $0.slice(at: 0, count: $0.count - 1) } ?? .zeros(7))
      writer.write(rating)
    case "thmb":
      guard case .data(let picture) = value, PictureFormat(picture) == .jpeg else { return nil }
      writer.write(UInt32(0))
      writer.write(FourCC("jpeg"))
      writer.write(picture)
    default:
      // Reject data that the reader would decode as a text.
      if case .data(let bytes) = value { return ISOUserDataItem(type, bytes) == nil ? bytes : nil }
      guard let text = value.stringValue, canWrite(text) else { return nil }
      if old?.load(at: 0, as: UInt32.self) == 0 { writer.write(UInt32(0)) }
      writer.write(utf8: text)
    }
    return Bytes(writer.bytes)
  }

  /// Whether the format can store a text. The text must not contain a NUL, because a NUL ends it.
  private static func canWrite(_ text: String) -> Bool { !text.unicodeScalars.contains("\0") }

  private static func keywordList(_ value: MetadataValue, _ language: UInt16) -> Bytes? {
    guard let text = value.stringValue, canWrite(text) else { return nil }
    let words = MetadataValue.keywords(in: text).map { Array($0.utf8) }
    guard let count = UInt8(exactly: words.count), words.allSatisfy({ $0.count < 255 }) else { return nil }
    var writer = ByteWriter()
    writer.write(UInt32(0))
    writer.write(language)
    writer.write(count)
    for word in words {
      writer.write(UInt8(word.count + 1))  // The count includes the NUL.
      writer.write(word)
      writer.write(UInt8(0))
    }
    return Bytes(writer.bytes)
  }

  /// Encodes a location. Keeps the name, the role, the astronomical body and the notes of the old location.
  private static func encodedLocation(_ location: GeographicLocation, _ language: UInt16, replacing old: Bytes?)
    -> Bytes
  {
    var writer = ByteWriter()
    writer.write(UInt32(0))
    writer.write(language)
    let name = old.flatMap { head($0) }.map { locationName($0.1) }
    writer.write(cString: name?.text ?? "")
    writer.write(name?.rest.first ?? 0)
    for number in [location.longitude, location.latitude, location.altitude ?? 0] {
      writer.write(Int32(clamping: Int64((number * 65_536).rounded())))
    }
    if let rest = name?.rest.dropFirst(13), !rest.isEmpty {
      writer.write(rest)
    } else {
      writer.write(cString: "earth")
      writer.write(UInt8(0))
    }
    return Bytes(writer.bytes)
  }
}

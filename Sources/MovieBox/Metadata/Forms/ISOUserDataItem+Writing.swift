import Subtitles

// Items of user data as 3GPP and Apple write them (3GPP TS 26.244, clause 8).
extension ISOUserDataItem {
  /// The payload of an atom of user data that says `value`; `nil` where its form cannot.
  ///
  /// What else `old`, the payload that it takes the place of, says stays, and its form where there are several. Without
  /// `language` that of the old one stays.
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
      // Only an old one contains whose rating or class it is. Blanks stand for none.
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
      writer.write(location(place, code, replacing: old))
    case "urat":
      guard let number = value.wholeNumber, let rating = UInt8(exactly: number), rating <= 100 else { return nil }
      // Version and flags, then three bytes before the rating, which ExifTool passes over too.
      writer.write(old.flatMap { $0.slice(at: 0, count: $0.count - 1) } ?? .zeros(7))
      writer.write(rating)
    case "thmb":
      guard case .data(let picture) = value, PictureFormat(picture) == .jpeg else { return nil }
      writer.write(UInt32(0))
      writer.write(FourCC("jpeg"))
      writer.write(picture)
    default:
      // Bytes that are read as a text do not say what they said.
      if case .data(let bytes) = value { return ISOUserDataItem(type, bytes) == nil ? bytes : nil }
      guard let text = value.stringValue, canWrite(text) else { return nil }
      if old?.load(at: 0, as: UInt32.self) == 0 { writer.write(UInt32(0)) }
      writer.write(utf8: text)
    }
    return Bytes(writer.bytes)
  }

  /// The text of an item ends with a NUL.
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
      writer.write(UInt8(word.count + 1))  // The NUL counts.
      writer.write(word)
      writer.write(UInt8(0))
    }
    return Bytes(writer.bytes)
  }

  /// A place, with the name, the role, the astronomical body and the notes of the old one.
  private static func location(_ place: GeographicLocation, _ language: UInt16, replacing old: Bytes?) -> Bytes {
    var writer = ByteWriter()
    writer.write(UInt32(0))
    writer.write(language)
    let name = old.flatMap { head($0) }.map { placeName($0.1) }
    writer.write(cString: name?.text ?? "")
    writer.write(name?.rest.first ?? 0)
    for number in [place.longitude, place.latitude, place.altitude ?? 0] {
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

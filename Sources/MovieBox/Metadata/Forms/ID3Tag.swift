import Subtitles

/// An ID3 tag of version 2.3 or 2.4 (id3.org, "ID3 tag version 2.4.0"), as stored in `ID32`.
///
/// An edit replaces single frames and copies all other frames byte for byte. This is possible only if frames are
/// stored plainly (``isPlain``), without unsynchronization of the whole tag.
package struct ID3Tag {
  /// A frame. Its value is decoded if its type is known.
  struct Frame {
    let type: FourCC
    let bytes: Bytes
    var value: MetadataValue
    var language: LanguageTag?
    var details: [String: String] = [:]
    /// The range of the frame in the tag, including its header.
    var range = 0..<0
  }

  private(set) var frames: [Frame] = []

  /// Whether the tag has version 2.4.
  let isVersion4: Bool

  /// Whether single frames can be changed. This requires a tag without unsynchronization and without an extended
  /// header.
  package private(set) var isPlain = true

  /// Parses a tag. Returns `nil` if the bytes are not a tag of version 2.3 or 2.4. No program writes other versions
  /// into movies.
  package init?(_ bytes: Bytes) {
    guard bytes.count >= 10, Array(bytes.prefix(3)) == Array("ID3".utf8), [3, 4].contains(bytes[3]) else { return nil }
    isVersion4 = bytes[3] == 4
    let flags = bytes[5]
    let size = Self.synchsafe(bytes, at: 6)
    var body = bytes.slice(at: 10, count: min(size, bytes.count - 10)) ?? Bytes()
    isPlain = flags & 0xF0 == 0
    if !isVersion4, flags & 0x80 != 0 { body = Self.synchronized(body) }
    var position = 0
    if flags & 0x40 != 0 {  // An extended header. In version 2.4, its size includes the size field.
      position = isVersion4 ? Self.synchsafe(body, at: 0) : Int(body.load(at: 0, as: UInt32.self) ?? 0) + 4
    }
    while let type = body.load(at: position, as: UInt32.self), type != 0,
      let claimed = body.load(at: position + 4, as: UInt32.self),
      let frameFlags = body.load(at: position + 8, as: UInt16.self)
    {
      let length = isVersion4 ? Self.synchsafe(body, at: position + 4) : Int(claimed)
      guard var payload = body.slice(at: position + 10, count: length) else { break }
      let range = 10 + position..<20 + position + length
      position += 10 + length
      // Compressed, encrypted and grouped frames are not decoded.
      let isOpaque = frameFlags & (isVersion4 ? 0x004C : 0x00E0) != 0
      if isVersion4, frameFlags & 0x0001 != 0 { payload = payload.dropFirst(4) }
      if isVersion4, frameFlags & 0x0002 != 0 { payload = Self.synchronized(payload) }
      frames.append(
        isOpaque
          ? Frame(
            type: FourCC(rawValue: type), bytes: payload, value: .data(payload),
            details: ["form": "compressed, encrypted or grouped"])
          : Self.frame(FourCC(rawValue: type), payload))
      frames[frames.count - 1].range = range
    }
  }

  /// Whether frames of a type store their own language. Other frames use the language of the tag.
  package static func storesLanguage(_ type: FourCC) -> Bool { type == "COMM" || type == "USLT" }

  /// Returns the language that the payload of `ID32` declares for its frames.
  package static func language(ofAtom payload: Bytes) -> LanguageTag? {
    payload.load(at: 4, as: UInt16.self).flatMap { MediaLanguage.resolve(mediaHeaderCode: $0, extendedTag: nil) }
  }

  /// Decodes a synchsafe integer: four bytes with seven bits each.
  static func synchsafe(_ bytes: Bytes, at offset: Int) -> Int {
    let word = bytes.load(at: offset, as: UInt32.self) ?? 0
    return [24, 16, 8, 0].reduce(0) { $0 << 7 | Int(word >> $1 & 0x7F) }
  }

  /// Reverses unsynchronization: removes the zeros that prevent bytes from looking like the start of MPEG audio.
  private static func synchronized(_ bytes: Bytes) -> Bytes {
    var keptBytes: [UInt8] = []
    var last: UInt8 = 0
    for byte in bytes {
      if last != 0xFF || byte != 0 { keptBytes.append(byte) }
      last = byte
    }
    return Bytes(keptBytes)
  }

  static func frame(_ type: FourCC, _ payload: Bytes) -> Frame {
    var frame = Frame(type: type, bytes: payload, value: .data(payload))
    let name = type.description
    guard let encoding = payload.first else { return frame }
    switch name {
    case "TXXX", "WXXX":
      let (description, rest) = text(payload.dropFirst(1), encoding)
      frame.details["description"] = description
      frame.value = .text(name == "WXXX" ? text(rest, 0).text : text(rest, encoding).text)
    case "COMM", "USLT":
      let (description, rest) = text(payload.dropFirst(4), encoding)
      if let letters = payload.slice(at: 1, count: 3) {
        frame.language = LanguageTag(String(decoding: letters.array, as: UTF8.self).lowercased()).flatMap(\.ifKnown)
      }
      if !description.isEmpty { frame.details["description"] = description }
      frame.value = .text(text(rest, encoding).text)
    case "APIC":
      let (mediaType, rest) = text(payload.dropFirst(1), 0)
      guard let kind = rest.first else { break }
      let (description, picture) = text(rest.dropFirst(1), encoding)
      frame.details["mediaType"] = mediaType
      frame.details["pictureType"] = String(kind)
      if !description.isEmpty { frame.details["description"] = description }
      frame.value = .data(picture)
    case "PRIV":
      let (owner, data) = text(payload, 0)
      frame.details["owner"] = owner
      frame.value = .data(data)
    case _ where name.hasPrefix("T"):
      // A text frame may contain several values, separated by NULs.
      frame.value = .text(values(payload.dropFirst(1), encoding).joined(separator: MetadataValue.listSeparator))
    case _ where name.hasPrefix("W"): frame.value = .text(text(payload, 0).text)
    default: break
    }
    return frame
  }

  private static func values(_ bytes: Bytes, _ encoding: UInt8) -> [String] {
    var values: [String] = []
    var rest = bytes
    while !rest.isEmpty {
      let (value, after) = text(rest, encoding)
      values.append(value)
      rest = after
    }
    return values
  }

  /// Splits the bytes at the first NUL, and returns the text before the NUL and the bytes after it. The encodings are
  /// Latin 1, UTF-16 with or without a byte order mark, and UTF-8.
  private static func text(_ bytes: Bytes, _ encoding: UInt8) -> (text: String, rest: Bytes) {
    let (content, rest) = bytes.splitAtNUL(unitByteCount: encoding == 1 || encoding == 2 ? 2 : 1)
    switch encoding {
    case 1: return (content.unicodeText, rest)
    case 2: return (String(utf16: content, .bigEndian), rest)
    case 3: return (String(decoding: content.array, as: UTF8.self), rest)
    default: return (String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) })), rest)
    }
  }
}

extension LanguageTag {
  /// The language tag, or `nil` for the tags `und` and `xxx` of an unknown language.
  fileprivate var ifKnown: LanguageTag? { ["und", "xxx"].contains(description) ? nil : self }
}

// Encoding of frames (id3.org, "ID3 tag version 2.4.0 - Native Frames"). The encoded frames are also valid in version
// 2.3.
extension ID3Tag {
  package enum FrameChange {
    case kept
    case removed
    /// The frame's contents are replaced.
    case replaced(Bytes)
  }

  package typealias NewFrame = (type: FourCC, payload: Bytes)

  /// Changes the frames of a tag in order and appends new frames. Returns `nil` if no frame remains.
  ///
  /// Unchanged frames are copied byte for byte. If the frames fit, the tag keeps its size and is padded with zeros. A
  /// tag that is not ``isPlain`` is returned unchanged.
  package static func changing(_ changes: [FrameChange], adding new: [NewFrame], in bytes: Bytes) -> [UInt8]? {
    guard let tag = ID3Tag(bytes), tag.isPlain else { return bytes.array }
    var frames: [UInt8] = []
    for (number, frame) in tag.frames.enumerated() {
      switch number < changes.count ? changes[number] : .kept {
      case .removed: break
      case .kept: frames += bytes.slice(at: frame.range.lowerBound, count: frame.range.count)?.array ?? []
      case .replaced(let payload):
        // The format flags describe the packing of the old payload, so only the status flags are kept.
        let status = bytes.slice(at: frame.range.lowerBound + 8, count: 1)?.first ?? 0
        frames += tag.atom(frame.type, payload, status: status)
      }
    }
    for frame in new { frames += tag.atom(frame.type, frame.payload) }
    guard !frames.isEmpty else { return nil }
    let end = tag.frames.last?.range.upperBound ?? 10
    let tagEnd = Swift.max(end, Swift.min(bytes.count, 10 + synchsafe(bytes, at: 6)))
    let rest = bytes.prefix(tagEnd).dropFirst(end)
    let room = end - 10 + rest.prefix { $0 == 0 }.count
    let padding = [UInt8](repeating: 0, count: Swift.max(0, room - frames.count))
    let body = frames + padding + bytes.prefix(tagEnd).dropFirst(10 + room)
    return bytes.prefix(6) + synchsafe(Swift.max(body.count, synchsafe(bytes, at: 6))) + body + bytes.dropFirst(tagEnd)
  }

  /// Creates a tag of version 2.4 with the given frames.
  package static func tag(of frames: [NewFrame]) -> [UInt8] {
    let emptyTag = Bytes(Array("ID3".utf8) + [4, 0, 0] + synchsafe(0))
    return changing([], adding: frames, in: emptyTag) ?? emptyTag.array
  }

  /// Encodes a value as the payload of a frame, or returns `nil` if the frame type cannot express the value.
  ///
  /// `old` is the payload to be replaced. The frame keeps the description of `old`, and its language unless `language`
  /// is given. The frame also keeps the text encoding if that encoding can express the new text.
  package static func payload(
    _ type: FourCC, _ value: MetadataValue, language: LanguageTag?, description: String?, replacing old: Bytes?
  ) -> Bytes? {
    let oldFrame = old.map { frame(type, $0) }
    let name = type.description
    let description = oldFrame?.details["description"] ?? description ?? ""
    if name == "APIC" {
      guard case .data(let picture) = value, let format = PictureFormat(picture) else { return nil }
      let kind = oldFrame?.details["pictureType"].flatMap { UInt8($0) } ?? 3  // The front cover.
      let encoding = encoding(of: description, old)
      return Bytes(
        [encoding] + Array("image/\(format.rawValue.lowercased())".utf8) + [0, kind]
          + encoded(description, encoding, addsTerminator: true) + picture)
    }
    guard let text = value.stringValue, !text.unicodeScalars.contains("\0") else { return nil }
    switch name {
    case "TXXX", "WXXX":
      guard !description.isEmpty else { return nil }
      let encoding = encoding(of: name == "TXXX" ? description + text : description, old)
      let head = [encoding] + encoded(description, encoding, addsTerminator: true)
      guard name == "WXXX" else { return Bytes(head + encoded(text, encoding)) }
      return latin1Bytes(text).map { Bytes(head + $0) }
    case "COMM", "USLT":
      let encoding = encoding(of: description + text, old)
      let letters = language.map { tag in tag.ifDetermined.map { LanguageCode.iso639_2T(for: $0) } ?? "XXX" }
      let code = letters.map { Array($0.utf8) } ?? old?.slice(at: 1, count: 3)?.array ?? Array("XXX".utf8)
      return Bytes([encoding] + code + encoded(description, encoding, addsTerminator: true) + encoded(text, encoding))
    case _ where name.hasPrefix("T"):
      let encoding = encoding(of: text, old)
      return Bytes([encoding] + encoded(text, encoding))
    case _ where name.hasPrefix("W"): return latin1Bytes(text).map { Bytes($0) }
    default: return nil
    }
  }

  // MARK: - Bytes

  /// Encodes a frame with its header.
  private func atom(_ type: FourCC, _ payload: Bytes, status: UInt8 = 0) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(type)
    if isVersion4 { writer.write(Self.synchsafe(payload.count)) } else { writer.write(UInt32(clamping: payload.count)) }
    writer.write(status)
    writer.write(UInt8(0))
    writer.write(payload)
    return writer.bytes
  }

  /// Encodes a synchsafe integer: four bytes with seven bits each.
  private static func synchsafe(_ count: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: count >> $0) & 0x7F }
  }

  /// Returns the encoding for a text. The old encoding is used if it is Unicode. Otherwise, the encoding is Latin 1 if
  /// possible, or else UTF-16 with a byte order mark. Both versions of ID3 support these encodings.
  private static func encoding(of text: String, _ old: Bytes?) -> UInt8 {
    if let encoding = old?.first, 1...3 ~= encoding { return encoding }
    return latin1Bytes(text) == nil ? 1 : 0
  }

  private static func latin1Bytes(_ text: String) -> [UInt8]? {
    let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    return bytes.count == text.unicodeScalars.count ? bytes : nil
  }

  private static func encoded(_ text: String, _ encoding: UInt8, addsTerminator: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    switch encoding {
    case 0: bytes = latin1Bytes(text) ?? []
    case 3: bytes = Array(text.utf8)
    default:
      if encoding == 1 { bytes += [0xFE, 0xFF] }
      for unit in text.utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    }
    if addsTerminator { bytes += encoding == 1 || encoding == 2 ? [0, 0] : [0] }
    return bytes
  }
}

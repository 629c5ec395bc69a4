/// Text in one or more languages: a `udta` atom whose type begins with `©` (QTFF "User Data Text Strings").
///
/// Writers disagree about whether the length field of a text includes the four-byte header. The parser tries both
/// conventions, and an edit writes the convention of the file.
package struct UserDataText {
  /// The text in one language.
  package struct Entry: Hashable, Sendable {
    /// The language: a Macintosh code below 0x400, 0x7FFF if unspecified, or a packed ISO 639-2 code.
    package var language: UInt16
    /// The text as stored. It must be shorter than 64 KiB.
    package var text: Bytes

    package init(language: UInt16, text: Bytes) {
      self.language = language
      self.text = text
    }

    /// The decoded text.
    ///
    /// If the language is a packed ISO 639-2 code, the text is UTF-8, or UTF-16 after a byte order mark. If the
    /// language is a Macintosh code, the text is decoded as UTF-8 if it is valid UTF-8, or else as Mac Roman,
    /// regardless of the language's script.
    package var string: String {
      usesMacintoshEncoding ? text.withoutTrailingNULs.utf8OrMacRomanText : text.unicodeText
    }

    private var usesMacintoshEncoding: Bool { language < 0x400 || language == 0x7FFF }
  }

  /// The meaning of a text's length field.
  package enum LengthConvention: Hashable, Sendable {
    /// The length is the size of the text, as in nearly all files.
    case text
    /// The length is the total size of the text and its four-byte header, as QTFF defines it.
    case textAndHeader
  }

  /// The texts, in file order.
  package var entries: [Entry]
  /// The meaning of the length fields.
  package var lengthConvention: LengthConvention
  package var tail: Bytes

  package init(entries: [Entry], lengthConvention: LengthConvention = .text, tail: Bytes = Bytes()) {
    self.entries = entries
    self.lengthConvention = lengthConvention
    self.tail = tail
  }

  /// Returns the decoded text at `index`, or `nil` if `index` is past the last text.
  package func text(at index: Int = 0) -> String? {
    entries.indices.contains(index) ? entries[index].string : nil
  }
}

extension UserDataText: AtomPayload {
  /// Parses the texts. Throws if the first text does not fit in the atom with either convention.
  ///
  /// The parser uses the length convention with which the texts fill the whole atom. If neither convention does so, the
  /// parser uses `.text`, and the bytes after the last text that fits become the tail.
  package init(payload: Bytes) throws(MovieError) {
    let plainEnd = Self.readEntries(payload, .text) { _ in }
    if payload.count - plainEnd < Self.headerByteCount {
      self.init(payload, .text)
    } else if payload.count - Self.readEntries(payload, .textAndHeader, { _ in }) < Self.headerByteCount {
      self.init(payload, .textAndHeader)
    } else if plainEnd > 0 {
      self.init(payload, .text)
    } else {
      let length = payload.load(at: 0, as: UInt16.self) ?? 0
      throw MovieError(
        .malformed, at: 0, "the text declares \(length) bytes, but has room for only \(payload.count - 4)")
    }
  }

  private init(_ payload: Bytes, _ convention: LengthConvention) {
    var entries: [Entry] = []
    let end = Self.readEntries(payload, convention) { entries.append($0) }
    self.init(entries: entries, lengthConvention: convention, tail: payload.dropFirst(end))
  }

  /// Writes the texts.
  package func write(to writer: inout ByteWriter) {
    for entry in entries {
      let length = entry.text.count + (lengthConvention == .text ? 0 : Self.headerByteCount)
      precondition(length <= Int(UInt16.max), "a user data text must be shorter than 64 KiB")
      writer.write(UInt16(truncatingIfNeeded: length))
      writer.write(entry.language)
      writer.write(entry.text)
    }
    writer.write(tail)
  }

  private static let headerByteCount = 4

  /// Calls `body` with each text that fits in the payload. Returns the end of the last text that fits.
  private static func readEntries(_ payload: Bytes, _ convention: LengthConvention, _ body: (Entry) -> Void) -> Int {
    var position = 0
    while let length = payload.load(at: position, as: UInt16.self),
      let language = payload.load(at: position + 2, as: UInt16.self),
      let text = payload.slice(
        at: position + headerByteCount, count: Int(length) - (convention == .text ? 0 : headerByteCount))
    {
      body(Entry(language: language, text: text))
      position += headerByteCount + text.count
    }
    return position
  }
}

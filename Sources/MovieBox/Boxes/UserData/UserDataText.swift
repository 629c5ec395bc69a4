/// Text in one or more languages: the atoms of `udta` whose type begins with `©` (QTFF "User Data Text Strings").
package struct UserDataText {
  /// The text in one language.
  package struct Entry: Hashable, Sendable {
    /// A Macintosh code below 0x400, 0x7FFF for none, else three packed letters.
    package var language: UInt16
    /// The text as it stands; less than 64 KiB.
    package var text: Bytes

    /// A text of these values.
    package init(language: UInt16, text: Bytes) {
      self.language = language
      self.text = text
    }

    /// The text decoded.
    ///
    /// With packed letters it is UTF-8, or UTF-16 after a byte order mark. With a Macintosh code it is read as UTF-8
    /// where it is valid UTF-8, else as Mac Roman, whatever script the language is written in.
    package var string: String {
      usesMacintoshEncoding ? text.withoutTrailingNULs.utf8OrMacRomanText : text.unicodeText
    }

    private var usesMacintoshEncoding: Bool { language < 0x400 || language == 0x7FFF }
  }

  /// The bytes that the length before a text counts.
  package enum LengthConvention: Hashable, Sendable {
    /// The text alone, as in nearly all files.
    case text
    /// The text and the four bytes before it, as the words of QTFF say.
    case textAndHeader
  }

  /// The texts, in the order of the file.
  package var entries: [Entry]
  /// The bytes that the lengths count.
  package var lengthReading: LengthConvention
  package var tail: Bytes

  /// Texts of these values.
  package init(entries: [Entry], lengthReading: LengthConvention = .text, tail: Bytes = Bytes()) {
    self.entries = entries
    self.lengthReading = lengthReading
    self.tail = tail
  }

  /// The text at an index, decoded; `nil` where there is none.
  package func text(at index: Int = 0) -> String? {
    entries.indices.contains(index) ? entries[index].string : nil
  }
}

extension UserDataText: AtomPayload {
  /// Parses the texts. Throws when not even the first fits, whatever its length counts.
  ///
  /// Lengths count what makes the whole atom fit; where nothing does, what follows the last text that fits is a tail.
  package init(payload: Bytes) throws(MovieError) {
    let plainEnd = Self.walk(payload, .text) { _ in }
    if payload.count - plainEnd < Self.headerByteCount {
      self.init(payload, .text)
    } else if payload.count - Self.walk(payload, .textAndHeader, { _ in }) < Self.headerByteCount {
      self.init(payload, .textAndHeader)
    } else if plainEnd > 0 {
      self.init(payload, .text)
    } else {
      let length = payload.load(at: 0, as: UInt16.self) ?? 0
      throw MovieError(.malformed, at: 0, "text claims \(length) bytes, room for \(payload.count - 4)")
    }
  }

  private init(_ payload: Bytes, _ reading: LengthConvention) {
    var entries: [Entry] = []
    let end = Self.walk(payload, reading) { entries.append($0) }
    self.init(entries: entries, lengthReading: reading, tail: payload.dropFirst(end))
  }

  /// Writes the texts.
  package func write(to writer: inout ByteWriter) {
    for entry in entries {
      let length = entry.text.count + (lengthReading == .text ? 0 : Self.headerByteCount)
      precondition(length <= Int(UInt16.max), "a text of user data is shorter than 64 KiB")
      writer.write(UInt16(truncatingIfNeeded: length))
      writer.write(entry.language)
      writer.write(entry.text)
    }
    writer.write(tail)
  }

  private static let headerByteCount = 4

  /// Calls `body` with the texts from the start that fit; gives where they end.
  private static func walk(_ payload: Bytes, _ reading: LengthConvention, _ body: (Entry) -> Void) -> Int {
    var position = 0
    while let length = payload.load(at: position, as: UInt16.self),
      let language = payload.load(at: position + 2, as: UInt16.self),
      let text = payload.slice(
        at: position + headerByteCount, count: Int(length) - (reading == .text ? 0 : headerByteCount))
    {
      body(Entry(language: language, text: text))
      position += headerByteCount + text.count
    }
    return position
  }
}

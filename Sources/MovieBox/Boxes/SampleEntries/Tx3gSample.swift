import Subtitles

/// A sample of a `tx3g` track: a text and the boxes that modify it (3GPP TS 26.245, clause 5.17).
///
///     let sample = try Tx3gSample(payload: Bytes([0, 2, 0x48, 0x69]))
///     print(sample.string)  // Hi
///
/// "Payload" is the whole sample; it has no header.
package struct Tx3gSample: AtomPayload {
  /// The longest text, in bytes: its length is a 16-bit field.
  package static let longestText = Int(UInt16.max)

  /// The text as it is stored: UTF-8, or UTF-16 after a byte order mark.
  package let text: Bytes
  /// The boxes after the text, in order.
  package let boxes: [Tx3gBox]
  /// Bytes after the last box that are not a box.
  package let tail: Bytes

  /// Parses a whole sample. Throws when the text or a box claims more bytes than there are.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let declared = Int(try reader.read(UInt16.self))
    guard declared <= reader.remaining else {
      throw MovieError(.truncated, at: 0, "text claims \(declared) bytes, \(reader.remaining) left")
    }
    text = try reader.readBytes(declared)
    boxes = try reader.readTx3gBoxes()
    tail = reader.readRest()
  }

  /// Reads as much as possible of a sample that may be damaged, and returns the damage; `nil` if there is none.
  ///
  /// A text that claims more bytes than there are ends where they do; boxes from the first that cannot be read on are
  /// left out, and count as ``tail``.
  package static func reading(damaged payload: Bytes) -> (sample: Tx3gSample, damage: MovieError?) {
    do throws(MovieError) {
      return (try Tx3gSample(payload: payload), nil)
    } catch {
      let declared = Int(payload.load(at: 0, as: UInt16.self) ?? 0)
      let text = payload.dropFirst(2)
      let kept = text.slice(at: 0, count: Swift.min(declared, text.count)) ?? text
      var reader = ByteReader(text.dropFirst(kept.count))
      var boxes: [Tx3gBox] = []
      do throws(MovieError) {
        while let box = try reader.readTx3gBox() { boxes.append(box) }
      } catch {}  // The first error is the one that is reported.
      return (Tx3gSample(text: kept, boxes: boxes, tail: reader.readRest()), error)
    }
  }

  init(text: Bytes = Bytes(), boxes: [Tx3gBox] = [], tail: Bytes = Bytes()) {
    self.text = text
    self.boxes = boxes
    self.tail = tail
  }

  /// Writes the whole sample.
  package func write(to writer: inout ByteWriter) {
    writer.write(UInt16(truncatingIfNeeded: text.count))  // Both initialisers keep it under 65 536.
    writer.write(text)
    for box in boxes { box.write(to: &writer) }
    writer.write(tail)
  }

  /// Whether there is no text. A sample without text is a gap, even with boxes.
  package var isEmpty: Bool { text.isEmpty }

  /// The text. What is not valid becomes U+FFFD. Either byte order mark is accepted, as QuickTime does.
  package var string: String {
    guard let order = UTF16ByteOrder(markOf: text) else { return String(decoding: text, as: UTF8.self) }
    return String(utf16: text.dropFirst(2), order)
  }

  /// Whether the sample carries `frcd`. In a track of forced samples only it need not.
  package var isForced: Bool { boxes.contains { $0.type == "frcd" } }

  /// The runs of the first `styl` box that can be read; none where there is no such box.
  package var styleRecords: [Tx3gStyleRecord] {
    for box in boxes {
      if let records = box.styleRecords { return records }
    }
    return []
  }

  /// The box of the text, if it is not the description's default box.
  package var textBox: Tx3gTextBox? {
    for box in boxes {
      if let textBox = box.textBox { return textBox }
    }
    return nil
  }
}

/// An atom inside a `tx3g` sample description or sample, kept as it stands.
///
/// What it says is decoded when someone asks, so that boxes nobody knows, and known ones that lie, are written back
/// to the same bytes.
package struct Tx3gBox: Hashable, Sendable {
  /// The four-character code.
  package let type: FourCC
  /// The bytes after the header.
  package let payload: Bytes
  /// Whether the size is 64 bits wide, which nobody writes but readers accept.
  package let hasWideSize: Bool

  /// A box with these bytes, and a size of 32 bits unless set otherwise.
  package init(_ type: FourCC, payload: Bytes, hasWideSize: Bool = false) {
    self.type = type
    self.payload = payload
    self.hasWideSize = hasWideSize
  }

  /// Writes header and payload.
  package func write(to writer: inout ByteWriter) {
    if hasWideSize {
      writer.write(UInt32(1))
      writer.write(type)
      writer.write(UInt64(payload.count) + 16)
      writer.write(payload)
    } else {
      writer.atom(type) { $0.write(payload) }
    }
  }
}

// MARK: - Boxes of a sample

extension Tx3gBox {
  /// `frcd`: this sample is shown although subtitles are off.
  package static let forced = Tx3gBox("frcd", payload: Bytes())

  /// `twrp`: lines that are too long are wrapped.
  package static let softWrap = Tx3gBox("twrp", payload: Bytes([1]))

  /// Writes `styl`: the runs that do not look as the default style says, ordered and disjoint, at most 65 535.
  package static func writeStyles(_ records: [Tx3gStyleRecord], to writer: inout ByteWriter) {
    precondition(records.count <= Int(UInt16.max), "a styl box counts its records in 16 bits")
    writer.atom("styl") { styl in
      styl.write(UInt16(records.count))
      for record in records { styl.write(record) }
    }
  }

  /// `tbox`: where the text of this sample stands.
  package static func textBox(_ box: Tx3gTextBox) -> Tx3gBox {
    var writer = ByteWriter()
    writer.write(box)
    return Tx3gBox("tbox", payload: Bytes(writer.bytes))
  }

  /// The records of a `styl` box; `nil` for other boxes and for one that claims more records than it holds.
  package var styleRecords: [Tx3gStyleRecord]? {
    guard type == "styl" else { return nil }
    var reader = ByteReader(payload)
    do throws(MovieError) {
      var records: [Tx3gStyleRecord] = []
      for _ in 0..<(try reader.read(UInt16.self)) { records.append(try reader.readTx3gStyleRecord()) }
      return records
    } catch {
      return nil
    }
  }

  /// The rectangle of a `tbox` box; `nil` for other boxes and for one that is too short.
  package var textBox: Tx3gTextBox? {
    guard type == "tbox" else { return nil }
    var reader = ByteReader(payload)
    do throws(MovieError) {
      return try reader.readTx3gTextBox()
    } catch {
      return nil
    }
  }
}

// MARK: - The font table of a sample description

/// A font of a font table (`ftab`).
package struct Tx3gFont: Hashable, Sendable {
  /// The number by which style records refer to the font.
  package var id: UInt16
  /// The name in UTF-8, at most 255 bytes; several names may stand in it, separated by commas.
  package var name: String
}

extension Tx3gBox {
  /// `ftab`: the fonts that style records may name. A name longer than 255 bytes is a mistake of the caller.
  package static func fontTable(_ fonts: [Tx3gFont]) -> Tx3gBox {
    precondition(fonts.count <= Int(UInt16.max), "an ftab box counts its fonts in 16 bits")
    var writer = ByteWriter()
    writer.write(UInt16(fonts.count))
    for font in fonts {
      precondition(font.name.utf8.count <= 255, "an ftab box counts the bytes of a name in 8 bits")
      writer.write(font.id)
      writer.write(UInt8(font.name.utf8.count))
      writer.write(utf8: font.name)
    }
    return Tx3gBox("ftab", payload: Bytes(writer.bytes))
  }

  /// The fonts of an `ftab` box; `nil` for other boxes and for one that claims more fonts than it holds.
  package var fonts: [Tx3gFont]? {
    guard type == "ftab" else { return nil }
    var reader = ByteReader(payload)
    do throws(MovieError) {
      var fonts: [Tx3gFont] = []
      for _ in 0..<(try reader.read(UInt16.self)) {
        let id = try reader.read(UInt16.self)
        let name = try reader.readBytes(Int(try reader.read(UInt8.self)))
        fonts.append(Tx3gFont(id: id, name: String(decoding: name, as: UTF8.self)))
      }
      return fonts
    } catch {
      return nil
    }
  }
}

// MARK: - Reading boxes

extension ByteReader {
  /// Reads boxes up to the end of the bytes.
  ///
  /// Fewer than 8 bytes at the end, and all that follows a size of 0, are not boxes and stay unread.
  mutating func readTx3gBoxes() throws(MovieError) -> [Tx3gBox] {
    var boxes: [Tx3gBox] = []
    while let box = try readTx3gBox() { boxes.append(box) }
    return boxes
  }

  /// Reads the next box; `nil` where none follows.
  mutating func readTx3gBox() throws(MovieError) -> Tx3gBox? {
    guard remaining >= 8, bytes.load(at: position, as: UInt32.self) != 0 else { return nil }
    let start = position
    let available = remaining
    var size = UInt64(try read(UInt32.self))
    let type = try readFourCC()
    let hasWideSize = size == 1
    if hasWideSize { size = try read(UInt64.self) }
    let headerSize = position - start
    guard let byteCount = Int(exactly: size), byteCount <= available else {
      throw MovieError(.truncated, at: UInt64(start), "\(type) claims \(size) bytes, \(available) left")
    }
    guard byteCount >= headerSize else {
      throw MovieError(.malformed, at: UInt64(start), "\(type) claims \(size) bytes, its header has \(headerSize)")
    }
    return Tx3gBox(type, payload: try readBytes(byteCount - headerSize), hasWideSize: hasWideSize)
  }
}

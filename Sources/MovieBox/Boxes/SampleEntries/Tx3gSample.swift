import Subtitles

/// A sample of a `tx3g` track: text, and boxes that modify it (3GPP TS 26.245, clause 5.17).
///
///     let sample = try Tx3gSample(payload: Bytes([0, 2, 0x48, 0x69]))
///     print(sample.string)  // Hi
///
/// A sample has no header, so the payload is the complete sample.
package struct Tx3gSample: AtomPayload {
  /// The maximum size of the text in bytes. The length field of the text has 16 bits.
  package static let maximumTextByteCount = Int(UInt16.max)

  /// The text as stored: UTF-8, or UTF-16 after a byte order mark.
  package let text: Bytes
  /// The boxes after the text, in file order.
  package let boxes: [Tx3gBox]
  /// The bytes after the last box.
  package let tail: Bytes

  /// Parses a sample. Throws if the text or a box extends past the end.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let declaredByteCount = Int(try reader.read(UInt16.self))
    guard declaredByteCount <= reader.remaining else {
      throw MovieError(
        .truncated, at: 0, "the text declares \(declaredByteCount) bytes, but has room for only \(reader.remaining)")
    }
    text = try reader.readBytes(declaredByteCount)
    boxes = try reader.readTx3gBoxes()
    tail = reader.readRest()
  }

  /// Reads the undamaged part of a sample. Also returns the error if the sample is damaged.
  ///
  /// A text that extends past the end of the bytes is cut there. An unreadable box and all following bytes become
  /// ``tail``.
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
      } catch {}  // Only the first error is reported.
      return (Tx3gSample(text: kept, boxes: boxes, tail: reader.readRest()), error)
    }
  }

  init(text: Bytes = Bytes(), boxes: [Tx3gBox] = [], tail: Bytes = Bytes()) {
    self.text = text
    self.boxes = boxes
    self.tail = tail
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(UInt16(truncatingIfNeeded: text.count))  // Both initializers limit the count to 65 535.
    writer.write(text)
    for box in boxes { box.write(to: &writer) }
    writer.write(tail)
  }

  /// Whether the sample contains no text. Such a sample is a gap, even if it contains boxes.
  package var isEmpty: Bool { text.isEmpty }

  /// The decoded text. Invalid bytes become U+FFFD. Byte order marks of both byte orders are accepted, as in QuickTime.
  package var string: String {
    guard let order = UTF16ByteOrder(markOf: text) else { return String(decoding: text, as: UTF8.self) }
    return String(utf16: text.dropFirst(2), order)
  }

  /// Whether the sample contains an `frcd` box. The box is optional in a track with only forced samples.
  package var isForced: Bool { boxes.contains { $0.type == "frcd" } }

  /// The records of the first readable `styl` box. The array is empty if there is none.
  package var styleRecords: [Tx3gStyleRecord] {
    for box in boxes {
      if let records = box.styleRecords { return records }
    }
    return []
  }

  /// The text box, or `nil` if the default text box of the description applies.
  package var textBox: Tx3gTextBox? {
    for box in boxes {
      if let textBox = box.textBox { return textBox }
    }
    return nil
  }
}

/// An atom inside a `tx3g` sample description or sample.
///
/// The payload is decoded only on request, so unknown and invalid boxes are written back unchanged.
package struct Tx3gBox: Hashable, Sendable {
  package let type: FourCC
  package let payload: Bytes
  /// Whether the size field has 64 bits. Readers accept this form, but no known writer uses it.
  package let hasWideSize: Bool

  package init(_ type: FourCC, payload: Bytes, hasWideSize: Bool = false) {
    self.type = type
    self.payload = payload
    self.hasWideSize = hasWideSize
  }

  /// Writes the box with its header.
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
  /// A `frcd` box. Players show a sample with this box even if subtitles are off.
  package static let forced = Tx3gBox("frcd", payload: Bytes())

  /// A `twrp` box that makes players wrap long lines.
  package static let softWrap = Tx3gBox("twrp", payload: Bytes([1]))

  /// Writes a `styl` box with the styles of runs that differ from the default style. The runs must be ordered and
  /// disjoint. There must be at most 65 535 runs.
  package static func writeStyles(_ records: [Tx3gStyleRecord], to writer: inout ByteWriter) {
    precondition(records.count <= Int(UInt16.max), "a styl box has at most 65535 records")
    writer.atom("styl") { styl in
      styl.write(UInt16(records.count))
      for record in records { styl.write(record) }
    }
  }

  /// Returns a `tbox` box that places the text of a sample.
  package static func textBox(_ box: Tx3gTextBox) -> Tx3gBox {
    var writer = ByteWriter()
    writer.write(box)
    return Tx3gBox("tbox", payload: Bytes(writer.bytes))
  }

  /// The records of a `styl` box. The value is `nil` if the box has another type or declares more records than it
  /// contains.
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

  /// The rectangle of a `tbox` box, or `nil` if the box has another type or is too short.
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
  /// The ID by which style records refer to the font.
  package var id: UInt16
  /// The name in UTF-8, with at most 255 bytes. The name may be a list separated by commas.
  package var name: String
}

extension Tx3gBox {
  /// Returns an `ftab` box with the fonts for style records. Each name must have at most 255 bytes.
  package static func fontTable(_ fonts: [Tx3gFont]) -> Tx3gBox {
    precondition(fonts.count <= Int(UInt16.max), "an ftab box has at most 65535 fonts")
    var writer = ByteWriter()
    writer.write(UInt16(fonts.count))
    for font in fonts {
      precondition(font.name.utf8.count <= 255, "a font name in an ftab box has at most 255 bytes")
      writer.write(font.id)
      writer.write(UInt8(font.name.utf8.count))
      writer.write(utf8: font.name)
    }
    return Tx3gBox("ftab", payload: Bytes(writer.bytes))
  }

  /// The fonts of an `ftab` box. The value is `nil` if the box has another type or declares more fonts than it
  /// contains.
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
  /// Stops at a size of 0, or if fewer than 8 bytes remain. The bytes from there on are left unread.
  mutating func readTx3gBoxes() throws(MovieError) -> [Tx3gBox] {
    var boxes: [Tx3gBox] = []
    while let box = try readTx3gBox() { boxes.append(box) }
    return boxes
  }

  /// Reads the next box, or returns `nil` if there is none.
  mutating func readTx3gBox() throws(MovieError) -> Tx3gBox? {
    guard remaining >= 8, bytes.load(at: position, as: UInt32.self) != 0 else { return nil }
    let start = position
    let availableBytes = remaining
    var size = UInt64(try read(UInt32.self))
    let type = try readFourCC()
    let hasWideSize = size == 1
    if hasWideSize { size = try read(UInt64.self) }
    let headerSize = position - start
    guard let byteCount = Int(exactly: size), byteCount <= availableBytes else {
      throw MovieError(
        .truncated, at: UInt64(start), "\(type) declares \(size) bytes, but has room for only \(availableBytes)")
    }
    guard byteCount >= headerSize else {
      throw MovieError(
        .malformed, at: UInt64(start), "\(type) declares \(size) bytes, but its header needs \(headerSize)")
    }
    return Tx3gBox(type, payload: try readBytes(byteCount - headerSize), hasWideSize: hasWideSize)
  }
}

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

  /// What can be read of a sample that may be damaged, and what is wrong with it; `nil` where nothing is.
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
  package var isForced: Bool {
    boxes.contains { $0.type == "frcd" }
  }

  /// The runs of the first `styl` box that can be read; none where there is no such box.
  package var styleRecords: [Tx3gStyleRecord] {
    for box in boxes {
      if let records = box.styleRecords { return records }
    }
    return []
  }

  /// Where the text stands, if not in the description's default box.
  package var textBox: Tx3gTextBox? {
    for box in boxes {
      if let textBox = box.textBox { return textBox }
    }
    return nil
  }
}

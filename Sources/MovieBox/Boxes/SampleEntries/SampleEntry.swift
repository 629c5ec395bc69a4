/// One sample description: its format, and the fields that belong to the kind of media as bytes.
///
/// ``VideoDescription`` and ``SoundDescription`` read those.
package struct SampleEntry: Hashable, Sendable {
  /// The format of the samples, such as `avc1`, `mp4a` or `tx3g`.
  package var format: FourCC
  /// 6 bytes, zero.
  package var reserved: Bytes
  /// Which entry of ``DataReference`` says where the samples lie, counted from 1.
  package var dataReferenceIndex: UInt16
  /// All that follows the 16 bytes of size, format, reserved and index.
  package var body: Bytes

  /// A description of these values.
  package init(format: FourCC, dataReferenceIndex: UInt16 = 1, body: Bytes) {
    self.format = format
    self.reserved = .zeros(6)
    self.dataReferenceIndex = dataReferenceIndex
    self.body = body
  }

  /// The bytes before the body.
  static let headerByteCount = 16

  /// Reads an entry from a reader that holds nothing else; its size was checked.
  package init(reading reader: inout ByteReader) throws(MovieError) {
    _ = try reader.read(UInt32.self)
    format = try reader.readFourCC()
    reserved = try reader.readBytes(6)
    dataReferenceIndex = try reader.read()
    body = reader.readRest()
  }

  /// Writes the entry with its size.
  package func write(to writer: inout ByteWriter) {
    writer.atom(format) { writer in
      writer.write(reserved, count: 6)
      writer.write(dataReferenceIndex)
      writer.write(body)
    }
  }
}

extension ByteReader {
  /// Reads the entry of a list whose entries begin with their size; the reader that it gives begins with the size.
  ///
  /// Throws when the size is below that of the entry's header or leaves the list.
  mutating func readEntry(_ number: Int, headerByteCount: Int) throws(MovieError) -> ByteReader {
    guard let declared = bytes.load(at: position, as: UInt32.self) else {
      throw failure(.truncated, "entry \(number) needs \(headerByteCount) bytes, \(remaining) left")
    }
    guard let byteCount = Int(exactly: declared), byteCount >= headerByteCount, byteCount <= remaining else {
      throw failure(
        .malformed, "entry \(number) claims \(declared) bytes, at least \(headerByteCount) and at most \(remaining) fit"
      )
    }
    return ByteReader(try readBytes(byteCount))
  }
}

/// A payload that names its fields once, in the order of the file. From this list it is read, written, listed and
/// compared.
///
/// Fields that many boxes share have the same names in all of them: `version` and `flags` of a full atom (0 where the
/// doc comment says nothing else), `reserved` for zeros, and `tail` for bytes after the known fields. Bytes that no
/// field explains are kept, so that a box is written back as it was read.
///
///     mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
///       try visitor.fullAtomHeader(&version, &flags, newest: 0)
///       try visitor.field(&sequenceNumber, "sequence number", .number)
///       try visitor.field(&tail, nil, .rest)
///     }
package protocol FieldedPayload: AtomPayload {
  /// A payload whose fields are still to be read.
  static var unread: Self { get }

  /// Passes each field to `visitor`, in the order of the file.
  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure)
}

extension FieldedPayload {
  /// Reads all fields. Throws where the bytes end early, where a list claims more entries than there is room for, and
  /// for versions that are not known.
  package init(payload: Bytes) throws(MovieError) {
    self = try Self.reading(payload)
  }

  /// Reads all fields, as ``init(payload:)`` does. For types that examine the bytes first.
  static func reading(_ payload: Bytes) throws(MovieError) -> Self {
    var result = unread
    var visitor = FieldReader(reader: ByteReader(payload))
    try result.visit(&visitor)
    return result
  }

  /// Writes all fields; times and durations must fit the version.
  package func write(to writer: inout ByteWriter) {
    var visitor = FieldWriter(writer: ByteWriter())
    var copy = self
    swap(&visitor.writer, &writer)
    copy.visit(&visitor)
    swap(&visitor.writer, &writer)
  }

  /// The fields that have a name, and their values.
  var listedFields: [(name: String, value: String)] {
    var visitor = FieldLister()
    var copy = self
    copy.visit(&visitor)
    return visitor.fields
  }
}

/// An entry of a counted list, whose fields depend on the version of the atom.
package protocol FieldedEntry {
  /// An entry whose fields are still to be read.
  static var unread: Self { get }
  /// The number of bytes of an entry.
  static func byteCount(version: UInt8) -> Int

  /// Passes each field to `visitor`, in the order of the file.
  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor, version: UInt8) throws(Visitor.Failure)

  /// All fields for people.
  var text: String { get }
}

/// An operation on each field of a payload: reading, writing or listing.
package protocol FieldVisitor {
  /// The error for an invalid field; `Never` for operations on fields that were read already.
  associatedtype Failure: Error

  /// The bytes that are still to be read; `nil` where the fields are known.
  var unreadBytes: Bytes? { get }

  /// The next field. One without a name, such as a reserved one, is not listed.
  mutating func field<Value>(_ value: inout Value, _ name: String?, _ format: FieldFormat<Value>) throws(Failure)

  /// The number of the entries that follow, each of so many bytes; more than there is room for are refused.
  mutating func entryCount<Count: FixedWidthInteger & BitwiseCopyable>(
    _ count: inout Int, as type: Count.Type, byteCount: Int
  ) throws(Failure)

  /// One of those entries.
  mutating func entry<Entry: FieldedEntry>(
    _ entry: inout Entry, _ name: @autoclosure () -> String, version: UInt8
  ) throws(Failure)

  /// Version and flags. A version above `newest` is refused.
  mutating func fullAtomHeader(
    _ version: inout UInt8, _ flags: inout UInt32, newest: UInt8, flagsText: (UInt32) -> String
  ) throws(Failure)
}

extension FieldVisitor {
  mutating func fullAtomHeader(_ version: inout UInt8, _ flags: inout UInt32, newest: UInt8) throws(Failure) {
    try fullAtomHeader(&version, &flags, newest: newest) { Quantity.hexadecimal($0) }
  }

  /// A counted list of entries; listed as `name` and their numbers, from 1.
  mutating func entries<Entry: FieldedEntry, Count: FixedWidthInteger & BitwiseCopyable>(
    _ entries: inout [Entry], _ name: String, countedBy type: Count.Type, version: UInt8
  ) throws(Failure) {
    var count = entries.count
    try entryCount(&count, as: type, byteCount: Entry.byteCount(version: version))
    if unreadBytes != nil { entries = Array(repeating: .unread, count: count) }
    for index in entries.indices { try entry(&entries[index], "\(name) \(index + 1)", version: version) }
  }

  /// A field that other fields announce.
  mutating func field<Value>(
    _ value: inout Value?, _ name: String, _ format: FieldFormat<Value>, isPresent: Bool, absent: Value
  ) throws(Failure) {
    guard isPresent else {
      value = nil
      return
    }
    var present = value ?? absent
    try field(&present, name, format)
    value = present
  }
}

/// Reads fields.
private struct FieldReader: FieldVisitor {
  var reader: ByteReader

  var unreadBytes: Bytes? { reader.bytes.dropFirst(reader.position) }

  mutating func field<Value>(
    _ value: inout Value, _ name: String?, _ format: FieldFormat<Value>
  ) throws(MovieError) {
    value = try format.read(&reader)
  }

  mutating func entryCount<Count: FixedWidthInteger & BitwiseCopyable>(
    _ count: inout Int, as type: Count.Type, byteCount: Int
  ) throws(MovieError) {
    let declared = UInt32(truncatingIfNeeded: try reader.read(type))
    count = try reader.checkedCount(declared, width: byteCount)
  }

  mutating func entry<Entry: FieldedEntry>(
    _ entry: inout Entry, _ name: @autoclosure () -> String, version: UInt8
  ) throws(MovieError) {
    try entry.visit(&self, version: version)
  }

  mutating func fullAtomHeader(
    _ version: inout UInt8, _ flags: inout UInt32, newest: UInt8, flagsText: (UInt32) -> String
  ) throws(MovieError) {
    let header = try reader.readFullAtomHeader(upTo: newest)
    (version, flags) = (header.version, header.flags)
  }
}

/// Writes fields.
private struct FieldWriter: FieldVisitor {
  var writer: ByteWriter

  var unreadBytes: Bytes? { nil }

  mutating func field<Value>(_ value: inout Value, _ name: String?, _ format: FieldFormat<Value>) {
    format.write(value, &writer)
  }

  mutating func entryCount<Count: FixedWidthInteger & BitwiseCopyable>(
    _ count: inout Int, as type: Count.Type, byteCount: Int
  ) {
    precondition(Count(exactly: count) != nil, "a list of more than \(Count.max) entries")
    writer.write(Count(clamping: count))
  }

  mutating func entry<Entry: FieldedEntry>(
    _ entry: inout Entry, _ name: @autoclosure () -> String, version: UInt8
  ) {
    entry.visit(&self, version: version)
  }

  mutating func fullAtomHeader(
    _ version: inout UInt8, _ flags: inout UInt32, newest: UInt8, flagsText: (UInt32) -> String
  ) {
    writer.write(FullAtomHeader(version: version, flags: flags))
  }
}

/// Lists fields for people.
private struct FieldLister: FieldVisitor {
  var fields: [(name: String, value: String)] = []

  var unreadBytes: Bytes? { nil }

  mutating func field<Value>(_ value: inout Value, _ name: String?, _ format: FieldFormat<Value>) {
    if let name { fields.append((name, format.text(value))) }
  }

  mutating func entryCount<Count: FixedWidthInteger & BitwiseCopyable>(
    _ count: inout Int, as type: Count.Type, byteCount: Int
  ) {}

  mutating func entry<Entry: FieldedEntry>(
    _ entry: inout Entry, _ name: @autoclosure () -> String, version: UInt8
  ) {
    fields.append((name(), entry.text))
  }

  mutating func fullAtomHeader(
    _ version: inout UInt8, _ flags: inout UInt32, newest: UInt8, flagsText: (UInt32) -> String
  ) {
    fields += [("version", "\(version)"), ("flags", flagsText(flags))]
  }
}

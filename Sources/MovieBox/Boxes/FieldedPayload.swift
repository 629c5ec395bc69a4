/// A payload with one method that visits its fields in file order. The method is used to read, write, list and compare
/// the fields, so all four operations use the same layout.
///
/// Fields that many boxes share have the same names in all types. `version` and `flags` are the header of a full atom,
/// and are 0 unless documented otherwise. `reserved` contains zeros, and `tail` contains the bytes after the known
/// fields. Unknown bytes are kept, so writing a box after reading it does not change it.
///
///     mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
///       try visitor.fullAtomHeader(&version, &flags, newest: 0)
///       try visitor.field(&sequenceNumber, "sequence number", .number)
///       try visitor.field(&tail, nil, .rest)
///     }
package protocol FieldedPayload: AtomPayload {
  /// A payload with placeholder values. Reading replaces the values.
  static var placeholder: Self { get }

  /// Passes each field to `visitor`, in file order.
  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure)
}

extension FieldedPayload {
  /// Reads all fields. Throws if the bytes end too early, if a list declares more entries than the bytes contain, or
  /// if the version is unknown.
  package init(payload: Bytes) throws(MovieError) {
    self = try Self.reading(payload)
  }

  /// Reads all fields as ``init(payload:)`` does by default. A type with its own initializer examines the bytes and
  /// then calls this function.
  static func reading(_ payload: Bytes) throws(MovieError) -> Self {
    var result = placeholder
    var visitor = FieldReader(reader: ByteReader(payload))
    try result.visit(&visitor)
    return result
  }

  /// Writes all fields. Times and durations must fit in the fields of the version.
  package func write(to writer: inout ByteWriter) {
    var visitor = FieldWriter(writer: ByteWriter())
    var copy = self
    swap(&visitor.writer, &writer)
    copy.visit(&visitor)
    swap(&visitor.writer, &writer)
  }

  /// The named fields with their values.
  var listedFields: [(name: String, value: String)] {
    var visitor = FieldLister()
    var copy = self
    copy.visit(&visitor)
    return visitor.fields
  }
}

/// An entry of a counted list. The fields of the entry depend on the version of the atom.
package protocol FieldedEntry {
  /// An entry with placeholder values. Reading replaces the values.
  static var placeholder: Self { get }
  /// Returns the size of an entry in bytes.
  static func byteCount(version: UInt8) -> Int

  /// Passes each field to `visitor`, in file order.
  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor, version: UInt8) throws(Visitor.Failure)

  /// The text of all fields for the user.
  var text: String { get }
}

/// An operation on each field of a payload: reading, writing or listing.
package protocol FieldVisitor {
  /// The error for an invalid field, or `Never` if the operation does not read bytes.
  associatedtype Failure: Error

  /// The bytes that have not been read yet, or `nil` if the operation does not read bytes.
  var unreadBytes: Bytes? { get }

  /// Visits the next field. Fields without a name, such as reserved fields, are not listed.
  mutating func field<Value>(_ value: inout Value, _ name: String?, _ format: FieldFormat<Value>) throws(Failure)

  /// Visits the count of the entries that follow. Each entry has `byteCount` bytes. A reader throws if the entries do
  /// not fit into the remaining bytes.
  mutating func entryCount<Count: FixedWidthInteger & BitwiseCopyable>(
    _ count: inout Int, as type: Count.Type, byteCount: Int
  ) throws(Failure)

  /// Visits one entry of the list.
  mutating func entry<Entry: FieldedEntry>(
    _ entry: inout Entry, _ name: @autoclosure () -> String, version: UInt8
  ) throws(Failure)

  /// Visits the version and flags. A reader throws if the version is above `newestVersion`.
  mutating func fullAtomHeader(
    _ version: inout UInt8, _ flags: inout UInt32, newestVersion: UInt8, flagsText: (UInt32) -> String
  ) throws(Failure)
}

extension FieldVisitor {
  mutating func fullAtomHeader(_ version: inout UInt8, _ flags: inout UInt32, newestVersion: UInt8) throws(Failure) {
    try fullAtomHeader(&version, &flags, newestVersion: newestVersion) { Quantity.hexadecimal($0) }
  }

  /// Visits a counted list. Entries are listed as `name` followed by their number, counted from 1.
  mutating func entries<Entry: FieldedEntry, Count: FixedWidthInteger & BitwiseCopyable>(
    _ entries: inout [Entry], _ name: String, countedBy type: Count.Type, version: UInt8
  ) throws(Failure) {
    var count = entries.count
    try entryCount(&count, as: type, byteCount: Entry.byteCount(version: version))
    if unreadBytes != nil { entries = Array(repeating: .placeholder, count: count) }
    for index in entries.indices { try entry(&entries[index], "\(name) \(index + 1)", version: version) }
  }

  /// Visits a field that the file may omit. If the field is present but `value` is `nil`, a writer writes `absent`.
  mutating func field<Value>(
    _ value: inout Value?, _ name: String, _ format: FieldFormat<Value>, isPresent: Bool, absent: Value
  ) throws(Failure) {
    guard isPresent else {
      value = nil
      return
    }
    var presentValue = value ?? absent
    try field(&presentValue, name, format)
    value = presentValue
  }
}

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
    let declaredCount = UInt32(truncatingIfNeeded: try reader.read(type))
    count = try reader.checkedCount(declaredCount, width: byteCount)
  }

  mutating func entry<Entry: FieldedEntry>(
    _ entry: inout Entry, _ name: @autoclosure () -> String, version: UInt8
  ) throws(MovieError) {
    try entry.visit(&self, version: version)
  }

  mutating func fullAtomHeader(
    _ version: inout UInt8, _ flags: inout UInt32, newestVersion: UInt8, flagsText: (UInt32) -> String
  ) throws(MovieError) {
    let header = try reader.readFullAtomHeader(upToVersion: newestVersion)
    (version, flags) = (header.version, header.flags)
  }
}

private struct FieldWriter: FieldVisitor {
  var writer: ByteWriter

  var unreadBytes: Bytes? { nil }

  mutating func field<Value>(_ value: inout Value, _ name: String?, _ format: FieldFormat<Value>) {
    format.write(value, &writer)
  }

  mutating func entryCount<Count: FixedWidthInteger & BitwiseCopyable>(
    _ count: inout Int, as type: Count.Type, byteCount: Int
  ) {
    precondition(Count(exactly: count) != nil, "a list has at most \(Count.max) entries")
    writer.write(Count(clamping: count))
  }

  mutating func entry<Entry: FieldedEntry>(
    _ entry: inout Entry, _ name: @autoclosure () -> String, version: UInt8
  ) {
    entry.visit(&self, version: version)
  }

  mutating func fullAtomHeader(
    _ version: inout UInt8, _ flags: inout UInt32, newestVersion: UInt8, flagsText: (UInt32) -> String
  ) {
    writer.write(FullAtomHeader(version: version, flags: flags))
  }
}

/// Collects the named fields as text for the user.
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
    _ version: inout UInt8, _ flags: inout UInt32, newestVersion: UInt8, flagsText: (UInt32) -> String
  ) {
    fields += [("version", "\(version)"), ("flags", flagsText(flags))]
  }
}

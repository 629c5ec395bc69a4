import Subtitles

/// The media type of a track: the `hdlr` atom (QTFF "Handler Reference Atoms").
package struct HandlerReference {
  package var version: UInt8
  package var flags: UInt32
  /// The component type: `mhlr` or `dhlr` in QuickTime files, or 0 in ISO files.
  package var componentType: FourCC
  /// The handler type: `vide`, `soun`, `sbtl` and so on.
  package var handlerType: FourCC
  /// The manufacturer of the component in QuickTime files, or 0 in ISO files.
  package var manufacturer: UInt32
  /// The flags of the component in QuickTime files, or 0 in ISO files.
  package var componentFlags: UInt32
  /// The mask of the component flags in QuickTime files, or 0 in ISO files.
  package var componentFlagsMask: UInt32
  /// The number of bytes that the atom omits at the end of the manufacturer, flags and mask. These fields have 12
  /// bytes.
  ///
  /// Missing bytes are read as 0. An atom with a name has no missing bytes.
  package private(set) var missingByteCount: Int = 0
  /// The name as stored, with its length byte (QuickTime) or NUL (ISO). It may be empty.
  package var nameBytes: Bytes

  /// Creates a handler.
  ///
  /// - Parameter nameBytes: the name with its length byte for QuickTime files, or with its NUL for ISO files.
  package init(
    version: UInt8 = 0, flags: UInt32 = 0, componentType: FourCC, handlerType: FourCC, manufacturer: UInt32 = 0,
    componentFlags: UInt32 = 0, componentFlagsMask: UInt32 = 0, nameBytes: Bytes
  ) {
    self.version = version
    self.flags = flags
    self.componentType = componentType
    self.handlerType = handlerType
    self.manufacturer = manufacturer
    self.componentFlags = componentFlags
    self.componentFlagsMask = componentFlagsMask
    self.nameBytes = nameBytes
  }

  /// The decoded name.
  ///
  /// The name is a Pascal string if the first byte is the number of the bytes after it. Otherwise, it ends at the first
  /// NUL. The file type does not determine the encoding, because many QuickTime files contain ISO names and some ISO
  /// files contain Pascal strings. The name is decoded as UTF-8 if it is valid UTF-8, or else as Mac Roman.
  package var name: String { Self.name(of: nameBytes) }

  private static func name(of bytes: Bytes) -> String {
    guard let first = bytes.first else { return "" }
    let countedBytes = bytes.slice(at: 1, count: Int(first))
    if let countedBytes, isPascalString(bytes, length: first) {
      return countedBytes.withoutTrailingNULs.utf8OrMacRomanText
    }
    let end = bytes.firstIndex(of: 0) ?? bytes.count
    return (bytes.slice(at: 0, count: end) ?? bytes).utf8OrMacRomanText
  }

  /// A copy of the handler for a QuickTime file, with its name as a Pascal string. The value is `nil` if the component
  /// type is not 0 or the name is too long for a Pascal string.
  package var quickTimeHandler: HandlerReference? {
    guard componentType.rawValue == 0, missingByteCount == 0 else { return nil }
    var handler = self
    handler.componentType = "mhlr"
    if let first = nameBytes.first, Int(first) < nameBytes.count, Self.isPascalString(nameBytes, length: first) {
      return handler
    }
    let text = nameBytes.prefix { $0 != 0 }
    guard let count = UInt8(exactly: text.count), nameBytes.dropFirst(text.count).allSatisfy({ $0 == 0 }) else {
      return nil
    }
    handler.nameBytes = Bytes([count] + Array(text))
    return handler
  }
  /// Whether the bytes are a Pascal string. `length` is the first byte. Zeros may follow the string if `length` is a
  /// control character, because no C string begins with a control character.
  private static func isPascalString(_ bytes: Bytes, length: UInt8) -> Bool {
    let rest = bytes.dropFirst(1 + Int(length))
    return rest.isEmpty || length < 0x20 && rest.allSatisfy { $0 == 0 }
  }
}

extension AtomTree {
  /// Returns the handler type in the `hdlr` child of an atom, or `nil` if `hdlr` is missing or too short.
  package func handlerType(in parent: Int) -> FourCC? {
    child(of: parent, "hdlr").flatMap { payload(of: $0).load(at: 8, as: UInt32.self) }.map { FourCC(rawValue: $0) }
  }
}

extension HandlerReference: FieldedPayload {
  package static var placeholder: HandlerReference {
    HandlerReference(componentType: FourCC(rawValue: 0), handlerType: FourCC(rawValue: 0), nameBytes: Bytes())
  }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&componentType, "component", .code)
    try visitor.field(&handlerType, "handler", .code)
    if let unread = visitor.unreadBytes {
      missingByteCount = max(0, Self.componentByteCount - unread.count)
    } else if !nameBytes.isEmpty {
      missingByteCount = 0  // A name that was set after reading requires all fields before it.
    }
    let presentByteCount = Self.componentByteCount - missingByteCount
    try visitor.field(&manufacturer, nil, .leadingBytes(presentByteCount))
    try visitor.field(&componentFlags, nil, .leadingBytes(presentByteCount - 4))
    try visitor.field(&componentFlagsMask, nil, .leadingBytes(presentByteCount - 8))
    try visitor.field(&nameBytes, "name", .rest.withText(Self.name(of:)))
  }

  /// The size of manufacturer, flags and mask.
  private static let componentByteCount = 12
}

extension FieldFormat<UInt32> {
  /// A 32-bit integer of which the file stores only the first `byteCount` bytes. The remaining bytes are read as 0.
  fileprivate static func leadingBytes(_ byteCount: Int) -> FieldFormat {
    let count = Swift.min(4, Swift.max(0, byteCount))
    return FieldFormat(
      read: { reader throws(MovieError) in
        try reader.readBytes(count).reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (4 - count))
      },
      write: { value, writer in
        for index in 0..<count { writer.write(UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))) }
      },
      text: { "\($0)" })
  }
}

import Subtitles

/// The kind of media of a track: the `hdlr` atom (QTFF "Handler Reference Atoms").
package struct HandlerReference {
  package var version: UInt8
  package var flags: UInt32
  /// `mhlr` or `dhlr` in QuickTime files, 0 in ISO files.
  package var componentType: FourCC
  /// The kind of media: `vide`, `soun`, `sbtl` and so on.
  package var handlerType: FourCC
  /// The maker of the component in QuickTime files, 0 in ISO files.
  package var manufacturer: UInt32
  /// Flags of the component in QuickTime files, 0 in ISO files.
  package var componentFlags: UInt32
  /// A mask of those flags in QuickTime files, 0 in ISO files.
  package var componentFlagsMask: UInt32
  /// The number of bytes of manufacturer, flags and mask (12) that an atom lacks because it ends early.
  ///
  /// They read as 0. Nothing is missing from an atom with a name.
  package private(set) var missingByteCount: Int = 0
  /// The name with its length byte (QuickTime) or its NUL (ISO), as it stands; may be empty.
  package var nameBytes: Bytes

  /// A handler of these values.
  ///
  /// - Parameter nameBytes: with its length byte in QuickTime files, with its NUL in ISO files.
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

  /// The name: a Pascal string where the first byte counts the others, else up to the first NUL.
  ///
  /// Files of one dialect with names of the other are common, so the bytes decide. UTF-8 where they are valid UTF-8,
  /// else Mac Roman.
  package var name: String { Self.name(of: nameBytes) }

  private static func name(of bytes: Bytes) -> String {
    guard let first = bytes.first else { return "" }
    let counted = bytes.slice(at: 1, count: Int(first))
    if let counted, isPascal(bytes, first) { return counted.withoutTrailingNULs.utf8OrMacRomanText }
    let end = bytes.firstIndex(of: 0) ?? bytes.count
    return (bytes.slice(at: 0, count: end) ?? bytes).utf8OrMacRomanText
  }

  /// Whether `first` counts the bytes after it: all of them, or all but zeros where no C string would begin so.
  private static func isPascal(_ bytes: Bytes, _ first: UInt8) -> Bool {
    let rest = bytes.dropFirst(1 + Int(first))
    return rest.isEmpty || first < 0x20 && rest.allSatisfy { $0 == 0 }
  }
}

extension AtomTree {
  /// The kind of media or metadata that the `hdlr` in an atom names; `nil` where it has none, or one that ends early.
  package func handlerType(in parent: Int) -> FourCC? {
    child(of: parent, "hdlr").flatMap { payload(of: $0).load(at: 8, as: UInt32.self) }.map { FourCC(rawValue: $0) }
  }
}

extension HandlerReference: FieldedPayload {
  package static var unread: HandlerReference {
    HandlerReference(componentType: FourCC(rawValue: 0), handlerType: FourCC(rawValue: 0), nameBytes: Bytes())
  }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&componentType, "component", .code)
    try visitor.field(&handlerType, "handler", .code)
    if let unread = visitor.unreadBytes {
      missingByteCount = max(0, Self.componentByteCount - unread.count)
    } else if !nameBytes.isEmpty {
      missingByteCount = 0  // A name that was put in since needs all that stands before it.
    }
    let present = Self.componentByteCount - missingByteCount
    try visitor.field(&manufacturer, nil, .leadingBytes(present))
    try visitor.field(&componentFlags, nil, .leadingBytes(present - 4))
    try visitor.field(&componentFlagsMask, nil, .leadingBytes(present - 8))
    try visitor.field(&nameBytes, "name", .rest.shown(Self.name(of:)))
  }

  /// The bytes of manufacturer, flags and mask.
  private static let componentByteCount = 12
}

extension FieldFormat<UInt32> {
  /// The first bytes of a number, none to four; the others are missing from the file, and 0.
  fileprivate static func leadingBytes(_ wanted: Int) -> FieldFormat {
    let count = Swift.min(4, Swift.max(0, wanted))
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

import Subtitles

/// What kind of media a track has: the `hdlr` atom (QTFF "Handler Reference Atoms").
public struct HandlerReference {
  /// 0.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// `mhlr` or `dhlr` in QuickTime files, 0 in ISO files.
  public var componentType: FourCC
  /// The kind of media: `vide`, `soun`, `sbtl` and so on.
  public var handlerType: FourCC
  /// The maker of the component in QuickTime files, 0 in ISO files.
  public var manufacturer: UInt32
  /// Flags of the component in QuickTime files, 0 in ISO files.
  public var componentFlags: UInt32
  /// A mask of those flags in QuickTime files, 0 in ISO files.
  public var componentFlagsMask: UInt32
  /// How many of the 12 bytes of manufacturer, flags and mask are missing at the end of an atom that ends early.
  ///
  /// They read as 0. Nothing is missing from an atom with a name.
  public private(set) var missingByteCount: Int
  /// The name with its length byte (QuickTime) or its NUL (ISO), as it stands; may be empty.
  public var nameBytes: Bytes

  /// A handler of these values.
  ///
  /// - Parameter nameBytes: with its length byte in QuickTime files, with its NUL in ISO files.
  public init(
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
    self.missingByteCount = 0
    self.nameBytes = nameBytes
  }

  /// The name: a Pascal string where the first byte counts the others, else up to the first NUL.
  ///
  /// Files of one dialect with names of the other are common, so the bytes decide. UTF-8 where they are valid UTF-8,
  /// else Mac Roman.
  public var name: String {
    guard let first = nameBytes.first else { return "" }
    let counted = nameBytes.slice(at: 1, count: Int(first))
    if let counted, isPascal(first) { return counted.withoutTrailingNULs.utf8OrMacRomanText }
    let end = nameBytes.firstIndex(of: 0) ?? nameBytes.count
    return (nameBytes.slice(at: 0, count: end) ?? nameBytes).utf8OrMacRomanText
  }

  /// Whether `first` counts the bytes after it: all of them, or all but zeros where no C string would begin so.
  private func isPascal(_ first: UInt8) -> Bool {
    let rest = nameBytes.dropFirst(1 + Int(first))
    return rest.isEmpty || first < 0x20 && rest.allSatisfy { $0 == 0 }
  }
}

extension HandlerReference: AtomPayload {
  /// Parses `hdlr`. Throws when the bytes end before the handler type does, and for versions above 0.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 0)
    version = header.version
    flags = header.flags
    componentType = try reader.readFourCC()
    handlerType = try reader.readFourCC()
    let fields = try reader.readBytes(min(12, reader.remaining))
    missingByteCount = 12 - fields.count
    var padded = ByteReader(Bytes(fields.array + [UInt8](repeating: 0, count: missingByteCount)))
    manufacturer = try padded.read()
    componentFlags = try padded.read()
    componentFlagsMask = try padded.read()
    nameBytes = reader.readRest()
  }

  /// Writes `hdlr`.
  public func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(componentType)
    writer.write(handlerType)
    var fields = ByteWriter()
    fields.write(manufacturer)
    fields.write(componentFlags)
    fields.write(componentFlagsMask)
    // A name that was put in since needs all that stands before it.
    writer.write(Array(nameBytes.isEmpty ? fields.bytes.dropLast(missingByteCount) : fields.bytes[...]))
    writer.write(nameBytes)
  }
}

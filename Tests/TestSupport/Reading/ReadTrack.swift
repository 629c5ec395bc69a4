/// A sample of a track, as declared by the tables.
package struct ReadSample: Equatable, Sendable {
  /// The offset from the start of the file.
  package let offset: UInt64
  package let byteCount: Int
  /// The decode time in the media's time scale.
  package let decodeTime: Int64
  package let presentationTime: Int64
  package let duration: UInt32
  package var isSync: Bool
  /// The sample description, from 1.
  package let description: UInt32
  /// The chunk, from 0.
  package let chunk: Int
  /// Whether the media is in another file, to which `offset` then refers.
  package let isExternal: Bool
}

/// A track, read independently of the libraries.
package struct ReadTrack: Sendable {
  /// A reference of a track.
  package struct Reference: Equatable, Sendable {
    package let type: String
    package let tracks: [UInt32]
  }

  package let atom: ReadAtom
  package let id: UInt32
  package let flags: UInt32
  package let layer: Int16
  package let group: UInt16
  package let volume: UInt16
  /// The matrix of nine stored numbers.
  package let matrix: [UInt32]
  /// The width as a 16.16 fixed-point number.
  package let width: UInt32
  package let height: UInt32
  /// The duration in movie ticks.
  package let duration: UInt64
  package let timeScale: UInt32
  package let mediaDuration: UInt64
  /// The stored language field of `mdhd`.
  package let languageField: UInt16
  /// The field as three letters, or `nil` if it does not contain packed letters.
  package let language: String?
  package let extendedLanguage: String?
  package let handler: String
  package let references: [Reference]
  /// The contents of all `tagc` as text, in order.
  package let characteristics: [String]
  /// The types of the entries of `stsd`.
  package let formats: [String]
  /// The samples of the tables, then those of fragments.
  package internal(set) var samples: [ReadSample]
  /// The number of samples in the tables.
  package let tableSampleCount: Int
  /// The track's parts of fragments.
  package internal(set) var fragments: [ReadTrackFragment] = []
  /// Whether the media of each sample description is in another file.
  let isExternal: [Bool]

  package var isEnabled: Bool { flags & 1 != 0 }

  /// Returns the IDs of the tracks to which references of a type refer.
  package func references(_ type: String) -> [UInt32] {
    references.filter { $0.type == type }.flatMap(\.tracks)
  }

  init(_ trak: ReadAtom, _ store: ByteStore) throws {
    func content(_ atom: ReadAtom?, _ name: String) throws -> [UInt8] {
      guard let atom else { throw TestSupportError("\(trak.path) has no \(name)") }
      return try store.read(atom.contentOffset, Int(atom.byteCount) - atom.headerByteCount)
    }
    func field(_ bytes: [UInt8], _ offset: Int, _ count: Int, _ name: String) throws -> UInt64 {
      guard let value = number(bytes, offset, count) else { throw TestSupportError("\(trak.path): \(name) is cut") }
      return value
    }
    atom = trak
    let tkhd = try content(trak.child("tkhd"), "tkhd")
    let long = tkhd.first == 1
    flags = UInt32(try field(tkhd, 1, 3, "tkhd"))
    id = UInt32(try field(tkhd, long ? 20 : 12, 4, "tkhd"))
    duration = try field(tkhd, long ? 28 : 20, long ? 8 : 4, "tkhd")
    let rest = long ? 44 : 32
    layer = Int16(truncatingIfNeeded: try field(tkhd, rest, 2, "tkhd"))
    group = UInt16(try field(tkhd, rest + 2, 2, "tkhd"))
    volume = UInt16(try field(tkhd, rest + 4, 2, "tkhd"))
    matrix = try (0..<9).map { UInt32(try field(tkhd, rest + 8 + 4 * $0, 4, "tkhd")) }
    width = UInt32(try field(tkhd, rest + 44, 4, "tkhd"))
    height = UInt32(try field(tkhd, rest + 48, 4, "tkhd"))

    let mdia = trak.child("mdia")
    let mdhd = try content(mdia?.child("mdhd"), "mdhd")
    let longMedia = mdhd.first == 1
    timeScale = UInt32(try field(mdhd, longMedia ? 20 : 12, 4, "mdhd"))
    mediaDuration = try field(mdhd, longMedia ? 24 : 16, longMedia ? 8 : 4, "mdhd")
    languageField = UInt16(try field(mdhd, longMedia ? 32 : 20, 2, "mdhd"))
    language = Self.letters(languageField)
    let elng = try mdia?.child("elng").map { try content($0, "elng") }
    extendedLanguage = elng.map { String(decoding: $0.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self) }
    handler = codeText(try content(mdia?.child("hdlr"), "hdlr"), 8)

    references = try trak.children.filter { $0.type == "tref" }.flatMap(\.children).map { atom in
      let bytes = try content(atom, atom.type)
      return Reference(
        type: atom.type,
        tracks: stride(from: 0, to: bytes.count / 4 * 4, by: 4).map { UInt32(number(bytes, $0, 4) ?? 0) })
    }
    characteristics = try trak.children.filter { $0.type == "udta" }.flatMap(\.children).filter { $0.type == "tagc" }
      .map { String(decoding: try content($0, "tagc"), as: UTF8.self) }

    let stbl = mdia?.descendant("minf", "stbl")
    func table(_ type: String) throws -> [UInt8]? { try stbl?.child(type).map { try content($0, type) } }
    let entries = Self.entries(try table("stsd") ?? [])
    formats = entries.map(\.type)
    let references = Self.entries(
      try mdia?.descendant("minf", "dinf", "dref").map { try content($0, "dref") } ?? [])
    isExternal = entries.map { entry -> Bool in
      let index = Int(number(entry.content, 6, 2) ?? 0)
      guard index >= 1, index <= references.count else { return false }
      return (number(references[index - 1].content, 0, 4) ?? 1) & 1 == 0
    }
    let sizes = try table("stsz")
    // In ISO files, a sound entry of version 1 does not imply packets.
    let isOldSound = handler == "soun" && sizes.flatMap { number($0, 4, 4) } == 1
    let packets = isOldSound ? entries.map { SoundPacket($0.type, $0.content) } : []
    samples = try SampleExpansion(
      path: trak.path, sizes: sizes, compactSizes: table("stz2"), durations: table("stts"),
      compositions: table("ctts"), syncs: table("stss"), chunks: table("stsc"), offsets: table("stco"),
      longOffsets: table("co64"), isExternal: isExternal, packets: packets
    ).samples()
    tableSampleCount = samples.count
  }

  private static func letters(_ field: UInt16) -> String? {
    guard field >= 0x400, field != 0x7FFF else { return nil }
    var text = ""
    for shift in [10, 5, 0] as [UInt16] {
      text.unicodeScalars.append(Unicode.Scalar(UInt8(field >> shift & 0x1F) + 0x60))
    }
    return text
  }

  /// Returns the entries of `stsd` or `dref`, which follow version, flags and count.
  static func entries(_ bytes: [UInt8]) -> [(type: String, content: [UInt8])] {
    var found: [(type: String, content: [UInt8])] = []
    var position = 8
    while let size = number(bytes, position, 4).map({ Int($0) }), size >= 8, position + size <= bytes.count {
      found.append((codeText(bytes, position + 4), Array(bytes[position + 8..<position + size])))
      position += size
    }
    return found
  }
}

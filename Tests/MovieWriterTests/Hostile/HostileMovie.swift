import SubtitleTestSupport
import TestSupport

/// A class of mistakes that has crashed movie readers, with the smallest movies that trigger it.
enum HostileMovie: String, CaseIterable {
  /// Gpac and mp4v2 subtract the header size from a smaller size.
  case sizeSmallerThanItsFields
  /// Bento4 and gpac multiply a count by a width in 32 bits.
  case countTimesWidthWraps
  /// Mp4-rust adds a size to a position without checking.
  case positionPlusSizeWraps
  /// Bento4, mp4-atom and TagLib allocate memory for a claimed count.
  case hugeEntryCount
  /// Mp4parse-rust multiplies the chunks of `stco` by the samples of `stsc`.
  case countsOfTwoTablesMultiplied
  /// Mp4-rust and nginx never get past an atom of no bytes.
  case atomWithoutProgress
  /// Gpac and nginx-vod accept a size of 0 or 1 inside a container.
  case oddSizeInsideContainer
  /// Bento4 recurses to any depth.
  case nesting
  /// Gpac copies a string up to its NUL without a limit.
  case stringWithoutEnd
  /// Mp4v2 confuses atoms of different kinds.
  case atomOfAnotherKind
  /// Bento4 and gpac read past a short decoder configuration.
  case shortDescription
  /// Untrunc and Bento4 abort on absurd numbers.
  case senselessNumber
  /// Gpac leaves garbage at the top level after an edit in place.
  case garbageAtTheTop
  /// Invalid counts, positions and times of fragments.
  case brokenFragment

  /// The outcomes: some movies are edited, others rejected with one of these codes.
  var answers: Set<String> {
    switch self {
    case .sizeSmallerThanItsFields: ["malformed", "truncated"]
    case .countTimesWidthWraps, .oddSizeInsideContainer: ["malformed"]
    case .positionPlusSizeWraps: ["edited", "truncated"]
    case .hugeEntryCount: ["edited", "malformed", "truncated", "limit"]
    case .countsOfTwoTablesMultiplied: ["edited", "malformed", "truncated"]
    case .atomWithoutProgress, .atomOfAnotherKind: ["edited", "malformed"]
    case .nesting: ["edited", "limit"]
    case .stringWithoutEnd, .shortDescription: ["edited"]
    case .senselessNumber: ["edited", "malformed", "truncated", "unsupported"]
    case .garbageAtTheTop: ["edited", "unsupported", "not-a-movie"]
    case .brokenFragment: ["edited", "malformed", "truncated", "limit", "unsupported"]
    }
  }

  /// Returns the movies, named after their defects.
  func movies() throws -> [(name: String, bytes: [UInt8])] {
    switch self {
    case .sizeSmallerThanItsFields:
      try [
        "moov/mvhd", "moov/trak#1/tkhd", "moov/trak#1/mdia/mdhd", "moov/trak#1/mdia/hdlr",
        "moov/trak#1/mdia/minf/dinf/dref", "moov/trak#1/mdia/minf/stbl/stsd", "moov/trak#1/mdia/minf/stbl/stsz",
        "moov/trak#1/mdia/minf/stbl/stsc", "moov/trak#1/mdia/minf/stbl/stco",
      ].map { path in ("\(path) of 9 bytes", try Self.small.claiming(9, path)) }
        + [
          ("stsd entry of 9 bytes", try Self.stbl("stsd", 8, u32(9))),
          ("dref entry of 9 bytes", try Self.small.patched("moov/trak#1/mdia/minf/dinf/dref", 8, u32(9))),
        ]
    case .countTimesWidthWraps:
      [
        ("stco", try Self.stbl("stco", 4, u32(0x4000_0001))), ("stts", try Self.stbl("stts", 4, u32(0x2000_0001))),
        ("stsc", try Self.stbl("stsc", 4, u32(0x1555_5556))), ("stsz", try Self.stbl("stsz", 8, u32(0x4000_0001))),
        ("stz2", try Self.compact.patched("moov/trak#1/mdia/minf/stbl/stz2", 8, u32(0x8000_0001))),
        ("stsd", try Self.stbl("stsd", 4, u32(0x2000_0001))),
      ]
    case .positionPlusSizeWraps:
      [
        ("chunk", try Self.wide.patched("moov/trak#1/mdia/minf/stbl/co64", 8, u64(.max - 4))),
        ("largest chunk", try Self.wide.patched("moov/trak#1/mdia/minf/stbl/co64", 8, u64(1 << 63 - 4))),
        ("mdat", Self.small + u32(1) + code("mdat") + u64(.max - 7)),
        ("mdat of 2⁶³ bytes", Self.small + u32(1) + code("mdat") + u64(1 << 63)),
        ("sample sizes", try Self.stbl("stsz", 12, u32(-1, -1, -1))),
        ("durations", try Self.stbl("stts", 8, u32(-1, -1))),
      ]
    case .hugeEntryCount:
      try ["stsd": 4, "stts": 4, "stsc": 4, "stsz": 8, "stco": 4].sorted { $0.key < $1.key }.map { type, place in
        (type, try Self.stbl(type, place, u32(-1)))
      } + [
        ("equal sizes", try Self.stbl("stsz", 4, u32(1, -1))), ("no sizes", try Self.stbl("stsz", 4, u32(-1, -1))),
        ("dref", try Self.small.patched("moov/trak#1/mdia/minf/dinf/dref", 4, u32(-1))),
        ("moov of 2⁶² bytes", Array(Self.small.prefix(28)) + u32(1) + code("moov") + u64(1 << 62) + zeros(40)),
        ("movie atom inflated to 4 GiB", compressedMoov(zlib: [0x78, 0x01, 3, 0], inflatedByteCount: -1)),
      ]
    case .countsOfTwoTablesMultiplied:
      [
        ("all samples in each chunk", try Self.tables(("stsc", 12, u32(-1)))),
        ("and equal sizes", try Self.tables(("stsc", 12, u32(-1)), ("stsz", 4, u32(1, -1)))),
        ("and no bytes", try Self.tables(("stsc", 12, u32(-1)), ("stsz", 4, u32(0, -1)))),
        (
          "and times for all",
          try Self.tables(("stsc", 12, u32(-1)), ("stsz", 4, u32(1, -1)), ("stts", 8, u32(-1, 1)))
        ),
      ]
    case .atomWithoutProgress:
      try [0, 1, 4, 7].map { size in ("at the top, \(size)", Self.small + u32(size) + code("free") + zeros(16)) }
        + [2, 4, 7].flatMap { size in
          try ["moov/trak#1", "moov/trak#1/mdia", "moov/trak#1/mdia/minf/stbl/stts"].map { path in
            ("\(path), \(size)", try Self.small.claiming(size, path))
          }
        }
    case .oddSizeInsideContainer:
      try ["moov/trak#1", "moov/trak#1/mdia/minf/stbl", "moov/trak#1/mdia/minf/stbl/stco"].flatMap { path in
        try [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF].map { ("\(path) of \($0)", try Self.small.claiming($0, path)) }
      }
    case .nesting:
      try ["udta", "trak", "moov", "meta"].flatMap { type in
        try [40, 5_000].map { ("\($0) \(type)", try Self.nested(type, $0)) }
      }
    case .stringWithoutEnd: try Self.strings()
    case .atomOfAnotherKind: try Self.kinds()
    case .shortDescription: Self.descriptions()
    case .senselessNumber: try Self.numbers()
    case .garbageAtTheTop:
      [
        ("7 stray bytes", Self.small + zeros(7)), ("stray text", Self.small + text("garbage, no atom")),
        ("torn free", Self.small + u32(4000) + code("free") + zeros(90)),
        ("garbage before", text("garbage!") + Self.small), ("two movies", Self.small + Self.small),
        ("half a movie more", Self.small + Self.small.dropLast(300)),
      ]
    case .brokenFragment: try Self.fragments()
    }
  }

  static let small = FuzzSeeds.small.bytes()
  private static let wide = FuzzSeeds.small.with { $0.tracks[0].usesLongOffsets = true }.bytes()
  private static let compact = FuzzSeeds.small.with { $0.tracks[0].sizeTable = .stz2(bits: 8) }.bytes()

  static func table(_ type: String) -> String { "moov/trak#1/mdia/minf/stbl/\(type)" }

  /// Returns the small movie with other bytes in a table of its first track.
  static func stbl(_ type: String, _ offset: Int, _ bytes: [UInt8]) throws -> [UInt8] {
    try small.patched(table(type), offset, bytes)
  }

  private static func tables(_ changes: (type: String, offset: Int, bytes: [UInt8])...) throws -> [UInt8] {
    try changes.reduce(small) { try $0.patched(table($1.type), $1.offset, $1.bytes, of: small) }
  }

  private static func nested(_ type: String, _ depth: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<depth { bytes = atom(type) { bytes } }
    return FuzzSeeds.small.with { $0.movieAtoms = bytes }.bytes()
  }
}

extension [UInt8] {
  /// Returns the file with other bytes in the content of an atom.
  ///
  /// `original` is a file that the second reader can read, with atoms at the same positions.
  func patched(_ path: String, _ offset: Int, _ bytes: [UInt8], of original: [UInt8]? = nil) throws -> [UInt8] {
    guard let atom = try SecondReader(original ?? self).atom(path) else { throw TestSupportError("no \(path)") }
    var copy = self
    let start = Int(atom.contentOffset) + offset
    copy.replaceSubrange(start..<start + bytes.count, with: bytes)
    return copy
  }

  /// Returns the file with an atom that declares another size.
  func claiming(_ size: Int, _ path: String) throws -> [UInt8] { try patched(path, -8, u32(size)) }
}

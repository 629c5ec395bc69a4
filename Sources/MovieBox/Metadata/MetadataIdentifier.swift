/// The identifier of a metadata item: a key in the key space of one vocabulary. The text form is `space/key`, as in
/// AVFoundation.
///
///     let title = MetadataIdentifier("udta/©nam")
///     print(title!.description)  // udta/%A9nam
public struct MetadataIdentifier: Hashable, Sendable {
  /// A metadata vocabulary. It determines how a file stores its items. Its raw value precedes the slash in identifiers.
  /// Raw values other than the constants are allowed.
  public struct Space: RawRepresentable, Hashable, Sendable {
    /// The name, such as `mdta`.
    public let rawValue: String

    /// Creates a space with a name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// QuickTime metadata: keys in reverse domain notation (`meta` with the handler `mdta`).
    public static let quickTimeMetadata = Space(rawValue: "mdta")
    /// QuickTime user data: four-character codes, most with `©` (`udta`).
    public static let quickTimeUserData = Space(rawValue: "udta")
    /// User data of ISO and 3GPP files: four-character codes (`udta`).
    public static let isoUserData = Space(rawValue: "uiso")
    /// iTunes metadata: four-character codes (`meta` with the handler `mdir` in `udta`).
    public static let iTunes = Space(rawValue: "itsk")
    /// iTunes metadata with custom names (`----`). Keys have the form `mean.name`.
    public static let iTunesLongForm = Space(rawValue: "itlk")
    /// Frames of ID3 version 2 (`ID32`).
    public static let id3 = Space(rawValue: "id3")
    /// XMP packets. Each packet is one item.
    public static let xmp = Space(rawValue: "xmp")
    /// Metadata of Windows (`Xtra`).
    public static let windows = Space(rawValue: "xtra")
    /// Properties in the top-level XML document of Sony cameras (`meta` with the handler `nrtm`).
    public static let sonyXML = Space(rawValue: "nrtm")
    /// Other top-level XML documents. Each document is one item.
    public static let xml = Space(rawValue: "xml")
    /// The merged view of properties that several spaces share. No item is stored in this space.
    public static let common = Space(rawValue: "common")

    /// Whether the keys consist of four bytes.
    var hasFourByteKeys: Bool { [.quickTimeUserData, .isoUserData, .iTunes, .id3].contains(self) }
  }

  /// The vocabulary.
  public let space: Space
  /// The key. In spaces with four-byte keys, bytes other than letters, digits, `-`, `.`, `_` and `~` are
  /// percent-encoded.
  public let key: String

  /// Creates an identifier. The key is the text after the slash.
  package init(_ space: Space, key: String) {
    self.space = space
    self.key = key
  }

  /// Creates an identifier with a four-character code.
  init(_ space: Space, _ type: FourCC) {
    self.space = space
    key = Self.escaped(type)
  }

  /// Parses `space/key`. In a four-byte key, `©` represents its byte. Returns `nil` if the space or the key is empty,
  /// or if the key does not have the four bytes that its space requires.
  public init?(_ text: some StringProtocol) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    let space = Space(rawValue: String(text[..<slash]))
    let key = String(text[text.index(after: slash)...])
    guard !space.rawValue.isEmpty, !key.isEmpty else { return nil }
    guard space.hasFourByteKeys else {
      self.init(space, key: key)
      return
    }
    guard let bytes = Self.unescaped(key), bytes.count == 4 else { return nil }
    self.init(space, FourCC(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) }))
  }

  /// The four-character code, or `nil` if keys of the space are not four bytes.
  package var type: FourCC? {
    guard space.hasFourByteKeys, let bytes = Self.unescaped(key), bytes.count == 4 else { return nil }
    return FourCC(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Whether the identifier matches a pattern such as `mdta/com.apple.*`. In a pattern, `*` represents any text.
  public func matches(_ pattern: String) -> Bool {
    let fullPattern = MetadataIdentifier(pattern)?.description ?? pattern  // Percent-encodes keys such as `©nam`.
    return Self.matches(Array(description.utf8)[...], Array(fullPattern.utf8))
  }

  /// Matches in one pass. On a mismatch, the text that the last `*` represents is extended by one byte.
  private static func matches(_ text: ArraySlice<UInt8>, _ pattern: [UInt8]) -> Bool {
    var (position, place) = (text.startIndex, 0)
    var lastStar: (place: Int, position: Int)?
    while position < text.endIndex {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        lastStar = (place, position)
        place += 1
      } else if place < pattern.count, pattern[place] == text[position] {
        position += 1
        place += 1
      } else if let last = lastStar {
        lastStar = (last.place, last.position + 1)
        (position, place) = (last.position + 1, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  private static func escaped(_ type: FourCC) -> String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type.rawValue >> ($0 as UInt32)) }
    return PercentEncoding.encoded(bytes, where: PercentEncoding.isUnreserved)
  }

  private static func unescaped(_ key: String) -> [UInt8]? {
    let scalars = key.unicodeScalars
    guard scalars.count <= 12, scalars.allSatisfy({ $0.isASCII || $0 == "©" }) else { return nil }
    return PercentEncoding.decoded(scalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }
}

extension MetadataIdentifier: CustomStringConvertible {
  /// The identifier in the form `space/key`.
  public var description: String { space.rawValue + "/" + key }
}

extension MetadataIdentifier {
  /// The identifier of the property in the common vocabulary, such as `common/title`, or `nil` if the property is not
  /// common (WWDC14 "Harnessing Metadata in Audiovisual Media").
  public var common: MetadataIdentifier? {
    if space == .common { return self }
    return Self.commonKeys[self].map { MetadataIdentifier(.common, key: $0) }
  }

  /// Whether the item describes a property of the location other than its coordinates.
  package var isLocationDetail: Bool {
    common == nil && ["location.", "direction."].contains { key.hasPrefix("com.apple.quicktime." + $0) }
  }

  /// The identifiers in all vocabularies that correspond to an identifier of ``Space/common``. A new item uses the
  /// first identifier of its space.
  package var spellings: [MetadataIdentifier] {
    Self.table.first { space == .common && $0.key == key }?.spellings.compactMap { MetadataIdentifier($0) } ?? []
  }

  /// The keys of ``Space/common``.
  package static var commonNames: [String] { table.map(\.key) }

  private static let commonKeys: [MetadataIdentifier: String] = {
    // The properties in the document of Sony cameras are only read, so the table does not contain them.
    var keys: [MetadataIdentifier: String] = [
      MetadataIdentifier(.sonyXML, key: "Device.manufacturer"): "make",
      MetadataIdentifier(.sonyXML, key: "Device.modelName"): "model",
      MetadataIdentifier(.sonyXML, key: "CreationDate"): "creationDate",
    ]
    for (name, key) in ffmpegNames { keys[MetadataIdentifier(.quickTimeMetadata, key: name)] = key }
    for (key, spellings) in table {
      for spelling in spellings {
        if let identifier = MetadataIdentifier(spelling) { keys[identifier] = key }
      }
    }
    return keys
  }()

  /// The keys that ffmpeg writes with `-movflags use_metadata_tags`. They are the names of ffmpeg's own tags. Items
  /// with these keys are read and changed, but never created.
  private static let ffmpegNames: [(name: String, key: String)] = [
    ("title", "title"), ("artist", "artist"), ("album", "albumName"), ("author", "author"), ("comment", "comment"),
    ("composer", "composer"), ("copyright", "copyrights"), ("date", "creationDate"), ("description", "description"),
    ("director", "director"), ("encoder", "software"), ("genre", "type"), ("keywords", "keywords"),
    ("location", "location"), ("make", "make"), ("model", "model"), ("producer", "producer"),
    ("publisher", "publisher"),
  ]

  /// The identifiers of each common property in the vocabularies.
  private static let table: [(key: String, spellings: [String])] = [
    (
      "title",
      ["mdta/com.apple.quicktime.title", "mdta/com.apple.quicktime.displayname", "udta/©nam", "itsk/©nam", "uiso/titl"]
        + ["id3/TIT2"]
    ),
    ("creator", ["id3/TCOM"]),
    ("subject", ["id3/TIT1"]),
    (
      "description",
      ["mdta/com.apple.quicktime.description", "udta/©des", "itsk/desc", "itsk/©des", "uiso/dscp", "id3/TIT3"]
    ),
    ("publisher", ["mdta/com.apple.quicktime.publisher", "udta/©pub", "itsk/©pub", "id3/TPUB"]),
    ("contributor", ["id3/TOPE"]),
    (
      "creationDate",
      ["mdta/com.apple.quicktime.creationdate", "udta/©day", "itsk/©day", "uiso/date", "uiso/yrrc", "id3/TDRC"]
    ),
    ("type", ["mdta/com.apple.quicktime.genre", "udta/©gen", "itsk/©gen", "itsk/gnre", "uiso/gnre", "id3/TCON"]),
    ("identifier", ["mdta/com.apple.quicktime.content.identifier"]),
    ("location", ["mdta/com.apple.quicktime.location.ISO6709", "udta/©xyz", "uiso/loci", "itsk/©xyz"]),
    ("copyrights", ["mdta/com.apple.quicktime.copyright", "udta/©cpy", "itsk/cprt", "uiso/cprt", "id3/TCOP"]),
    ("albumName", ["mdta/com.apple.quicktime.album", "udta/©alb", "itsk/©alb", "uiso/albm", "id3/TALB"]),
    ("author", ["mdta/com.apple.quicktime.author", "udta/©aut", "uiso/auth", "id3/TEXT"]),
    ("artist", ["mdta/com.apple.quicktime.artist", "udta/©ART", "itsk/©ART", "uiso/perf", "id3/TPE1"]),
    ("artwork", ["mdta/com.apple.quicktime.artwork", "itsk/covr", "uiso/thmb", "id3/APIC"]),
    ("make", ["mdta/com.apple.quicktime.make", "udta/©mak", "uiso/manu"]),
    ("model", ["mdta/com.apple.quicktime.model", "udta/©mod", "uiso/modl"]),
    ("software", ["mdta/com.apple.quicktime.software", "udta/©swr", "itsk/©too"]),
    // AVFoundation has no common key for the following properties.
    ("comment", ["mdta/com.apple.quicktime.comment", "udta/©cmt", "itsk/©cmt", "id3/COMM"]),
    ("composer", ["mdta/com.apple.quicktime.composer", "udta/©com", "itsk/©wrt"]),
    ("director", ["mdta/com.apple.quicktime.director", "udta/©dir", "itsk/©dir"]),
    ("keywords", ["mdta/com.apple.quicktime.keywords", "udta/©key", "itsk/keyw", "uiso/kywd", "id3/TKWD"]),
    ("producer", ["mdta/com.apple.quicktime.producer", "udta/©prd", "itsk/©prd"]),
    ("accessibilityDescription", ["mdta/com.apple.quicktime.accessibility.description", "udta/©ade", "uiso/ades"]),
  ]
}

extension [MetadataItem] {
  /// Returns the items whose identifiers match a pattern such as `udta/*` or `common/title`. A common pattern matches
  /// the items of all vocabularies.
  public func matching(_ pattern: String) -> [MetadataItem] {
    filter { $0.identifier.matches(pattern) || $0.identifier.common?.matches(pattern) ?? false }
  }

  /// Returns the items in the order of preferred languages. Omits items in other languages, and returns items without
  /// a language last.
  ///
  /// For the tag `zh-Hant-TW`, the first items are those whose tag equals it or begins with it. The next items match
  /// `zh-Hant`, and the last items match `zh` (RFC 4647, "Lookup").
  public func preferring(_ languages: [LanguageTag]) -> [MetadataItem] {
    var chosenItems: [MetadataItem] = []
    var chosenIndices: Set<Int> = []
    func appendItems(_ condition: (MetadataItem) -> Bool) {
      for (index, item) in enumerated() where !chosenIndices.contains(index) && condition(item) {
        chosenIndices.insert(index)
        chosenItems.append(item)
      }
    }
    for range in languages.flatMap(\.lookupRanges) { appendItems { $0.language?.matches(range: range) == true } }
    appendItems { $0.language == nil }
    return chosenItems
  }
}

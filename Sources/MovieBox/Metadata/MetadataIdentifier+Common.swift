extension MetadataIdentifier {
  /// The same fact in the words that all vocabularies share, such as `common/title`; `nil` for a fact that only some
  /// know (WWDC14 "Harnessing Metadata in Audiovisual Media").
  public var common: MetadataIdentifier? {
    if space == .common { return self }
    return Self.commonKeys[self].map { MetadataIdentifier(.common, key: $0) }
  }

  /// Whether it says something of the place beside the place itself.
  package var isDetailOfPlace: Bool {
    common == nil && ["location.", "direction."].contains { key.hasPrefix("com.apple.quicktime." + $0) }
  }

  /// The same fact in each vocabulary that knows it, of an identifier of ``Space/common``; the first spelling of a space
  /// is the one that new items get.
  package var spellings: [MetadataIdentifier] {
    Self.table.first { space == .common && $0.key == key }?.spellings.compactMap { MetadataIdentifier($0) } ?? []
  }

  /// The keys of ``Space/common``.
  package static var commonNames: [String] { table.map(\.key) }

  private static let commonKeys: [MetadataIdentifier: String] = {
    // Sony's document is never written.
    var keys: [MetadataIdentifier: String] = [
      MetadataIdentifier(.sonyXML, key: "Device.manufacturer"): "make",
      MetadataIdentifier(.sonyXML, key: "Device.modelName"): "model",
      MetadataIdentifier(.sonyXML, key: "CreationDate"): "creationDate",
    ]
    for (key, spellings) in table {
      for spelling in spellings {
        if let identifier = MetadataIdentifier(spelling) { keys[identifier] = key }
      }
    }
    return keys
  }()

  /// How each vocabulary spells a fact.
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
    // Facts that AVFoundation has no common word for.
    ("comment", ["mdta/com.apple.quicktime.comment", "udta/©cmt", "itsk/©cmt", "id3/COMM"]),
    ("composer", ["mdta/com.apple.quicktime.composer", "udta/©com", "itsk/©wrt"]),
    ("director", ["mdta/com.apple.quicktime.director", "udta/©dir", "itsk/©dir"]),
    ("keywords", ["mdta/com.apple.quicktime.keywords", "udta/©key", "itsk/keyw", "uiso/kywd", "id3/TKWD"]),
    ("producer", ["mdta/com.apple.quicktime.producer", "udta/©prd", "itsk/©prd"]),
    ("accessibilityDescription", ["mdta/com.apple.quicktime.accessibility.description", "udta/©ade", "uiso/ades"]),
  ]
}

extension [MetadataItem] {
  /// The items whose identifier matches a pattern such as `udta/*` or `common/title`; of the latter all spellings.
  public func matching(_ pattern: String) -> [MetadataItem] {
    filter { $0.identifier.matches(pattern) || $0.identifier.common?.matches(pattern) ?? false }
  }

  /// The items by preferred languages, those of the best one first; those of other languages are left out, those
  /// without a language come last.
  ///
  /// A preferred tag finds itself and what begins with it, then each shorter one, as RFC 4647 "Lookup" has it.
  public func preferring(_ languages: [LanguageTag]) -> [MetadataItem] {
    var chosen: [MetadataItem] = []
    var taken: Set<Int> = []
    func take(_ condition: (MetadataItem) -> Bool) {
      for (index, item) in enumerated() where !taken.contains(index) && condition(item) {
        taken.insert(index)
        chosen.append(item)
      }
    }
    for range in languages.flatMap(\.lookupRanges) { take { $0.language?.isIn(range) == true } }
    take { $0.language == nil }
    return chosen
  }
}

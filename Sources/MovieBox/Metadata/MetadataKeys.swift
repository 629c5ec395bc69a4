// The keys of QuickTime metadata (`keys`), and an index of items by identifier, track and language. Without the index,
// each lookup would require a pass over all items.

/// The keys of QuickTime metadata (`keys`, QTFF "Metadata Item Keys Atom"). Each item contains the one-based index of
/// its key.
package struct MetadataKeys {
  package struct Entry: Equatable {
    /// The complete entry: its size, the space of its name, and the name.
    fileprivate let bytes: Bytes
    package let identifier: MetadataIdentifier

    package init(_ identifier: MetadataIdentifier) {
      var writer = ByteWriter()
      writer.atom(FourCC(identifier.space.rawValue) ?? "mdta") { entry in
        if let type = identifier.type { entry.write(type) } else { entry.write(utf8: identifier.key) }
      }
      self.init(Bytes(writer.bytes), identifier)
    }

    fileprivate init(_ bytes: Bytes, _ identifier: MetadataIdentifier) {
      (self.bytes, self.identifier) = (bytes, identifier)
    }
  }

  private let versionAndFlags: UInt32
  package var entries: [Entry] = []
  package var trailingBytes = Bytes()

  package init() {
    versionAndFlags = 0
  }

  /// Parses a payload up to the first malformed entry.
  package init(payload: Bytes) {
    versionAndFlags = payload.load(at: 0, as: UInt32.self) ?? 0
    var rest = payload.dropFirst(8)  // The declared count is ignored, because the bytes are decisive.
    while let size = rest.load(at: 0, as: UInt32.self), size >= 8, let bytes = rest.slice(at: 0, count: Int(size)) {
      entries.append(Entry(bytes, Self.identifier(of: bytes)))
      rest = rest.dropFirst(Int(size))
    }
    trailingBytes = rest
  }

  private static func identifier(of entry: Bytes) -> MetadataIdentifier {
    let space = entry.load(at: 4, as: UInt32.self).map { FourCC(rawValue: $0) } ?? "mdta"
    let name = entry.dropFirst(8)
    if space == "udta", name.count == 4, let type = name.load(at: 0, as: UInt32.self) {
      return MetadataIdentifier(.quickTimeUserData, FourCC(rawValue: type))
    }
    return MetadataIdentifier(
      MetadataIdentifier.Space(rawValue: space.description), key: String(decoding: name.array, as: UTF8.self))
  }

  package var identifiers: [MetadataIdentifier] { entries.map(\.identifier) }

  package var atom: [UInt8] {
    var writer = ByteWriter()
    writer.atom("keys") { keys in
      keys.write(versionAndFlags)
      keys.write(UInt32(clamping: entries.count))
      for entry in entries { keys.write(entry.bytes) }
      keys.write(trailingBytes)
    }
    return writer.bytes
  }
}

extension AtomTree {
  /// Returns the keys of a `meta` atom, or `nil` if the atom contains no keys.
  package func keys(of meta: Int) -> MetadataKeys? {
    child(of: meta, "keys").map { MetadataKeys(payload: payload(of: $0)) }
  }
}

/// The metadata items of a movie atom, with an index by identifier, track and language.
///
/// The index is created once per edit. Without it, an edit of 400 properties in a movie with 8000 items would examine
/// 3.2 million items.
package struct MetadataIndex: Sendable {
  /// The key of a lookup: an identifier, the ID of a track (`nil` for the movie), and a packed language code.
  private struct Subject: Hashable {
    let identifier: MetadataIdentifier
    let trackID: UInt32?
    let languageCode: UInt16?
  }

  /// The items in file order. The items of the movie precede the items of the tracks.
  package let items: [MetadataItem]
  /// The atoms whose items cannot be changed: ID3 tags and Windows metadata with bytes that the parser does not
  /// understand.
  package let uneditableAtoms: Set<Int>
  /// The indices of the items that describe a property of a location other than its coordinates.
  package let locationDetails: [Int]
  private var indicesBySubject: [Subject: [Int]] = [:]
  private var indicesInAllLanguages: [MetadataIdentifier: [Int]] = [:]
  private var indicesByContainer: [Int: [Int]] = [:]

  package init(of movie: Movie) {
    let (reader, tree) = (movie.metadataReader, movie.tree)
    let items = reader.items
    self.items = items
    uneditableAtoms = reader.uneditableAtoms
    locationDetails = items.indices.filter { items[$0].identifier.isLocationDetail }
    for (index, item) in items.enumerated() {
      let code = Self.code(of: item.language)
      let fact = item.identifier.common
      for subject in Set([item.identifier] + (fact.map { [$0] } ?? [])) {
        indicesBySubject[Subject(identifier: subject, trackID: item.trackID, languageCode: code), default: []]
          .append(index)
        indicesInAllLanguages[subject, default: []].append(index)
      }
      if let container = item.atomLocation.atom.flatMap({ tree[$0].parent }) {
        indicesByContainer[container, default: []].append(index)
      }
    }
  }

  /// Returns the indices of the items with an identifier in a language, for a track or the movie. Languages match if
  /// their ISO 639-2 codes are equal.
  package func indices(
    of identifier: MetadataIdentifier, language: LanguageTag?, ofTrack trackID: UInt32?
  ) -> [Int] {
    let code = Self.code(of: language)
    return countingVisits(to: indicesBySubject[Subject(identifier: identifier, trackID: trackID, languageCode: code)])
  }

  /// Returns the indices of the items with an identifier, in any language, for the movie and all tracks.
  package func indices(of identifier: MetadataIdentifier) -> [Int] {
    countingVisits(to: indicesInAllLanguages[identifier])
  }

  private static func code(of language: LanguageTag?) -> UInt16? { language.map { LanguageCode.packed(for: $0) } }

  /// Returns the indices of the items whose atoms are direct children of an atom.
  package func indices(in container: Int) -> [Int] { countingVisits(to: indicesByContainer[container]) }

  /// Returns `indices`, or an empty array for `nil`, and reports the visits to `ListPass`.
  private func countingVisits(to indices: [Int]?) -> [Int] {
    ListPass.end(after: indices?.count ?? 0)
    return indices ?? []
  }
}

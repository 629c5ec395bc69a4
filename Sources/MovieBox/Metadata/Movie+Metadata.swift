// The metadata of a movie in two views: all items, or a merged list of the properties that the vocabularies share.

extension Movie {
  /// The metadata in the movie atom, for the movie and its tracks, in all vocabularies and in file order. Reads nothing
  /// from the source.
  ///
  ///     for item in movie.metadata.matching("common/title") { print(item.stringValue ?? "") }
  public var metadata: [MetadataItem] { metadataReader.items }

  /// The reader that has read the metadata. It is stored, because validation, edits and verification all need its
  /// items.
  var metadataReader: MetadataReader { storedMetadata.value { MetadataReader(readingAllOf: self) } }

  /// The properties that the vocabularies share, with one item for each property and language. Items of QuickTime
  /// metadata precede other items. Reads nothing from the source.
  ///
  ///     for item in movie.commonMetadata { print(item.identifier.common?.key ?? "", item.stringValue ?? "") }
  public var commonMetadata: [MetadataItem] {
    struct Subject: Hashable {
      let fact: MetadataIdentifier
      let language: LanguageTag?
    }
    let items = metadata.filter { $0.trackID == nil && $0.identifier.common != nil }
    var chosenItems: [MetadataItem] = []
    var seenSubjects: Set<Subject> = []
    var chosenIdentifiers: Set<MetadataIdentifier> = []
    for item in items.filter({ $0.identifier.space == .quickTimeMetadata }) + items {
      guard let fact = item.identifier.common else { continue }
      // An item without a language applies to all languages, so it excludes further items of the property.
      let isKnown =
        item.language == nil
        ? chosenIdentifiers.contains(fact) : seenSubjects.contains(Subject(fact: fact, language: nil))
      guard !isKnown, seenSubjects.insert(Subject(fact: fact, language: item.language)).inserted else { continue }
      chosenIdentifiers.insert(fact)
      chosenItems.append(item)
    }
    let order = MetadataIdentifier.commonNames
    func rank(_ item: MetadataItem) -> Int { order.firstIndex(of: item.identifier.common?.key ?? "") ?? order.count }
    return chosenItems.sorted { rank($0) < rank($1) }
  }

  /// The user type of `uuid` atoms that contain XMP (XMP specification, part 3).
  private static let xmpType = Bytes([
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ])

  /// Whether a `uuid` atom contains an XML document. Reads the first bytes of the atom.
  private static func isXML(_ atom: FileLayout.TopLevelAtom, in source: some RandomAccessSource) throws -> Bool {
    guard atom.payloadRange.count > 32 else { return false }
    let start = atom.payloadRange.offset + UInt64(xmpType.count)
    return CameraXML.isDocument(try source.readExactly(ByteRange(start..<start + 16)))
  }

  /// Returns the items of the movie atom, top-level `meta` atoms, XMP packets and other XML documents.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.sourceChanged` if the source does not contain
  /// this movie, and `.limit` if an atom exceeds ``MovieLimits/movieByteCount``.
  public func metadata(from source: some RandomAccessSource) throws -> [MetadataItem] {
    try reading(source) {
      var items = metadata
      for atom in layout.atoms where !atom.isTruncated {
        let isXMP = atom.userType == Self.xmpType
        guard try atom.type == "meta" || atom.type == "uuid" && (isXMP || Self.isXML(atom, in: source)) else {
          continue
        }
        guard atom.range.count <= limits.movieByteCount else {
          throw MovieError(
            .limit, at: atom.range.offset, in: atom.type.description,
            "the atom has \(atom.range.count) bytes: the limit is \(limits.movieByteCount)")
        }
        let bytes = try source.readExactly(atom.range)
        if atom.type == "meta" {
          let tree = try AtomTree(bytes, at: atom.range.offset, limits: limits)
          var reader = MetadataReader(tree, isQuickTime: isQuickTime, isInMovieAtom: false)
          reader.readMeta(tree.root)
          items += reader.items
        } else {
          let packet = bytes.dropFirst(Int(atom.range.count - atom.payloadRange.count) + Self.xmpType.count)
          let place = MetadataItem.AtomLocation(trackID: nil, path: "uuid", offset: atom.range.offset, atom: nil)
          guard isXMP else {
            items.append(MetadataItem(MetadataIdentifier(.xml, key: "uuid"), .data(packet), packet, at: place))
            continue
          }
          items.append(
            MetadataItem(
              MetadataIdentifier(.xmp, key: "packet"), MetadataValue(packet, typeCode: 1), packet, at: place))
        }
      }
      return items
    }
  }
}

/// The locations that a movie stores as decimal numbers. They are more exact than the binary locations of 3GPP
/// (`loci`), whose unit is 1/65536 degree. In `loci`, an unknown altitude is 0.
package struct DecimalLocations {
  /// The maximum number of locations that are compared with each 3GPP location.
  private static let comparedCountLimit = 100
  private static let step = 1.0 / 65_536

  private struct DecimalLocation {
    let text: String
    let location: GeographicLocation
    /// The exactness of a location: the number of decimal digits of its degrees, then 1 for a known altitude or 0 for
    /// an unknown altitude. The location with the greatest value is the most exact.
    let exactness: (digitCount: Int, altitudeCount: Int)

    init(_ text: String, _ location: GeographicLocation) {
      (self.text, self.location) = (text, location)
      let degrees = text.utf8.prefix(60).split { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }.prefix(2)
      let digits = degrees.map { degree in
        let fraction = degree.drop { $0 != UInt8(ascii: ".") }.dropFirst().prefix { (0x30...0x39).contains($0) }
        return fraction.count - fraction.reversed().prefix { $0 == 0x30 }.count
      }
      exactness = (digits.reduce(0, +), location.altitude == nil ? 0 : 1)
    }

    func isNear(_ other: GeographicLocation) -> Bool {
      let distance = abs(location.longitude - other.longitude)
      return abs(location.latitude - other.latitude) <= DecimalLocations.step
        && min(distance, 360 - distance) <= DecimalLocations.step
    }
  }

  private let locations: [DecimalLocation]

  /// Collects the decimal locations in a sequence of items.
  package init(_ items: some Sequence<MetadataItem>) {
    locations = Array(
      items.lazy.filter { $0.identifier.common?.key == "location" && !Self.is3GPPLocation($0) }
        .compactMap { item in
          item.stringValue.flatMap { text in item.locationValue.map { DecimalLocation(text, $0) } }
        }
        .prefix(Self.comparedCountLimit))
  }

  private static func is3GPPLocation(_ item: MetadataItem) -> Bool {
    item.identifier.space == .isoUserData && item.identifier.type == "loci"
  }

  /// Returns the item with a value that is suitable for other vocabularies. The value of a 3GPP location is replaced
  /// with the most exact decimal location within rounding errors, and an unknown altitude is removed. Other items are
  /// unchanged.
  package func withMostExactLocation(_ item: MetadataItem) -> MetadataItem {
    guard Self.is3GPPLocation(item), let place = item.locationValue else { return item }
    let altitude = place.altitude == 0 ? nil : place.altitude
    let nearestLocation = locations.filter { $0.isNear(place) }.max { $0.exactness < $1.exactness }
    if let nearestLocation, nearestLocation.location.altitude != nil || altitude == nil {
      return item.withValue(.text(nearestLocation.text))
    }
    let bestLocation = nearestLocation?.location ?? place
    let exactLocation = GeographicLocation(
      latitude: bestLocation.latitude, longitude: bestLocation.longitude, altitude: altitude)
    return exactLocation.map { item.withValue(.text($0.description)) } ?? item
  }
}

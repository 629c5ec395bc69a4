/// The places that a movie states in decimals, which are more exact than 3GPP's form of them (`loci`): that counts in
/// 65536ths of a degree, and has a height of 0 where none is known.
package struct StatedPlaces {
  /// No more are looked at for each place in 3GPP's form.
  private static let comparedCount = 100
  private static let step = 1.0 / 65_536

  private struct Place {
    let text: String
    let location: GeographicLocation
    /// How many digits its degrees have after their points, but for zeros at the end, and then whether it has a height.
    let exactness: (digitCount: Int, height: Int)

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
      return abs(location.latitude - other.latitude) <= StatedPlaces.step
        && min(distance, 360 - distance) <= StatedPlaces.step
    }
  }

  private let places: [Place]

  /// The places among some items.
  package init(_ items: some Sequence<MetadataItem>) {
    places = Array(
      items.lazy.filter { $0.identifier.common?.key == "location" && !Self.isOf3GPP($0) }
        .compactMap { item in
          item.stringValue.flatMap { text in item.locationValue.map { Place(text, $0) } }
        }
        .prefix(Self.comparedCount))
  }

  /// Whether an item is a place in 3GPP's form.
  private static func isOf3GPP(_ item: MetadataItem) -> Bool {
    item.identifier.space == .isoUserData && item.identifier.type == "loci"
  }

  /// What an item says, for other vocabularies to state: of a place in 3GPP's form what another item says of the same
  /// place, the most exact of them, and no height that nobody may have stated. Other items are as they are.
  package func exact(_ item: MetadataItem) -> MetadataItem {
    guard Self.isOf3GPP(item), let place = item.locationValue else { return item }
    let altitude = place.altitude == 0 ? nil : place.altitude
    let known = places.filter { $0.isNear(place) }.max { $0.exactness < $1.exactness }
    if let known, known.location.altitude != nil || altitude == nil { return item.saying(.text(known.text)) }
    let best = known?.location ?? place
    let whole = GeographicLocation(latitude: best.latitude, longitude: best.longitude, altitude: altitude)
    return whole.map { item.saying(.text($0.description)) } ?? item
  }
}

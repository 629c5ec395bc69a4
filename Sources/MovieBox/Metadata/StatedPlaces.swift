/// The places that a movie states in decimals, which are more exact than 3GPP's form of them (`loci`): that counts in
/// 65536ths of a degree, and has a height of 0 where none is known.
package struct StatedPlaces {
  /// No more are looked at for each place in 3GPP's form.
  private static let comparedCount = 100
  private static let step = 1.0 / 65_536

  private let places: [(text: String, location: GeographicLocation)]

  /// The places among some items.
  package init(_ items: some Sequence<MetadataItem>) {
    places = Array(
      items.lazy.filter { $0.identifier.common?.key == "location" && !Self.isInSteps($0) }
        .compactMap { item in item.stringValue.flatMap { text in item.locationValue.map { (text: text, location: $0) } }
        }
        .prefix(Self.comparedCount))
  }

  private static func isInSteps(_ item: MetadataItem) -> Bool {
    item.identifier.space == .isoUserData && item.identifier.type == "loci"
  }

  /// What an item says, for other vocabularies to state: of a place in 3GPP's form what another item says of the same
  /// place, and no height that nobody may have stated. Other items are as they are.
  package func exact(_ item: MetadataItem) -> MetadataItem {
    guard Self.isInSteps(item), let place = item.locationValue else { return item }
    let altitude = place.altitude == 0 ? nil : place.altitude
    let known = places.first { known in
      abs(known.location.latitude - place.latitude) <= Self.step
        && abs(known.location.longitude - place.longitude) <= Self.step
    }
    if let known, known.location.altitude != nil || altitude == nil { return item.saying(.text(known.text)) }
    let best = known?.location ?? place
    let whole = GeographicLocation(latitude: best.latitude, longitude: best.longitude, altitude: altitude)
    return whole.map { item.saying(.text($0.description)) } ?? item
  }
}

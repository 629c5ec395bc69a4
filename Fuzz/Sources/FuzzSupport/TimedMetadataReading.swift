public import MovieBox
import Subtitles

/// Reads a movie with boxed timed metadata: two bytes with the size of the sample description, the description, and the
/// bytes of the sample.
public func readBoxedMetadata(_ bytes: Bytes) {
  guard let count = bytes.load(at: 0, as: UInt16.self) else { return }
  let description = bytes.slice(at: 2, count: min(Int(count), bytes.count - 2)) ?? Bytes()
  let contents = bytes.dropFirst(2 + description.count)
  readTimedSample(contents, format: "mebx", description)
  encodeAgain(TimedMetadataSample(format: "mebx", description: description, contents).items)
}

/// Encodes items. The decoded sample must contain the same items, unless an item cannot be written.
private func encodeAgain(_ items: [MetadataItem]) {
  var encoder = BoxedMetadataEncoder()
  var encoded = ByteWriter()
  do throws(BoxedMetadataEncoder.Failure) {
    try encoder.encode(items, to: &encoded)
  } catch {
    return
  }
  // The description follows the header of the entry, which has 16 bytes.
  let description = Bytes(Array(encoder.sampleEntry.dropFirst(16)))
  let decoded = TimedMetadataSample(format: "mebx", description: description, Bytes(encoded.take())).items
  guard decoded.map(\.identifier) == items.map(\.identifier), decoded.map(\.language) == items.map(\.language),
    zip(decoded, items).allSatisfy({ !$1.nestedItems.isEmpty || $0.bytes == $1.bytes })
  else { fault("encoded items differ") }
}

/// Reads a route in GPX.
public func readGPX(_ bytes: Bytes) {
  do {
    let route = try GPXRoute(bytes.array)
    for rate in [nil, 10.0] {
      var end = Int64.min
      for group in try route.groups(
        startingAt: route.secondsSince1970.lowerBound + 0.5, lasting: 60_000_000, rate: rate)
      {
        if group.microseconds.lowerBound < max(0, end) { fault("groups overlap or precede the movie") }
        end = group.microseconds.upperBound
        for item in group.items { consume(item) }
        if end > 60_000_000 || group.items.first?.locationValue == nil {
          fault("a group is not a location in the movie")
        }
      }
    }
  } catch is SubtitleError {
    return
  } catch is MovieError {
    return
  } catch {
    fault("an unexpected error: \(error)")
  }
}

/// Reads a sample of GoPro telemetry.
public func readTelemetry(_ bytes: Bytes) { readTimedSample(bytes, format: "gpmd", Bytes()) }

/// Reads a sample of camera motion metadata.
public func readCameraMotion(_ bytes: Bytes) { readTimedSample(bytes, format: "camm", Bytes()) }

private func readTimedSample(_ bytes: Bytes, format: FourCC, _ description: Bytes) {
  let sample = TimedMetadataSample(format: format, description: description, bytes)
  consume(sample.keys.map(\.identifier.description))
  for item in sample.items { consume(item) }
  for point in sample.points {
    consume(point.location)
    let location = point.location
    if !(abs(location.latitude) <= 90 && abs(location.longitude) <= 180) { fault("a point is not on Earth") }
  }
}

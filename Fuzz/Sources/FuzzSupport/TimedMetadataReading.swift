public import MovieBox

/// Reads a movie with boxed timed metadata: two bytes with the size of the sample description, the description, and the
/// bytes of the sample.
public func readBoxedMetadata(_ bytes: Bytes) {
  guard let count = bytes.load(at: 0, as: UInt16.self) else { return }
  let description = bytes.slice(at: 2, count: min(Int(count), bytes.count - 2)) ?? Bytes()
  readTimedSample(bytes.dropFirst(2 + description.count), format: "mebx", description)
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

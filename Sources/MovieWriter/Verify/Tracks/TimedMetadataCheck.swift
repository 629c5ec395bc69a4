import MovieBox

/// Checks the samples of new timed metadata tracks against the request.
///
/// The groups are read from the planned movie as `timed` reads them. Each group must have the times and items of the
/// request. The check does not use the encoder.
struct TimedMetadataCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  func check() throws {
    for requestedTrack in resolved.requested.tracks {
      guard let generated = requestedTrack.generatedMetadata else { continue }
      try check(generated.schedule.samples, ofTrack: requestedTrack.id)
    }
  }

  private func check(_ expectedSamples: [TimedMetadataSchedule.Sample], ofTrack id: UInt32) throws {
    var remaining = expectedSamples[...]
    var time: Int64 = 0
    var reader = try TimedMetadataReader(planned, in: [id], identifiers: [], range: nil, from: output)
    while let groups = try reader.nextGroups() {
      for group in groups {
        // The reader joins a sample of the longest possible duration with the next sample if their items are equal.
        var start = group.microseconds.lowerBound
        while start < group.microseconds.upperBound {
          guard group.problem == nil, start == time, let expected = remaining.first,
            group.items.count == expected.items.count,
            zip(group.items, expected.items).allSatisfy({ $0.hasContent(of: $1) })
          else {
            throw failure("a sample of track \(id) at \(time) µs does not have the requested items or times")
          }
          time = min(group.microseconds.upperBound, expected.microseconds.upperBound)
          start = time
          if time == expected.microseconds.upperBound { remaining.removeFirst() }
        }
      }
    }
    guard remaining.isEmpty else { throw failure("track \(id) lacks samples from \(time) µs on") }
  }
}

extension MetadataItem {
  /// Whether both items have the same identifier, type, language and value. The bytes of structured values contain IDs
  /// of one track, so their fields are compared instead.
  fileprivate func hasContent(of other: MetadataItem) -> Bool {
    identifier == other.identifier && (typeCode ?? 0) == (other.typeCode ?? 0) && language == other.language
      && details["type"] == other.details["type"] && nestedItems.count == other.nestedItems.count
      && (nestedItems.isEmpty ? bytes == other.bytes : true)
      && zip(nestedItems, other.nestedItems).allSatisfy { field, otherField in field.hasContent(of: otherField) }
  }
}

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
    var next = expectedSamples.startIndex
    var time: Int64 = 0
    var reader = try TimedMetadataReader(planned, in: [id], identifiers: [], range: nil, from: output)
    while let groups = try reader.nextGroups() {
      for group in groups {
        // The reader joins a sample of the longest possible duration with the next sample if their items are equal.
        var start = group.microseconds.lowerBound
        while start < group.microseconds.upperBound {
          guard group.problem == nil, start == time, next < expectedSamples.endIndex,
            group.items.haveContent(of: expectedSamples[next].items)
          else {
            throw failure("a sample of track \(id) at \(time) µs does not have the requested items or times")
          }
          let end = expectedSamples[next].microseconds.upperBound
          time = min(group.microseconds.upperBound, end)
          start = time
          if time == end { next += 1 }
        }
      }
    }
    guard next == expectedSamples.endIndex else { throw failure("track \(id) lacks samples from \(time) µs on") }
  }
}

extension [MetadataItem] {
  /// Whether both lists contain items with the same content, in the same order.
  fileprivate func haveContent(of others: [MetadataItem]) -> Bool {
    count == others.count && indices.allSatisfy { self[$0].hasContent(of: others[$0]) }
  }
}

extension MetadataItem {
  /// Whether both items have the same identifier, type, language and value. The bytes of a structured value contain IDs
  /// that are valid only in its track, so the fields of structured values are compared instead of the bytes.
  fileprivate func hasContent(of other: MetadataItem) -> Bool {
    identifier == other.identifier && (typeCode ?? 0) == (other.typeCode ?? 0) && language == other.language
      && details["type"] == other.details["type"] && nestedItems.haveContent(of: other.nestedItems)
      && (nestedItems.isEmpty ? bytes == other.bytes : true)
  }
}

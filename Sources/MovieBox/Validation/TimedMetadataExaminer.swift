import Subtitles

/// Examines the samples of a track of boxed timed metadata (`mebx`).
struct TimedMetadataExaminer: SampleExaminer {
  let track: Track
  var oddities = SampleOddities()
  var hasExhaustedBudget = false
  /// The local IDs of each sample description, or `nil` for descriptions in other formats.
  private let localIDs: [Set<UInt32>?]

  /// Creates the examiner, or returns `nil` if no sample description contains boxed timed metadata.
  init?(_ track: Track) {
    guard track.mediaType == .metadata, track.formats.contains("mebx") else { return nil }
    self.track = track
    localIDs = track.sampleDescriptions.entries.map { entry in
      entry.format == "mebx" ? Set(entry.localMetadataIDs) : nil
    }
  }

  func trackOddities() -> [(oddity: TextExamination.Oddity, reason: String)] { [] }

  mutating func examine(_ payload: Bytes, of sample: Sample) {
    let description = Int(sample.sampleDescriptionIndex) - 1
    guard localIDs.indices.contains(description), let known = localIDs[description] else { return }
    guard !payload.isEmpty else {
      oddities.note(.emptyMetadataSample, sample, "the sample has no bytes; a gap is an item of 8 bytes with the ID 0")
      return
    }
    var list = AtomList(payload)
    while let item = list.next() {
      let id = item.type.rawValue
      if id == 0, item.payload.isEmpty { continue }
      if !known.contains(id) {
        oddities.note(.unknownMetadataID, sample, "an item has the local ID \(id), which no key declares")
      }
    }
    if !list.rest.isEmpty {
      oddities.note(
        .overlongMetadataItem, sample,
        "the last \(list.rest.count) bytes are not an item; an item extends past the end of the sample")
    }
  }
}

extension SampleEntry {
  /// The local IDs of all keys of a `mebx` sample description, including keys without an identifier.
  var localMetadataIDs: [UInt32] {
    AtomList(body).filter { $0.type == "keys" }.flatMap { table in AtomList(table.payload).map(\.type.rawValue) }
  }
}

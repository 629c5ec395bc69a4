import MovieBox

// Sample descriptions: those of a shared movie lose names, and what is left of them is compared with the chunks. Others
// change as an edit of the track requests, and are compared whole.
extension EditedMovieComparison {
  /// Whether an atom of the old movie is the name in a description of time codes, which goes.
  func isReel(_ index: Int, _ side: Side) -> Bool {
    guard old[index].type == "name", let parent = old[index].parent else { return false }
    return side.descriptions[parent] == "tmcd"
  }

  /// Whether an atom of the old movie names the buyer in a description of samples, and goes.
  func isBuyer(_ index: Int, _ side: Side) -> Bool {
    old[index].type == "pinf" && old[index].parent.map { side.descriptions[$0] != nil } == true
  }

  /// Whether an atom lies in a description of samples of a shared movie: what is left of it is looked at with the chunks.
  func isInsideOfDescription(_ index: Int, _ side: Side) -> Bool {
    guard !side.descriptions.isEmpty else { return false }
    var holder = old[index].parent
    while let this = holder {
      if side.descriptions[this] != nil { return true }
      holder = old[this].parent
    }
    return false
  }

  /// Whether an atom is a sample description of a track whose descriptions the edit renames.
  func isRenamed(_ index: Int, _ side: Side) -> Bool {
    side.tree.types(to: index).dropLast() == ["trak", "mdia", "minf", "stbl", "stsd"]
      && changesByTrack[side.trackID(holding: index)]?.contains("stsd") == true
  }

  /// Sample descriptions may differ as `isRequested` allows; throws for the reason if they differ otherwise.
  func compareSampleDescriptions(
    ofTrack id: UInt32, _ before: Side, _ after: Side, _ reason: String,
    isRequested: (SampleDescriptions, SampleDescriptions) -> Bool
  ) throws(MovieError) {
    func stsd(_ side: Side) -> Int? {
      side.trackIDs.filter { $0.value == id }.keys.min()
        .flatMap { side.tree.descendant(of: $0, "mdia", "minf", "stbl", "stsd") }
    }
    guard let left = stsd(before), let right = stsd(after) else {
      throw changed(old.root, "sample descriptions are lost")
    }
    let descriptions = try old.decode(SampleDescriptions.self, at: left)
    guard isRequested(descriptions, try new.decode(SampleDescriptions.self, at: right)) else {
      throw changed(left, reason)
    }
  }

  /// Whether two lists of sample descriptions are the same but for the flags of forced subtitles.
  static func differOnlyInForcing(old before: SampleDescriptions, new after: SampleDescriptions) -> Bool {
    func withoutFlags(_ descriptions: SampleDescriptions) -> SampleDescriptions {
      var plain = descriptions
      for index in plain.entries.indices where plain.entries[index].holdsTimedText {
        var body = plain.entries[index].body.array
        if !body.isEmpty { body[0] &= 0x3F }
        plain.entries[index].body = Bytes(body)
      }
      return plain
    }
    return withoutFlags(before) == withoutFlags(after)
  }
}

// Comparison of a fragmented movie with the movie after tracks or fragments were removed.
extension Comparison {
  /// Compares the properties of samples besides bytes and times, and their presentation times.
  mutating func compareFlattened(_ before: ReadTrack, _ after: ReadTrack) throws {
    try compareExtras(before, after)
    try compareEdits(before, after)
  }

  /// Returns whether an atom belongs to removed tracks alone. At the top level, it must have become free space.
  func isFreed(_ atom: ReadAtom) throws -> Bool {
    guard !allowed.removedTracks.isEmpty, !allowed.flattened else { return false }
    switch atom.path {
    case "moov/mvex/trex", "moov/mvex/trep": return try namesRemovedTrack(atom)
    case "moof":
      let parts = atom.children.filter { $0.type == "traf" }
      guard try !parts.isEmpty && parts.allSatisfy(isOfRemovedTrack),
        atom.children.allSatisfy({ ["mfhd", "traf", "free", "skip"].contains($0.type) })
      else { return false }
    case "sidx", "prft": guard try namesRemovedTrack(atom) else { return false }
    case "ssix":
      let place = old.topLevel.firstIndex { $0.offset == atom.offset } ?? 0
      guard place > 0, old.topLevel[place - 1].type == "sidx", try namesRemovedTrack(old.topLevel[place - 1]) else {
        return false
      }
    default: return false
    }
    let content = try old.content(of: atom)
    return try new.topLevel.contains { try $0.type == "free" && new.content(of: $0) == content }
  }

  /// Compares fragments. Parts of removed tracks must have become free space with the same bytes; data offsets may change.
  mutating func compareFragments(_ before: ReadAtom, _ after: ReadAtom) throws {
    guard before.byteCount == after.byteCount, before.children.count == after.children.count else {
      found.append("moof at byte \(before.offset) has other atoms at \(after.offset)")
      return
    }
    for (one, other) in zip(before.children, after.children) {
      if one.type == "traf", try isOfRemovedTrack(one) {
        if try other.type != "free" || old.content(of: one) != new.content(of: other) {
          found.append("moof/traf at byte \(one.offset) is no free space of the same bytes")
        }
      } else if one.type == "traf", other.type == "traf", one.children.map(\.type) == other.children.map(\.type) {
        for (child, same) in zip(one.children, other.children) {
          if child.type == "tfhd", allowed.changedAtoms.contains("moof") { continue }
          try compareBytes(child, same)
        }
      } else {
        try compareBytes(one, other)
      }
    }
  }

  /// Whether a `traf` belongs to a removed track.
  private func isOfRemovedTrack(_ traf: ReadAtom) throws -> Bool {
    try traf.child("tfhd").map(namesRemovedTrack) ?? false
  }

  /// Whether an atom contains the ID of a removed track after its version and flags.
  private func namesRemovedTrack(_ atom: ReadAtom) throws -> Bool {
    try number(old.content(of: atom), 4, 4).map { allowed.removedTracks.contains(UInt32($0)) } ?? false
  }

  /// Compares the properties of samples besides bytes and times.
  mutating func compareExtras(_ before: ReadTrack, _ after: ReadTrack) throws {
    let other = try new.extras(of: after)
    let one = allowed.flattened ? before.plainExtras(try old.extras(of: before), as: other) : try old.extras(of: before)
    if let index = zip(one, other).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
      found.append("track \(before.id), sample \(index + 1): was \(one[index]), is \(other[index])")
    }
    if try old.encryption(of: before) != new.encryption(of: after) {
      found.append("track \(before.id): its samples were encrypted with something else")
    }
  }

  /// Checks that samples are presented at the same times, to within a movie tick.
  private mutating func compareEdits(_ before: ReadTrack, _ after: ReadTrack) throws {
    let (one, other) = (try old.edits(of: before), try new.edits(of: after))
    let scale = try old.movieTimeScale
    let tick = Int64(before.timeScale)
    var start = before.samples.first?.decodeTime ?? 0
    if let subtracted = allowed.subtractedStart {
      start -= Int64((Double(subtracted.ticks) * Double(tick) / Double(subtracted.timeScale)).rounded())
    }
    for (index, (sample, same)) in zip(before.plainSamples, after.samples).enumerated().prefix(100) {
      // Tables begin with the first decode time, so a presentation before it cannot be stored.
      let time = sample.presentationTime
      guard time >= 0, let wanted = Self.times(time &+ start, one, scale, tick),
        let got = Self.times(same.presentationTime, other, scale, tick)
      else { continue }
      if wanted.count != got.count || zip(wanted, got).contains(where: { ($0 &- $1).magnitude > tick }) {
        found.append("track \(before.id), sample \(index + 1) was shown at \(wanted), is at \(got), in 1/\(tick) ticks")
        return
      }
    }
  }

  /// Returns the presentation times of a media time, in ticks of the product of both time scales, or `nil` within a tick of
  /// an edit's start or end, where rounding decides.
  private static func times(_ time: Int64, _ edits: [ReadEdit], _ scale: Int64, _ tick: Int64) -> [Int64]? {
    var times: [Int64] = []
    for edit in edits where edit.mediaTime >= 0 {
      let distance = (time &- edit.mediaTime) &* scale
      let left = edit.duration == 0 ? Int64.max : edit.duration &* tick &- distance
      if distance.magnitude <= tick || left.magnitude <= tick {
        if distance != 0 || left <= tick { return nil }
      }
      if distance >= 0, left > 0 { times.append(edit.start &* tick &+ distance) }
    }
    return times
  }
}

/// A segment of an edit list.
private struct ReadEdit {
  /// The start in movie ticks. A duration of 0 extends to the end of the track.
  let start: Int64
  let duration: Int64
  /// The media time, negative for an empty edit.
  let mediaTime: Int64
}

extension SecondReader {
  fileprivate var movieTimeScale: Int64 {
    get throws {
      guard let mvhd = root.child("moov")?.child("mvhd") else { throw TestSupportError("no mvhd") }
      var fields = try FieldReader(mvhd, store)
      _ = try fields.take(try fields.fullHeader().version == 1 ? 16 : 8)
      return Int64(try fields.number(4))
    }
  }

  /// Returns the edits of a track, or one edit of the whole track if there is no edit list.
  fileprivate func edits(of track: ReadTrack) throws -> [ReadEdit] {
    let whole = ReadEdit(start: 0, duration: 0, mediaTime: 0)
    guard let elst = track.atom.descendant("edts", "elst") else { return [whole] }
    var fields = try FieldReader(elst, store)
    let isLong = try fields.fullHeader().version == 1
    var edits: [ReadEdit] = []
    var time: Int64 = 0
    for _ in 0..<(try fields.number(4)) {
      let duration = Int64(bitPattern: try fields.number(isLong ? 8 : 4))
      let media = try fields.number(isLong ? 8 : 4)
      let mediaTime = isLong ? Int64(bitPattern: media) : Int64(Int32(truncatingIfNeeded: media))
      _ = try fields.number(4)
      edits.append(ReadEdit(start: time, duration: duration, mediaTime: mediaTime))
      time &+= duration
    }
    return edits.isEmpty ? [whole] : edits
  }
}

extension Comparison {
  mutating func compareTracks() throws {
    for id in allowed.addedTracks.sorted() {
      if old.track(id) != nil { found.append("track \(id) was there before, it cannot have been added") }
      if new.track(id) == nil { found.append("track \(id) should have been added and is not there") }
    }
    for id in allowed.removedTracks.sorted() where new.track(id) != nil {
      found.append("track \(id) should have been removed and is there")
    }
    for track in old.tracks where !allowed.removedTracks.contains(track.id) {
      guard let other = new.track(track.id) else {
        found.append("track \(track.id) is missing")
        continue
      }
      try compareSamples(allowed.flattened ? track.plainSamples : track.samples, track.id, other.samples)
      if allowed.flattened {
        try compareFlattened(track, other)
      } else if old.isFragmented {
        try compareExtras(track, other)
      }
    }
  }

  /// Compares tables sample by sample, and bytes in runs of samples that are contiguous in both files.
  private mutating func compareSamples(_ before: [ReadSample], _ id: UInt32, _ after: [ReadSample]) throws {
    guard before.count == after.count else {
      found.append("track \(id) had \(before.count) samples, now \(after.count)")
      return
    }
    var first = 0
    var count: UInt64 = 0
    for (index, (one, other)) in zip(before, after).enumerated() {
      if let change = change(one, other, isTakenIn: takenIn(id, one) != nil) {
        found.append("track \(id), sample \(index + 1): \(change)")
        return
      }
      if let file = takenIn(id, one) {
        let bytes = try (there: file.read(one.offset, one.byteCount), here: new.bytes(of: other))
        if other.isExternal || bytes.there != bytes.here {
          found.append("track \(id), sample \(index + 1): is not what the other file had")
          return
        }
        continue
      }
      if one.isExternal || one.byteCount == 0 { continue }
      let (start, otherStart) = (before[first], after[first])
      if count > 0, one.offset == start.offset + count, other.offset == otherStart.offset + count {
        count += UInt64(one.byteCount)
        continue
      }
      try compareRun(before, id, after, from: first, count)
      (first, count) = (index, UInt64(one.byteCount))
    }
    try compareRun(before, id, after, from: first, count)
  }

  private func takenIn(_ id: UInt32, _ sample: ReadSample) -> ByteStore? {
    sample.isExternal ? allowed.takenIn[id]?[sample.description] : nil
  }

  private func change(_ one: ReadSample, _ other: ReadSample, isTakenIn: Bool) -> String? {
    if one.byteCount != other.byteCount { return "had \(one.byteCount) bytes, now \(other.byteCount)" }
    if one.decodeTime != other.decodeTime { return "decoded at \(one.decodeTime), now at \(other.decodeTime)" }
    if one.presentationTime != other.presentationTime {
      return "shown at \(one.presentationTime), now at \(other.presentationTime)"
    }
    if one.duration != other.duration { return "lasted \(one.duration), now \(other.duration)" }
    if one.isSync != other.isSync { return one.isSync ? "is not a sync sample any more" : "became a sync sample" }
    if one.description != other.description { return "had description \(one.description), now \(other.description)" }
    if isTakenIn { return nil }
    if one.isExternal != other.isExternal { return "its media moved between files" }
    if one.isExternal && one.offset != other.offset { return "its place in another file changed" }
    return nil
  }

  private mutating func compareRun(
    _ before: [ReadSample], _ id: UInt32, _ after: [ReadSample], from first: Int, _ count: UInt64
  ) throws {
    if count == 0 { return }
    let (start, otherStart) = (before[first].offset, after[first].offset)
    let place = "track \(id), sample \(first + 1)"
    let there = start > old.store.count ? 0 : min(count, old.store.count - start)
    if there < count { found.append("\(place): reaches past the end of the old file") }
    let hasAll = otherStart <= new.store.count && there <= new.store.count - otherStart
    if !hasAll {
      found.append("\(place): reaches past the end of the new file")
    } else if let byte = try firstDifference(start, in: old.store, otherStart, in: new.store, count: there) {
      let index = before[first...].firstIndex { start + byte < $0.offset + UInt64($0.byteCount) } ?? first
      found.append(
        "track \(id), sample \(index + 1): other bytes (byte \(start + byte) of the old file, "
          + "\(otherStart + byte) of the new one)")
    }
  }

  /// Checks that the old media data equals the new without the samples and auxiliary information of added tracks.
  mutating func compareMediaData() throws {
    var one = mediaData(old, without: [])
    let added = new.tracks.filter { allowed.addedTracks.contains($0.id) }
    let samples = added.flatMap(\.samples).filter { !$0.isExternal && $0.byteCount > 0 }
    var other = try mediaData(
      new,
      without: samples.map { $0.offset..<$0.offset + UInt64($0.byteCount) }
        + added.flatMap { try new.auxiliaryRanges(of: $0) })
    let (oldCount, newCount) = (one.reduce(0) { $0 + $1.byteCount }, other.reduce(0) { $0 + $1.byteCount })
    if oldCount != newCount {
      found.append("the media data had \(oldCount) bytes, now, without added samples, \(newCount)")
    }
    one.reverse()
    other.reverse()
    while let a = one.popLast(), let b = other.popLast() {
      let count = min(a.byteCount, b.byteCount)
      if let byte = try firstDifference(a.lowerBound, in: old.store, b.lowerBound, in: new.store, count: count) {
        found.append("the media data at byte \(a.lowerBound + byte) became other bytes at \(b.lowerBound + byte)")
        return
      }
      if a.byteCount > count { one.append(a.lowerBound + count..<a.upperBound) }
      if b.byteCount > count { other.append(b.lowerBound + count..<b.upperBound) }
    }
  }

  /// Returns the contents of all `mdat` atoms in order, without some ranges.
  private func mediaData(_ reader: SecondReader, without holes: [Range<UInt64>]) -> [Range<UInt64>] {
    let holes = holes.sorted { $0.lowerBound < $1.lowerBound }
    var ranges: [Range<UInt64>] = []
    for atom in reader.topLevel where atom.type == "mdat" {
      var start = atom.contentOffset
      for hole in holes where hole.upperBound > start && hole.lowerBound < atom.end {
        if hole.lowerBound > start { ranges.append(start..<hole.lowerBound) }
        start = max(start, hole.upperBound)
      }
      if start < atom.end { ranges.append(start..<atom.end) }
    }
    return ranges
  }
}

extension Range<UInt64> {
  fileprivate var byteCount: UInt64 { upperBound - lowerBound }
}

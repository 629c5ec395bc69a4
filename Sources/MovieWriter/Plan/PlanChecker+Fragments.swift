import MovieBox

// A movie that is no longer fragmented: what its fragments said, its tables say now.
extension PlanChecker {
  /// Every sample that `moov` and the fragments had is in the new `moov`: the same bytes, times, flags, groups,
  /// auxiliary information. Everything else in `moov` is as it was.
  ///
  /// Costs one pass over all samples and all `moof` atoms; reads what auxiliary information lies outside of them.
  func checkDefragmentation() throws {
    guard let defragmentation = revision.defragmentation else { return }
    guard !planned.isFragmented else { throw failure("the new movie is fragmented") }
    try RewrittenHeaderComparison(
      old: defragmentation.original.tree, new: revision.unsplitMovie?.tree ?? revision.movie.tree,
      change: .defragmented
    ).check()
    let tracks = zip(defragmentation.original.tracks, defragmentation.fragments.tracks)
    let kept = tracks.filter { !revision.removedTrackIDs.contains($0.0.id) }
    let keptPlanned = planned.tracks.filter { !revision.newTrackIDs.contains($0.id) }
    var checks: [UInt32: FragmentContentsCheck] = [:]
    for ((old, fragmented), new) in zip(kept, keptPlanned) {
      guard fragmented.hasFragmentSamples else { continue }
      try checkSamples(old, fragmented, new)
      try checkEdits(old, fragmented, new)
      if checks[old.id] == nil {
        checks[old.id] = try FragmentContentsCheck(
          old, defragmentation.original.tree, new, planned.tree, fragmented.tableSampleCount)
      }
    }
    let output = PlannedSource(plan, of: source)
    for fragment in defragmentation.fragments.fragments {
      let tree = try fragment.tree()
      for part in fragment.trackFragments where checks[part.trackID] != nil {
        guard let track = defragmentation.fragments.track(part.trackID) else { continue }
        let runs = track.runs[part.runs]
        guard let first = runs.first, let last = runs.last else { continue }
        let samples = first.firstSample..<last.samples.upperBound
        try checks[part.trackID]?.checkGroups(part, tree, samples)
        try checks[part.trackID]?.checkAuxiliary(part, tree, samples, source, output)
      }
    }
  }

  // MARK: - Samples

  private func checkSamples(_ track: Track, _ fragmented: FragmentedTrack, _ new: Track) throws(MovieError) {
    let external = Self.externalDescriptions(of: track)
    let shift = fragmented.startTime ?? 0
    var planned = new.samples.samples.makeIterator()
    var extent: RemuxPlan.Extent?
    var last: (old: Sample, new: Sample)?
    for old in fragmented.samples {
      guard let sample = planned.next() else {
        throw failure("track \(track.id) had \(fragmented.sampleCount) samples, has \(old.index)")
      }
      func wrong(_ what: String) -> MovieError {
        failure("sample \(old.index + 1) of track \(track.id) \(what)", at: old.byteRange?.offset)
      }
      guard old.compositionOffset == sample.compositionOffset, old.isSync == sample.isSync,
        old.sampleDescriptionIndex == sample.sampleDescriptionIndex
      else { throw wrong("changed its composition offset, sync flag or description") }
      try checkTimes(old, sample, last, shift, wrong)
      last = (old, sample)
      guard old.byteRange?.count ?? 0 > 0 || sample.byteRange?.count != 0 else { continue }
      guard let from = old.byteRange, let to = sample.byteRange, from.count == to.count else {
        throw wrong("changed its size")
      }
      if external.contains(old.sampleDescriptionIndex) {
        guard from == to else { throw wrong("lies in another file and was moved") }
      } else if let extent, let source = extent.sourceRange, extent.range.contains(to) {
        guard source.offset &+ (to.offset &- extent.offset) == from.offset else { throw wrong("names other bytes") }
      } else {
        guard copies(to, of: from) else { throw wrong("names other bytes") }
        extent = plan.sourceExtent(holding: from.offset)
      }
    }
    guard planned.next() == nil else { throw failure("track \(track.id) has more samples than it had") }
    if let last, last.old.duration != last.new.duration {
      throw failure("the last sample of track \(track.id) changed its duration")
    }
  }

  /// A sample is decoded when it was, counted from the first. Where times went back before the sample before it, a run
  /// may begin behind that; its samples keep their distances. Durations follow from decode times, but for the last.
  private func checkTimes(
    _ old: Sample, _ new: Sample, _ last: (old: Sample, new: Sample)?, _ shift: UInt64, _ wrong: (String) -> MovieError
  ) throws(MovieError) {
    let time = new.decodeTime.addingClamped(shift)
    guard time != old.decodeTime else { return }
    guard time > old.decodeTime, let last else { throw wrong("is decoded earlier than it was") }
    if last.old.chunkIndex == old.chunkIndex {
      guard time - old.decodeTime == last.new.decodeTime.addingClamped(shift) - last.old.decodeTime else {
        throw wrong("is decoded at another distance to the one before it")
      }
    } else {
      guard old.decodeTime < last.new.decodeTime.addingClamped(shift) else {
        throw wrong("is decoded later than it was")
      }
    }
  }

  private static func externalDescriptions(of track: Track) -> Set<UInt32> {
    var external: Set<UInt32> = []
    for (index, entry) in track.sampleDescriptions.entries.enumerated() {
      let reference = Int(entry.dataReferenceIndex) - 1  // Stored from 1.
      guard let references = track.dataReferences?.entries, references.indices.contains(reference) else { continue }
      if !references[reference].isSelfContained { external.insert(UInt32(clamping: index + 1)) }
    }
    return external
  }

  // MARK: - Edits

  /// The last edit that shows something shows the same media at the same time, to a tick of the movie.
  private func checkEdits(_ old: Track, _ fragmented: FragmentedTrack, _ new: Track) throws(MovieError) {
    guard old.mediaHeader.timeScale > 0, let start = fragmented.startTime.flatMap({ Int64(exactly: $0) }) else {
      return
    }
    let before = Self.lastEdit(old.editList)
    let after = Self.lastEdit(new.editList)
    guard let before, let after else {
      guard old.editList?.entries.isEmpty ?? true || before == nil else {
        throw failure("the edits of track \(old.id) are lost")
      }
      return
    }
    let media = Int64(old.mediaHeader.timeScale)
    let movie = Int64(planned.header.timeScale)
    let (shift, first) = (
      after.start.subtractingReportingOverflow(before.start), after.mediaTime &+ start &- before.mediaTime
    )
    let (left, second) = (
      shift.partialValue.multipliedReportingOverflow(by: media), first.multipliedReportingOverflow(by: movie)
    )
    guard !shift.overflow, !left.overflow, !second.overflow else { return }  // Beyond 2⁶³ of both ticks.
    guard left.partialValue.subtractingReportingOverflow(second.partialValue).partialValue.magnitude <= media.magnitude
    else { throw failure("track \(old.id) is shown at another time") }
  }

  /// When the last edit that is not empty begins, and where in the media.
  private static func lastEdit(_ list: EditList?) -> (start: Int64, mediaTime: Int64)? {
    guard let entries = list?.entries, !entries.isEmpty else { return (0, 0) }
    var found: (Int64, Int64)?
    var time: UInt64 = 0
    for entry in entries {
      if !entry.isEmptyEdit { found = (Int64(clamping: time), entry.mediaTime) }
      time = time.addingClamped(entry.segmentDuration)
    }
    return found
  }
}

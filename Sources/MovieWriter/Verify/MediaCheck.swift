import MovieBox

/// Checks the contents of the media data atoms in the new file.
///
/// KeptTracksCheck verifies the samples of each track. This check covers all bytes of media data, including bytes to
/// which no sample refers.
struct MediaCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that all media data is copied once and in its old order, unless the edit requests another order or an
  /// omission. Also checks that the media data contains no other bytes except new samples.
  func check() throws(MovieError) {
    let oldMediaData = Self.media(of: resolved.movie.layout)
    let fileRange = ByteRange(0..<plan.source.primary.byteCount)
    var copied: [ByteRange] = []
    var newByteCount: UInt64 = 0
    for atom in Self.media(of: planned.layout) {
      // An in-place edit may write media data over the old movie atom and the media after it, or extend media data over
      // the movie atom. That media data also contains bytes that are no longer used.
      let isCover =
        checker.strategy == .inPlace
        && (atom.range.offset == resolved.movie.movieAtom.range.offset
          || oldMediaData.contains { $0.range.offset == atom.range.offset && $0.range.count < atom.range.count })
      if isCover {
        copied += covered(by: atom, oldMediaData)
        continue
      }
      for extent in plan.extents(in: atom.payloadRange) {
        guard let whole = extent.sourceRange else {
          newByteCount &+= extent.content.byteCount  // The sum is at most the plan's size.
          continue
        }
        // Skip the media of other movies, because ImportedTracksCheck checks it.
        guard let range = whole.intersection(fileRange) else { continue }
        guard let holder = oldMediaData.last(startingUpTo: range.offset),
          holder.payloadRange.contains(range)
        else {
          throw failure("media data contains bytes that were not media data", at: range.offset)
        }
        copied.append(range)
      }
    }
    guard newByteCount == UInt64(resolved.added.bytes.count) else {
      throw failure("media data has \(newByteCount) new bytes, but new tracks have \(resolved.added.bytes.count)")
    }
    let layout: OutputLayout
    switch checker.strategy {
    case .inPlace, .inMetadata, .inMovieAtom: layout = OutputLayout(interleaving: .none)
    case .rewrite(let requestedLayout): layout = requestedLayout
    }
    if layout.interleaving != .all {
      for (left, right) in zip(copied, copied.dropFirst()) where left.end > right.offset {
        throw failure("media data is out of order", at: right.offset)
      }
    }
    guard !layout.isCompact else { return }  // Each sample is checked with its track.
    copied.sortInterleaved { $0.offset < $1.offset }
    try checkLostBytes(of: oldMediaData, copied)
  }

  /// Returns the old media data that is within an atom of the new file, at its old offset.
  private func covered(
    by atom: FileLayout.TopLevelAtom, _ old: [FileLayout.TopLevelAtom]
  ) -> [ByteRange] {
    old.map(\.payloadRange).filter { media in
      media.count > 0 && atom.payloadRange.contains(media) && checker.copies(media, of: media)
    }
  }

  /// Checks that all bytes that were not copied belonged only to removed tracks.
  private func checkLostBytes(
    of old: [FileLayout.TopLevelAtom], _ copied: [ByteRange]
  ) throws(MovieError) {
    var missingRanges: [ByteRange] = []
    var next = copied.startIndex
    for atom in old {
      var end = atom.payloadRange.offset
      while next < copied.endIndex, copied[next].offset < atom.range.end {
        if copied[next].offset > end { missingRanges.append(ByteRange(end..<copied[next].offset)) }
        end = copied[next].end
        next += 1
      }
      if end < atom.payloadRange.end { missingRanges.append(ByteRange(end..<atom.payloadRange.end)) }
    }
    guard !missingRanges.isEmpty else { return }
    let removedRanges = removedMedia()
    var at = removedRanges.startIndex
    for range in missingRanges {
      while at < removedRanges.endIndex, removedRanges[at].end < range.end { at += 1 }
      guard at < removedRanges.endIndex, removedRanges[at].contains(range) else {
        throw failure("bytes of media data were lost", at: range.offset)
      }
    }
  }

  /// Returns the ranges of the chunks of removed tracks in file order. Touching ranges are merged.
  private func removedMedia() -> [ByteRange] {
    MediaRanges(resolved.movie.tracks.filter { resolved.tracks.removed.contains($0.id) }).ranges
  }

  private static func media(of layout: FileLayout) -> [FileLayout.TopLevelAtom] {
    layout.atoms.filter { $0.type == "mdat" }
  }
}

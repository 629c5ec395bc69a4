import MovieBox

/// The media data: what an `mdat` of the new file is made of.
struct MediaCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Every byte of media data is there, once, in its order unless it was to be sorted, but for what was to be left out;
  /// and nothing else is in it but the new samples.
  func check() throws(MovieError) {
    let old = Self.media(of: resolved.movie.layout)
    let file = ByteRange(0..<plan.source.primary.byteCount)
    var copied: [ByteRange] = []
    var newByteCount: UInt64 = 0
    for atom in Self.media(of: planned.layout) {
      // What an edit in place put over an old movie atom and the media after it, or media data that grew over one,
      // holds what is no longer used, too.
      let isCover =
        checker.strategy == .inPlace
        && (atom.range.offset == resolved.movie.movieAtom.range.offset
          || old.contains { $0.range.offset == atom.range.offset && $0.range.count < atom.range.count })
      if isCover {
        copied += covered(by: atom, old)
        continue
      }
      for extent in plan.extents(in: atom.payloadRange) {
        guard let whole = extent.sourceRange else {
          newByteCount &+= extent.content.byteCount  // No more than the plan.
          continue
        }
        // The media of other movies is looked at with their tracks.
        guard let range = whole.intersection(file) else { continue }
        guard let holder = PlanChecker<Source>.atom(at: range.offset, among: old), holder.payloadRange.contains(range)
        else {
          throw failure("media data contains bytes that were not media data", at: range.offset)
        }
        copied.append(range)
      }
    }
    guard newByteCount == UInt64(resolved.added.bytes.count) else {
      throw failure("media data has \(newByteCount) new bytes, new tracks have \(resolved.added.bytes.count)")
    }
    let layout: OutputLayout
    switch checker.strategy {
    case .inPlace, .inMetadata, .inMovieAtom: layout = OutputLayout(interleaving: .none)
    case .rewrite(let wanted): layout = wanted
    }
    if layout.interleaving != .all {
      for (left, right) in zip(copied, copied.dropFirst()) where left.end > right.offset {
        throw failure("media data is out of order", at: right.offset)
      }
    }
    guard !layout.isCompact else { return }  // What samples name is looked at with the samples.
    try checkNothingIsLost(of: old, copied.sorted { $0.offset < $1.offset })
  }

  /// The media data that an atom of the new file lies over.
  private func covered(
    by atom: FileLayout.TopLevelAtom, _ old: [FileLayout.TopLevelAtom]
  ) -> [ByteRange] {
    old.map(\.payloadRange).filter { media in
      media.count > 0 && atom.payloadRange.contains(media) && checker.copies(media, of: media)
    }
  }

  /// What is not copied was named by removed tracks alone.
  private func checkNothingIsLost(
    of old: [FileLayout.TopLevelAtom], _ copied: [ByteRange]
  ) throws(MovieError) {
    var missing: [ByteRange] = []
    var next = copied.startIndex
    for atom in old {
      var end = atom.payloadRange.offset
      while next < copied.endIndex, copied[next].offset < atom.range.end {
        if copied[next].offset > end { missing.append(ByteRange(end..<copied[next].offset)) }
        end = copied[next].end
        next += 1
      }
      if end < atom.payloadRange.end { missing.append(ByteRange(end..<atom.payloadRange.end)) }
    }
    guard !missing.isEmpty else { return }
    let removed = removedMedia()
    var at = removed.startIndex
    for range in missing {
      while at < removed.endIndex, removed[at].end < range.end { at += 1 }
      guard at < removed.endIndex, removed[at].contains(range) else {
        throw failure("bytes of media data are lost", at: range.offset)
      }
    }
  }

  /// What the chunks of removed tracks name, in the order of the file; ranges that touch are one.
  private func removedMedia() -> [ByteRange] {
    MediaRanges(resolved.movie.tracks.filter { resolved.tracks.removed.contains($0.id) }).ranges
  }

  private static func media(of layout: FileLayout) -> [FileLayout.TopLevelAtom] {
    layout.atoms.filter { $0.type == "mdat" }
  }
}

import MovieBox

// The changes of the stages before an edit. These stages rewrite sample tables. FlattenedMovieCheck, SplitChunksCheck
// and SalvagedMovieCheck compare the samples that the tables list.
extension AtomChangePolicy {
  private static let tables: Set<FourCC> = [
    "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sdtp", "padb", "stdp", "sbgp", "subs",
  ]

  /// The changes of a flattened movie, whose sample tables also list the samples of its fragments.
  static var flattened: AtomChangePolicy {
    var policy = durations(inTracks: .everyTrack)
    policy.allow(.change(movieDuration), at: ["mvhd"], in: .movie)
    policy.allow(.any(), at: [], ["mvex", "pssh"], in: .movie)
    policy.allow(.any(), at: ["trak"], ["edts", "senc"], in: .everyTrack)
    policy.allow(
      .any(), at: ["trak", "mdia", "minf", "stbl"], tables.union(["sgpd", "saiz", "saio"]), in: .everyTrack)
    for path in [["trak", "uuid"], .sampleTable("uuid")] as [Path] {
      policy.allow(
        .any { $0.payload.slice(at: 0, count: 16) == SampleEncryption.userType }, at: path, in: .everyTrack)
    }
    return policy
  }

  /// The changes of a movie whose long chunks are split.
  static var splitChunks: AtomChangePolicy {
    var policy = AtomChangePolicy()
    policy.allow(.any(), at: ["trak", "mdia", "minf", "stbl"], ["stsc", "stco", "co64"], in: .everyTrack)
    return policy
  }

  /// Returns the changes of a cut-off movie. The tables of these tracks no longer list samples that are not in the
  /// file.
  static func salvaged(tracks: Set<UInt32>) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    for id in tracks {
      policy.join(durations(inTracks: .track(id)))
      policy.allow(.any(), at: ["trak", "edts", "elst"], in: .track(id))
      policy.allow(.any(), at: ["trak", "mdia", "minf", "stbl"], tables.union(["stps"]), in: .track(id))
    }
    if !tracks.isEmpty { policy.allow(.change(movieDuration), at: ["mvhd"], in: .movie) }
    return policy
  }

  /// The durations in the track and media headers may change.
  private static func durations(inTracks scope: Scope) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    let track = PayloadChange.fields(TrackHeader.self, "its duration") { header, new, _ in
      (header.duration, header.version) = (new.duration, new.version)
    }
    let media = PayloadChange.fields(MediaHeader.self, "its duration") { header, new, _ in
      (header.duration, header.version) = (new.duration, new.version)
    }
    policy.allow(.change(track), at: ["trak", "tkhd"], in: scope)
    policy.allow(.change(media), at: ["trak", "mdia", "mdhd"], in: scope)
    return policy
  }

  private static var movieDuration: PayloadChange {
    .fields(MovieHeader.self, "its duration") { header, new, _ in
      (header.duration, header.version) = (new.duration, new.version)
    }
  }

  // MARK: - Tracks of other movies

  /// Returns the changes of an imported track: its ID, group, flags, duration, references and labels, and the rounded
  /// lengths of its edits.
  ///
  /// - Parameters:
  ///   - timeScales: the time scales of the track's original movie and of the edited movie.
  ///   - hasNewAuxiliary: whether the track's auxiliary information was in fragments.
  static func importedTrack(
    _ id: UInt32, into dialect: Dialect, timeScales: (old: UInt32, new: UInt32), hasNewAuxiliary: Bool,
    shift: ImportShift? = nil
  ) -> AtomChangePolicy {
    var policy = samplePositions
    if dialect == .quickTime { policy.join(quickTimeHandler(inTrack: id)) }
    let scope = Scope.track(id)
    let labels = TrackLabels.userDataTypes
    policy.allow(.any(), at: ["trak"], ["tref", "txas"], in: scope)
    policy.allow(.any(), at: ["trak", "mdia", "elng"], in: scope)
    policy.allow(.any(), at: ["trak", "udta"], labels, in: scope)
    policy.allow(
      .any { place in place.tree.children(of: place.index).allSatisfy { labels.contains(place.tree[$0].type) } },
      at: ["trak", "udta"], in: scope)
    if hasNewAuxiliary {
      policy.allow(.any(), at: ["trak", "mdia", "minf", "stbl"], ["saiz", "saio"], in: scope)
    }
    let isNearest = { (time: UInt64, old: UInt64) in Self.isNearest(time, to: old, timeScales) }
    let header = PayloadChange.fields(TrackHeader.self, "ID, flags, group and duration") {
      header, new, atom throws(MovieError) in
      let isUnknown = header.duration == 0 || header.isDurationUnknown
      let duration = UInt64(clamping: Int64(clamping: new.duration).addingClamped(-(shift?.ticks ?? 0)))
      guard isUnknown ? new.duration == header.duration : isNearest(duration, header.duration) else {
        throw atom.refusal("the duration changed from \(header.duration) to \(new.duration)")
      }
      if header.version == 0, new.version == 1, new.duration >= UInt64(UInt32.max) { header.version = 1 }
      (header.trackID, header.alternateGroup, header.duration) = (new.trackID, new.alternateGroup, new.duration)
      (header.isEnabled, header.isInMovie, header.isInPreview) = (new.isEnabled, new.isInMovie, new.isInPreview)
    }
    policy.allow(.change(header), at: ["trak", "tkhd"], in: scope)
    policy.join(Self.labels(["mdhd"], ofTrack: id))
    let edits = PayloadChange.fields(EditList.self, "the length of edits") { list, new, atom throws(MovieError) in
      guard list.entries.count == new.entries.count else { throw atom.refusal("the number of edits changed") }
      var (end, newEnd) = (UInt64(0), UInt64(0))
      for (place, edit) in new.entries.enumerated() {
        if list.entries[place].hasUnknownDuration {
          guard edit.hasUnknownDuration else {
            throw atom.refusal("edit \(place + 1) has a length, but its length was unknown")
          }
        } else {
          end = end.addingReportingOverflow(list.entries[place].segmentDuration).partialValue
          newEnd = newEnd.addingReportingOverflow(edit.segmentDuration).partialValue
          guard isNearest(newEnd, end) else {
            throw atom.refusal("the end of edit \(place + 1) moved from \(end) to \(newEnd)")
          }
        }
        list.entries[place].segmentDuration = edit.segmentDuration
      }
      list.version = new.version
    }
    guard let shift, shift.ticks != 0 else {
      policy.allow(.change(edits), at: ["trak", "edts", "elst"], in: scope)
      return policy
    }
    func isShifted(_ list: EditList) -> Bool {
      CommonDelayCheck.isShifted(list, by: shift.ticks, from: shift.track, timeScales: timeScales)
    }
    let shifted = PayloadChange.anyPayload { atom throws(MovieError) in
      isShifted(try atom.new.decode(EditList.self, at: atom.newIndex))
    }
    policy.allow(.change(shifted), at: ["trak", "edts", "elst"], in: scope)
    guard shift.track.editList == nil else { return policy }
    func isShiftedList(_ place: AtomContext, at elst: Int) -> Bool {
      do throws(MovieError) {
        return isShifted(try place.tree.decode(EditList.self, at: elst))
      } catch {
        return false
      }
    }
    policy.allow(.addition { isShiftedList($0, at: $0.index) }, at: ["trak", "edts", "elst"], in: scope)
    let list = { (place: AtomContext) -> Bool in
      let children = Array(place.tree.children(of: place.index))
      guard place.tree.tail(of: place.index).isEmpty, children.count == 1, let elst = children.first,
        place.tree[elst].type == "elst"
      else { return false }
      return isShiftedList(place, at: elst)
    }
    policy.allow(.addition(list), at: ["trak", "edts"], in: scope)
    return policy
  }

  /// The shift of an imported track's times, and the track in its original movie.
  struct ImportShift {
    /// The shift in ticks of the edited movie.
    let ticks: Int64
    let track: Track
  }

  /// Whether two times in ticks of the new and the old movie differ by at most half a new tick: |new·old scale −
  /// old·new scale| ≤ old scale / 2.
  private static func isNearest(_ time: UInt64, to old: UInt64, _ timeScales: (old: UInt32, new: UInt32)) -> Bool {
    let scaledTime = UInt128(time) * UInt128(timeScales.old)  // The product has at most 96 bits.
    let scaledOldTime = UInt128(old) * UInt128(timeScales.new)
    return max(scaledTime, scaledOldTime) - min(scaledTime, scaledOldTime) <= UInt128(timeScales.old) / 2
  }
}

public import MovieBox
import Subtitles

extension MovieEdit {
  /// Adds a track of boxed timed metadata (`mebx`), and returns its ID.
  ///
  /// The groups may be in any order. A time without a group becomes a gap. Where groups overlap, the track contains the
  /// items of all of them, and an item of a later group replaces the items with its identifier and language. The track
  /// ends with the movie. The track is enabled, because players ignore disabled metadata.
  ///
  ///     guard let key = MetadataIdentifier("mdta/com.example.heart-rate"),
  ///       let item = MetadataItem(key, .integer(72), typeCode: 67)
  ///     else { return }
  ///     let group = TimedMetadataGroup(microseconds: 0..<2_000_000, items: [item])
  ///     try edit.addTimedMetadata([group])
  ///
  /// If the function throws, the edit is unchanged. Throws `.invalidEdit` for an item that is not `mdta/…`, for a value
  /// that does not fit its type, for groups outside the movie, and for a described track that does not exist. Throws
  /// `.unsupported` for 3GP and 3G2 files, which cannot contain timed metadata, and `.limit` if the samples become too
  /// large.
  ///
  /// - Parameters:
  ///   - groups: the groups, such as the groups of another movie.
  ///   - trackIDs: the described tracks (`cdsc`), `nil` for the main picture, or an empty array for the whole movie.
  @discardableResult
  public mutating func addTimedMetadata(
    _ groups: [TimedMetadataGroup], describing trackIDs: [UInt32]? = nil
  ) throws -> UInt32 {
    if let timedMetadataRefusal { throw timedMetadataRefusal }
    let described =
      trackIDs ?? movie.mainPicture.map(\.id).flatMap { id in tracks.contains { $0.id == id } ? [id] : nil } ?? []
    if let unreadable = groups.first(where: { $0.problem != nil }), let problem = unreadable.problem {
      let start = timeText(milliseconds: unreadable.microseconds.lowerBound / 1_000)
      throw MovieError(.invalidEdit, "the group at \(start) was not read completely: \(problem)")
    }
    let endInMicroseconds = try timedMetadataEnd()
    let schedule = try TimedMetadataSchedule(groups, end: endInMicroseconds)
    guard schedule.omittedGroupCount < groups.count else {
      throw MovieError(
        .invalidEdit,
        groups.isEmpty
          ? "cannot add timed metadata: there are no groups"
          : "cannot add timed metadata: all groups are outside the movie, which ends at "
            + timeText(milliseconds: endInMicroseconds / 1_000))
    }
    return try atomically { edit in
      var template = TrackTemplate(edit)
      let id = try edit.addGeneratedTrack(&template) { try GeneratedMetadataTrack(schedule, as: $0, id: $1) }
      let index = try edit.tracks.index(of: id)
      edit.tracks[index].isEnabled = true
      try edit.setDescribedTracks(described, of: id)
      if schedule.omittedGroupCount > 0 {
        edit.recordedNotices.append(.groupsOutsideMovie(schedule.omittedGroupCount, track: id))
      }
      if schedule.shortenedGroupCount > 0 {
        edit.recordedNotices.append(.groupsShortened(schedule.shortenedGroupCount, track: id))
      }
      if schedule.replacedItemCount > 0 {
        edit.recordedNotices.append(.timedItemsReplaced(schedule.replacedItemCount, track: id))
      }
      return id
    }
  }

  /// Replaces the tracks that a metadata track describes (`cdsc`). If the array is empty, the metadata track describes
  /// the whole movie.
  package mutating func setDescribedTracks(_ ids: [UInt32], of trackID: UInt32) throws(MovieError) {
    try atomically { edit throws(MovieError) in
      let index = try edit.tracks.index(of: trackID)
      edit.tracks[index].references["cdsc"] = nil
      for id in ids { try edit.tracks.associate(at: index, with: edit.tracks.index(of: id), .metadataReferent) }
    }
  }

  /// The error about boxed timed metadata if the type of the movie does not allow it, or `nil` if it does.
  package var timedMetadataRefusal: MovieError? {
    movie.type.isMobile
      ? MovieError(.unsupported, "\(movie.type.name) cannot contain timed metadata (mebx)") : nil
  }

  /// Returns the end of the movie for timed metadata, in microseconds.
  ///
  /// Throws `.limit` if the movie is too long for subtitles (``SubtitleLimits/movieMilliseconds``). The header of such
  /// a movie is damaged, and the gaps of the track would become millions of samples.
  package func timedMetadataEnd() throws(MovieError) -> Int64 {
    let end = stages.endInMovieTicks.scaled(by: 1_000_000, over: UInt64(movie.header.timeScale))
    guard let end, end / 1_000 < SubtitleLimits().movieMilliseconds else {
      throw MovieError(
        .limit, in: "moov/mvhd",
        "cannot add timed metadata: the movie declares a duration of more than 100 years")
    }
    return Int64(clamping: end)
  }
}

extension EditNotice {
  /// Returns a notice that groups begin after the end of the movie or end before its start.
  static func groupsOutsideMovie(_ count: Int, track id: UInt32) -> EditNotice {
    EditNotice(
      .timedMetadata, trackID: id, isWarning: true,
      "\(counted(count, "group")) of timed metadata outside the movie \(count == 1 ? "is" : "are") omitted from track \(id)"
    )
  }

  /// Returns a notice that groups begin before the start of the movie or end after its end.
  static func groupsShortened(_ count: Int, track id: UInt32) -> EditNotice {
    EditNotice(
      .timedMetadata, trackID: id,
      "\(counted(count, "group")) of timed metadata in track \(id) \(count == 1 ? "is" : "are") shortened to the length of "
        + "the movie")
  }

  /// Returns a notice that items of overlapping groups have the same identifier and language.
  static func timedItemsReplaced(_ count: Int, track id: UInt32) -> EditNotice {
    EditNotice(
      .timedMetadata, trackID: id, isWarning: true,
      "groups of timed metadata in track \(id) overlap: \(counted(count, "item")) \(count == 1 ? "is" : "are") replaced by items of "
        + "later groups with the same identifier and language")
  }
}

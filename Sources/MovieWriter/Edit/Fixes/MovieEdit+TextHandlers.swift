public import MovieBox
import Subtitles

extension MovieEdit {
  /// Does what ``fix(for:)`` does, and rewrites subtitles that Apple's players list in no menu because they have the
  /// handler of text, as ffmpeg writes them into QuickTime movies: timed text (tx3g) takes their place, in a new track.
  /// HEVC whose key pictures contain no parameter sets but those of the configuration (`hev1`) becomes `hvc1`.
  ///
  /// Text, times and styles stay; font, size, background and place become those of other new subtitles. Left to a
  /// person are text that cannot be read whole, user data that is not taken over, tracks in fragments. The old samples
  /// stay in the file, unused, unless it is rewritten without them. Throws what reading from `source` throws.
  public mutating func fix(for target: Rule.Target?, readingTextOf source: some RandomAccessSource) throws
    -> [AppliedFix]
  {
    let findings = fixableFindings(for: target)
    var rewritten: [AppliedFix] = []
    for finding in findings where finding.rule.automaticFix == .rewriteAsTimedText {
      guard let track = finding.error.offset.flatMap(movie.track(at:)), let id = try remake(track, from: source) else {
        continue
      }
      let message =
        "the subtitles of track \(track.id) are rewritten as track \(id), timed text (tx3g) with the handler sbtl"
      rewritten.append(AppliedFix(rule: finding.rule, trackID: id, message: message, foundIn: track.id))
    }
    return rewritten + (try fixParameterSets(findings, readingFrom: source)) + (try fix(findings))
  }

  /// Puts new subtitles in the place of a track; gives their ID, `nil` where something would be lost.
  private mutating func remake(_ track: Track, from source: some RandomAccessSource) throws -> UInt32? {
    guard stages.flattened == nil, stages.keptFragments == nil, let old = tracks.first(where: { $0.id == track.id })
    else {
      return nil
    }
    do {
      let text = try TextTrackReader(track, of: movie).read(from: source)
      guard !text.cues.isEmpty, text.notices.isEmpty else { return nil }
      var edit = self
      edit.recordedNotices = []
      let id = try edit.replace(old, with: text, CueTiming(), SubtitleLimits())
      if old.alternateGroup == 0 { try edit.addToSubtitleGroup(id, asDefault: false) }
      guard !edit.recordedNotices.contains(where: { $0.kind == .notTakenOver || $0.kind == .subtitles }) else {
        return nil
      }
      edit.recordedNotices = recordedNotices + edit.recordedNotices.filter { $0.kind != .removed }
      self = edit
      return id
    } catch let error as MovieError where error.code != .sourceChanged {
      return nil  // It cannot be read, or not be made: that is left to a person.
    } catch is SubtitleError {
      return nil
    }
  }
}

// HEVC that no player of Apple's opens, because its format allows parameter sets in samples (`hev1`, `dvhe`).
extension MovieEdit {
  /// Renames the formats of tracks whose key pictures contain no parameter sets but those of the configuration. Throws
  /// what reading from `source` throws.
  mutating func fixParameterSets(
    _ findings: [Finding], readingFrom source: some RandomAccessSource
  ) throws -> [AppliedFix] {
    // A conversion writes descriptions of its own, and sharing takes names out of them.
    guard stages.converted == nil, changes.sharing == nil else { return [] }
    var fixed: [AppliedFix] = []
    for finding in findings where finding.rule.automaticFix == .declareParameterSetsComplete {
      guard let track = finding.error.offset.flatMap(movie.track(at:)),
        let place = tracks.firstIndex(where: { $0.old?.atom == track.atom }),
        tracks.count(where: { $0.id == track.id }) == 1,
        try movie.reading(
          source,
          {
            try InBandParameterSets.obstacle(to: track, of: movie, stages.keptFragments, in: source)
          }) == nil
      else { continue }
      tracks[place].declaresParameterSetsComplete = true
      let names = track.formats.compactMap { InBandParameterSets.namesWithoutThem[$0]?.description }.withoutRepetition
      let message =
        "the format of track \(track.id) is \(names.joined(separator: ", ")): the key pictures that were read contain no "
        + "parameter sets but those of hvcC"
      fixed.append(AppliedFix(rule: finding.rule, trackID: track.id, message: message, foundIn: track.id))
    }
    return fixed
  }
}

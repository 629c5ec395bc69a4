public import MovieBox
import Subtitles

extension MovieEdit {
  /// Fixes the broken rules whose fix is unambiguous and does not change other media. Returns the fixes.
  ///
  /// The rules that remain broken are among the findings of the edited movie. Examines the movie as it was read, and
  /// fixes at most ``/MovieBox/MovieLimits/defectCount`` places of each rule. Rewrites subtitles with the handler `text`
  /// as timed text (`tx3g`) in a new track, because Apple's players do not list subtitles with that handler. ffmpeg
  /// writes such subtitles into QuickTime movies. Renames `hev1` to `hvc1` if no key picture contains parameter sets
  /// other than the parameter sets of the configuration.
  ///
  /// Text, times and styles are kept; font, size, background and position become those of new subtitles. Does not fix
  /// text that cannot be read completely, tracks with user data that a new track does not inherit, and tracks in
  /// fragments. The old samples remain in the file, unused, until the file is rewritten. Rethrows errors of the source.
  ///
  /// - Parameter target: the players whose rules are examined, or `nil` for all rules.
  public mutating func fix(for target: Rule.Target?) throws -> [AppliedFix] {
    let findings = fixableFindings(for: target)
    var rewritten: [AppliedFix] = []
    for finding in findings where finding.rule.automaticFix == .rewriteAsTimedText {
      guard let track = finding.error.offset.flatMap(movie.track(at:)), let id = try replaceWithTimedText(track) else {
        continue
      }
      let message =
        "the subtitles of track \(track.id) are rewritten as track \(id), timed text (tx3g) with the handler sbtl"
      rewritten.append(AppliedFix(rule: finding.rule, trackID: id, message: message, findingTrackID: track.id))
    }
    return rewritten + (try fixParameterSets(findings)) + (try fix(findings))
  }

  /// Replaces a track with new subtitles and returns their ID, or `nil` if something would be lost.
  private mutating func replaceWithTimedText(_ track: Track) throws -> UInt32? {
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
      return nil  // The track cannot be read or rewritten, so a person must decide.
    } catch is SubtitleError {
      return nil
    }
  }
}

// Apple's players do not open HEVC whose format allows parameter sets in samples (`hev1`, `dvhe`).
extension MovieEdit {
  /// Renames the formats of tracks whose key pictures contain only the parameter sets of the configuration. Rethrows
  /// errors of `source`.
  mutating func fixParameterSets(_ findings: [Finding]) throws -> [AppliedFix] {
    // This fix is skipped if the edit converts the movie or prepares it for sharing, because both rewrite the
    // descriptions.
    guard stages.converted == nil, changes.sharing == nil else { return [] }
    var appliedFixes: [AppliedFix] = []
    for finding in findings where finding.rule.automaticFix == .declareParameterSetsComplete {
      guard let track = finding.error.offset.flatMap(movie.track(at:)),
        let index = tracks.firstIndex(where: { $0.old?.atom == track.atom }),
        tracks.count(where: { $0.id == track.id }) == 1,
        try movie.reading(
          source,
          {
            try InBandParameterSets.obstacle(to: track, of: movie, stages.keptFragments, in: source)
          }) == nil
      else { continue }
      tracks[index].declaresParameterSetsComplete = true
      let names = track.formats.compactMap { InBandParameterSets.replacementFormats[$0]?.description }.withoutRepetition
      let message =
        "the format of track \(track.id) is \(names.joined(separator: ", ")): the key pictures that were read contain no "
        + "parameter sets other than those in hvcC"
      appliedFixes.append(AppliedFix(rule: finding.rule, trackID: track.id, message: message, findingTrackID: track.id))
    }
    return appliedFixes
  }
}

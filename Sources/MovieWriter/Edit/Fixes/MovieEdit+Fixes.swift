public import MovieBox
import Subtitles

// Automatic fixes of broken rules. A fix never changes media and never guesses the author's intention. If the intention
// is unclear, a person must decide.
extension MovieEdit {
  /// A fix that an edit applied to a broken rule.
  public struct AppliedFix: Hashable, Sendable {
    /// The rule that was broken.
    public let rule: Rule
    /// The ID of the changed track, or `nil` for the movie itself.
    public let trackID: UInt32?
    /// A sentence that describes the change.
    public let message: String
    /// The ID of the track with the finding, or `nil` for the movie itself. The fix may have changed another track of
    /// the same alternate group.
    package let findingTrackID: UInt32?
  }

  /// Fixes the broken rules that have an unambiguous fix, and returns the fixes.
  ///
  /// The rules that remain broken are among the findings of the edited movie. Examines the movie as it was read, and
  /// fixes at most ``/MovieBox/MovieLimits/defectCount`` places of each rule. Rewrites subtitles with the handler
  /// `text` as timed text (`tx3g`) in a new track, because Apple's players do not list subtitles with that handler.
  /// ffmpeg writes such subtitles into QuickTime movies. Renames `hev1` to `hvc1` if key pictures contain no parameter
  /// sets other than the sets in the configuration.
  ///
  /// Text, times and styles are kept. Font, size, background and position become the defaults of new subtitles. Does
  /// not fix text that cannot be read completely, tracks with user data that a new track does not inherit, and tracks
  /// in fragments. The old samples remain in the file, unused, until the file is rewritten. Rethrows errors of the
  /// source.
  ///
  /// - Parameter target: the players whose rules are examined, or `nil` for all rules.
  public mutating func fix(for target: Rule.Target?) throws -> [AppliedFix] {
    try atomically { edit in try edit.applyFixes(for: target) }
  }

  private mutating func applyFixes(for target: Rule.Target?) throws -> [AppliedFix] {
    let findings = movie.findings(
      of: Rule.all.filter { rule in rule.automaticFix != nil && (target.map(rule.targets.contains) ?? true) })
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

  /// Fixes findings. If a track has several findings of a rule, they are fixed together.
  private mutating func fix(_ findings: [Finding]) throws(MovieError) -> [AppliedFix] {
    var appliedFixes: [AppliedFix] = []
    for fix in Rule.AutomaticFix.allCases {
      var seen: Set<UInt32?> = []
      for finding in findings where finding.rule.automaticFix == fix && seen.insert(finding.trackID).inserted {
        var edit = self
        do throws(MovieError) {
          let changes = try edit.carryOut(fix, on: finding.trackID)
          guard !changes.isEmpty else { continue }
          self = edit
          appliedFixes += changes.map {
            AppliedFix(rule: finding.rule, trackID: $0.trackID, message: $0.message, findingTrackID: finding.trackID)
          }
        } catch  where error.code == .invalidEdit || error.code == .limit {
          continue  // The edit rejects the fix, for example because two tracks share an ID.
        }
      }
    }
    return appliedFixes
  }

  /// Applies a fix and returns the changed tracks with messages, or an empty array if the fix is ambiguous.
  private mutating func carryOut(
    _ fix: Rule.AutomaticFix, on id: UInt32?
  ) throws(MovieError) -> [(trackID: UInt32?, message: String)] {
    guard fix != .raiseNextTrackID else { return fixNextTrackID().map { [(nil, $0)] } ?? [] }
    guard fix != .writeMetadataHandler else {
      changes.metadata.edits.addsHandlers = true
      return [(nil, "the iTunes metadata list now has its handler (hdlr)")]
    }
    guard let id else { return [] }
    let index = try tracks.uniqueIndex(of: id)
    func groupMessages(_ changed: [Int]) -> [(UInt32?, String)] {
      changed.map { (tracks[$0].id, tracks[$0].groupSentence) }
    }
    func enabledMessages(_ changed: [Int]) -> [(UInt32?, String)] {
      changed.map { (tracks[$0].id, tracks[$0].enabledSentence) }
    }
    func messageIfChanged(_ message: String?) -> [(UInt32?, String)] { message.map { [(id, $0)] } ?? [] }
    // If subtitles are listed as chapters, the tracks or the references may be wrong, so a person must decide.
    let isText = tracks[index].mediaType == .text
    switch fix {
    case .separateKinds: return groupMessages(try tracks.separateKinds(ofGroup: tracks[index].alternateGroup))
    case .joinGroup: return groupMessages(try tracks.joinGroup(index))
    case .keepFirstEnabled: return enabledMessages(tracks.keepFirstEnabled())
    case .enableFirst: return enabledMessages(tracks.enableFirst(ofGroup: tracks[index].alternateGroup))
    case .disableChapters:
      guard isText else { return [] }
      try setEnabled(false, of: id)
      return messageIfChanged("chapter " + tracks[index].enabledSentence)
    case .ungroupChapters:
      guard isText else { return [] }
      try setAlternateGroup(0, of: id)
      return messageIfChanged("chapter " + tracks[index].groupSentence)
    case .removeMissingTargets:
      let ids = Set(tracks.map(\.id))
      return messageIfChanged(removeReferences(of: index, to: "missing tracks") { !ids.contains($0) })
    case .removeSelfReferences: return messageIfChanged(removeReferences(of: index, to: "itself") { $0 == id })
    case .referToForcedPartner: return messageIfChanged(try nameForcedPartner(index))
    case .writeCodeOfLanguageTag, .writeTerminologicalCode, .writeReadableCode, .writePackedCode, .writeLanguageTagForm:
      return messageIfChanged(rewriteLanguage(index, fix))
    case .writeCharacteristicWithoutNUL:
      tracks[index].labels.rewritesTags = true
      tracks[index].labels.addRolesByTags(in: movie.dialect)
      return messageIfChanged("the tags of track \(id) are written without NUL")
    case .removeForcedCharacteristic:
      guard tracks[index].containsOnlyForcedSubtitles else { return [] }
      try removeCharacteristics([.containsOnlyForcedSubtitles], from: id)
      return messageIfChanged(
        "track \(id) no longer has the tag for forced subtitles: its display flags declare that all subtitles are forced"
      )
    case .writeTitleInAllAtoms:
      guard let title = tracks[index].title else { return [] }
      try setTitle(title, of: id)
      return messageIfChanged("the title of track \(id) is written in every title atom")
    case .writeQuickTimeHandler:
      guard changes.sharing == nil, tracks[index].old?.handler?.quickTimeHandler != nil else { return [] }
      tracks[index].writesQuickTimeHandler = true
      return messageIfChanged("the handler of track \(id) now has the form of QuickTime movies (mhlr)")
    // Fixes that need samples or do not concern a single track are made elsewhere.
    case .rewriteAsTimedText, .declareParameterSetsComplete, .raiseNextTrackID, .writeMetadataHandler: return []
    }
  }

  private mutating func fixNextTrackID() -> String? {
    guard let highestID = tracks.map(\.id).max(), highestID < .max, nextTrackID <= highestID else { return nil }
    nextTrackID = highestID + 1
    changes.fixesNextTrackID = true
    return "the next track ID is \(nextTrackID)"
  }

  // MARK: - Samples

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
      let id = try edit.replace(old, with: text, CueTiming(), SubtitleLimits())
      let new = edit.tracks[try edit.tracks.index(of: id)]
      guard new.subtitleNotices.isEmpty, edit.lostLabels(of: old, to: new).isEmpty else { return nil }
      if old.alternateGroup == 0 { try edit.addToSubtitleGroup(id, asDefault: false) }
      self = edit
      return id
    } catch let error as MovieError where error.code != .sourceChanged {
      return nil  // The track cannot be read or rewritten, so a person must decide.
    } catch is SubtitleError {
      return nil
    }
  }

  /// Renames the formats of tracks whose key pictures contain only the parameter sets of the configuration. Rethrows
  /// errors of `source`. Apple's players do not open HEVC whose format allows parameter sets in samples (`hev1`,
  /// `dvhe`).
  private mutating func fixParameterSets(_ findings: [Finding]) throws -> [AppliedFix] {
    // A conversion and sharing rewrite the sample descriptions, so an edit with such a request renames no formats.
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
        "the format of track \(track.id) is now \(names.joined(separator: ", ")): the key pictures that were read contain no "
        + "parameter sets other than those in hvcC"
      appliedFixes.append(AppliedFix(rule: finding.rule, trackID: track.id, message: message, findingTrackID: track.id))
    }
    return appliedFixes
  }

  // MARK: - References

  /// The types of references that may be removed, because neither their order nor their absence has a meaning. The
  /// order matters for `mpod`, `scal` and `hint` (ISO/IEC 14496-15, 14496-14, 14496-12 9.1). Without `cdsc`, metadata
  /// would describe the whole movie.
  private static let orderIndependentReferences: Set<FourCC> = ["folw", "forc", "fall", "chap", "tmcd", "clcp", "sync"]

  /// Removes wrong references and returns a message, or `nil` if no reference was removed.
  ///
  /// A reference can also identify a track group (ISO/IEC 14496-12 8.3.3), so movies with track groups are unchanged.
  private mutating func removeReferences(
    of index: Int, to what: String, where isWrong: (UInt32) -> Bool
  ) -> String? {
    guard !movie.tracks.contains(where: { movie.tree.child(of: $0.atom, "trgr") != nil }) else { return nil }
    var removedTypes: [FourCC] = []
    for (type, ids) in tracks[index].references where Self.orderIndependentReferences.contains(type) {
      // Without its reference to itself, a track that is its own chapter list would appear as subtitles.
      guard type != "chap" || !ids.contains(tracks[index].id) else { continue }
      removedTypes += tracks[index].removeReferences(ofType: type, where: isWrong)
    }
    guard !removedTypes.isEmpty else { return nil }
    let types = removedTypes.map(\.description).sorted().joined(separator: ", ")
    return "track \(tracks[index].id) no longer refers to \(what) (\(types))"
  }

  private mutating func nameForcedPartner(_ index: Int) throws(MovieError) -> String? {
    let track = tracks[index]
    let partners = ForcedPartners(among: tracks).partnerIndices(of: track)
    guard !track.containsOnlyForcedSubtitles, partners.count == 1, let partner = partners.first,
      tracks[partner].alternateGroup == track.alternateGroup,
      !tracks.contains(where: { $0.references["folw"]?.contains(track.id) ?? false })
    else { return nil }
    try tracks.associate(at: index, with: partner, .forcedSubtitlesOnly)
    return TrackAssociation.forcedSubtitlesOnly.sentence(from: track.id, to: tracks[partner].id)
  }

  // MARK: - Labels

  private mutating func rewriteLanguage(_ index: Int, _ fix: Rule.AutomaticFix) -> String? {
    guard let old = tracks[index].old else { return nil }
    let language = tracks[index].language
    switch fix {
    // MP4 files do not contain Macintosh codes. A code of 0 may mean English, or that the writer set no language.
    case .writePackedCode
    where old.mediaHeader.languageCode == 0 && movie.dialect == .iso && old.extendedLanguage == nil:
      return nil
    case .writePackedCode: break
    // The intended language of an invalid tag is unknown.
    case _ where old.extendedLanguage.map { LanguageTag($0.tag) == nil } ?? false: return nil
    default: guard language != nil else { return nil }
    }
    tracks[index].labels.rewritesLanguage = true
    return "the language of track \(tracks[index].id) is rewritten: \(language?.description ?? "und")"
  }
}

public import MovieBox

// Automatic fixes of broken rules. A fix never changes media and never guesses the author's intention. If the intention
// is unclear, a person must decide.
extension MovieEdit {
  /// Returns the findings of the target's rules that an edit can fix.
  func fixableFindings(for target: Rule.Target?) -> [Finding] {
    movie.findings(
      of: Rule.all.filter { rule in rule.automaticFix != nil && (target.map(rule.targets.contains) ?? true) })
  }

  /// Fixes findings, each rule once per track.
  mutating func fix(_ findings: [Finding]) throws(MovieError) -> [AppliedFix] {
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
    let index = try uniqueIndex(of: id)
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
    case .separateKinds: return groupMessages(try separateKinds(ofGroup: tracks[index].alternateGroup))
    case .joinGroup: return groupMessages(try joinGroup(index))
    case .keepFirstEnabled: return enabledMessages(keepFirstEnabled())
    case .enableFirst: return enabledMessages(enableFirst(ofGroup: tracks[index].alternateGroup))
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
        "track \(id) no longer has the tag: its display flags declare that all subtitles are forced")
    case .writeTitleInAllAtoms:
      guard let title = tracks[index].title else { return [] }
      try setTitle(title, of: id)
      return messageIfChanged("the title of track \(id) is written in every title atom")
    case .writeQuickTimeHandler:
      guard changes.sharing == nil, tracks[index].old?.handler?.inQuickTimeForm != nil else { return [] }
      tracks[index].writesQuickTimeHandler = true
      return messageIfChanged("the handler of track \(id) has the form of QuickTime movies now (mhlr)")
    // These fixes need samples, or do not concern a single track.
    case .rewriteAsTimedText, .declareParameterSetsComplete, .raiseNextTrackID, .writeMetadataHandler: return []
    }
  }

  private mutating func fixNextTrackID() -> String? {
    guard let highestID = tracks.map(\.id).max(), highestID < .max, nextTrackID <= highestID else { return nil }
    nextTrackID = highestID + 1
    changes.fixesNextTrackID = true
    return "the next track ID is \(nextTrackID)"
  }

  // MARK: - References

  /// The types of references whose order and absence have no meaning. The order matters for `mpod`, `scal` and `hint`
  /// (ISO/IEC 14496-15, 14496-14, 14496-12 9.1); metadata without `cdsc` describes the whole movie.
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
      // Without the reference, a track that is its own chapter list would appear as subtitles.
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
    try associate(at: index, with: partner, .forcedSubtitlesOnly)
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

extension MovieEdit {
  /// A fix that an edit applied to a broken rule.
  public struct AppliedFix: Hashable, Sendable {
    /// The rule that was broken.
    public let rule: Rule
    /// The ID of the changed track, or `nil` for the movie itself.
    public let trackID: UInt32?
    /// A sentence that describes the change.
    public let message: String
    /// The ID of the track with the finding, which may be another track of the group, or `nil` for the movie itself.
    package let findingTrackID: UInt32?
  }
}

public import MovieBox

// What is wrong with a movie and can be put right without asking anybody.
extension MovieEdit {
  /// Fixes the rules that the movie breaks, as far as that changes no media and nothing that an author may have meant;
  /// says what it did.
  ///
  /// What is left, a person has to decide: ask the edited movie for its findings. Goes by the movie as it was read, and
  /// of each rule fixes no more than ``/MovieBox/MovieLimits/defectCount`` places. Costs what
  /// ``/MovieBox/Movie/findings`` do. Tracks whose samples would have to be read are left too:
  /// ``fix(for:readingTextOf:)`` fixes them.
  ///
  /// - Parameter target: whose rules count; `nil` for all.
  public mutating func fix(for target: Rule.Target?) throws(MovieError) -> [AppliedFix] {
    try fix(fixableFindings(for: target))
  }

  /// The places where the movie breaks a rule of a target that an edit fixes by itself.
  func fixableFindings(for target: Rule.Target?) -> [Finding] {
    movie.findings(
      of: Rule.all.filter { rule in rule.automaticFix != nil && (target.map(rule.targets.contains) ?? true) })
  }

  /// Fixes what is found; each rule once in a track.
  mutating func fix(_ findings: [Finding]) throws(MovieError) -> [AppliedFix] {
    var fixed: [AppliedFix] = []
    for fix in Rule.AutomaticFix.allCases {
      var seen: Set<UInt32?> = []
      for finding in findings where finding.rule.automaticFix == fix && seen.insert(finding.trackID).inserted {
        var edit = self
        do throws(MovieError) {
          let changes = try edit.carryOut(fix, on: finding.trackID)
          guard !changes.isEmpty else { continue }
          self = edit
          fixed += changes.map {
            AppliedFix(rule: finding.rule, trackID: $0.trackID, message: $0.message, foundIn: finding.trackID)
          }
        } catch  where error.code == .invalidEdit || error.code == .limit {
          continue  // The edit refuses it, such as for an ID that is that of two tracks: it is left to a person.
        }
      }
    }
    return fixed
  }

  /// Fixes one finding; gives what was done to which track, nothing where that is left to a person.
  private mutating func carryOut(
    _ fix: Rule.AutomaticFix, on id: UInt32?
  ) throws(MovieError) -> [(trackID: UInt32?, message: String)] {
    guard fix != .raiseNextTrackID else { return fixNextTrackID().map { [(nil, $0)] } ?? [] }
    guard fix != .writeMetadataHandler else {
      changes.metadata.edits.addsHandlers = true
      return [(nil, "iTunes' list of metadata has its handler")]
    }
    guard let id else { return [] }
    let place = try onlyIndex(of: id)
    func grouped(_ changed: [Int]) -> [(UInt32?, String)] { changed.map { (tracks[$0].id, tracks[$0].groupSentence) } }
    func enabled(_ changed: [Int]) -> [(UInt32?, String)] {
      changed.map { (tracks[$0].id, tracks[$0].enabledSentence) }
    }
    func done(_ message: String?) -> [(UInt32?, String)] { message.map { [(id, $0)] } ?? [] }
    // Subtitles that something names as its chapters: which of the two is wrong, a person must say.
    let isText = tracks[place].mediaType == .text
    switch fix {
    case .separateKinds: return grouped(try separateKinds(ofGroup: tracks[place].alternateGroup))
    case .joinGroup: return grouped(try joinGroup(place))
    case .keepFirstEnabled: return enabled(keepFirstEnabled())
    case .enableFirst: return enabled(enableFirst(ofGroup: tracks[place].alternateGroup))
    case .disableChapters:
      guard isText else { return [] }
      try setEnabled(false, of: id)
      return done("chapter " + tracks[place].enabledSentence)
    case .ungroupChapters:
      guard isText else { return [] }
      try setAlternateGroup(0, of: id)
      return done("chapter " + tracks[place].groupSentence)
    case .removeMissingTargets:
      let ids = Set(tracks.map(\.id))
      return done(removeReferences(of: place, to: "tracks that are not there") { !ids.contains($0) })
    case .removeSelfReferences: return done(removeReferences(of: place, to: "itself") { $0 == id })
    case .referToForcedPartner: return done(try nameForcedPartner(place))
    case .writeCodeOfLanguageTag, .writeTerminologicalCode, .writeReadableCode, .writePackedCode, .writeLanguageTagForm:
      return done(rewriteLanguage(place, fix))
    case .writeCharacteristicWithoutNUL:
      tracks[place].labels.rewritesTags = true
      tracks[place].labels.addRolesByTags(in: movie.dialect)
      return done("the tags of track \(id) are written without NUL")
    case .removeForcedCharacteristic:
      guard tracks[place].containsOnlyForcedSubtitles else { return [] }
      try removeCharacteristics([.containsOnlyForcedSubtitles], from: id)
      return done("track \(id) has the tag no longer: its display flags say that all is forced")
    case .writeTitleInAllAtoms:
      guard let title = tracks[place].title else { return [] }
      try setTitle(title, of: id)
      return done("the title of track \(id) is written in every title atom")
    // The samples are not at hand; the others are no matter of one track.
    case .rewriteAsTimedText, .declareParameterSetsComplete, .raiseNextTrackID, .writeMetadataHandler: return []
    }
  }

  private mutating func fixNextTrackID() -> String? {
    guard let highest = tracks.map(\.id).max(), highest < .max, nextTrackID <= highest else { return nil }
    nextTrackID = highest + 1
    changes.fixesNextTrackID = true
    return "the next track ID is \(nextTrackID)"
  }

  // MARK: - References

  /// The types whose references stand in no order that means something: others are referred to by their place (`mpod`,
  /// `scal`, `hint`; ISO/IEC 14496-15, 14496-14, 14496-12 9.1). Nor is one here whose absence says something: metadata
  /// without `cdsc` describes the whole movie.
  private static let orderIndependentReferences: Set<FourCC> = ["folw", "forc", "fall", "chap", "tmcd", "clcp", "sync"]

  /// A reference may also name a group of tracks (ISO/IEC 14496-12 8.3.3), whose numbers are not looked at here.
  private mutating func removeReferences(
    of place: Int, to what: String, where isWrong: (UInt32) -> Bool
  ) -> String? {
    guard !movie.tracks.contains(where: { movie.tree.child(of: $0.atom, "trgr") != nil }) else { return nil }
    var gone: [FourCC] = []
    for (type, ids) in tracks[place].references where Self.orderIndependentReferences.contains(type) {
      // A track that is its own chapter list would become one of subtitles.
      guard type != "chap" || !ids.contains(tracks[place].id) else { continue }
      gone += tracks[place].removeReferences(ofType: type, where: isWrong)
    }
    guard !gone.isEmpty else { return nil }
    let types = gone.map(\.description).sorted().joined(separator: ", ")
    return "track \(tracks[place].id) no longer refers to \(what) (\(types))"
  }

  private mutating func nameForcedPartner(_ place: Int) throws(MovieError) -> String? {
    let track = tracks[place]
    let partners = ForcedPartners(among: tracks).places(for: track)
    guard !track.containsOnlyForcedSubtitles, partners.count == 1, let partner = partners.first,
      tracks[partner].alternateGroup == track.alternateGroup,
      !tracks.contains(where: { $0.references["folw"]?.contains(track.id) ?? false })
    else { return nil }
    try associate(at: place, with: partner, .forcedSubtitlesOnly)
    return TrackAssociation.forcedSubtitlesOnly.sentence(from: track.id, to: tracks[partner].id)
  }

  // MARK: - Labels

  private mutating func rewriteLanguage(_ place: Int, _ fix: Rule.AutomaticFix) -> String? {
    guard let old = tracks[place].old else { return nil }
    let language = tracks[place].language
    switch fix {
    // MP4 files have no Macintosh codes: 0 may be English, and it may be what a writer left.
    case .writePackedCode
    where old.mediaHeader.languageCode == 0 && movie.dialect == .iso && old.extendedLanguage == nil:
      return nil
    case .writePackedCode: break
    // The tag as it stands is all that is known of what it was to be.
    case _ where old.extendedLanguage.map { LanguageTag($0.tag) == nil } ?? false: return nil
    default: guard language != nil else { return nil }
    }
    tracks[place].labels.rewritesLanguage = true
    return "the language of track \(tracks[place].id) is rewritten: \(language?.description ?? "und")"
  }
}

/// A place where an edit fixed a rule that the movie broke.
public struct AppliedFix: Hashable, Sendable {
  /// The rule.
  public let rule: Rule
  /// The track that was changed; `nil` for the movie itself.
  public let trackID: UInt32?
  /// What was done, in a sentence.
  public let message: String
  /// The track in which the rule was found broken, which may be another of its group; `nil` for the movie itself.
  package let foundIn: UInt32?
}

/// Something that a movie should keep to: its name, where it comes from, what breaking it brings, how to fix it.
///
/// `inspect` and `validate` know nothing of movies but what these rules find; ``all`` is the one table of them.
///
///     for rule in Rule.all where rule.targets.contains(.apple) { print(rule.id, rule.clause) }
public struct Rule: Sendable, Identifiable {
  /// The players that a movie is made for.
  public enum Target: String, Hashable, Sendable, CaseIterable {
    /// QuickTime Player, TV, iPhone, Safari: whatever plays by AVFoundation.
    case apple
    /// All readers of ISO base media files by the standard.
    case iso
  }

  /// The name, a subject and what is wrong, such as `group.two-enabled`. Stable.
  public let id: String
  /// The severity of a breach.
  public let severity: Finding.Severity
  /// The players that the rule applies to; a rule for all of them applies to every movie.
  public let targets: [Target]
  /// The document and clause that it comes from, or the players that are known to insist.
  public let clause: String
  /// The effect for a viewer, in one sentence.
  public let effect: String
  /// The ways to fix it.
  package let remedies: [Remedy]
  /// The automatic fix; `nil` if the decision is left to a person.
  public let automaticFix: AutomaticFix?
  /// Whether all samples or chunks of the movie are gone through: worth it to judge a movie, too much just to show it.
  package let walksAllSamples: Bool
  /// Finds the places that break the rule.
  let check: @Sendable (MovieExamination, inout RuleReport) -> Void

  init(
    _ id: String, _ severity: Finding.Severity, for targets: [Target] = Target.allCases, clause: String,
    effect: String, fix: [Remedy], automatically automaticFix: AutomaticFix? = nil, walksAllSamples: Bool = false,
    check: @escaping @Sendable (MovieExamination, inout RuleReport) -> Void
  ) {
    self.id = id
    self.severity = severity
    self.targets = targets
    self.clause = clause
    self.effect = effect
    remedies = fix
    self.automaticFix = automaticFix
    self.walksAllSamples = walksAllSamples
    self.check = check
  }

  /// The rule of this name.
  public static func named(_ id: String) -> Rule? { all.first { $0.id == id } }

  /// Whether the rule is meant for a target; without one, whether it holds whatever plays the movie, and costs no walk
  /// over all samples.
  func applies(to target: Target?) -> Bool {
    target.map(targets.contains) ?? (targets.count == Target.allCases.count && !walksAllSamples)
  }
}

extension Rule: Hashable {
  /// Whether the two have the same name.
  public static func == (left: Rule, right: Rule) -> Bool { left.id == right.id }

  /// The name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Rule {
  /// A fix of `MovieEdit.fix(for:)` for a broken rule. Rules are fixed in the order of the cases.
  ///
  /// There is one only where it changes no media and decides nothing that an author may have meant otherwise.
  public enum AutomaticFix: CaseIterable, Hashable, Sendable {
    /// Subtitles with the handler of text become timed text.
    case rewriteAsTimedText
    /// A chapter list is disabled.
    case disableChapters
    /// A chapter list leaves its group.
    case ungroupChapters
    /// Each kind of media in a group gets a group of its own.
    case separateKinds
    /// A track joins the group of its kind.
    case joinGroup
    /// Of a group one track stays enabled.
    case keepFirstEnabled
    /// Of a group one track is enabled.
    case enableFirst
    /// References to tracks that are not there go.
    case removeMissingTargets
    /// References of a track to itself go.
    case removeSelfReferences
    /// Subtitles refer to their forced partner.
    case referToForcedPartner
    /// The code in `mdhd` becomes that of `elng`.
    case writeCodeOfLanguageTag
    /// A bibliographic code becomes the terminological one.
    case writeTerminologicalCode
    /// A code that says nothing becomes that of `elng`.
    case writeReadableCode
    /// A Macintosh code becomes three packed letters.
    case writePackedCode
    /// `elng` gets version, flags and NUL.
    case writeLanguageTagForm
    /// A tagged characteristic loses its NUL.
    case writeCharacteristicWithoutNUL
    /// The characteristic that players infer from the display flags goes.
    case removeForcedCharacteristic
    /// A title is written in every title atom.
    case writeTitleInAllAtoms
    /// A list of iTunes' gets its handler.
    case writeMetadataHandler
    /// The next track ID becomes higher than all IDs.
    case raiseNextTrackID
    /// HEVC whose configuration has all parameter sets gets the name that says so.
    case declareParameterSetsComplete

    /// The action, and the cases that are left to a person, in a sentence that begins with the verb.
    public var description: String {
      switch self {
      case .rewriteAsTimedText:
        "rewrites the subtitles as timed text (tx3g) in a new track, where all text can be read, with the same language, title and tags"
      case .disableChapters: "disables the chapter track, where it is one of text"
      case .ungroupChapters: "takes the chapter track out of its group, where it is one of text"
      case .separateKinds: "gives each kind its own group, where none has another one"
      case .joinGroup: "puts the track into the group of its kind, where no more than one track is enabled"
      case .keepFirstEnabled:
        "disables all enabled tracks of the group but the first that is not a commentary or description"
      case .enableFirst: "enables the first track of the group that is not a commentary or description"
      case .removeMissingTargets, .removeSelfReferences:
        "removes the reference, unless its position or presence matters"
      case .referToForcedPartner:
        "adds the reference, where there is one partner in the group and sound does not follow"
      case .writeCodeOfLanguageTag: "writes into mdhd what elng says, which overrides it"
      case .writeTerminologicalCode: "writes the terminological code"
      case .writeReadableCode: "writes the code of what elng says, where there is one"
      case .writePackedCode:
        "writes three packed letters, unless the code is 0 in an MP4 file, where it may mean undetermined"
      case .writeLanguageTagForm: "writes the tag with version, flags and NUL, where it is a language tag"
      case .writeCharacteristicWithoutNUL: "writes the tag without NUL, and in an MP4 file as a role (kind) too"
      case .removeForcedCharacteristic: "takes the tag away, where the display flags say the same"
      case .writeTitleInAllAtoms: "writes the title in every atom that holds one"
      case .writeMetadataHandler: "writes the handler mdir"
      case .raiseNextTrackID: "writes the number after the highest track ID"
      case .declareParameterSetsComplete:
        "renames hev1 to hvc1 (dvhe to dvh1) and marks the parameter sets as complete, if the key pictures that are read contain no others"
      }
    }
  }

  /// All rules, those of the file and its tables first, then those of what a viewer meets.
  public static let all: [Rule] =
    fileRules + brandRules + movieRules + durationRules + tableRules + mediaRules + languageRules + groupRules
    + referenceRules + forcedRules + chapterRules + subtitleRules + geometryRules + timelineRules + textRules
    + characteristicRules + metadataRules + dateRules + playbackRules
}

/// A rule of a well-formed movie, with its source, the effect of a breach, and the remedies.
///
/// `inspect` and `validate` report only breaches of these rules. ``all`` is the table of all rules.
///
///     for rule in Rule.all where rule.targets.contains(.apple) { print(rule.id, rule.clause) }
public struct Rule: Sendable, Identifiable {
  /// The players for which a movie is validated.
  public enum Target: String, Hashable, Sendable, CaseIterable {
    /// Players that use AVFoundation: QuickTime Player, Apple TV, iPhone, Safari.
    case apple
    /// Readers of ISO base media files that conform to the standard.
    case iso
  }

  /// The stable ID: a subject and a fault, such as `group.two-enabled`.
  public let id: String
  /// The severity of a breach.
  public let severity: Finding.Severity
  /// The players to which the rule applies. A rule for all targets applies to every movie.
  public let targets: [Target]
  /// The document and clause on which the rule is based, or the players that require it.
  public let clause: String
  /// The effect of a breach for a viewer, in one sentence.
  public let effect: String
  package let remedies: [Remedy]
  /// The automatic fix, or `nil` if the user must choose a remedy.
  public let automaticFix: AutomaticFix?
  /// Whether the check makes a pass over all samples or chunks. Commands that only inspect a movie skip these rules.
  package let visitsAllSamples: Bool
  let check: @Sendable (MovieExamination, inout RuleReport) -> Void

  init(
    _ id: String, _ severity: Finding.Severity, for targets: [Target] = Target.allCases, clause: String,
    effect: String, fix: [Remedy], automatically automaticFix: AutomaticFix? = nil, visitsAllSamples: Bool = false,
    check: @escaping @Sendable (MovieExamination, inout RuleReport) -> Void
  ) {
    self.id = id
    self.severity = severity
    self.targets = targets
    self.clause = clause
    self.effect = effect
    remedies = fix
    self.automaticFix = automaticFix
    self.visitsAllSamples = visitsAllSamples
    self.check = check
  }

  /// Returns the rule with an ID, or `nil` if the ID is unknown.
  public static func named(_ id: String) -> Rule? { all.first { $0.id == id } }

  /// Whether the rule applies to a target. If the target is `nil`, the rule must apply to all targets and must not make
  /// a pass over all samples.
  func applies(to target: Target?) -> Bool {
    target.map(targets.contains) ?? (targets.count == Target.allCases.count && !visitsAllSamples)
  }
}

extension Rule: Hashable {
  /// Whether two rules have the same ID.
  public static func == (left: Rule, right: Rule) -> Bool { left.id == right.id }

  /// Hashes the ID.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Rule {
  /// An automatic fix, performed by `MovieEdit.fix(for:)`. Fixes are applied in the order of these cases.
  ///
  /// A rule has an automatic fix only if the fix changes no media and cannot override an intention of the author.
  public enum AutomaticFix: CaseIterable, Hashable, Sendable {
    /// Rewrites subtitles with the handler `text` as timed text.
    case rewriteAsTimedText
    /// Disables a chapter track.
    case disableChapters
    /// Removes a chapter track from its group.
    case ungroupChapters
    /// Moves the tracks of each media type in a group to their own group.
    case separateKinds
    /// Adds a track to the group of its media type.
    case joinGroup
    /// Keeps one track of a group enabled and disables the other tracks.
    case keepFirstEnabled
    /// Enables one track of a group.
    case enableFirst
    /// Removes references to missing tracks.
    case removeMissingTargets
    /// Removes references of a track to itself.
    case removeSelfReferences
    /// Adds a reference from subtitles to their forced partner.
    case referToForcedPartner
    /// Writes the code of `elng` into `mdhd`.
    case writeCodeOfLanguageTag
    /// Replaces a bibliographic code with the terminological code.
    case writeTerminologicalCode
    /// Replaces an unreadable code with the code of `elng`.
    case writeReadableCode
    /// Replaces a Macintosh code with a packed ISO 639-2 code.
    case writePackedCode
    /// Adds version, flags and NUL to `elng`.
    case writeLanguageTagForm
    /// Removes the NUL from a tagged characteristic.
    case writeCharacteristicWithoutNUL
    /// Removes the characteristic that players infer from the display flags.
    case removeForcedCharacteristic
    /// Writes a title in every title atom.
    case writeTitleInAllAtoms
    /// Adds the handler to an iTunes list.
    case writeMetadataHandler
    /// Writes the handler of a track in a QuickTime movie with a component type and a Pascal string.
    case writeQuickTimeHandler
    /// Raises the next track ID above the IDs of all tracks.
    case raiseNextTrackID
    /// Renames the format `hev1` to `hvc1` if the configuration contains all parameter sets.
    case declareParameterSetsComplete

    /// The action, and the conditions under which it is performed. The description begins with a verb in the third
    /// person.
    public var description: String {
      switch self {
      case .rewriteAsTimedText:
        "rewrites the subtitles as timed text (tx3g) in a new track with the same language, title and tags, if "
          + "all text is readable"
      case .disableChapters: "disables the chapter track if the track contains text"
      case .ungroupChapters: "removes the chapter track from its group if the track contains text"
      case .separateKinds:
        "moves the tracks of each media type to their own group, unless that type already has tracks in another group"
      case .joinGroup: "adds the track to the group of its media type if at most one track of this type is enabled"
      case .keepFirstEnabled:
        "disables all enabled tracks of the group except the first that is not a commentary or description"
      case .enableFirst: "enables the first track of the group that is not a commentary or description"
      case .removeMissingTargets, .removeSelfReferences:
        "removes the reference, except if the order or the absence of references of this type has a meaning (hint, cdsc)"
      case .referToForcedPartner:
        "adds the reference if exactly one forced-only track has the same language, that track is in the same group, and "
          + "no audio refers (folw) to the full subtitles"
      case .writeCodeOfLanguageTag: "writes the language of elng into mdhd, because elng takes precedence"
      case .writeTerminologicalCode: "writes the terminological code"
      case .writeReadableCode: "writes the code of the language in elng, if elng contains a language"
      case .writePackedCode:
        "writes a packed ISO 639-2 code, but keeps code 0 in an MP4 file, because it may represent an undetermined language"
      case .writeLanguageTagForm: "writes the tag with version, flags and NUL, if it is a language tag"
      case .writeCharacteristicWithoutNUL: "writes the tag without NUL, and also as a role (kind) in an MP4 file"
      case .removeForcedCharacteristic: "removes the tag if the display flags declare forced subtitles"
      case .writeTitleInAllAtoms: "writes the title into every title atom"
      case .writeMetadataHandler: "writes the handler mdir into the list"
      case .writeQuickTimeHandler: "writes the component type mhlr and the name as a Pascal string, if the name fits"
      case .raiseNextTrackID: "writes the number after the highest track ID"
      case .declareParameterSetsComplete:
        "renames hev1 to hvc1 (dvhe to dvh1) and marks the parameter sets as complete, if the configuration contains all parameter sets of the examined key pictures"
      }
    }
  }

  /// All rules. The rules about the file and its tables precede the rules about visible effects.
  public static let all: [Rule] =
    fileRules + brandRules + movieRules + durationRules + tableRules + mediaRules + languageRules + groupRules
    + referenceRules + forcedRules + chapterRules + subtitleRules + geometryRules + timelineRules + textRules
    + captionRules + timedMetadataRules
    + characteristicRules + metadataRules + dateRules + playbackRules
}

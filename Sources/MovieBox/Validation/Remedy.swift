/// A way to put right what a finding reports: steps, in order.
///
/// A remedy says what to do, not how a program is asked for it: a service carries the actions out with `MovieEdit`, and
/// `movtool validate` prints the commands that do.
package struct Remedy: Hashable, Sendable {
  /// One step.
  package struct Step: Hashable, Sendable {
    /// The edit; `nil` if MovieWriter cannot do it.
    package let action: Action?
    /// Advice for a person; `nil` for none.
    package let remark: String?
  }

  /// A track that an action is about. Which one it is, a finding says where it knows (``Finding/tracks``).
  package enum Subject: String, Hashable, Sendable {
    /// The track with the defect.
    case track
    /// Full subtitles, which are not forced-only, and which forced ones go with.
    case fullSubtitles
    /// Forced subtitles.
    case forcedSubtitles
    /// Sound, which subtitles follow.
    case audio
    /// The subtitles that follow sound.
    case subtitles
    /// The track that a reference is in.
    case source
    /// The track that a reference leads to.
    case target
  }

  /// A change to the settings of a track.
  package enum Change: Hashable, Sendable {
    /// The role is given to it.
    case role(TrackRole)
    /// Adds the track to an alternate group. A person chooses the number.
    case group
    /// Removes the track from its alternate group.
    case noGroup
    /// Sets the language; `nil` for one that a person knows.
    case language(LanguageTag?)
    /// Sets a title, which a person knows.
    case title
    /// Makes it the enabled track of its group.
    case enabledInGroup
    /// Disables it.
    case disabled
    /// A tagged characteristic is taken away; `nil` for one that the finding names.
    case noCharacteristic(String?)
  }

  /// Something that MovieWriter can do.
  package enum Action: Hashable, Sendable {
    /// The automatic fixes for the rules of a target; `nil` for all rules.
    case fixAutomatically(Rule.Target?)
    /// The settings of a track change.
    case change(Subject, [Change])
    /// Full subtitles refer to their forced partner (`forc`).
    case associateForced(Subject, Subject)
    /// Each track of full subtitles refers to the forced ones of its language (`forc`).
    case associateForcedByLanguage
    /// A track refers to another as its chapters (`chap`).
    case associateChapters(Subject, Subject)
    /// The chapters that the movie has are written again, in every form that its type has.
    case setChaptersAgain
    /// Sound refers to the subtitles that follow it (`folw`).
    case associateFollower(Subject, Subject)
    /// All references from one track to another go.
    case removeReferences(Subject, Subject)
    /// The cues of a track are written to a subtitle file.
    case extractSubtitles(Subject)
    /// A subtitle file is added; with `replacing` in the place of the track that it is like.
    case addSubtitles(replacing: Bool)
    /// A track is removed.
    case removeTrack(Subject)
    /// A fact is stated in a language, wherever the movie states it; `nil` for one that the finding names, and for none.
    case setMetadata(String?, LanguageTag?)
    /// Removes items of metadata; `nil` for the items that the finding names.
    case removeMetadata(String?)
    /// The movie is rewritten without what no track uses.
    case rewriteCompact
    /// The movie is rewritten with the media of other files in it.
    case rewriteSelfContained
    /// The movie is rewritten without fragments.
    case flatten
    /// The movie is rewritten with the samples that a cut-off file still has.
    case salvage
    /// The movie is rewritten as one of another type, or as its type has it.
    case convert(MovieType)
  }

  /// The steps, in order; never empty.
  package let steps: [Step]

  init(_ steps: Step...) {
    self.steps = steps
  }

  /// A remedy of one step.
  static func step(_ action: Action, _ remark: String? = nil) -> Remedy {
    Remedy(Step(action: action, remark: remark))
  }

  /// A step for a person, without MovieWriter.
  static func person(_ remark: String) -> Remedy { Remedy(Step(action: nil, remark: remark)) }

  /// A change to the settings of the track with the defect.
  static func change(_ changes: Change..., remark: String? = nil) -> Remedy {
    .step(.change(.track, changes), remark)
  }

  /// Remedies without an edit.
  static let makeAgain = person("make the file again with the program that wrote it, or with another one")

  static let fixAutomatically = step(.fixAutomatically(nil))

  /// Taking the cues out and adding them again rewrites a track.
  static let addAgain = addAgain()

  static func addAgain(_ remark: String? = nil) -> Remedy {
    Remedy(
      Step(action: .extractSubtitles(.track), remark: nil),
      Step(action: .addSubtitles(replacing: true), remark: remark))
  }
}

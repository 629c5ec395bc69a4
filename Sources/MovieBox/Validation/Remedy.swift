/// A remedy for a finding: a sequence of steps.
///
/// Remedies are independent of the user interface. A service performs the actions with `MovieEdit`, and `movtool
/// validate` prints the corresponding commands.
package struct Remedy: Hashable, Sendable {
  package struct Step: Hashable, Sendable {
    /// The edit, or `nil` if MovieWriter does not support it.
    package let action: Action?
    /// Advice for the user, or `nil` if none is needed.
    package let remark: String?
  }

  /// The role of a track in an action. ``Finding/tracks`` contains the track if it is known.
  package enum Subject: String, Hashable, Sendable {
    /// The track with the defect.
    case track
    /// Full subtitles with a forced-only partner.
    case fullSubtitles
    /// Forced-only subtitles.
    case forcedSubtitles
    /// The audio track that refers to subtitles by `folw`.
    case audio
    /// The subtitle track to which the audio track refers by `folw`.
    case subtitles
    /// The track that contains a reference.
    case source
    /// The track that a reference refers to.
    case target
  }

  /// A change to the properties of a track.
  package enum Change: Hashable, Sendable {
    /// Adds a role.
    case role(TrackRole)
    /// Adds the track to an alternate group. The user must choose its number.
    case group
    /// Removes the track from its alternate group.
    case noGroup
    /// Sets the language. If the language is `nil`, the user must choose it.
    case language(LanguageTag?)
    /// Sets a title chosen by the user.
    case title
    /// Enables the track and disables the other tracks of its group.
    case enabledInGroup
    /// Disables the track.
    case disabled
    /// Removes a tagged characteristic. If the characteristic is `nil`, the finding determines it.
    case noCharacteristic(String?)
  }

  /// An edit that MovieWriter supports.
  package enum Action: Hashable, Sendable {
    /// Applies the automatic fixes for a target, or for all rules if the target is `nil`.
    case fixAutomatically(Rule.Target?)
    /// Changes the properties of a track.
    case change(Subject, [Change])
    /// Adds a reference from full subtitles to their forced partner (`forc`).
    case associateForced(from: Subject, to: Subject)
    /// Adds references from all full subtitles to the forced subtitles of their language (`forc`).
    case associateForcedByLanguage
    /// Adds a reference from a track to its chapters (`chap`).
    case associateChapters(from: Subject, to: Subject)
    /// Adds a reference from metadata to the track that it describes (`cdsc`).
    case associateReferent(from: Subject, to: Subject)
    /// Rewrites the chapters as tracks and as a list in user data, as far as the movie's type supports them.
    case setChaptersAgain
    /// Adds a reference from audio to the subtitles that follow it (`folw`).
    case associateFollower(from: Subject, to: Subject)
    /// Adds a reference from a video track to its captions (`clcp`).
    case associateCaptions(from: Subject, to: Subject)
    /// Removes all references from one track to another track.
    case removeReferences(from: Subject, to: Subject)
    /// Writes the cues of a track to a subtitle file.
    case extractSubtitles(Subject)
    /// Writes the codes of a caption track to a caption file. The file keeps rows, columns and styles.
    case extractCaptions(Subject)
    /// Adds a subtitle file. If `replacing` is `true`, removes the existing track with an equal language and role.
    case addSubtitles(replacing: Bool)
    /// Adds a caption file. If `replacing` is `true`, removes the existing caption track with an equal language and
    /// role.
    case addCaptions(replacing: Bool)
    case removeTrack(Subject)
    /// Sets a metadata property in a language, in all vocabularies that contain the property. If the property is
    /// `nil`, the finding determines it. If the language is `nil`, the value applies to all languages.
    case setMetadata(property: String?, language: LanguageTag?)
    /// Removes metadata items. If the pattern is `nil`, the finding determines the items.
    case removeMetadata(String?)
    /// Rewrites the movie without unused bytes.
    case rewriteCompact
    /// Rewrites the movie with the media of other files.
    case rewriteSelfContained
    /// Rewrites the movie without fragments.
    case flatten
    /// Rewrites the movie with the samples that a truncated file still contains.
    case salvage
    /// Converts the movie to a type. The type may be the movie's own type.
    case convert(MovieType)
  }

  /// The steps, in order. The array is never empty.
  package let steps: [Step]

  init(_ steps: Step...) {
    self.steps = steps
  }

  static func step(_ action: Action, _ remark: String? = nil) -> Remedy {
    Remedy(Step(action: action, remark: remark))
  }

  /// Creates a remedy that the user must carry out without MovieWriter.
  static func manual(_ remark: String) -> Remedy { Remedy(Step(action: nil, remark: remark)) }

  /// Creates a remedy that changes the track with the defect.
  static func change(_ changes: Change..., remark: String? = nil) -> Remedy {
    .step(.change(.track, changes), remark)
  }

  static let makeAgain = manual("create the file again with the program that wrote it, or with another program")

  static let fixAutomatically = step(.fixAutomatically(nil))

  /// Rewrites the track: extracts the cues and adds them again.
  static let addAgain = addAgain()

  static func addAgain(_ remark: String? = nil) -> Remedy {
    Remedy(
      Step(action: .extractSubtitles(.track), remark: nil),
      Step(action: .addSubtitles(replacing: true), remark: remark))
  }
}

/// A rule that an edit fixes by itself, and what it does. The raw value is the rule's name; the order is that in which
/// rules are fixed.
///
/// A fix is here only where it changes no media and decides nothing that an author may have meant otherwise.
enum SafeFix: String, CaseIterable, Sendable {
  case enabledChapters = "chapter.enabled"
  case groupedChapters = "chapter.group"
  case mixedGroup = "group.mixed-kinds"
  case missingGroup = "group.missing"
  case twoEnabled = "group.two-enabled"
  case noneEnabled = "group.none-enabled"
  case missingTarget = "reference.missing"
  case selfReference = "reference.self"
  case missingForcedReference = "forced.no-reference"
  case languagesDisagree = "language.codes-disagree"
  case bibliographicCode = "language.bibliographic-code"
  case unreadableCode = "language.no-code"
  case macintoshCode = "language.macintosh-code"
  case tagForm = "language.tag-form"
  case tagWithNUL = "tag.nul"
  case writtenForced = "tag.written-forced"
  case titleInOneSpelling = "title.name-only"
  case nextTrackID = "movie.next-track-id"

  /// What is done, and where it is left to a person.
  var description: String {
    switch self {
    case .enabledChapters: "disables the chapter track, where it is one of text"
    case .groupedChapters: "takes the chapter track out of its group, where it is one of text"
    case .mixedGroup: "gives each kind its own group, where none has another one"
    case .missingGroup: "puts the track into the group of its kind, where no more than one track is enabled"
    case .twoEnabled:
      "disables all enabled tracks of the group but the first that is not a commentary or description"
    case .noneEnabled: "enables the first track of the group that is not a commentary or description"
    case .missingTarget, .selfReference:
      "removes the reference, unless its position or presence matters"
    case .missingForcedReference:
      "adds the reference, where there is one partner in the group and sound does not follow"
    case .languagesDisagree: "writes into mdhd what elng says, which overrides it"
    case .bibliographicCode: "writes the terminological code"
    case .unreadableCode: "writes the code of what elng says, where there is one"
    case .macintoshCode:
      "writes three packed letters, unless the code is 0 in an MP4 file, where it may mean undetermined"
    case .tagForm: "writes the tag with version, flags and NUL, where it is a language tag"
    case .tagWithNUL: "writes the tag without NUL, and in an MP4 file as a role (kind) too"
    case .writtenForced: "takes the tag away, where the display flags say the same"
    case .titleInOneSpelling: "writes the title in every atom that holds one"
    case .nextTrackID: "writes the number after the highest track ID"
    }
  }
}

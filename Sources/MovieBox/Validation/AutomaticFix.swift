/// What `MovieEdit.fix(for:)` does by itself where a movie breaks a rule; the order is that in which rules are fixed.
///
/// There is one only where it changes no media and decides nothing that an author may have meant otherwise.
public enum AutomaticFix: CaseIterable, Hashable, Sendable {
  case rewriteAsTimedText
  case disableChapters
  case ungroupChapters
  case separateKinds
  case joinGroup
  case keepFirstEnabled
  case enableFirst
  case removeMissingTargets
  case removeSelfReferences
  case referToForcedPartner
  case writeCodeOfLanguageTag
  case writeTerminologicalCode
  case writeReadableCode
  case writePackedCode
  case writeLanguageTagForm
  case writeCharacteristicWithoutNUL
  case removeForcedCharacteristic
  case writeTitleInAllAtoms
  case raiseNextTrackID

  /// What is done, and where it is left to a person, in a sentence that begins with the verb.
  public var description: String {
    switch self {
    case .rewriteAsTimedText:
      "rewrites the subtitles as timed text (tx3g) in a new track, where all text can be read and no label is lost"
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
    case .raiseNextTrackID: "writes the number after the highest track ID"
    }
  }
}

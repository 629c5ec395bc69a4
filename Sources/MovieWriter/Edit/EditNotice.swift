package import MovieBox

/// Something that an edit did besides what was asked for, or did not do, and a person should know.
public struct EditNotice: Hashable, Sendable {
  /// What happened. The raw value is the name that `--json` shows.
  public enum Kind: String, Hashable, Sendable {
    /// A track of no group was put into the group of its kind.
    case joinedGroup = "joined-group"
    /// A track of another group was left there.
    case otherGroup = "other-group"
    /// A track was put into another group than the other tracks of its kind.
    case splitGroup = "split-group"
    /// What was asked for is not in the file.
    case nothingToDo = "nothing-to-do"
    /// Titles in other languages went when one was set.
    case titlesReplaced = "titles-replaced"
    /// A tag is for media of another kind than its track's.
    case unfitCharacteristic = "unfit-characteristic"
    /// A second enabled track of a group was disabled.
    case disabled
    /// A reference was set, moved or removed along with a track.
    case association
    /// What tags say of a track is also written as roles (`kind`) or `txas`.
    case role
    /// Sound that a full track of subtitles followed is followed by its forced-only partner now.
    case followerChanged = "follower-changed"
    /// No sound is known to be in the language of the subtitles.
    case nothingToFollow = "nothing-to-follow"
    /// Sound is followed by subtitles that are no longer in its language.
    case followedInOtherLanguage = "followed-in-other-language"
    /// The movie atom no longer comes before the media.
    case fastStartLost = "fast-start-lost"
    /// Subtitles became a forced-only track because they were asked for as the partner of full ones; neither their name
    /// nor their cues say so.
    case takenAsForced = "taken-as-forced"
    /// Each line of captions that roll up was taken once.
    case unrolled
    /// A track of the same language and role is there already.
    case sameLanguageAndRole = "same-language-and-role"
    /// A track in the place of another says less than that one did.
    case notTakenOver = "not-taken-over"
    /// A track was taken out.
    case removed
    /// The default of a group was taken out.
    case defaultRemoved = "default-removed"
    /// The last track of pictures, or of sound, was taken out.
    case lastOfKindRemoved = "last-of-kind-removed"
    /// Cues were changed or cannot be shown as written.
    case subtitles
    /// Chapters were changed, left out, or cannot be written as they were given.
    case chapters
    /// Something in the file that the edit cannot keep true, such as a signature.
    case signature
    /// A position in the file that is known but not rewritten.
    case vendorPosition = "vendor-position"
    /// Samples in another file.
    case externalMedia = "external-media"
    /// Times of a track from another movie were rounded to ticks of this one.
    case timesRounded = "times-rounded"
    /// A new track lasts longer than the movie did.
    case movieLengthened = "movie-lengthened"
    /// The longest track was taken out, and the movie is shorter now.
    case movieShortened = "movie-shortened"
    /// A track from another movie is made in a way that players of this one may not know.
    case foreignFormat = "foreign-format"
    /// The movie atom was compressed, and is no longer.
    case movieAtomInflated = "movie-atom-inflated"
    /// The movie keeps its type, although the name of the output is that of another type.
    case typeKept = "type-kept"
    /// Something is described as the type has it that the movie was converted to.
    case converted
    /// A fact is stated in the words of that type too.
    case metadataConverted = "metadata-converted"
    /// Readers miss the movie's tags because new metadata of a track precedes them.
    case tagsHidden = "tags-hidden"
    /// The dates in headers stay although the date of recording was set.
    case headerDatesKept = "header-dates-kept"
    /// Several values of a fact are one text in a vocabulary that has one value of each.
    case valuesJoined = "values-joined"
    /// Something is left out that the type has no place for.
    case leftOut = "left-out"
    /// The movie was fragmented, and is no longer.
    case flattened
    /// The clock of a fragmented movie started after 0, and starts at 0 now.
    case startSubtracted = "start-subtracted"
    /// Cues or chapters lie before the first picture or sound.
    case beforeStart = "before-start"
    /// Something in the fragments that flattening changed or lost.
    case fragments
    /// The end of the file is cut off, and samples of a track are missing.
    case cutOff = "cut-off"
  }

  /// What happened.
  public let kind: Kind
  /// The track that it happened to; `nil` where none applies.
  public let trackID: UInt32?
  /// Whether a person should act on it: `--strict` refuses an edit with warnings.
  public let isWarning: Bool
  /// One sentence.
  public let message: String
  /// The item of the movie's metadata that it is about, by its number; `nil` for others.
  package var metadataItem: Int?
  /// The type of the atom whose contents it is about, or `nil` if it is about no atom: `mdat` stands for samples.
  package let atom: FourCC?

  /// A note.
  package init(_ kind: Kind, trackID: UInt32? = nil, atom: FourCC? = nil, isWarning: Bool = false, _ message: String) {
    self.kind = kind
    self.trackID = trackID
    self.atom = atom
    self.isWarning = isWarning
    self.message = message
  }
}

/// The contents that the notices of an edit report as left out, grouped once: a pass over all notices for each atom of a
/// movie with many tracks would take quadratic time.
struct LeftOutContents {
  private var atoms: [UInt32?: Set<FourCC>] = [:]

  init(_ notices: [EditNotice]) {
    for notice in notices where notice.kind == .leftOut && notice.isWarning {
      if let atom = notice.atom { atoms[notice.trackID, default: []].insert(atom) }
    }
  }

  /// Whether a warning reports contents of this type of a track, or of the movie for `nil`.
  func contains(_ atom: FourCC, ofTrack id: UInt32?) -> Bool { atoms[id]?.contains(atom) ?? false }
}

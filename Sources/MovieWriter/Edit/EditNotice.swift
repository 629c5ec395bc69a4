package import MovieBox

/// A side effect or omission of an edit that the user should know about.
public struct EditNotice: Hashable, Sendable {
  /// The kind of effect. The raw value is the name in the output of `--json`.
  public enum Kind: String, Hashable, Sendable {
    /// A track without a group was added to the group of its kind.
    case joinedGroup = "joined-group"
    /// A track is not in the group of its kind, but in another group or in none.
    case otherGroup = "other-group"
    /// A track was added to a different group than the other tracks of its kind.
    case splitGroup = "split-group"
    /// A request or option has no effect on this file.
    case nothingToDo = "nothing-to-do"
    /// A new title replaced titles in other languages.
    case titlesReplaced = "titles-replaced"
    /// A tag is intended for tracks of another media type.
    case unfitCharacteristic = "unfit-characteristic"
    /// A track was disabled, for example because another track of its group is enabled.
    case disabled
    /// A reference was added, moved or removed because of another change.
    case association
    /// The meaning of a track's tags is also written as roles (`kind`) or as `txas`.
    case role
    /// An audio track now refers to a forced-only track instead of its full partner.
    case followerChanged = "follower-changed"
    /// No audio track is known to be in the language of the subtitles.
    case nothingToFollow = "nothing-to-follow"
    /// An audio track has a selection follower in another language.
    case followedInOtherLanguage = "followed-in-other-language"
    /// The movie atom no longer precedes the media.
    case fastStartLost = "fast-start-lost"
    /// Subtitles became a forced-only track because the caller requested them as the partner of a full track. Neither
    /// the file name nor the cues mark them as forced.
    case takenAsForced = "taken-as-forced"
    /// An option sets another language than the file name declares.
    case languageOverridden = "language-overridden"
    /// Roll-up captions became cues that show each line once.
    case unrolled
    /// The movie already has a track with the language and role of a new track.
    case sameLanguageAndRole = "same-language-and-role"
    /// A replacement lacks labels or user data of the replaced track.
    case notTakenOver = "not-taken-over"
    /// A track was removed.
    case removed
    /// The default track of a group or media type was removed or disabled.
    case defaultRemoved = "default-removed"
    /// The last video or audio track was removed.
    case lastOfKindRemoved = "last-of-kind-removed"
    /// Cues were changed, or cannot be shown as written.
    case subtitles
    /// Chapters were changed or dropped, or cannot be written as requested.
    case chapters
    /// Groups or items of timed metadata were omitted.
    case timedMetadata = "timed-metadata"
    /// The edit invalidates a signature in the file.
    case signature
    /// File offsets in vendor data were copied unchanged and may be wrong.
    case vendorPosition = "vendor-position"
    /// Samples are in another file, or were copied from another file.
    case externalMedia = "external-media"
    /// Times of an imported track were rounded to ticks of the movie.
    case timesRounded = "times-rounded"
    /// A new track made the movie longer.
    case movieLengthened = "movie-lengthened"
    /// The removal of the longest track made the movie shorter.
    case movieShortened = "movie-shortened"
    /// Players of the movie's type may not support the format of a track.
    case foreignFormat = "foreign-format"
    /// The movie atom was compressed, and is now uncompressed.
    case movieAtomInflated = "movie-atom-inflated"
    /// The movie keeps its type, although the name of the output suggests another type.
    case typeKept = "type-kept"
    /// A conversion rewrote data in the form of the new type.
    case converted
    /// A conversion also wrote metadata in the vocabulary of the new type.
    case metadataConverted = "metadata-converted"
    /// Some readers miss the movie's tags because new metadata of a track precedes them.
    case tagsHidden = "tags-hidden"
    /// The recording date changed, but the dates in headers did not.
    case headerDatesKept = "header-dates-kept"
    /// Several values were joined into one text, because the vocabulary allows a single value.
    case valuesJoined = "values-joined"
    /// Data was dropped because the movie's type cannot store it.
    case leftOut = "left-out"
    /// The fragmented movie was flattened.
    case flattened
    /// The times of a fragmented movie that began after 0 were shifted so that the movie begins at 0.
    case startSubtracted = "start-subtracted"
    /// A new track was shifted to match the delay that the movie's other tracks have in common.
    case delayed
    /// Cues or chapters are before the first picture or sound.
    case beforeStart = "before-start"
    /// Flattening changed or dropped data in the fragments.
    case fragments
    /// The file is truncated, and samples of a track are missing.
    case cutOff = "cut-off"
  }

  /// The kind of effect.
  public let kind: Kind
  /// The ID of the affected track, or `nil` if the notice concerns no single track.
  public let trackID: UInt32?
  /// Whether the user should act on the notice. `--strict` rejects an edit with warnings.
  public let isWarning: Bool
  /// The text for the user: one sentence in lower case, without a full stop.
  public let message: String

  /// The state of the edited movie that a notice describes. Later requests can change the state.
  package enum DescribedState: Hashable, Sendable {
    /// A property of the affected track, such as its references.
    case track
    /// The chapters that the movie had before the edit.
    case oldChapters
  }

  /// The state that the notice describes, or `nil` if the notice remains correct after every later request.
  package var describedState: DescribedState?
  /// The message without the introduction that names the imported track. It is `nil` unless the notice is about the
  /// original movie of an imported track.
  package var messageInOriginalMovie: String?
  /// The type of the references that an imported track lost, or `nil` if the notice concerns no lost references.
  package var lostReferenceType: FourCC?

  /// Creates a note, or a warning if `isWarning` is `true`.
  package init(
    _ kind: Kind, trackID: UInt32? = nil, isWarning: Bool = false, describing state: DescribedState? = nil,
    _ message: String
  ) {
    self.kind = kind
    self.trackID = trackID
    describedState = state
    self.isWarning = isWarning
    self.message = message
  }
}

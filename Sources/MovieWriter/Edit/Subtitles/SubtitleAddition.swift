public import MovieBox
public import Subtitles

/// A subtitle track that an edit is to add: its cues, and how it stands among the tracks of the movie.
///
///     let file = try SubtitleFile.read(bytes, named: "film.en.sdh.srt")
///     let added = try edit.addSubtitles([SubtitleAddition(file, named: "film.en.sdh.srt", besideMovie: "film.mov")])
public struct SubtitleAddition: Sendable {
  /// Which audio tracks the new track follows: they get a reference to it (`folw`).
  public enum Follow: Sendable {
    /// Those of its language that no subtitles follow yet.
    case audioOfItsLanguage
    /// None.
    case nothing
    /// The one whose ID this gives. It is asked when all tracks are there, and gets the audio tracks.
    case audio(@Sendable ([EditedTrack]) throws -> UInt32)
  }

  /// What becomes of the addition beside a track of the movie with its language and role.
  public enum TrackLike: Sendable {
    /// It is added beside that one.
    case stays
    /// It takes the place of that one.
    case isReplaced
    /// It is not added.
    case isPreferred
  }

  /// The cues, with language, title, tags, format and times.
  public var input: TrackInput
  /// The role; `nil` for what tags and ``TrackInput/containsOnlyForcedSubtitles`` say.
  public var role: TrackRole?
  /// The number of its alternate group, 0 for none; `nil` for the group of the movie's subtitles.
  public var alternateGroup: UInt16?
  /// Whether it is enabled; `nil` for a track that is not, unless it is the default.
  public var isEnabled: Bool?
  /// Whether it becomes the default of its group.
  public var isDefault = false
  /// Whether it becomes that only where no other addition is to be enabled, and where nothing else that is asked of it
  /// keeps players from choosing it.
  public var yieldsAsDefault = false
  /// Whether players may choose it by themselves; `nil` where the role says.
  public var isSelectedAutomatically: Bool?
  /// What becomes of the movie's track of the same language and role.
  public var trackLike = TrackLike.stays
  /// Which audio tracks it follows.
  public var follow = Follow.audioOfItsLanguage
  /// Gives the ID of the full track that goes with this forced-only one; `nil` for those of its language. It is asked
  /// when all tracks are there, and gets the subtitles that are not forced-only.
  public var fullPartner: (@Sendable ([EditedTrack]) throws -> UInt32)?

  /// A track of this input, in the group of the movie's subtitles, not enabled.
  public init(_ input: TrackInput) {
    self.input = input
  }

  /// A track of a subtitle file; language, role and default are what its name says (``/MovieBox/FileNameHints``), and
  /// where it says no language, what a WebVTT header does.
  ///
  /// - Parameters:
  ///   - file: what the file says.
  ///   - name: the name of the subtitle file, or its path.
  ///   - movie: that of the movie, which says nothing and is left out.
  public init(_ file: SubtitleFile, named name: String, besideMovie movie: String? = nil) {
    let hints = FileNameHints(path: name, movie: movie)
    let declared = file.language.flatMap { WrittenValue.language($0)?.ifDetermined }
    input = TrackInput(file, languageTag: hints.language ?? declared)
    input.mediaCharacteristics = hints.characteristics
    input.containsOnlyForcedSubtitles = hints.isForced
    isSelectedAutomatically = hints.isSelectedAutomatically
    (isDefault, yieldsAsDefault) = (hints.isDefault, true)
  }
}

extension SubtitleAddition: TrackAddition {
  var mediaCharacteristics: [MediaCharacteristic] { input.mediaCharacteristics }

  /// Whether it becomes the default of its group, unless it yields to another addition.
  package var becomesDefault: Bool {
    guard isDefault, yieldsAsDefault else { return isDefault }
    return isEnabled != false && alternateGroup != 0 && isSelectedAutomatically ?? (role != .commentary)
  }
}

/// What an edit made of a ``SubtitleAddition``.
public struct AddedSubtitles: Hashable, Sendable {
  /// The ID of the new track; of one that was not added, that of the movie's track like it.
  public let trackID: UInt32
  /// Whether there is a new track: see ``SubtitleAddition/TrackLike/isPreferred``.
  public let isAdded: Bool
  /// The movie's track whose place it took; `nil` for none.
  public let replacedTrackID: UInt32?
  /// The other tracks with its language and role, which a viewer cannot tell from it.
  public let trackIDsLike: [UInt32]
}

extension SubtitleAddition {
  /// Requests that cannot all be met.
  public enum Conflict: Error, Hashable, Sendable {
    /// None of the cues would be shown: they begin after the end of the movie, or before its start.
    case noCueShown(trackID: UInt32)
    /// A track is to be replaced, and several have the language and role.
    case severalToReplace(trackIDs: [UInt32])
    /// Two tracks of a group are to be enabled.
    case enabledTwice(trackIDs: [UInt32], group: UInt16)
    /// A track is to refer to two others, and can refer to one.
    case references(FourCC, from: UInt32, to: [UInt32])
  }
}

extension SubtitleAddition.Conflict: CustomStringConvertible {
  /// A sentence with the numbers of the tracks.
  public var description: String {
    func list(_ ids: [UInt32]) -> String { ids.map(String.init).joined(separator: " and ") }
    return switch self {
    case .noCueShown: "none of the cues is shown: they lie outside of the movie"
    case .severalToReplace(let ids): "several tracks have the language and role of the new one: \(list(ids))"
    case .enabledTwice(let ids, let group): "tracks \(list(ids)) are both to be enabled in group \(group)"
    case .references(let type, let id, let targets):
      "track \(id) cannot refer (\(type)) to tracks \(list(targets)) both"
    }
  }
}

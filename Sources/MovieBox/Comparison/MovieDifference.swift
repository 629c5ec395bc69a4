/// One thing in which two movies differ.
public struct MovieDifference: Hashable, Sendable {
  /// The kind of change from the old movie to the new one.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Only the new movie has it.
    case added
    /// Only the old movie has it.
    case removed
    /// Both have it, and not the same.
    case changed
  }

  /// The topic of a difference. The raw value is the word of `--expect` and `--json`.
  public enum Topic: String, Hashable, Sendable, CaseIterable {
    /// A whole track.
    case track
    /// The header of the movie: time scale, duration, next track ID.
    case movie
    /// User data and metadata of file, movie or track, but for a track's title and tags.
    case metadata
    /// The language of a track.
    case language
    /// The title of a track.
    case title
    /// Whether a track is enabled.
    case enabled
    /// The group of which a player shows one track at a time.
    case group
    /// The tags of a track that say whom it serves.
    case characteristics
    /// The references of a track: selection followers, chapters.
    case references
    /// The edit list of a track.
    case edits
    /// Anything else in the headers of a track and its media.
    case header
    /// The sample descriptions of a track.
    case format
    /// The number, times, sizes and descriptions of samples, their groups and auxiliary information.
    case samples
    /// Bytes of samples, of their auxiliary information, of items.
    case bytes
    /// Any other atom.
    case other
  }

  /// A place in one of the movies.
  public struct Place: Hashable, Sendable {
    /// The atoms that lead there, such as `moov/trak[2]/tkhd`; `nil` for bytes of media.
    public let path: String?
    /// The first byte, counted from the start of the file, or of an inflated movie atom.
    public let offset: UInt64
    /// The number of bytes.
    public let byteCount: UInt64
  }

  /// A field that is decoded, or a count.
  public struct Values: Hashable, Sendable {
    /// The field, such as `alternate group`; a path of its own where it has one: `folw`.
    public let field: String
    /// In the old movie; `nil` where it has none.
    public let old: String?
    /// In the new movie; `nil` where it has none.
    public let new: String?

    /// `alternate group 0 became 2`.
    var description: String { "\(field) \(old ?? "nothing") became \(new ?? "nothing")" }
  }

  /// The kind of change.
  public let kind: Kind
  /// To what.
  public let topic: Topic
  /// The track that it happened to; `nil` outside of tracks.
  public let trackID: UInt32?
  /// The place in the old movie; `nil` for an addition.
  public let old: Place?
  /// The place in the new movie; `nil` for a removal.
  public let new: Place?
  /// The field that changed, where it is decoded.
  public let values: Values?
  /// That it follows from tracks having been added or removed; `nil` for what stands alone.
  public let followsFromTracks: Kind?
  /// One sentence, without the number of the track.
  public let description: String

  init(
    _ kind: Kind, _ topic: Topic, trackID: UInt32? = nil, old: Place? = nil, new: Place? = nil,
    values: Values? = nil, followsFromTracks: Kind? = nil, _ description: String
  ) {
    self.kind = kind
    self.topic = topic
    self.trackID = trackID
    self.old = old
    self.new = new
    self.values = values
    self.followsFromTracks = followsFromTracks
    self.description = description
  }

  /// Returns the difference with a cause; unchanged without one.
  func following(_ cause: Kind?) -> MovieDifference {
    guard let cause else { return self }
    return MovieDifference(
      kind, topic, trackID: trackID, old: old, new: new, values: values, followsFromTracks: cause, description)
  }
}

extension MovieComparison {
  /// Something in which two files differ though their movies do not.
  public struct Remark: Hashable, Sendable {
    /// The kind of a remark. The raw value is the name that `--json` shows.
    public enum Kind: String, Hashable, Sendable {
      /// Samples lie at other places.
      case mediaElsewhere = "media-moved"
      /// Samples are gathered in other chunks.
      case chunks
      /// Tables say the same in another way.
      case tables
      /// One of the movies is fragmented.
      case fragments
      /// The movie atom of one of the movies is compressed.
      case compressedMovieAtom = "compressed-movie-atom"
      /// Times of a recording count from its start in the other movie, not from the start of its clock.
      case startMoved = "start-moved"
      /// The movie atom lies on another side of the media.
      case movieAtomMoved = "movie-atom-moved"
      /// Something was not compared.
      case notCompared = "not-compared"
    }

    /// The kind of the remark.
    public let kind: Kind
    /// One sentence.
    public let description: String

    init(_ kind: Kind, _ description: String) {
      self.kind = kind
      self.description = description
    }
  }
}

extension AtomTree {
  /// Returns the place of an atom.
  func place(of index: Int) -> MovieDifference.Place {
    let range = range(of: index)
    return MovieDifference.Place(path: path(of: index), offset: range.offset, byteCount: range.count)
  }
}

/// Changes to the rest of a movie that follow from added or removed tracks.
struct ImpliedDifferences {
  private let addedIDs: Set<UInt32>
  private let removedIDs: Set<UInt32>
  private let groupsOfAdded: Set<UInt16>
  private let groupsOfNewDefaults: Set<UInt16>
  private let groupsOfOldDefaults: Set<UInt16>
  private let kindsOfOldDefaults: Set<MediaType>
  private let becameLonger: Bool
  private let becameShorter: Bool

  init(_ old: Movie, _ new: Movie) {
    let (oldIDs, newIDs) = (Set(old.tracks.map(\.id)), Set(new.tracks.map(\.id)))
    (addedIDs, removedIDs) = (newIDs.subtracting(oldIDs), oldIDs.subtracting(newIDs))
    let added = new.tracks.filter { !oldIDs.contains($0.id) }
    let oldDefaults = old.tracks.filter { !newIDs.contains($0.id) && $0.isEnabled }
    func groups(_ tracks: [Track]) -> Set<UInt16> { Set(tracks.map(\.alternateGroup)).subtracting([0]) }
    groupsOfAdded = groups(added)
    groupsOfNewDefaults = groups(added.filter(\.isEnabled))
    groupsOfOldDefaults = groups(oldDefaults)
    kindsOfOldDefaults = Set(oldDefaults.map(\.mediaType))
    becameLonger = new.header.duration > old.header.duration
    becameShorter = new.header.duration < old.header.duration
  }

  /// Returns the cause of a difference in the movie atom; `nil` if it has none.
  func cause(ofMovieField field: String?, wereAdded: Bool, wereRemoved: Bool) -> MovieDifference.Kind? {
    switch field {
    case "next track ID": wereAdded ? .added : wereRemoved ? .removed : nil
    case "duration": wereAdded && becameLonger ? .added : wereRemoved && becameShorter ? .removed : nil
    default: nil
    }
  }

  /// Returns the cause of a difference in a track: a group that was created for the new track, or a default that moved
  /// to another track.
  func cause(of topic: MovieDifference.Topic, _ old: Track, _ new: Track) -> MovieDifference.Kind? {
    switch topic {
    case .group where old.alternateGroup == 0: groupsOfAdded.contains(new.alternateGroup) ? .added : nil
    case .enabled where old.isEnabled: groupsOfNewDefaults.contains(new.alternateGroup) ? .added : nil
    case .enabled:
      groupsOfOldDefaults.contains(new.alternateGroup) || kindsOfOldDefaults.contains(new.mediaType) ? .removed : nil
    default: nil
    }
  }

  /// Returns the cause of differences in other references of a type. A track has one selection follower: the new one
  /// replaces the old one.
  func cause(of type: FourCC, from before: [UInt32], to after: [UInt32]) -> MovieDifference.Kind? {
    let (gone, come) = (Set(before).subtracting(after), Set(after).subtracting(before))
    if !come.isEmpty, come.isSubset(of: addedIDs), gone.isEmpty || type == "folw" { return .added }
    return !gone.isEmpty && come.isEmpty && gone.isSubset(of: removedIDs) ? .removed : nil
  }
}

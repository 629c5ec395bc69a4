extension MovieComparison {
  /// A difference between two movies.
  public struct Difference: Hashable, Sendable {
    /// The kind of change from the old movie to the new one.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// Only the new movie contains the atom, track or value.
      case added
      /// Only the old movie contains the atom, track or value.
      case removed
      /// Both movies contain the atom, track or value, but it differs.
      case changed
    }

    /// The topic of a difference. The raw value is used by `--expect` and in the output of `--json`.
    public enum Topic: String, Hashable, Sendable, CaseIterable {
      /// A whole track.
      case track
      /// The fields of `mvhd`: time scale, duration, next track ID.
      case movie
      /// User data and metadata of the file, the movie or a track, except for a track's title and tags.
      case metadata
      /// The language of a track.
      case language
      /// The title of a track.
      case title
      /// Whether a track is enabled.
      case enabled
      /// The alternate group of a track.
      case group
      /// The tags that describe the audience of a track.
      case characteristics
      /// The references of a track: selection followers, chapters.
      case references
      /// The edit list of a track.
      case edits
      /// Other fields in the headers of a track and its media.
      case header
      /// The sample descriptions of a track.
      case format
      /// The number, times, sizes and descriptions of samples, their groups and auxiliary information.
      case samples
      /// The bytes of samples, auxiliary information or items.
      case bytes
      /// Any other atom.
      case other
    }

    /// The location of a difference in one of the compared movies: an atom or a range of media bytes.
    public struct Location: Hashable, Sendable {
      /// The path of the atom, such as `moov/trak[2]/tkhd`, or `nil` for media bytes.
      public let path: String?
      /// The offset of the first byte in the file, or in the inflated movie atom.
      public let offset: UInt64
      /// The number of bytes.
      public let byteCount: UInt64
    }

    /// The old and new value of a decoded field or of a count.
    public struct Values: Hashable, Sendable {
      /// The name of the field, such as `alternate group`. For track references, it is the reference type, such as
      /// `folw`.
      public let field: String
      /// The value in the old movie, or `nil` if the movie contains no value.
      public let old: String?
      /// The value in the new movie, or `nil` if the movie contains no value.
      public let new: String?

      /// A description such as `alternate group 0 became 2`.
      var description: String { "\(field) \(old ?? "nothing") became \(new ?? "nothing")" }
    }

    /// The kind of change.
    public let kind: Kind
    /// The topic of the change.
    public let topic: Topic
    /// The track that changed, or `nil` outside tracks.
    public let trackID: UInt32?
    /// The location in the old movie, or `nil` for an addition.
    public let old: Location?
    /// The location in the new movie, or `nil` for a removal.
    public let new: Location?
    /// The values of the changed field, or `nil` if it is not decoded.
    public let values: Values?
    /// `.added` if the difference is a consequence of added tracks, `.removed` if it is a consequence of removed
    /// tracks, or `nil` otherwise.
    public let followsFromTracks: Kind?
    /// A description in one sentence, without the track ID.
    public let description: String

    init(
      _ kind: Kind, _ topic: Topic, trackID: UInt32? = nil, old: Location? = nil, new: Location? = nil,
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

    /// Returns a copy of the difference with `cause` as the value of ``followsFromTracks``. If `cause` is `nil`, the
    /// value does not change.
    func withCause(_ cause: Kind?) -> MovieComparison.Difference {
      guard let cause else { return self }
      return MovieComparison.Difference(
        kind, topic, trackID: trackID, old: old, new: new, values: values, followsFromTracks: cause, description)
    }
  }
}

extension MovieComparison {
  /// A difference between two files that does not change the movie, such as moved media.
  public struct Remark: Hashable, Sendable {
    /// The kind of a remark. The raw value is the kind's name in the output of `--json`.
    public enum Kind: String, Hashable, Sendable {
      /// Samples have different file offsets.
      case mediaElsewhere = "media-moved"
      /// Samples are divided into different chunks.
      case chunks
      /// Tables differ only in their encoding.
      case tables
      /// Only one of the movies is fragmented.
      case fragments
      /// Only one of the movie atoms is compressed.
      case compressedMovieAtom = "compressed-movie-atom"
      /// The times of one movie start at 0, and the times of the other movie start later.
      case startMoved = "start-moved"
      /// The movie atom precedes the media in one file and follows it in the other.
      case movieAtomMoved = "movie-atom-moved"
      /// Some atoms or samples were not compared.
      case notCompared = "not-compared"
    }

    /// The kind of the remark.
    public let kind: Kind
    /// The remark in one sentence.
    public let description: String

    init(_ kind: Kind, _ description: String) {
      self.kind = kind
      self.description = description
    }
  }
}

extension AtomTree {
  func place(of index: Int) -> MovieComparison.Difference.Location {
    let range = range(of: index)
    return MovieComparison.Difference.Location(path: path(of: index), offset: range.offset, byteCount: range.count)
  }
}

/// The differences elsewhere in the movie that are caused by the addition or removal of tracks.
struct ImpliedDifferences {
  private let addedIDs: Set<UInt32>
  private let removedIDs: Set<UInt32>
  private let addedTrackGroups: Set<UInt16>
  private let newDefaultGroups: Set<UInt16>
  private let oldDefaultGroups: Set<UInt16>
  private let oldDefaultMediaTypes: Set<MediaType>
  private let hasLongerDuration: Bool
  private let hasShorterDuration: Bool

  init(_ old: Movie, _ new: Movie) {
    let (oldIDs, newIDs) = (Set(old.tracks.map(\.id)), Set(new.tracks.map(\.id)))
    (addedIDs, removedIDs) = (newIDs.subtracting(oldIDs), oldIDs.subtracting(newIDs))
    let addedTracks = new.tracks.filter { !oldIDs.contains($0.id) }
    let oldDefaults = old.tracks.filter { !newIDs.contains($0.id) && $0.isEnabled }
    func groups(_ tracks: [Track]) -> Set<UInt16> { Set(tracks.map(\.alternateGroup)).subtracting([0]) }
    addedTrackGroups = groups(addedTracks)
    newDefaultGroups = groups(addedTracks.filter(\.isEnabled))
    oldDefaultGroups = groups(oldDefaults)
    oldDefaultMediaTypes = Set(oldDefaults.map(\.mediaType))
    hasLongerDuration = new.header.duration > old.header.duration
    hasShorterDuration = new.header.duration < old.header.duration
  }

  /// Returns `.added` or `.removed` if added or removed tracks caused a difference in `mvhd`, or `nil` if they did not.
  func cause(ofMovieField field: String?, wereAdded: Bool, wereRemoved: Bool) -> MovieComparison.Difference.Kind? {
    switch field {
    case "next track ID": wereAdded ? .added : wereRemoved ? .removed : nil
    case "duration": wereAdded && hasLongerDuration ? .added : wereRemoved && hasShorterDuration ? .removed : nil
    default: nil
    }
  }

  /// Returns `.added` or `.removed` if added or removed tracks caused a difference in another track, or `nil` if they
  /// did not. An added track may cause a new alternate group, or may be enabled instead of another track.
  func cause(of topic: MovieComparison.Difference.Topic, _ old: Track, _ new: Track) -> MovieComparison.Difference.Kind?
  {
    switch topic {
    case .group where old.alternateGroup == 0: addedTrackGroups.contains(new.alternateGroup) ? .added : nil
    case .enabled where old.isEnabled: newDefaultGroups.contains(new.alternateGroup) ? .added : nil
    case .enabled:
      oldDefaultGroups.contains(new.alternateGroup) || oldDefaultMediaTypes.contains(new.mediaType) ? .removed : nil
    default: nil
    }
  }

  /// Returns `.added` or `.removed` if added or removed tracks caused a difference in the references of a track, or
  /// `nil` if they did not. An audio track refers to only one subtitle track by `folw`, so the reference to an added
  /// track may replace a reference to a kept track.
  func cause(of type: FourCC, from oldIDs: [UInt32], to newIDs: [UInt32]) -> MovieComparison.Difference.Kind? {
    let (lostIDs, gainedIDs) = (Set(oldIDs).subtracting(newIDs), Set(newIDs).subtracting(oldIDs))
    if !gainedIDs.isEmpty, gainedIDs.isSubset(of: addedIDs), lostIDs.isEmpty || type == "folw" { return .added }
    return !lostIDs.isEmpty && gainedIDs.isEmpty && lostIDs.isSubset(of: removedIDs) ? .removed : nil
  }
}

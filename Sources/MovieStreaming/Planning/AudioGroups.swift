import MovieBox

/// The audio menu of a movie. Each entry of the menu exists in one or several codecs.
///
/// If an entry exists in several codecs, each codec has a group. All groups have the same entries, as RFC 8216
/// 4.3.4.1.1 requires. If an entry does not exist in the codec of a group, the group contains the entry in another
/// codec, as the same section allows. For example, the group for AC-3 contains English in AC-3 and Spanish in AAC.
/// Without Spanish, viewers whose player selects this group could not select Spanish.
struct AudioGroups {
  /// An entry of the menu.
  struct Entry {
    /// The track with the name, language and tags of the entry.
    let main: StreamedTrack
    /// The tracks of the entry in each codec, by the name of the group.
    var tracks: [String: StreamedTrack]
  }

  /// The entries in the order of the menu.
  private(set) var entries: [Entry] = []
  /// The names of the groups, sorted by the codec's demands on players, highest first.
  private(set) var groupNames: [String] = []
  /// For each description, the indices of the entries that match it. A track in another codec may be added to such an
  /// entry. By codec, `next` contains the position before which every entry already has a track in the codec.
  private var candidates: [Description: (entries: [Int], next: [String: Int])] = [:]
  /// The index of the entry that contains a track, by track ID.
  private var entriesByTrack: [UInt32: Int] = [:]

  /// The properties that the tracks of an entry have in common.
  private struct Description: Hashable {
    let language: LanguageTag?
    let title: String?
    let characteristics: Set<MediaCharacteristic>
    let isExcludedFromAutomaticSelection: Bool
    /// Whether the format is AC-3 or E-AC-3. Only compared if the language is unknown, and otherwise `nil`.
    var isDolby: Bool?

    init(_ streamed: StreamedTrack) {
      let track = streamed.track
      language = track.language
      title = track.title
      characteristics = Set(track.taggedCharacteristics)
      isExcludedFromAutomaticSelection = track.isExcludedFromAutomaticSelection
      isDolby = track.language == nil ? AudioGroups.isDolby(streamed) : nil
    }
  }

  /// Creates the groups of audio tracks.
  init(_ tracks: [StreamedTrack]) {
    let ids = Set(tracks.map(\.track.id))
    // A player that cannot play a track plays its fallback, to which the track refers by `fall` (QTFF "Alternate
    // Tracks").
    func fallback(_ streamed: StreamedTrack) -> UInt32? {
      streamed.track.referenced("fall").first { $0 != streamed.track.id && ids.contains($0) }
    }
    let tracksWithoutFallback = tracks.filter { fallback($0) == nil }
    for streamed in tracksWithoutFallback.isEmpty ? tracks : tracksWithoutFallback {
      add(streamed, to: entryIndex(matching: streamed))
    }
    if !tracksWithoutFallback.isEmpty {
      for streamed in tracks {
        guard let id = fallback(streamed) else { continue }
        add(streamed, to: entriesByTrack[id])
      }
    }
    sortUntaggedFirst()
    let usedGroups = Set(entries.flatMap(\.tracks.keys))
    let hasAlternatives = entries.contains { $0.tracks.count > 1 }
    // If every entry exists in only one codec, a single group contains all entries.
    groupNames = hasAlternatives ? usedGroups.sorted { Self.rank($0) > Self.rank($1) } : ["audio"]
  }

  func track(of entry: Entry, in group: String) -> StreamedTrack {
    entry.tracks[group] ?? entry.main
  }

  private mutating func add(_ streamed: StreamedTrack, to index: Int?) {
    let group = Self.group(of: streamed)
    let entry: Int
    if let index, entries[index].tracks[group] == nil {
      entry = index
      entries[index].tracks[group] = streamed
    } else {
      entry = entries.count
      entries.append(Entry(main: streamed, tracks: [group: streamed]))
      candidates[Description(streamed), default: ([], [:])].entries.append(entry)
    }
    if entriesByTrack[streamed.track.id] == nil { entriesByTrack[streamed.track.id] = entry }
  }

  /// Returns the index of an entry that has the language, tags and title of a track but no track in its codec, or `nil`
  /// if there is none.
  ///
  /// If the language is unknown, exactly one of the two tracks must be in a Dolby format.
  private mutating func entryIndex(matching streamed: StreamedTrack) -> Int? {
    var description = Description(streamed)
    description.isDolby?.toggle()
    guard let sameDescription = candidates[description] else { return nil }
    // Tracks are never removed from an entry. So an entry that has a track in this codec is not examined again.
    let group = Self.group(of: streamed)
    let first = sameDescription.next[group] ?? 0
    let entryPosition = sameDescription.entries[first...].firstIndex { entries[$0].tracks[group] == nil }
    ListPass.end(after: (entryPosition ?? sameDescription.entries.count) - first)
    candidates[description]?.next[group] = entryPosition ?? sameDescription.entries.count
    return entryPosition.map { sameDescription.entries[$0] }
  }

  /// Sorts audio without tags before audio with tags in the same language (HLS Authoring Specification 9.17).
  private mutating func sortUntaggedFirst() {
    let languages = entries.map(\.main.track.language).withoutRepetition
    let entriesByLanguage = Dictionary(grouping: entries, by: \.main.track.language)
    entries = languages.flatMap { language in
      let own = entriesByLanguage[language] ?? []
      return own.filter { $0.main.track.taggedCharacteristics.isEmpty }
        + own.filter { !$0.main.track.taggedCharacteristics.isEmpty }
    }
  }

  /// Returns the name of a track's group, which depends on the codec and on whether there are more than two channels.
  private static func group(of streamed: StreamedTrack) -> String {
    let isSurround = streamed.channelCount ?? 0 > 2
    switch streamed.codec.family {
    case "mp4a": return isSurround ? "audio-aac-surround" : "audio-aac"
    case "ac-3": return "audio-ac3"
    case "ec-3": return "audio-ec3"
    case let family: return "audio-\(family.lowercased())" + (isSurround ? "-surround" : "")
    }
  }

  private static func isDolby(_ streamed: StreamedTrack) -> Bool { ["ac-3", "ec-3"].contains(streamed.codec.family) }

  private static func rank(_ group: String) -> Int {
    ["audio-aac", "audio-opus", "audio-aac-surround", "audio-opus-surround", "audio-ac3", "audio-ec3", "audio-alac"]
      .firstIndex(of: group) ?? 7
  }
}

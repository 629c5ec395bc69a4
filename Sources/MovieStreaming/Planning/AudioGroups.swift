import MovieBox

/// The sound of a movie as a player's menu has it: entries, each in one or several codecs.
///
/// Where an entry is there in several codecs, each codec has a group; all groups have the same entries, as RFC 8216
/// 4.3.4.1.1 wants it. An entry that a codec does not have is there in the codec that it has. So one group holds English
/// in AC-3 and Spanish in AAC, where nothing else is there, which the same section allows: groups of one language each
/// would not have the same entries, and would take the other language away from who plays them.
struct AudioGroups {
  /// An entry of the menu.
  struct Entry {
    /// The track whose name, language and tags are shown.
    let main: StreamedTrack
    /// The same sound in other codecs, by the name of the group.
    var tracks: [String: StreamedTrack]
  }

  /// In the order of the menu.
  private(set) var entries: [Entry] = []
  /// The names of the groups, the most demanding first.
  private(set) var names: [String] = []
  /// The entries that may be a track's own in another codec, in order; of each codec those before a position have it.
  private var candidates: [Description: (entries: [Int], next: [String: Int])] = [:]
  /// The entry of each track.
  private var entriesByTrack: [UInt32: Int] = [:]

  /// What is the same of one sound in several codecs.
  private struct Description: Hashable {
    let language: LanguageTag?
    let title: String?
    let characteristics: Set<MediaCharacteristic>
    let isExcludedFromAutomaticSelection: Bool
    /// Whether the entry's own format is Dolby's, where no language is known; else `nil`.
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

  /// The groups of some tracks of sound.
  init(_ tracks: [StreamedTrack]) {
    let ids = Set(tracks.map(\.track.id))
    // A track refers to what plays in its place where it cannot be played (QTFF "Alternate Tracks": `fall`).
    func fallback(_ streamed: StreamedTrack) -> UInt32? {
      streamed.track.referenced("fall").first { $0 != streamed.track.id && ids.contains($0) }
    }
    let plain = tracks.filter { fallback($0) == nil }
    for streamed in plain.isEmpty ? tracks : plain { add(streamed, to: sameEntry(as: streamed)) }
    if !plain.isEmpty {
      for streamed in tracks {
        guard let id = fallback(streamed) else { continue }
        add(streamed, to: entriesByTrack[id])
      }
    }
    sortByGenerality()
    let used = Set(entries.flatMap(\.tracks.keys))
    let hasAlternatives = entries.contains { $0.tracks.count > 1 }
    // One group where no entry is there twice.
    names = hasAlternatives ? used.sorted { Self.rank($0) > Self.rank($1) } : ["audio"]
  }

  /// The track that stands for an entry in a group.
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

  /// The entry that has the same language, tags and title in another codec. Where no language is known, Dolby's formats
  /// stand beside those that every player has.
  private mutating func sameEntry(as streamed: StreamedTrack) -> Int? {
    var description = Description(streamed)
    description.isDolby?.toggle()
    guard let known = candidates[description] else { return nil }
    // What has the codec keeps it, so no entry is passed twice.
    let group = Self.group(of: streamed)
    let first = known.next[group] ?? 0
    let found = known.entries[first...].firstIndex { entries[$0].tracks[group] == nil }
    ListPass.end(after: (found ?? known.entries.count) - first)
    candidates[description]?.next[group] = found ?? known.entries.count
    return found.map { known.entries[$0] }
  }

  /// Of one language the plain sound first (HLS Authoring Specification 9.17).
  private mutating func sortByGenerality() {
    let languages = entries.map(\.main.track.language).withoutRepetition
    let entriesByLanguage = Dictionary(grouping: entries, by: \.main.track.language)
    entries = languages.flatMap { language in
      let own = entriesByLanguage[language] ?? []
      return own.filter { $0.main.track.taggedCharacteristics.isEmpty }
        + own.filter { !$0.main.track.taggedCharacteristics.isEmpty }
    }
  }

  /// The group that a track belongs to: its codec, and whether it has more channels than two.
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

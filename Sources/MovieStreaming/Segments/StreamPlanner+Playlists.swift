import MovieBox
import MovieWriter

/// What players open: variants, renditions, and a playlist for each.
extension StreamPlanner {
  mutating func finish(
    _ pictures: [Rendition], _ sounds: [Rendition],
    _ texts: [(rendition: MultivariantPlaylist.Rendition, playlist: MediaPlaylist)], _ delay: StreamDelay
  ) throws(MovieError) -> StreamPlan {
    // Text may have longer segments; picture and sound have one target duration (HLS Authoring Specification 8.2).
    let targetDuration = (pictures + sounds).map(\.playlist.targetDuration).max() ?? 1
    addVariants(pictures, sounds, texts, targetDuration)
    var files = mediaFiles
    for entry in playlists {
      let isText = entry.playlist.map == nil
      let target =
        isText || entry.playlist.hasOnlyIFrames
        ? max(targetDuration, entry.playlist.targetDuration) : targetDuration
      files.append(
        StreamPlan.File(
          entry.path, .mediaPlaylist, Self.playlistType,
          text: entry.playlist.text(
            targetDuration: target, areSegmentsIndependent: multivariant.areSegmentsIndependent || isText)))
    }
    files.append(
      StreamPlan.File(StreamPlan.entryPath, .multivariantPlaylist, Self.playlistType, text: multivariant.text))
    return StreamPlan(
      source: identity, files: files, notices: notices, multivariant: multivariant, targetDuration: targetDuration,
      delayIn90kHz: UInt64(clamping: delay.ticks(90_000)))
  }

  static let playlistType = "application/vnd.apple.mpegurl"

  private mutating func addVariants(
    _ pictures: [Rendition], _ sounds: [Rendition],
    _ texts: [(rendition: MultivariantPlaylist.Rendition, playlist: MediaPlaylist)], _ targetDuration: UInt64
  ) {
    func rates(_ playlist: MediaPlaylist) -> BitRates { BitRates(playlist.segments, targetDuration: targetDuration) }
    /// The most that a choice among some playlists can cost.
    func most(_ all: [BitRates]) -> BitRates? {
      guard let peak = all.map(\.peak).max(), let average = all.map(\.average).max() else { return nil }
      return BitRates(peak: peak, average: average)
    }
    let groups = AudioGroups(sounds.map(\.streamed))
    let byTrack = Dictionary(sounds.map { ($0.streamed.track.id, $0) }) { first, _ in first }
    addSounds(groups, byTrack)
    multivariant.renditions += texts.map(\.rendition)
    let textRates = most(texts.map { rates($0.playlist) })
    let subtitles = texts.isEmpty ? nil : "subtitles"
    /// What a group adds to a variant.
    func sound(_ group: String) -> (rates: BitRates?, codecs: [String]) {
      let tracks = groups.entries.map { groups.track(of: $0, in: group) }
      let all = tracks.compactMap { byTrack[$0.track.id] }.map { rates($0.playlist) }
      return (most(all), tracks.flatMap(\.codecs))
    }
    let names: [String?] = sounds.isEmpty ? [nil] : groups.names.map { $0 }
    for picture in pictures {
      let streamed = picture.streamed
      let shown = movies[streamed.movieIndex].picture(of: streamed)
      for name in names {
        let heard = name.map(sound)
        multivariant.variants.append(
          MultivariantPlaylist.Variant(
            rates: rates(picture.playlist).adding(heard?.rates).adding(textRates),
            codecs: Self.once(streamed.codecs + (heard?.codecs ?? [])),
            supplementalCodecs: [streamed.codec.supplement].compactMap { $0 }, picture: shown, audioGroup: name,
            subtitleGroup: subtitles, captionGroup: captionGroup, path: picture.path))
      }
      if let trickPlay = picture.trickPlay {
        multivariant.trickPlay.append(
          MultivariantPlaylist.Variant(
            rates: rates(trickPlay.playlist), codecs: streamed.codecs,
            supplementalCodecs: [streamed.codec.supplement].compactMap { $0 }, picture: shown, path: trickPlay.path))
      }
    }
    // Sound alone, for who does not look or has no room for more.
    for name in sounds.isEmpty ? [] : groups.names.suffix(1) {
      let (heard, codecs) = sound(name)
      let path = multivariant.renditions.first { $0.group == name && $0.isDefault }?.path ?? sounds[0].path
      multivariant.variants.append(
        MultivariantPlaylist.Variant(
          rates: BitRates(peak: 0, average: 0).adding(heard).adding(textRates), codecs: Self.once(codecs),
          picture: nil, audioGroup: name, subtitleGroup: subtitles, path: path))
    }
  }

  private static func once(_ values: [String]) -> [String] {
    var seen: Set<String> = []
    return values.filter { seen.insert($0).inserted }
  }

  private mutating func addSounds(_ groups: AudioGroups, _ byTrack: [UInt32: Rendition]) {
    let standard =
      groups.entries.firstIndex(where: { $0.tracks.values.contains(where: \.track.isEnabled) && !Self.isAuxiliary($0) })
      ?? groups.entries.firstIndex { !Self.isAuxiliary($0) } ?? 0
    var names: Set<String> = []
    var entryNames: [String] = []
    for entry in groups.entries {
      let name = RenditionName.unique(RenditionName.of(entry.main.track), among: names)
      names.insert(name)
      entryNames.append(name)
    }
    for group in groups.names {
      for (index, entry) in groups.entries.enumerated() {
        let streamed = groups.track(of: entry, in: group)
        let main = entry.main.track
        multivariant.renditions.append(
          MultivariantPlaylist.Rendition(
            kind: .audio, group: group, name: entryNames[index], language: main.language?.description ?? "und",
            isDefault: index == standard, isAutomaticallySelected: index == standard || !Self.isAuxiliary(entry),
            characteristics: main.taggedCharacteristics.map(\.rawValue),
            channels: streamed.channels, path: byTrack[streamed.track.id]?.path, trackID: main.id))
      }
    }
    if !groups.entries.isEmpty, groups.entries.contains(where: { ["ac-3", "ec-3"].contains($0.main.codec.family) }) {
      notices.append(
        StreamPlan.Notice(
          "no-aac",
          "some sound is there in Dolby's formats alone, which not every player has: AAC beside it, named "
            + "as its fallback, would play everywhere"))
    }
  }

  private static func isAuxiliary(_ entry: AudioGroups.Entry) -> Bool {
    entry.main.track.isExcludedFromAutomaticSelection
      || entry.main.track.taggedCharacteristics.contains(.auxiliaryContent)
  }
}

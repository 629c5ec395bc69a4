import MovieBox
import MovieWriter

/// What players open: variants, renditions, and a playlist for each.
extension StreamPlanner {
  mutating func finish(
    pictures: [MediaRendition], sounds: [MediaRendition],
    texts: [(rendition: MultivariantPlaylist.Rendition, playlist: MediaPlaylist)]
  ) -> StreamPlan {
    // Text may have longer segments; picture and sound have one target duration (HLS Authoring Specification 8.2).
    let targetDuration = (pictures + sounds).map(\.playlist.playlist.targetDuration).max() ?? 1
    if targetDuration * 2_000 > UInt64(clamping: options.segmentMilliseconds) * 3 {
      notices.append(
        StreamPlan.Notice(
          "long-segments", isWarning: false,
          "segments last up to \(targetDuration) s: there are no pictures in between that can be decoded alone"))
    }
    addVariants(pictures, sounds, texts, targetDuration)
    var files = mediaFiles
    for entry in playlists {
      files.append(
        StreamPlan.File(
          entry.path, .mediaPlaylist, Self.playlistType,
          text: entry.playlist.text(
            targetDuration: Self.target(of: entry.playlist, targetDuration),
            areSegmentsIndependent: multivariant.areSegmentsIndependent)))
    }
    files.append(
      StreamPlan.File(StreamPlan.entryPath, .multivariantPlaylist, Self.playlistType, text: multivariant.text))
    return StreamPlan(
      source: identity, files: files, notices: notices, multivariant: multivariant, targetDuration: targetDuration,
      delayIn90kHz: multivariant.clock.movie)
  }

  static let playlistType = "application/vnd.apple.mpegurl"

  /// The target duration of a playlist beside that of picture and sound: text, and single pictures, may last longer.
  private static func target(of playlist: MediaPlaylist, _ targetDuration: UInt64) -> UInt64 {
    if case .media = playlist.kind { targetDuration } else { max(targetDuration, playlist.targetDuration) }
  }

  private mutating func addVariants(
    _ pictures: [MediaRendition], _ sounds: [MediaRendition],
    _ texts: [(rendition: MultivariantPlaylist.Rendition, playlist: MediaPlaylist)], _ targetDuration: UInt64
  ) {
    func rates(_ playlist: MediaPlaylist) -> BitRates {
      BitRates(playlist.segments, targetDuration: Self.target(of: playlist, targetDuration))
    }
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
    let soundRates = byTrack.mapValues { rates($0.playlist.playlist) }
    /// What a group adds to a variant.
    func sound(_ group: String) -> (rates: BitRates?, codecs: [String]) {
      let tracks = groups.entries.map { groups.track(of: $0, in: group) }
      return (most(tracks.compactMap { soundRates[$0.track.id] }), tracks.flatMap(\.codecs))
    }
    let names: [String?] = sounds.isEmpty ? [nil] : groups.names.map { $0 }
    for picture in pictures {
      let streamed = picture.streamed
      let shown = movies[streamed.movieIndex].picture(of: streamed)
      let ownRates = rates(picture.playlist.playlist)
      for name in names {
        let heard = name.map(sound)
        multivariant.variants.append(
          MultivariantPlaylist.Variant(
            rates: ownRates.adding(heard?.rates).adding(textRates),
            codecs: withoutDuplicates(streamed.codecs + (heard?.codecs ?? [])),
            supplementalCodecs: [streamed.codec.supplement].compactMap { $0 }, picture: shown, audioGroup: name,
            subtitleGroup: subtitles, captionGroup: captionGroup, path: picture.playlist.path))
      }
      if let trickPlay = picture.trickPlay {
        multivariant.trickPlay.append(
          MultivariantPlaylist.Variant(
            rates: rates(trickPlay.playlist), codecs: streamed.codecs,
            supplementalCodecs: [streamed.codec.supplement].compactMap { $0 }, picture: shown, path: trickPlay.path))
      }
    }
    // A variant of sound alone, for those who have no room for more; without pictures there is nothing else.
    for name in sounds.isEmpty ? [] : groups.names.suffix(pictures.isEmpty ? groups.names.count : 1) {
      let (heard, codecs) = sound(name)
      let path = multivariant.renditions.first { $0.group == name && $0.isDefault }?.path ?? sounds[0].playlist.path
      multivariant.variants.append(
        MultivariantPlaylist.Variant(
          rates: BitRates(peak: 0, average: 0).adding(heard).adding(textRates), codecs: withoutDuplicates(codecs),
          picture: nil, audioGroup: name, subtitleGroup: subtitles, captionGroup: captionGroup, path: path))
    }
  }

  private mutating func addSounds(_ groups: AudioGroups, _ byTrack: [UInt32: MediaRendition]) {
    let standard =
      groups.entries.firstIndex(where: {
        $0.tracks.values.contains(where: \.track.isEnabled) && !$0.main.track.isAuxiliary
      })
      ?? groups.entries.firstIndex { !$0.main.track.isAuxiliary } ?? 0
    var names = UniqueNames(before: " ")
    let entryNames = groups.entries.map { names.name(RenditionName.of($0.main.track)) }
    for group in groups.names {
      for (index, entry) in groups.entries.enumerated() {
        let streamed = groups.track(of: entry, in: group)
        let main = entry.main.track
        multivariant.renditions.append(
          MultivariantPlaylist.Rendition(
            kind: .audio, group: group, name: entryNames[index], language: main.language?.description ?? "und",
            isDefault: index == standard, isAutomaticallySelected: index == standard || !main.isAuxiliary,
            characteristics: main.taggedCharacteristics.map(\.rawValue),
            channels: streamed.channels, path: byTrack[streamed.track.id]?.playlist.path, trackID: main.id,
            codecs: streamed.codecs))
      }
    }
    if groups.entries.contains(where: { $0.tracks.values.allSatisfy { ["ac-3", "ec-3"].contains($0.codec.family) } }) {
      notices.append(
        StreamPlan.Notice(
          "no-aac",
          "some sound is there in Dolby's formats alone, and players without them play nothing of the presentation: "
            + "AAC beside it, named as its fallback, would play everywhere"))
    }
  }
}

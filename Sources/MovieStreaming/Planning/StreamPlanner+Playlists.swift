import MovieBox
import MovieWriter

// Builds the playlists: variants, renditions, and a media playlist for each.
extension StreamPlanner {
  /// The renditions that players can select.
  struct Renditions {
    /// A text rendition and its playlist.
    struct Text {
      let rendition: MultivariantPlaylist.Rendition
      let playlist: MediaPlaylist
    }

    let pictures: [MediaRendition]
    let sounds: [MediaRendition]
    let texts: [Text]
    /// The common target duration of video and audio (HLS Authoring Specification 8.2).
    let targetDuration: UInt64
    /// The bit rates of audio renditions, by track ID.
    private(set) var soundRates: [UInt32: BitRates] = [:]
    /// The highest bit rates among the text renditions.
    private(set) var textRates: BitRates?

    init(pictures: [MediaRendition], sounds: [MediaRendition], texts: [Text]) {
      (self.pictures, self.sounds, self.texts) = (pictures, sounds, texts)
      targetDuration = (pictures + sounds).map(\.playlist.contents.targetDuration).max() ?? 1
      for sound in sounds { soundRates[sound.streamed.track.id] = rates(of: sound.playlist.contents) }
      textRates = BitRates(highestOf: texts.map { rates(of: $0.playlist) })
    }

    /// Returns the target duration of a playlist. It may exceed the common target duration for text and trick play.
    func targetDuration(of playlist: MediaPlaylist) -> UInt64 {
      if case .media = playlist.kind { targetDuration } else { max(targetDuration, playlist.targetDuration) }
    }

    func rates(of playlist: MediaPlaylist) -> BitRates {
      BitRates(playlist.segments, targetDuration: targetDuration(of: playlist))
    }
  }

  mutating func finish(_ renditions: Renditions) -> StreamPlan {
    let targetDuration = renditions.targetDuration
    noteLongSegments(of: renditions)
    let groups = AudioGroups(renditions.sounds.map(\.streamed))
    addSounds(renditions.sounds, in: groups)
    multivariant.renditions += renditions.texts.map(\.rendition)
    addVariants(of: renditions, groups)
    var files = mediaFiles
    for entry in playlists {
      files.append(
        StreamPlan.File(
          entry.path, .mediaPlaylist, PlaylistText.mediaType,
          text: entry.contents.text(
            targetDuration: renditions.targetDuration(of: entry.contents),
            areSegmentsIndependent: multivariant.areSegmentsIndependent)))
    }
    files.append(
      StreamPlan.File(StreamPlan.entryPath, .multivariantPlaylist, PlaylistText.mediaType, text: multivariant.text))
    return StreamPlan(
      source: identity, files: files, notices: notices, multivariant: multivariant, targetDuration: targetDuration,
      delayIn90kHz: delayIn90kHz,
      tagPrefix: EntityTag(of: identity, movies.map(\.movie.tree.bytes), options))
  }

  /// Adds a variant for each combination of a video track and an audio group, and a trick-play variant for each video
  /// track. Without video, each audio group is a variant.
  ///
  /// Also adds an audio-only variant for slow networks, unless the options exclude it.
  private mutating func addVariants(of renditions: Renditions, _ groups: AudioGroups) {
    let sounds = groups.groupNames.map { VariantAudio(group: $0, of: groups, in: renditions) }
    for picture in renditions.pictures {
      let streamed = picture.streamed
      let silent = MultivariantPlaylist.Variant(
        rates: renditions.rates(of: picture.playlist.contents), codecs: streamed.codecs,
        supplementalCodecs: [streamed.codec.supplement].compactMap { $0 },
        picture: movies[streamed.movieIndex].picture(of: streamed), path: picture.playlist.path)
      let heard = renditions.sounds.isEmpty ? [nil] : sounds.map(Optional.some)
      multivariant.variants += heard.map { variant(silent, with: $0, and: renditions) }
      if let trickPlay = picture.trickPlay {
        var single = silent
        (single.rates, single.path) = (renditions.rates(of: trickPlay.contents), trickPlay.path)
        multivariant.trickPlay.append(single)
      }
    }
    guard let first = renditions.sounds.first, options.hasAudioOnlyVariant || renditions.pictures.isEmpty else {
      return
    }
    for sound in sounds.suffix(renditions.pictures.isEmpty ? sounds.count : 1) {
      let standard = multivariant.renditions.first { $0.group == sound.group && $0.isDefault }
      let unseen = MultivariantPlaylist.Variant(
        rates: BitRates(peak: 0, average: 0), codecs: [], picture: nil, path: standard?.path ?? first.playlist.path)
      multivariant.variants.append(variant(unseen, with: sound, and: renditions))
    }
  }

  /// Returns a variant with its audio, text and caption groups.
  private func variant(
    _ picture: MultivariantPlaylist.Variant, with sound: VariantAudio?, and renditions: Renditions
  ) -> MultivariantPlaylist.Variant {
    var variant = picture
    variant.rates = picture.rates.adding(sound?.rates).adding(renditions.textRates)
    variant.codecs = (picture.codecs + (sound?.codecs ?? [])).withoutRepetition
    variant.audioGroup = sound?.group
    variant.subtitleGroup = renditions.texts.isEmpty ? nil : "subtitles"
    variant.captionGroup = captionGroup
    return variant
  }

  private mutating func addSounds(_ sounds: [MediaRendition], in groups: AudioGroups) {
    let paths = Dictionary(sounds.map { ($0.streamed.track.id, $0.playlist.path) }) { first, _ in first }
    let standard =
      groups.entries.firstIndex(where: {
        $0.tracks.values.contains(where: \.track.isEnabled) && !$0.main.track.isAuxiliary
      })
      ?? groups.entries.firstIndex { !$0.main.track.isAuxiliary } ?? 0
    var names = UniqueNames(numberSeparator: " ")
    let entryNames = groups.entries.map { names.name(RenditionName.name(of: $0.main.track)) }
    for group in groups.groupNames {
      for (index, entry) in groups.entries.enumerated() {
        let streamed = groups.track(of: entry, in: group)
        let main = entry.main.track
        multivariant.renditions.append(
          MultivariantPlaylist.Rendition(
            kind: .audio, group: group, name: entryNames[index], language: main.language?.description ?? "und",
            isDefault: index == standard, isAutomaticallySelected: index == standard || !main.isAuxiliary,
            characteristics: main.taggedCharacteristics.map(\.rawValue),
            channels: streamed.channels, path: paths[streamed.track.id], trackID: main.id,
            codecs: streamed.codecs))
      }
    }
    for entry in groups.entries where entry.tracks.values.allSatisfy({ ["ac-3", "ec-3"].contains($0.codec.family) }) {
      let sound = entry.main
      notices.append(
        StreamPlan.Notice(
          "no-aac", movieIndex: sound.movieIndex, trackID: sound.track.id,
          "track \(sound.track.id) is available only in Dolby's formats, which some players do not play; add AAC as "
            + "its fallback to play everywhere"))
    }
  }
}

/// The codecs and bit rates of an audio group, for a variant that refers to the group.
private struct VariantAudio {
  let group: String
  /// The highest bit rates in the group.
  let rates: BitRates?
  let codecs: [String]

  init(group: String, of groups: AudioGroups, in renditions: StreamPlanner.Renditions) {
    let tracks = groups.entries.map { groups.track(of: $0, in: group) }
    self.group = group
    rates = BitRates(highestOf: tracks.compactMap { renditions.soundRates[$0.track.id] })
    codecs = tracks.flatMap(\.codecs)
  }
}

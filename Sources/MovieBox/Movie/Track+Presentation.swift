// Properties of a track that depend on several atoms, such as forced subtitles, characteristics, the duration, the
// main picture and channels.

extension Track {
  /// Whether the track contains text in a supported format: timed text, QuickTime text, WebVTT or closed captions.
  public var hasReadableText: Bool { formats.contains { ["tx3g", "text", "wvtt", "c608", "c708"].contains($0) } }

  package var hasClosedCaptions: Bool { formats.contains { ["c608", "c708"].contains($0) } }

  /// Whether the sample descriptions declare that every sample is forced (QTFF "Subtitle Sample Description": both
  /// bits). Players show forced samples even if subtitles are off.
  public var containsOnlyForcedSubtitles: Bool {
    let descriptions = tx3gDescriptions
    return !descriptions.isEmpty && descriptions.allSatisfy { $0.displayFlags.isSuperset(of: .forcedOnly) }
  }

  /// Whether the sample descriptions declare that some samples are forced. Players show forced samples even if
  /// subtitles are off.
  public var containsSomeForcedSubtitles: Bool {
    tx3gDescriptions.contains { $0.displayFlags.contains(.someSamplesForced) }
  }

  /// The readable sample descriptions of timed text, including descriptions in `text` entries.
  package var tx3gDescriptions: [Tx3gDescription] {
    sampleDescriptions.entries.filter(\.isTimedText).compactMap { entry in
      do throws(MovieError) {
        return try Tx3gDescription(payload: entry.body)
      } catch {
        return nil  // The rule `description.unreadable` reports it.
      }
    }
  }

  /// The characteristics that the author set, and the characteristics inferred from other atoms.
  public var characteristics: [MediaCharacteristic] { taggedCharacteristics + inferredCharacteristics }

  /// The characteristics inferred from other atoms (QTFF "Tagged Media Characteristics", AVMediaCharacteristic). Sample
  /// descriptions imply forced subtitles, and `txas` in a track of an alternate group implies auxiliary content. All
  /// other audio, video and legible tracks are main program content.
  public var inferredCharacteristics: [MediaCharacteristic] {
    var characteristics: [MediaCharacteristic] = containsOnlyForcedSubtitles ? [.containsOnlyForcedSubtitles] : []
    let isAuxiliary = isExcludedFromAutomaticSelection && alternateGroup != 0
    if isAuxiliary || taggedCharacteristics.contains(.auxiliaryContent) {
      characteristics.append(.auxiliaryContent)
    } else if mediaType == .video || mediaType == .audio || mediaType.isLegible {
      characteristics.append(.mainProgramContent)
    }
    return characteristics.filter { !taggedCharacteristics.contains($0) }
  }

  /// Whether the track has both characteristics of subtitles for the deaf and hard of hearing.
  public var isSDH: Bool { MediaCharacteristic.areSDH(taggedCharacteristics) }

  /// Returns the duration of the presentation, in movie ticks. It is the duration in `tkhd`, or the duration of the
  /// media if `tkhd` declares 0 or an unknown duration.
  public func durationInMovieTicks(movieTimeScale: UInt32) -> UInt64 {
    if header.duration != 0, !header.isDurationUnknown { return header.duration }
    guard mediaHeader.timeScale > 0, !mediaHeader.isDurationUnknown else { return 0 }
    return mediaHeader.duration.scaled(by: UInt64(movieTimeScale), over: UInt64(mediaHeader.timeScale)) ?? 0
  }

  /// Returns the end of the presentation, in movie ticks. It is the end of all edits, or the end of the samples of
  /// `stts` if there is no edit list. An open edit presents the rest of the media. Durations in headers are ignored,
  /// and invalid values (all ones, a negative duration) are treated as 0.
  package func presentationEndInMovieTicks(movieTimeScale: UInt32) -> UInt64 {
    func movieTicks(_ ticks: UInt64) -> UInt64 {
      guard mediaHeader.timeScale > 0 else { return 0 }
      return ticks.scaled(by: UInt64(movieTimeScale), over: UInt64(mediaHeader.timeScale)) ?? 0
    }
    func mediaDuration() -> UInt64 {
      samples.timeToSample.lazy.filter { $0.duration <= UInt32(Int32.max) }
        .reduce(UInt64(0)) { $0.addingClamped(UInt64($1.sampleCount) * UInt64($1.duration)) }
    }
    guard let list = editList, let last = list.entries.last else { return movieTicks(mediaDuration()) }
    let end = list.durationInMovieTicks
    guard list.isOpen else { return end }
    let media = mediaDuration()
    return end.addingClamped(movieTicks(media - Swift.min(media, UInt64(clamping: last.mediaTime))))
  }

  /// The start of the first sample, in movie ticks. It is the total duration of the empty edits before the sample. The
  /// value is all ones if the sum overflows.
  public var presentationStartInMovieTicks: UInt64 { editList?.presentationStartInMovieTicks ?? 0 }

  /// The first presented media time, in media ticks. The media before it is the decoding delay or priming samples.
  public var presentationStartInMediaTicks: Int64 {
    editList?.entries.first { !$0.isEmptyEdit }?.mediaTime ?? 0
  }

  /// The size of the transformed picture in whole pixels. For a phone's portrait video, the height is greater than
  /// the width.
  public var pictureSize: (width: UInt32, height: UInt32) {
    let size = header.matrix.transformedSize(width: header.width, height: header.height)
    return (size.width >> 16, size.height >> 16)
  }
}

extension Movie {
  /// The video track on which subtitles are placed, or `nil` if the movie has none.
  ///
  /// This is the first enabled video track, or the first video track if none is enabled. Some writers enable only a
  /// thumbnail and disable the film, so a track with at least four times the area and more samples takes precedence.
  /// Chapter pictures are considered only if the movie has no other video.
  package var mainPicture: Track? {
    let videos = tracks.filter { $0.mediaType == .video && $0.pictureArea > 0 }
    let films = videos.filter { !chapterTrackIDs.contains($0.id) }
    let candidates = films.isEmpty ? videos : films
    guard let first = candidates.first(where: \.isEnabled) ?? candidates.first else { return nil }
    let largerFilms = candidates.filter { $0.hasThumbnail(first) }
    return largerFilms.max { $0.pictureArea < $1.pictureArea } ?? first
  }

  /// Returns the enabled track that players present instead of a disabled film. Returns `nil` if the film is enabled
  /// or no other track is enabled.
  package func disabledFilm(_ film: Track) -> DisabledFilm? {
    guard !film.isEnabled else { return nil }
    let enabledTracks = tracks.filter {
      ($0.mediaType == .video || $0.mediaType == .audio) && $0.isEnabled && !chapterTrackIDs.contains($0.id)
    }
    return (enabledTracks.first { $0.mediaType == .video } ?? enabledTracks.first).map { DisabledFilm(shown: $0) }
  }
}

extension Track {
  /// The number of pixels of the transformed picture.
  fileprivate var pictureArea: UInt64 { UInt64(pictureSize.width) * UInt64(pictureSize.height) }

  /// Whether another track is so much smaller and shorter that it is a thumbnail of this track.
  fileprivate func hasThumbnail(_ other: Track) -> Bool {
    pictureArea / 4 >= other.pictureArea && samples.sampleCount > other.samples.sampleCount
  }
}

extension Movie {
  /// Returns the number of channels of an audio track. Returns `nil` if the movie atom does not declare the number or
  /// the track is not an audio track.
  ///
  /// In ISO files, many codecs set the field of the sample description to 2, regardless of the number of channels.
  /// The codec configuration therefore takes precedence.
  package func channelCount(of track: Track) -> UInt32? {
    guard track.mediaType == .audio, let entry = track.sampleDescriptions.entries.first else { return nil }
    let atom = tree.sampleDescriptions(ofTrack: track.atom).first
    let isProtected = entry.format == "enca"  // `sinf` contains the original format (ISO/IEC 14496-12, 8.12).
    let original = isProtected ? atom.flatMap { tree.descendant(of: $0, "sinf", "frma") }.map(tree.payload(of:)) : nil
    let format = original?.load(at: 0, as: UInt32.self).map { FourCC(rawValue: $0) } ?? entry.format
    let configuredCount = SoundChannels.configuredCount(format) { type in
      atom.flatMap { tree.configuration(type, of: $0) }
    }
    if let configuredCount { return configuredCount }
    let isTemplate = dialect == .iso && SoundChannels.formatsWithTemplateCounts.contains(format)
    guard !isTemplate || entry.hasVersion2ChannelCount else { return nil }
    do throws(MovieError) {
      return try SoundDescription(body: entry.body).channelCount
    } catch {
      return nil  // The rule `description.unreadable` reports it.
    }
  }
}

extension SampleEntry {
  /// Whether the sample description has QuickTime's version 2. In this version, the description always declares the
  /// actual channel count.
  fileprivate var hasVersion2ChannelCount: Bool { body.load(at: 0, as: UInt16.self) == 2 }
}

/// A film that its writer disabled, while another track such as a thumbnail is enabled.
package struct DisabledFilm: Sendable, CustomStringConvertible {
  /// The enabled track that players present instead of the film.
  package let shown: Track

  /// A clause for a message, such as "the film is disabled, and track 2 (video) is enabled".
  package var description: String {
    "the film is disabled, and track \(shown.id) (\(shown.mediaType.name)) is enabled"
  }
}

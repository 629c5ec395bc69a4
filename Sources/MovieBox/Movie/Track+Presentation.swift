// The facts about a track that several atoms determine together: forced subtitles, characteristics, duration, the main
// picture, channels.

extension Track {
  /// Whether its samples are text that can be taken out: timed text, QuickTime's own, WebVTT.
  public var hasReadableText: Bool { formats.contains { ["tx3g", "text", "wvtt"].contains($0) } }

  /// Whether every sample must be read even by those who have subtitles off, as the sample descriptions say
  /// (QTFF "Subtitle Sample Description": both bits).
  public var containsOnlyForcedSubtitles: Bool {
    let descriptions = tx3gDescriptions
    return !descriptions.isEmpty && descriptions.allSatisfy { $0.displayFlags.isSuperset(of: .forcedOnly) }
  }

  /// Whether some samples must be read even by those who have subtitles off.
  public var containsSomeForcedSubtitles: Bool {
    tx3gDescriptions.contains { $0.displayFlags.contains(.someSamplesForced) }
  }

  /// The readable sample descriptions of timed text, including those in `text` entries.
  package var tx3gDescriptions: [Tx3gDescription] {
    sampleDescriptions.entries.filter(\.holdsTimedText).compactMap { entry in
      do throws(MovieError) {
        return try Tx3gDescription(payload: entry.body)
      } catch {
        return nil  // `description.unreadable` says so.
      }
    }
  }

  /// The tags of the author, and what follows without them.
  public var characteristics: [MediaCharacteristic] { taggedCharacteristics + inferredCharacteristics }

  /// The characteristics that need no tag of the author (QTFF "Tagged Media Characteristics", AVMediaCharacteristic):
  /// forced subtitles from the sample descriptions, auxiliary content from `txas` in a track of a group, and main
  /// program content for all other sound, picture and subtitles.
  public var inferredCharacteristics: [MediaCharacteristic] {
    var inferred: [MediaCharacteristic] = containsOnlyForcedSubtitles ? [.containsOnlyForcedSubtitles] : []
    let isAuxiliary = isExcludedFromAutomaticSelection && alternateGroup != 0
    if isAuxiliary || taggedCharacteristics.contains(.auxiliaryContent) {
      inferred.append(.auxiliaryContent)
    } else if mediaType == .video || mediaType == .audio || mediaType.isLegible {
      inferred.append(.mainProgramContent)
    }
    return inferred.filter { !taggedCharacteristics.contains($0) }
  }

  /// Whether the track has both tags of subtitles for the deaf and hard of hearing.
  public var isSDH: Bool { MediaCharacteristic.areSDH(taggedCharacteristics) }

  /// Returns the duration of the presentation, in movie ticks: `tkhd`'s duration, or the media's if that is 0 or
  /// unknown.
  public func durationInMovieTicks(movieTimeScale: UInt32) -> UInt64 {
    if header.duration != 0, !header.isDurationUnknown { return header.duration }
    guard mediaHeader.timeScale > 0, !mediaHeader.isDurationUnknown else { return 0 }
    return mediaHeader.duration.scaled(by: UInt64(movieTimeScale), over: UInt64(mediaHeader.timeScale)) ?? 0
  }

  /// Returns the end of the presentation, in movie ticks: after all edits, or after the samples of `stts` without an
  /// edit list. An open edit shows the rest of the media. Headers do not count, and invalid values (all ones, a
  /// negative duration) count as 0.
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

  /// The start of the first sample, in movie ticks from the start of the movie: the empty edits before it; all ones if
  /// their sum does not fit.
  public var presentationStartInMovieTicks: UInt64 { editList?.presentationStartInMovieTicks ?? 0 }

  /// The first moment of the media that is shown, in media ticks: decoding delay and priming lie before it.
  public var presentationStartInMediaTicks: Int64 {
    editList?.entries.first { !$0.isEmptyEdit }?.mediaTime ?? 0
  }

  /// The size of the picture in whole pixels after the matrix: a phone's upright film is higher than wide.
  public var pictureSize: (width: UInt32, height: UInt32) {
    let size = header.matrix.transformedSize(width: header.width, height: header.height)
    return (size.width >> 16, size.height >> 16)
  }
}

extension Movie {
  /// The picture that subtitles are placed on, or `nil` if the movie has no picture.
  ///
  /// The first enabled picture, or the first one if none is enabled. Some writers enable a thumbnail alone and disable
  /// the film, so a picture with at least four times the area and more samples comes before it. Pictures of chapters
  /// count only if the movie has no others.
  package var mainPicture: Track? {
    let videos = tracks.filter { $0.mediaType == .video && $0.pictureArea > 0 }
    let films = videos.filter { !chapterTrackIDs.contains($0.id) }
    let candidates = films.isEmpty ? videos : films
    guard let first = candidates.first(where: \.isEnabled) ?? candidates.first else { return nil }
    let larger = candidates.filter { $0.makesThumbnail(of: first) }
    return larger.max { $0.pictureArea < $1.pictureArea } ?? first
  }

  /// The film with the enabled picture or sound that players show instead, or `nil` if the film is enabled or no other
  /// track is.
  package func disabledFilm(_ film: Track) -> DisabledFilm? {
    guard !film.isEnabled else { return nil }
    let enabled = tracks.filter {
      ($0.mediaType == .video || $0.mediaType == .audio) && $0.isEnabled && !chapterTrackIDs.contains($0.id)
    }
    return (enabled.first { $0.mediaType == .video } ?? enabled.first).map { DisabledFilm(shown: $0) }
  }
}

extension Track {
  /// The number of pixels of the picture, as its matrix shows it.
  fileprivate var pictureArea: UInt64 { UInt64(pictureSize.width) * UInt64(pictureSize.height) }

  /// Whether another picture is so much smaller and shorter that it is a thumbnail of this one.
  fileprivate func makesThumbnail(of other: Track) -> Bool {
    pictureArea / 4 >= other.pictureArea && samples.sampleCount > other.samples.sampleCount
  }
}

extension Movie {
  /// Returns the number of channels of an audio track; `nil` if the movie atom does not declare it, and for other
  /// media.
  ///
  /// For many codecs the field of the sample description is a template in ISO files, which says 2 whatever there is; it
  /// is the codec's own configuration that counts.
  package func channelCount(of track: Track) -> UInt32? {
    guard track.mediaType == .audio, let entry = track.sampleDescriptions.entries.first else { return nil }
    let atom = tree.sampleDescriptions(ofTrack: track.atom).first
    let isProtected = entry.format == "enca"  // What is encrypted is described by `sinf` (ISO/IEC 14496-12, 8.12).
    let original = isProtected ? atom.flatMap { tree.descendant(of: $0, "sinf", "frma") }.map(tree.payload(of:)) : nil
    let format = original?.load(at: 0, as: UInt32.self).map { FourCC(rawValue: $0) } ?? entry.format
    let configured = SoundChannels.configured(format) { type in atom.flatMap { tree.configuration(type, of: $0) } }
    if let configured { return configured }
    let isTemplate = dialect == .iso && SoundChannels.templates.contains(format)
    guard !isTemplate || entry.hasChannelCountOfItsOwn else { return nil }
    do throws(MovieError) {
      return try SoundDescription(body: entry.body).channelCount
    } catch {
      return nil  // `description.unreadable` says so.
    }
  }
}

extension SampleEntry {
  /// Whether the count of channels is one of QuickTime's version 2, which is not a template.
  fileprivate var hasChannelCountOfItsOwn: Bool { body.load(at: 0, as: UInt16.self) == 2 }
}

/// A film that its writer disabled while another track is enabled, such as a thumbnail.
package struct DisabledFilm: Sendable, CustomStringConvertible {
  /// The track that players show or play instead.
  package let shown: Track

  /// A sentence about the film's track.
  package var description: String {
    "the film is disabled, and track \(shown.id) (\(shown.mediaType.name)) is enabled"
  }
}

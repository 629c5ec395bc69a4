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

  /// The sample descriptions of timed text that parse, those that a `text` entry holds too.
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

  /// What follows without a tag of the author (QTFF "Tagged Media Characteristics", AVMediaCharacteristic): forced
  /// subtitles from the sample descriptions, auxiliary content from `txas` in a track of a group, and main program
  /// content for all other sound, picture and subtitles.
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
  public var isSDH: Bool {
    MediaCharacteristic.areSDH(taggedCharacteristics)
  }

  /// How long the track is shown, in movie ticks: `tkhd`'s duration, or the media's where that is 0 or unknown.
  public func durationInMovieTicks(movieTimeScale: UInt32) -> UInt64 {
    if header.duration != 0, !header.isDurationUnknown { return header.duration }
    guard mediaHeader.timeScale > 0, !mediaHeader.isDurationUnknown else { return 0 }
    return mediaHeader.duration.scaled(by: UInt64(movieTimeScale), over: UInt64(mediaHeader.timeScale)) ?? 0
  }

  /// When the last sample is no longer shown, in movie ticks: after all edits, or after the samples of `stts` where
  /// there are none. An open edit shows the rest of the media. Headers are not asked, and what no writer means
  /// (all ones, a negative duration) counts as 0.
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

  /// When the first sample is shown, in movie ticks from the start of the movie: the empty edits before it; all ones
  /// where their sum does not fit.
  public var presentationStartInMovieTicks: UInt64 {
    editList?.presentationStartInMovieTicks ?? 0
  }

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

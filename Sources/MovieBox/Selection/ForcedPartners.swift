/// The pairs of full and forced-only subtitle tracks in a movie (QTFF "Forced Subtitles").
///
/// The two tracks of a pair have equal languages in `mdhd` and `elng`, including all subtags. A track without a
/// language forms no pair, because its language is unknown.
package struct ForcedPartners {
  private var fullSubtitles: [LanguageTag: [Int]] = [:]
  private var forcedSubtitles: [LanguageTag: [Int]] = [:]

  /// Finds the pairs among some tracks, in linear time.
  package init(among tracks: [some OfferedTrack]) {
    let chapters = tracks.chapterTrackIDs
    for (position, track) in tracks.enumerated() where track.containsSubtitles(except: chapters) {
      guard let language = track.language else { continue }
      if track.containsOnlyForcedSubtitles {
        forcedSubtitles[language, default: []].append(position)
      } else {
        fullSubtitles[language, default: []].append(position)
      }
    }
  }

  /// Returns the indices of the partners of a track, in order. The partners of a full track are forced-only tracks,
  /// and the partners of a forced-only track are full tracks.
  package func partnerIndices(of track: some OfferedTrack) -> [Int] {
    guard let language = track.language else { return [] }
    return (track.containsOnlyForcedSubtitles ? fullSubtitles : forcedSubtitles)[language] ?? []
  }

  /// A fault in a reference (`forc`) from a full track to a forced-only track.
  package enum Fault: Hashable, Sendable {
    /// The target is not a forced-only track, so the tracks are not a pair.
    case targetIsNotForcedOnly
    /// The source has no full subtitles, so the tracks are not a pair.
    case sourceIsNotFull
    /// The tracks of a pair have different languages.
    case otherLanguage
    /// The tracks of a pair are in different alternate groups.
    case otherGroup
  }

  /// Returns the faults in a reference from `fullSubtitles` to `forcedSubtitles`.
  package static func faultsOfReference(
    from fullSubtitles: some OfferedTrack, to forcedSubtitles: some OfferedTrack
  ) -> [Fault] {
    guard forcedSubtitles.containsOnlyForcedSubtitles else { return [.targetIsNotForcedOnly] }
    guard ReferenceKinds(of: "forc").isAllowed(in: fullSubtitles.mediaType), !fullSubtitles.containsOnlyForcedSubtitles
    else {
      return [.sourceIsNotFull]
    }
    var faults: [Fault] = []
    if forcedSubtitles.language != fullSubtitles.language { faults.append(.otherLanguage) }
    if forcedSubtitles.alternateGroup != fullSubtitles.alternateGroup { faults.append(.otherGroup) }
    return faults
  }
}

extension OfferedTrack {
  /// Whether the track contains subtitles and is not one of the chapter tracks. The media type is `sbtl`, or `text`
  /// if the format is a subtitle format.
  package func containsSubtitles(except chapters: Set<UInt32>) -> Bool {
    guard !chapters.contains(id) else { return false }
    guard mediaType == .text else { return mediaType == .subtitle }
    return !formats.isEmpty && formats.allSatisfy { $0 == "tx3g" || $0 == "wvtt" }
  }

  /// Whether the track contains subtitles. This includes the text tracks of QuickTime 7. Current players do not list
  /// these tracks.
  package func containsModernOrLegacySubtitles(except chapters: Set<UInt32>) -> Bool {
    guard mediaType == .text, formats.contains("text") else { return containsSubtitles(except: chapters) }
    return !chapters.contains(id) && formats.allSatisfy { ["text", "tx3g", "wvtt"].contains($0) }
  }

  /// The media type that suits the formats of a text track: captions or subtitles. It is `nil` if no type suits all
  /// formats.
  package var legibleKind: MediaType? {
    guard mediaType.isLegible, !formats.isEmpty else { return nil }
    if formats.allSatisfy({ ["c608", "c708"].contains($0) }) { return .closedCaption }
    return formats.allSatisfy { ["text", "tx3g", "wvtt"].contains($0) } ? .subtitle : nil
  }
}

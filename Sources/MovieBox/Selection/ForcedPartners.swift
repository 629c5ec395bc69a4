/// Pairs of full and forced-only subtitle tracks (QTFF "Forced Subtitles").
///
/// A pair has one language to the last subtag, in `mdhd` and `elng`. A track whose language is not given makes none:
/// nobody can say that it is that of the other.
package struct ForcedPartners {
  private var full: [LanguageTag: [Int]] = [:]
  private var forced: [LanguageTag: [Int]] = [:]

  /// The pairs among some tracks. Costs one pass over them.
  package init(among tracks: [some OfferedTrack]) {
    let chapters = tracks.chapterTrackIDs
    for (place, track) in tracks.enumerated() where track.holdsSubtitles(butNot: chapters) {
      guard let language = track.language else { continue }
      if track.containsOnlyForcedSubtitles {
        forced[language, default: []].append(place)
      } else {
        full[language, default: []].append(place)
      }
    }
  }

  /// The places of the tracks that make a pair with one, in order: forced-only ones with a full one, full ones with a
  /// forced-only one.
  package func places(for track: some OfferedTrack) -> [Int] {
    guard let language = track.language else { return [] }
    return (track.containsOnlyForcedSubtitles ? full : forced)[language] ?? []
  }

  /// A fault of two tracks of which the first refers to the second (`forc`).
  package enum Fault: Hashable, Sendable {
    /// The second is not forced only: they are no pair.
    case targetIsNotForcedOnly
    /// The first has no full subtitles: they are no pair.
    case sourceIsNotFull
    /// A pair is to be in one language.
    case otherLanguage
    /// A pair is to be in one alternate group.
    case otherGroup
  }

  /// Returns the faults of two tracks of which the first refers to the second.
  package static func faults(from full: some OfferedTrack, to forced: some OfferedTrack) -> [Fault] {
    guard forced.containsOnlyForcedSubtitles else { return [.targetIsNotForcedOnly] }
    guard ReferenceKinds(of: "forc").mayBe(in: full.mediaType), !full.containsOnlyForcedSubtitles else {
      return [.sourceIsNotFull]
    }
    var faults: [Fault] = []
    if forced.language != full.language { faults.append(.otherLanguage) }
    if forced.alternateGroup != full.alternateGroup { faults.append(.otherGroup) }
    return faults
  }
}

extension OfferedTrack {
  /// Whether the track has subtitles, in media of their own (`sbtl`) or of text (`text`) in a format that says so, and
  /// is none of these chapter lists.
  package func holdsSubtitles(butNot chapters: Set<UInt32>) -> Bool {
    guard !chapters.contains(id) else { return false }
    guard mediaType == .text else { return mediaType == .subtitle }
    let known = SubtitleTrackFormat.allCases.map(\.sampleEntryType)
    return !formats.isEmpty && formats.allSatisfy { known.contains($0) }
  }

  /// Whether the track has subtitles, if only in text as QuickTime 7 had them, which is in no menu of today's players.
  package func holdsSubtitlesOfAnyAge(butNot chapters: Set<UInt32>) -> Bool {
    guard mediaType == .text, formats.contains("text") else { return holdsSubtitles(butNot: chapters) }
    return !chapters.contains(id) && formats.allSatisfy { ["text", "tx3g", "wvtt"].contains($0) }
  }
}

package import MovieBox
package import Subtitles

/// Players do not show forced subtitles beside full ones, which must have their cues too (HLS Authoring Specification
/// 5.8).
extension PresentationFolder {
  /// Full subtitles that lack forced cues of their language.
  package struct IncompleteSubtitles: Sendable {
    /// What a player's menu calls them.
    package let name: String
    /// How many of the forced cues they do not show.
    package let missingCount: Int
    /// How many forced cues have a text and a time to be shown.
    package let soughtCount: Int
  }

  /// So many bytes of subtitles that are there are looked into.
  private static let textByteCount = 64 << 20

  /// The full subtitles that do not show some forced cues of their language, when others are added: full ones that are
  /// there where those are forced, else the ones that are added. Reads segments.
  ///
  /// What cannot be read of them, or is more than 64 MiB or 200 000 cues, is not looked into.
  package func incompleteSubtitles(
    withCues added: [Cue], named name: String, language: LanguageTag?, characteristics: [MediaCharacteristic],
    isForced: Bool
  ) -> [IncompleteSubtitles] {
    guard !characteristics.contains(.auxiliaryContent) || isForced else { return [] }
    let there = subtitles(in: language, areForced: !isForced)
    // A cue across a boundary is in several segments.
    let cues = isForced ? added : there.flatMap { $0.cues }.withoutRepetition
    let forced = cues.filter { $0.endMilliseconds > max(0, $0.startMilliseconds) && !$0.text.isEmpty }
    return (isForced ? there : [(name: name, cues: added)]).compactMap { name, cues -> IncompleteSubtitles? in
      let shown = ShownTexts(cues)
      let count = forced.count { !shown.contains($0) }
      return count > 0 ? IncompleteSubtitles(name: name, missingCount: count, soughtCount: forced.count) : nil
    }
  }

  /// The subtitles of a language that are there, and no commentary, with their cues.
  private func subtitles(in language: LanguageTag?, areForced: Bool) -> [(name: String, cues: [Cue])] {
    var limit = Self.textByteCount
    var cueCount = 0
    var seen: Set<String> = []
    return playlist.tags("EXT-X-MEDIA").compactMap { _, attributes -> (name: String, cues: [Cue])? in
      let tags = (attributes["CHARACTERISTICS"] ?? "").split(separator: ",")
      guard attributes["TYPE"] == "SUBTITLES", (attributes["FORCED"] == "YES") == areForced,
        attributes["LANGUAGE"] ?? "und" == language?.description ?? "und",
        !tags.contains(where: { $0 == MediaCharacteristic.auxiliaryContent.rawValue }) || areForced,
        let uri = attributes["URI"], seen.insert(uri).inserted, let cues = cues(of: uri, atMost: &limit)
      else { return nil }
      cueCount += cues.count
      return cueCount <= SubtitleLimits().cueCount ? (attributes["NAME"] ?? "", cues) : nil
    }
  }

  /// The cues of a playlist of WebVTT, on the clock of the movie; `nil` for another format, what cannot be read, and
  /// beyond the limits.
  private func cues(of uri: String, atMost limit: inout Int) -> [Cue]? {
    var cues: [Cue] = []
    do {
      let path = try Self.place(uri, in: folder)
      let files = try Self.read(path).segmentPaths.map { try Self.place($0, besides: path, in: folder) }
      for file in files.withoutRepetition {
        let bytes = try Self.bytes(file)
        limit -= bytes.count
        guard limit >= 0 else { return nil }
        // Without a line that maps it, the clock of a segment is that of the media (RFC 8216, 3.5).
        let later = (Int64(clamping: SegmentMap(bytes)?.delay ?? 0) - Int64(clamping: delay)) / 90
        do throws(SubtitleError) {
          cues += try WebVTTReader.read(SubtitleText(bytes.array)).cues.map { cue in
            var cue = cue
            cue.startMilliseconds = cue.startMilliseconds.addingClamped(later)
            cue.endMilliseconds = cue.endMilliseconds.addingClamped(later)
            cue.line = 0  // That differs between segments.
            return cue
          }
        } catch {
          guard error.code == .noCues else { return nil }
        }
        guard cues.count <= SubtitleLimits().cueCount else { return nil }
      }
    } catch {
      return nil
    }
    return cues
  }
}

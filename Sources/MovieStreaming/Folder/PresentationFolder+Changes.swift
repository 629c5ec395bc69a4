package import MovieBox
import MovieWriter
package import Subtitles

// Subtitles are removed in two steps, so that players always find every file to which a playlist refers:
//
//     before    main.m3u8 (with them)      subtitles-fr (complete)
//     list      main.m3u8 (without them)   subtitles-fr (complete)   synced before anything is removed
//     files     main.m3u8 (without them)
//
// A process that is killed between the steps leaves a folder to which no playlist refers.
extension PresentationFolder {
  /// The subtitles of one language and role in a presentation.
  package struct Subtitles: Hashable, Sendable {
    /// The name in a player's menu.
    package let name: String
    /// The language, or `nil` if it is undetermined.
    package let language: LanguageTag?
    package let isForced: Bool
    package let characteristics: [MediaCharacteristic]
    /// The indices of the lines in the playlist that list the subtitles, one for each group.
    fileprivate var lineIndices: [Int]
    /// The reference to the media playlist of the subtitles.
    fileprivate let reference: String?
  }

  /// The subtitles of the presentation, in the order of its list.
  package var subtitles: [Subtitles] {
    var indices: [[String?]: Int] = [:]
    var allSubtitles: [Subtitles] = []
    for (line, attributes) in playlist.tags("EXT-X-MEDIA") where attributes["TYPE"] == "SUBTITLES" {
      let (name, uri) = (attributes["NAME"] ?? "", attributes["URI"])
      if let index = indices[[name, uri]] {
        allSubtitles[index].lineIndices.append(line)
        continue
      }
      indices[[name, uri]] = allSubtitles.count
      let words = (attributes["CHARACTERISTICS"] ?? "").split(separator: ",")
      allSubtitles.append(
        Subtitles(
          name: name, language: attributes["LANGUAGE"].flatMap { LanguageTag($0) }?.ifDetermined,
          isForced: attributes["FORCED"] == "YES",
          characteristics: words.map { MediaCharacteristic(rawValue: String($0)) }, lineIndices: [line], reference: uri)
      )
    }
    return allSubtitles
  }

  /// The plan of removing subtitles from a presentation.
  package struct Removal: Sendable {
    /// Whether the files of the subtitles are removed too. Files are removed only if this program wrote them and no
    /// playlist refers to them.
    package var removesFiles: Bool { folder != nil }
    /// The multivariant playlist without the subtitles.
    fileprivate let playlist: PlaylistText
    /// The folder to remove with the files of the subtitles, or `nil` if the files are kept.
    fileprivate let folder: String?
  }

  /// Plans the removal of subtitles.
  package func removal(of subtitles: Subtitles) -> Removal {
    let lines = Set(subtitles.lineIndices)
    let before = BitRates(highestOf: Array(textRates.values)) ?? BitRates(peak: 0, average: 0)
    let remainingRates = BitRates(highestOf: textRates.filter { !lines.contains($0.key) }.map(\.value))
    // If another program wrote the playlist, it is unknown whether the bit rates include text, so they are never
    // lowered.
    let after = playlist.clock == nil ? before : remainingRates ?? BitRates(peak: 0, average: 0)
    var list = playlist
    list.remove(lines, rates: (before, after))
    let usedFolders = foldersInUse(except: lines)
    let subtitleFolder = subtitles.reference.flatMap(Self.ownFolder)
    return Removal(
      playlist: list, folder: subtitleFolder.flatMap { usedFolders?.contains($0.lowercased()) == false ? $0 : nil })
  }

  /// Removes subtitles: writes the list without them, waits until it is on the disk, and removes their files.
  ///
  /// Returns the folder that could not be removed completely, or `nil` if nothing remains.
  package func remove(_ removal: Removal) throws -> String? {
    try NewFileSink(path: folder + "/" + StreamPlan.entryPath, existing: .replace, synchronizes: true, disk: disk)
      .write(Bytes(Array(removal.playlist.text.utf8)))
    let writing = FolderWriter(folder: folder, replaces: true, synchronizes: false, lock: lock, on: disk)
    return removal.folder.flatMap { writing.removeFiles(ofFolder: $0) ? nil : $0 }
  }
}

// Players do not show forced and full subtitles together, so full subtitles must contain the forced cues too (HLS
// Authoring Specification 5.8).
extension PresentationFolder {
  /// Full subtitles that lack forced cues of their language.
  package struct IncompleteSubtitles: Sendable {
    /// The name in a player's menu.
    package let name: String
    /// The number of forced cues that the full subtitles lack.
    package let missingCount: Int
    /// The number of forced cues with a text and a duration.
    package let forcedCueCount: Int
  }

  /// The largest number of bytes of existing subtitles to examine.
  private static let largestTextByteCount = 64 << 20

  /// Returns the full subtitles that will lack forced cues of their language after an addition. If forced subtitles are
  /// added, these are existing full subtitles. Otherwise, these are the added subtitles.
  ///
  /// Reads the segments of existing subtitles. Ignores unreadable segments, and segments after the first 64 MiB or 200
  /// 000 cues.
  package func incompleteSubtitles(
    withCues added: [Cue], named name: String, language: LanguageTag?, characteristics: [MediaCharacteristic],
    isForced: Bool
  ) -> [IncompleteSubtitles] {
    guard !characteristics.contains(.auxiliaryContent) || isForced else { return [] }
    let otherSubtitles = subtitles(in: language, areForced: !isForced)
    // A cue that spans two segments occurs in both segments.
    let cues = isForced ? added : otherSubtitles.flatMap { $0.cues }.withoutRepetition
    let shownCues = cues.filter { $0.endMilliseconds > max(0, $0.startMilliseconds) && !$0.text.isEmpty }
    return (isForced ? otherSubtitles : [(name: name, cues: added)]).compactMap { name, cues -> IncompleteSubtitles? in
      let shown = ShownTexts(cues)
      let count = shownCues.count { !shown.contains($0) }
      return count > 0 ? IncompleteSubtitles(name: name, missingCount: count, forcedCueCount: shownCues.count) : nil
    }
  }

  /// Returns the existing subtitles of a language, and their cues. Excludes full subtitles that are commentary.
  private func subtitles(in language: LanguageTag?, areForced: Bool) -> [(name: String, cues: [Cue])] {
    var limit = Self.largestTextByteCount
    var cueCount = 0
    var seenReferences: Set<String> = []
    return playlist.tags("EXT-X-MEDIA").compactMap { _, attributes -> (name: String, cues: [Cue])? in
      let tags = (attributes["CHARACTERISTICS"] ?? "").split(separator: ",")
      guard attributes["TYPE"] == "SUBTITLES", (attributes["FORCED"] == "YES") == areForced,
        attributes["LANGUAGE"] ?? "und" == language?.description ?? "und",
        !tags.contains(where: { $0 == MediaCharacteristic.auxiliaryContent.rawValue }) || areForced,
        let uri = attributes["URI"], seenReferences.insert(uri).inserted, let cues = cues(of: uri, atMost: &limit)
      else { return nil }
      cueCount += cues.count
      return cueCount <= SubtitleLimits().cueCount ? (attributes["NAME"] ?? "", cues) : nil
    }
  }

  /// Returns the cues of a WebVTT playlist on the clock of the movie, or `nil` if the format differs, a file is
  /// unreadable, or a limit is exceeded.
  private func cues(of uri: String, atMost limit: inout Int) -> [Cue]? {
    var cues: [Cue] = []
    do {
      let path = try Self.filePath(uri, in: folder)
      let files = try Self.read(path, on: disk).segmentPaths.map { try Self.filePath($0, relativeTo: path, in: folder) }
      for file in files.withoutRepetition {
        let bytes = try Self.bytes(file, on: disk)
        limit -= bytes.count
        guard limit >= 0 else { return nil }
        // Without X-TIMESTAMP-MAP, a segment uses the clock of the media (RFC 8216, 3.5).
        let later = (Int64(clamping: SegmentMap(bytes)?.delay ?? 0) - Int64(clamping: delay)) / 90
        do throws(SubtitleError) {
          cues += try WebVTTReader.read(SubtitleText(bytes.array)).cues.map { cue in
            var cue = cue
            cue.startMilliseconds = cue.startMilliseconds.addingClamped(later)
            cue.endMilliseconds = cue.endMilliseconds.addingClamped(later)
            cue.line = 0  // Line numbers differ between segments.
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

/// The `X-TIMESTAMP-MAP` line of a WebVTT segment, which maps its times to the clock of the media.
struct SegmentMap {
  /// The media time that corresponds to time 0 of the segment, in ticks of 90 kHz.
  let delay: UInt64

  init?(_ segment: Bytes) {
    let lines = Array(segment.prefix(1_024)).split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    guard let line = lines.first(where: { $0.starts(with: TimestampMap.name.utf8) }),
      let map = TimestampMap(line: line), (0..<1 << 33).contains(map.localMilliseconds)
    else { return nil }
    delay = UInt64(max(0, map.timeStamp - map.localMilliseconds * 90))
  }
}

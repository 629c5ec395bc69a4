package import MovieBox
import MovieWriter
package import Subtitles

/// Subtitles are taken out of a presentation in two steps, so that whoever plays it finds all that is named:
///
///     before    main.m3u8 (with them)      subtitles-fr (whole)
///     list      main.m3u8 (without them)   subtitles-fr (whole)      synced before anything is removed
///     files     main.m3u8 (without them)
///
/// A program that is killed between them leaves a folder that no playlist names.
extension PresentationFolder {
  /// Subtitles of a presentation.
  package struct Subtitles: Hashable, Sendable {
    /// The name in a player's menu.
    package let name: String
    /// The language, or `nil` if it is undetermined.
    package let language: LanguageTag?
    package let isForced: Bool
    package let characteristics: [MediaCharacteristic]
    /// Their lines in the list, each of another group.
    fileprivate var lines: [Int]
    /// The reference to their playlist.
    fileprivate let reference: String?
  }

  /// The subtitles of the presentation, in the order of its list.
  package var subtitles: [Subtitles] {
    var places: [[String?]: Int] = [:]
    var found: [Subtitles] = []
    for (line, attributes) in playlist.tags("EXT-X-MEDIA") where attributes["TYPE"] == "SUBTITLES" {
      let (name, uri) = (attributes["NAME"] ?? "", attributes["URI"])
      if let place = places[[name, uri]] {
        found[place].lines.append(line)
        continue
      }
      places[[name, uri]] = found.count
      let words = (attributes["CHARACTERISTICS"] ?? "").split(separator: ",")
      found.append(
        Subtitles(
          name: name, language: attributes["LANGUAGE"].flatMap { LanguageTag($0) }?.ifDetermined,
          isForced: attributes["FORCED"] == "YES",
          characteristics: words.map { MediaCharacteristic(rawValue: String($0)) }, lines: [line], reference: uri))
    }
    return found
  }

  /// The plan of taking subtitles out of a presentation.
  package struct Removal: Sendable {
    /// Whether the files of the subtitles go too: those that this package wrote, and that nothing else names.
    package var removesFiles: Bool { folder != nil }
    /// The playlist that players open, without them.
    fileprivate let list: PlaylistText
    /// The folder of their files, or `nil` if the files stay.
    fileprivate let folder: String?
  }

  /// The plan of taking subtitles out.
  package func removal(of subtitles: Subtitles) -> Removal {
    let lines = Set(subtitles.lines)
    let before = BitRates(mostOf: Array(textRates.values)) ?? BitRates(peak: 0, average: 0)
    let kept = BitRates(mostOf: textRates.filter { !lines.contains($0.key) }.map(\.value))
    // Others may not have counted the text: what they say is never lowered.
    let after = playlist.clock == nil ? before : kept ?? BitRates(peak: 0, average: 0)
    var list = playlist
    list.remove(lines, rates: (before, after))
    let inUse = foldersInUse(besides: lines)
    let own = subtitles.reference.flatMap(Self.ownFolder)
    return Removal(list: list, folder: own.flatMap { inUse?.contains($0.lowercased()) == false ? $0 : nil })
  }

  /// Takes subtitles out: writes the list without them, waits until it is on the disk, and removes their files.
  ///
  /// Returns the folder that could not be removed whole, or `nil` if nothing is left.
  package func remove(_ removal: Removal) throws -> String? {
    try NewFileSink(path: folder + "/" + StreamPlan.entryPath, existing: .replace, synchronizes: true, disk: disk)
      .write(Bytes(Array(removal.list.text.utf8)))
    let writing = FolderWriting(folder: folder, replaces: true, synchronizes: false, lock: lock, on: disk)
    return removal.folder.flatMap { writing.removeFiles(ofFolder: $0) ? nil : $0 }
  }
}

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
      let files = try Self.read(path, on: disk).segmentPaths.map { try Self.place($0, besides: path, in: folder) }
      for file in files.withoutRepetition {
        let bytes = try Self.bytes(file, on: disk)
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

/// The line of a segment of WebVTT that says where its times are on the clock of the media.
struct SegmentMap {
  /// In ticks of 90 kHz.
  let delay: UInt64

  init?(_ segment: Bytes) {
    let lines = Array(segment.prefix(1_024)).split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    guard let line = lines.first(where: { $0.starts(with: TimestampMap.name.utf8) }),
      let map = TimestampMap(line: line), (0..<1 << 33).contains(map.localMilliseconds)
    else { return nil }
    delay = UInt64(max(0, map.timeStamp - map.localMilliseconds * 90))
  }
}

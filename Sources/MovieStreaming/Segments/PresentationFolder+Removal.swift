package import MovieBox
import MovieWriter
import Subtitles

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
    try NewFileSink(path: folder + "/" + StreamPlan.entryPath, existing: .replace, synchronizes: true)
      .write(Bytes(Array(removal.list.text.utf8)))
    let writing = FolderWriting(folder: folder, replaces: true, synchronizes: false, lock: lock)
    return removal.folder.flatMap { writing.removeFiles(ofFolder: $0) ? nil : $0 }
  }
}

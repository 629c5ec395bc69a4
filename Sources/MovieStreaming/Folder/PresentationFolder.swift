package import MovieBox
package import MovieWriter
package import Subtitles

/// A presentation in a folder, written by this program or by another program. Its subtitles can be added, replaced and
/// removed.
///
/// The media is never changed. Only playlists and the clock of the media are read, so that subtitles can be segmented
/// at the same times and on the same clock.
package struct PresentationFolder {
  let folder: String
  let disk: any FileSystem
  /// The lock of the folder. It is held for the lifetime of this value, because otherwise changes by other processes
  /// would be overwritten.
  let lock: FolderLock
  let playlist: PlaylistText
  private let times: PresentationTimeline
  let delay: UInt64
  private let targetDuration: UInt64
  /// The bit rates of the subtitles, by the indices of their lines in the playlist.
  let textRates: [Int: BitRates]
  private let groups: [String]

  /// Reads the playlists of a folder.
  ///
  /// Also undoes or completes a replacement of the presentation by a killed process. Throws ``/MovieBox/FileError`` for
  /// missing files, and ``/MovieBox/MovieError`` for playlists without durations and for media with an unknown clock.
  package init(_ folder: String, on disk: any FileSystem = LocalFileSystem()) throws {
    self.folder = folder
    self.disk = disk
    lock = try FolderLock(folder, on: disk)
    if lock.isHeld { try FolderWriter(folder: folder, replaces: true, synchronizes: false, on: disk).recover() }
    playlist = try Self.read(folder + "/" + StreamPlan.entryPath, on: disk)
    let variants = playlist.tags("EXT-X-STREAM-INF")
    guard let variant = variants.first(where: { $0.attributes["RESOLUTION"] != nil }) ?? variants.first,
      playlist.lines.indices.contains(variant.line + 1)
    else { throw MovieError(.malformed, "the playlist has no variants") }
    let mediaPath = try Self.filePath(playlist.lines[variant.line + 1], in: folder)
    let media = try Self.read(mediaPath, on: disk)
    guard let durations = media.durations, !durations.isEmpty else {
      throw MovieError(.malformed, "\(mediaPath) does not declare segment durations (EXTINF)")
    }
    let limit = StreamLimits().segmentCount
    guard durations.count <= limit else {
      throw MovieError(.limit, "\(mediaPath) has \(durations.count) segments; the limit is \(limit)")
    }
    targetDuration = max(media.targetDuration ?? 0, MediaPlaylist.targetDuration(durations))
    let texts = playlist.tags("EXT-X-MEDIA").filter { $0.attributes["TYPE"] == "SUBTITLES" }
    let groupNames = texts.compactMap { $0.attributes["GROUP-ID"] }.withoutRepetition
    groups = groupNames.isEmpty ? ["subtitles"] : groupNames
    var rates: [Int: BitRates] = [:]
    var delay: UInt64?
    for text in texts {
      guard let path = try text.attributes["URI"].map({ try Self.filePath($0, in: folder) }) else { continue }
      let own = try Self.read(path, on: disk)
      let files = try own.segmentPaths.map { try Self.filePath($0, relativeTo: path, in: folder) }
      rates[text.line] = try Self.rates(own, files, targetDuration: targetDuration, on: disk)
      if playlist.clock == nil, delay == nil, let first = files.first {
        delay = try SegmentMap(Self.bytes(first, on: disk))?.delay
      }
    }
    textRates = rates
    let clock = try playlist.clock ?? Self.clock(of: media, at: mediaPath, in: folder, movie: delay)
    self.delay = clock.movieStart
    // The boundaries are in microseconds. The clock values are 33-bit counts at 90 kHz.
    var boundaries = [(Int64(clock.firstSegmentStart) - Int64(clock.movieStart)) * 100 / 9]
    for duration in durations {
      boundaries.append(boundaries[boundaries.count - 1].addingClamped(Int64(clamping: duration)))
    }
    guard let times = PresentationTimeline(timeScale: 1_000_000, boundaries: boundaries) else {
      throw MovieError(.malformed, "the segment times of \(mediaPath) cannot be determined")
    }
    self.times = times
  }

  /// The start of the presentation, in milliseconds of the movie.
  package var startMilliseconds: Int64 { times.milliseconds(times.boundaries.first ?? 0).roundedDown }

  /// The end of the presentation, in milliseconds of the movie.
  package var endMilliseconds: Int64 { times.milliseconds(times.boundaries.last ?? 0).roundedUp }

  /// Existing subtitles with the language and role of new subtitles.
  package struct ExistingRendition: Sendable {
    /// The name in a player's menu.
    package let name: String
    fileprivate let isDefault: Bool
    /// The indices of the lines in the playlist that list the subtitles, one for each group.
    fileprivate var lineIndices: [Int]
    /// The folder of the subtitles if it contains no other files, or `nil` if the files are elsewhere.
    fileprivate let folder: String?
  }

  /// Returns the existing subtitles with this language and role. Subtitles with the requested name come first. All
  /// other subtitles follow in playlist order.
  package func existingSubtitles(
    language: LanguageTag?, name: String, characteristics: [MediaCharacteristic], isForced: Bool
  ) -> [ExistingRendition] {
    func isAlike(_ attributes: [String: String]) -> Bool {
      let words = (attributes["CHARACTERISTICS"] ?? "").split(separator: ",")
      let tags = words.map { MediaCharacteristic(rawValue: String($0)) }
      guard attributes["TYPE"] == "SUBTITLES", attributes["LANGUAGE"] ?? "und" == language?.description ?? "und" else {
        return false
      }
      // Other programs may exclude commentary from automatic selection without tagging it as commentary.
      var role = Set(tags)
      if attributes["AUTOSELECT"] == "NO" { role.insert(.auxiliaryContent) }
      return (attributes["FORCED"] == "YES") == isForced && role == Set(characteristics)
    }
    let media = playlist.tags("EXT-X-MEDIA")
    let matchingTags = media.filter { isAlike($0.attributes) }
    let usedFolders = foldersInUse(except: Set(matchingTags.map(\.line)))
    var indices: [[String?]: Int] = [:]
    var renditions: [ExistingRendition] = []
    for (line, attributes) in matchingTags {
      let (name, uri) = (attributes["NAME"] ?? "", attributes["URI"])
      if let index = indices[[name, uri]] {
        renditions[index].lineIndices.append(line)
        continue
      }
      indices[[name, uri]] = renditions.count
      let folder = uri.flatMap(Self.ownFolder).flatMap { usedFolders?.contains($0.lowercased()) == false ? $0 : nil }
      renditions.append(
        ExistingRendition(name: name, isDefault: attributes["DEFAULT"] == "YES", lineIndices: [line], folder: folder))
    }
    let quoted = PlaylistAttributes.quotable(name)
    return renditions.filter { $0.name == quoted } + renditions.filter { $0.name != quoted }
  }

  /// Returns the folders of all files to which the playlist refers in lines other than `lines`. Returns `nil` if a
  /// playlist cannot be read.
  ///
  /// The names are in lower case, because some file systems ignore case.
  func foldersInUse(except lines: Set<Int>) -> Set<String>? {
    let tags = ["EXT-X-MEDIA", "EXT-X-I-FRAME-STREAM-INF", "EXT-X-SESSION-DATA"].flatMap { playlist.tags($0) }
    let references = tags.filter { !lines.contains($0.line) }.compactMap { $0.attributes["URI"] }
    let entry = folder + "/" + StreamPlan.entryPath
    // Ignore references to files outside of the folder.
    var paths = references.compactMap { try? Self.filePath($0, in: folder) }
    paths += playlist.segmentPaths.compactMap { try? Self.filePath($0, relativeTo: entry, in: folder) }
    for list in paths where list.hasSuffix(".m3u8") {
      guard let names = try? Self.read(list, on: disk).segmentPaths else { return nil }
      paths += names.compactMap { try? Self.filePath($0, relativeTo: list, in: folder) }
    }
    let start = folder.utf8.count + 1
    return Set(
      paths.compactMap { PlaylistText.pathComponents(Substring($0.utf8.dropFirst(start))).first?.lowercased() })
  }

  /// Returns the folder of the subtitle playlist to which a reference refers, or `nil` if this program did not write
  /// it.
  static func ownFolder(_ reference: String) -> String? {
    let path = PlaylistText.path(reference)
    let words = PlaylistText.pathComponents(path)
    let isOwnFile =
      words.count == 2 && path.utf8.elementsEqual(words.joined(separator: "/").utf8) && words[1] == "playlist.m3u8"
      && words[0].hasPrefix("subtitles-")
    return isOwnFile ? words[0] : nil
  }

  /// The plan of adding subtitles to a presentation.
  package struct Addition: Sendable {
    /// The name in a player's menu.
    package let name: String
    /// The language of the existing subtitles that already have the requested name, or `nil` if the name is unused. If
    /// the name is in use, ``name`` ends with a number.
    package let namesakeLanguage: String?
    /// The segments, followed by their media playlist.
    package let files: [StreamPlan.File]
    /// The multivariant playlist with the subtitles.
    fileprivate let playlist: PlaylistText
    /// Whether the new folder replaces an existing folder.
    fileprivate let replaces: Bool
    /// The folders of replaced subtitles that no new folder replaces.
    fileprivate let obsoleteFolders: [String]
  }

  /// Plans the addition of subtitles: their segments, their playlist, and their line in the list.
  ///
  /// - Parameter existing: the subtitles to replace.
  package func addition(
    of file: SubtitleFile, name: String, language: LanguageTag?, characteristics: [MediaCharacteristic], isForced: Bool,
    replacing existing: [ExistingRendition] = []
  ) throws -> Addition {
    let lines = Set(existing.flatMap(\.lineIndices))
    let otherSubtitles = playlist.tags("EXT-X-MEDIA").filter {
      $0.attributes["TYPE"] == "SUBTITLES" && !lines.contains($0.line)
    }
    var names = UniqueNames(numberSeparator: " ", taken: otherSubtitles.compactMap { $0.attributes["NAME"] })
    let requestedName = PlaylistAttributes.quotable(name)
    let name = names.name(requestedName)
    let namesake = otherSubtitles.first { $0.attributes["NAME"] == requestedName }
    let words = [
      "subtitles", language?.description ?? "und", MediaCharacteristic.areSDH(characteristics) ? "sdh" : nil,
      isForced ? "forced" : nil,
    ]
    let existingNames = try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
      try disk.names(in: folder)
    }
    var folderNames = UniqueNames(numberSeparator: "-", taken: existingNames)
    let folders = existing.compactMap(\.folder).withoutRepetition
    let folderName = folders.first ?? StreamedMovie.uniqueFolder(words, in: &folderNames)
    let rendition = MultivariantPlaylist.Rendition(
      kind: .subtitles, group: groups[0], name: name, language: language?.description ?? "und",
      isDefault: existing.contains(where: \.isDefault),
      isAutomaticallySelected: isForced || !characteristics.contains(.auxiliaryContent), isForced: isForced,
      characteristics: characteristics.map(\.rawValue), path: "\(folderName)/playlist.m3u8")
    let text = TextRendition(file, as: rendition, folder: words, styles: [])
    var limit = StreamLimits().textByteCount
    let (files, mediaPlaylist) = try text.files(in: folderName, times, delay: delay, limit: &limit)
    let rates = BitRates(mediaPlaylist.segments, targetDuration: max(targetDuration, mediaPlaylist.targetDuration))
    var changedPlaylist = playlist
    let before = BitRates(highestOf: Array(textRates.values)) ?? BitRates(peak: 0, average: 0)
    // If another program wrote the playlist, it is unknown whether the bit rates include text, so they are never
    // lowered.
    let remainingRates = playlist.clock == nil ? [before] : textRates.filter { !lines.contains($0.key) }.map(\.value)
    changedPlaylist.put(
      rendition, inPlaceOf: lines, groups: groups,
      rates: (before, BitRates(highestOf: remainingRates + [rates]) ?? rates))
    let list = StreamPlan.File(
      "\(folderName)/playlist.m3u8", .mediaPlaylist, PlaylistText.mediaType,
      text: mediaPlaylist.text(
        targetDuration: max(targetDuration, mediaPlaylist.targetDuration), areSegmentsIndependent: true))
    return Addition(
      name: name, namesakeLanguage: namesake.map { $0.attributes["LANGUAGE"] ?? "und" },
      files: files + [list], playlist: changedPlaylist, replaces: !folders.isEmpty,
      obsoleteFolders: Array(folders.dropFirst()))
  }

  /// Writes the files of new subtitles, then the list, and finally removes files that are no longer used.
  ///
  /// Returns the folders of replaced subtitles that could not be removed.
  package func write(_ addition: Addition) throws -> [String] {
    // New folders get unused names, or the names of the folders that they replace.
    var writing = FolderWriter(folder: folder, replaces: addition.replaces, synchronizes: false, lock: lock, on: disk)
    let list = folder + "/" + StreamPlan.entryPath
    let oldStatus = try listStatus()
    do {
      try writing.makeFolders(for: addition.files.map(\.path))
      try writing.writeAll(addition.files, from: MemorySource(Bytes())) { _ in }
      try writing.publish()
      try NewFileSink(path: list, existing: .replace, synchronizes: false, disk: disk)
        .write(Bytes(Array(addition.playlist.text.utf8)))
    } catch {
      // The changes are undone only if the old list still exists. A new list refers to the new files, even if syncing
      // it failed.
      guard let oldStatus, try listStatus()?.isSameFile(as: oldStatus) == true else { throw error }
      throw writing.rollBack(after: error)
    }
    try writing.finish()
    return addition.obsoleteFolders.filter { !writing.removeFiles(ofFolder: $0) }
  }

  private func listStatus() throws(FileError) -> FileStatus? {
    let list = folder + "/" + StreamPlan.entryPath
    return try FileError.withFileErrors(.inputOutput, list) { () throws(SystemError) in
      try disk.status(at: list, followingLinks: true)
    }
  }

  // MARK: - Reading

  /// Returns the path of a file to which the list refers. Throws for a file outside of the folder.
  static func filePath(_ reference: String, in folder: String) throws(MovieError) -> String {
    try filePath(PlaylistText.path(reference), relativeTo: folder + "/" + StreamPlan.entryPath, in: folder)
  }

  /// Returns the path of a file from its path relative to a playlist. Throws for a file outside of the folder.
  static func filePath(_ name: String, relativeTo playlist: String, in folder: String) throws(MovieError) -> String {
    var words = PlaylistText.pathComponents(Substring(playlist.utf8.dropFirst(folder.utf8.count + 1))).dropLast()
    var isInside = name.utf8.first != UInt8(ascii: "/") && !name.contains("://")
    for word in PlaylistText.pathComponents(name) where word != "." {
      if word == ".." { isInside = isInside && words.popLast() != nil } else { words.append(word) }
    }
    guard isInside else {
      throw MovieError(.unsupported, "\(playlist) refers to \(name), which is outside of the folder")
    }
    return folder + "/" + words.joined(separator: "/")
  }

  static func bytes(_ path: String, on disk: any FileSystem) throws -> Bytes {
    // The playlist of a whole week has a few megabytes, so no real playlist exceeds this limit.
    try disk.contents(of: path, limitInBytes: 64 << 20)
  }

  static func read(_ path: String, on disk: any FileSystem) throws -> PlaylistText {
    let contents = try bytes(path, on: disk)
    do throws(MovieError) {
      return try PlaylistText(contents)
    } catch {
      throw MovieError(error.code, "\(path) \(error.reason)")
    }
  }

  private static func rates(
    _ playlist: PlaylistText, _ files: [String], targetDuration: UInt64, on disk: any FileSystem
  ) throws -> BitRates {
    let durations = (playlist.durations ?? []).prefix(StreamLimits().segmentCount)
    let segments = try zip(files, durations).map { file, duration in
      let status = try FileError.withFileErrors(.inputOutput, file) { () throws(SystemError) in
        try disk.status(at: file, followingLinks: true)
      }
      return MediaPlaylist.Segment(
        fileRange: MediaPlaylist.FileRange(path: file), byteCount: status?.byteCount ?? 0, microseconds: duration)
    }
    return BitRates(segments, targetDuration: max(targetDuration, MediaPlaylist.targetDuration(durations)))
  }

  /// Returns the clock of another program's presentation.
  ///
  /// The first segment starts with the first picture. The movie starts at the time that the subtitles declare. If they
  /// declare none, it starts with the first picture.
  private static func clock(
    of playlist: PlaylistText, at path: String, in folder: String, movie: UInt64?
  ) throws -> MultivariantPlaylist.Clock {
    guard let start = try start(of: playlist, at: path, in: folder) ?? movie else {
      let isFragmented = playlist.segmentPaths.first.map { name in
        do {
          return try FileSource(path: filePath(name, relativeTo: path, in: folder)).beginsAsFragmentedMP4()
        } catch {
          return false  // The segment is elsewhere or unreadable.
        }
      }
      throw MovieError(
        .unsupported,
        isFragmented == true
          ? "\(path): EXT-X-MAP is missing, so fragmented MP4 segments cannot be played"
          : "\(path): the segments are not fragmented MP4, so their times are unknown; use fragmented MP4 segments"
      )
    }
    return MultivariantPlaylist.Clock(movieStart: movie ?? start, firstSegmentStart: start)
  }

  /// Returns the time of the first picture on the clock of the media, in ticks of 90 kHz, or `nil` if the segments are
  /// not fragmented MP4.
  ///
  /// Other packagers delay pictures by an edit list in the initialization segment. Players add its empty edit and
  /// subtract the media time of the next edit.
  private static func start(of playlist: PlaylistText, at path: String, in folder: String) throws -> UInt64? {
    guard let map = playlist.tags("EXT-X-MAP").first?.attributes["URI"], let first = playlist.segmentPaths.first else {
      return nil
    }
    let files = try [PlaylistText.path(map), first].map { try filePath($0, relativeTo: path, in: folder) }
    let sources = try files.withoutRepetition.map { try FileSource(path: $0) }
    let source = try JoinedSource(sources)
    let movie = try Movie(of: source)
    guard let track = try movie.readFragments(of: source).tracks.first, let start = track.fragmentPresentationStart,
      let described = movie.tracks.first, case let scale = described.mediaTimeScale, scale > 0
    else { throw MovieError(.unsupported, "\(path): the first segment has no samples") }
    let origin = Int64(clamping: track.ticksBeforeStart)
    let shown = start.addingClamped(-origin).addingClamped(-max(0, described.presentationStartInMediaTicks))
    let startTicks = MediaTime(ticks: shown, timeScale: scale)?.ticks(of: 90_000) ?? 0
    let empty = described.presentationStartInMovieTicks.scaledToNearest(
      by: 90_000, over: UInt64(max(1, movie.header.timeScale)))
    let ticks = UInt64(clamping: startTicks.addingClamped(Int64(clamping: empty ?? 0)))
    return ticks & (1 << 33 - 1)  // The clock has 33 bits, and live presentations run for days.
  }
}

package import MovieBox
package import MovieWriter
package import Subtitles

/// A presentation in a folder, of ours or of another program, that gets subtitles. Its media stays as it is.
package struct PresentationFolder {
  let folder: String
  let disk: any FileSystem
  /// For as long as the presentation is looked at: what others add meanwhile would be lost.
  let lock: FolderLock
  let playlist: PlaylistText
  private let times: PresentationTimeline
  let delay: UInt64
  private let targetDuration: UInt64
  /// The rates of the subtitles, by their lines in the list.
  let textRates: [Int: BitRates]
  private let groups: [String]

  /// Reads the playlists of a folder.
  ///
  /// Throws ``/MovieBox/FileError`` for files that are missing, and ``/MovieBox/MovieError`` for playlists that do not
  /// say when segments begin, or media whose clock is not known.
  ///
  /// Takes a replacement of the presentation back that a killed run began, or finishes it.
  package init(_ folder: String, on disk: any FileSystem = LocalFileSystem()) throws {
    self.folder = folder
    self.disk = disk
    lock = try FolderLock(folder, on: disk)
    if lock.isTaken { try FolderWriting(folder: folder, replaces: true, synchronizes: false, on: disk).recover() }
    playlist = try Self.read(folder + "/" + StreamPlan.entryPath, on: disk)
    let variants = playlist.tags("EXT-X-STREAM-INF")
    guard let variant = variants.first(where: { $0.attributes["RESOLUTION"] != nil }) ?? variants.first,
      playlist.lines.indices.contains(variant.line + 1)
    else { throw MovieError(.malformed, "the playlist has no variants") }
    let mediaPath = try Self.place(playlist.lines[variant.line + 1], in: folder)
    let media = try Self.read(mediaPath, on: disk)
    guard let durations = media.durations, !durations.isEmpty else {
      throw MovieError(.malformed, "\(mediaPath) does not say how long its segments are")
    }
    let limit = StreamLimits().segmentCount
    guard durations.count <= limit else {
      throw MovieError(.limit, "\(mediaPath) has \(durations.count) segments, the limit is \(limit)")
    }
    targetDuration = max(media.targetDuration ?? 0, MediaPlaylist.targetDuration(durations))
    let texts = playlist.tags("EXT-X-MEDIA").filter { $0.attributes["TYPE"] == "SUBTITLES" }
    let named = texts.compactMap { $0.attributes["GROUP-ID"] }.withoutRepetition
    groups = named.isEmpty ? ["subtitles"] : named
    var rates: [Int: BitRates] = [:]
    var delay: UInt64?
    for text in texts {
      guard let path = try text.attributes["URI"].map({ try Self.place($0, in: folder) }) else { continue }
      let own = try Self.read(path, on: disk)
      let files = try own.segmentPaths.map { try Self.place($0, besides: path, in: folder) }
      rates[text.line] = try Self.rates(own, files, targetDuration: targetDuration, on: disk)
      if playlist.clock == nil, delay == nil, let first = files.first {
        delay = try SegmentMap(Self.bytes(first, on: disk))?.delay
      }
    }
    textRates = rates
    let clock = try playlist.clock ?? Self.clock(of: media, at: mediaPath, in: folder, movie: delay)
    self.delay = clock.movie
    var boundaries = [(Int64(clock.firstSegment) - Int64(clock.movie)) * 100 / 9]  // Of 33 bits; in microseconds.
    for duration in durations {
      boundaries.append(boundaries[boundaries.count - 1].addingClamped(Int64(clamping: duration)))
    }
    guard let times = PresentationTimeline(timeScale: 1_000_000, boundaries: boundaries) else {
      throw MovieError(.malformed, "\(mediaPath) does not say when segments begin")
    }
    self.times = times
  }

  /// When the presentation begins, in milliseconds of the movie.
  package var startInMilliseconds: Int64 { times.milliseconds(times.boundaries.first ?? 0).roundedDown }

  /// When the presentation ends, in milliseconds of the movie.
  package var endInMilliseconds: Int64 { times.milliseconds(times.boundaries.last ?? 0).roundedUp }

  /// Subtitles of the presentation in the language of others, and for the same viewers.
  package struct ExistingRendition: Sendable {
    /// What a player's menu calls them.
    package let name: String
    fileprivate let isDefault: Bool
    /// Its lines in the list, each of another group.
    fileprivate var lines: [Int]
    /// Its folder, where nothing else is in it; `nil` for files that lie elsewhere.
    fileprivate let folder: String?
  }

  /// The subtitles that are there in a language, with the same role: those of the name first, then in the order of the
  /// list.
  package func existing(
    language: LanguageTag?, name: String, characteristics: [MediaCharacteristic], isForced: Bool
  ) -> [ExistingRendition] {
    func isAlike(_ attributes: [String: String]) -> Bool {
      let words = (attributes["CHARACTERISTICS"] ?? "").split(separator: ",")
      let tags = words.map { MediaCharacteristic(rawValue: String($0)) }
      guard attributes["TYPE"] == "SUBTITLES", attributes["LANGUAGE"] ?? "und" == language?.description ?? "und" else {
        return false
      }
      // Commentary may say so by its tag, or by not being chosen automatically alone.
      var role = Set(tags)
      if attributes["AUTOSELECT"] == "NO" { role.insert(.auxiliaryContent) }
      return (attributes["FORCED"] == "YES") == isForced && role == Set(characteristics)
    }
    let media = playlist.tags("EXT-X-MEDIA")
    let alike = media.filter { isAlike($0.attributes) }
    let inUse = foldersInUse(besides: Set(alike.map(\.line)))
    var places: [[String?]: Int] = [:]
    var found: [ExistingRendition] = []
    for (line, attributes) in alike {
      let (name, uri) = (attributes["NAME"] ?? "", attributes["URI"])
      if let place = places[[name, uri]] {
        found[place].lines.append(line)
        continue
      }
      places[[name, uri]] = found.count
      let folder = uri.flatMap(Self.ownFolder).flatMap { inUse?.contains($0.lowercased()) == false ? $0 : nil }
      found.append(
        ExistingRendition(name: name, isDefault: attributes["DEFAULT"] == "YES", lines: [line], folder: folder))
    }
    let quoted = PlaylistAttributes.quotable(name)
    return found.filter { $0.name == quoted } + found.filter { $0.name != quoted }
  }

  /// The folders that other lines than some name files in, or the playlists that they name; in lower case, for some file
  /// systems do not tell names apart by case. `nil` where a playlist cannot be read: what it names is not known.
  func foldersInUse(besides lines: Set<Int>) -> Set<String>? {
    let tags = ["EXT-X-MEDIA", "EXT-X-I-FRAME-STREAM-INF", "EXT-X-SESSION-DATA"].flatMap { playlist.tags($0) }
    let references = tags.filter { !lines.contains($0.line) }.compactMap { $0.attributes["URI"] }
    let entry = folder + "/" + StreamPlan.entryPath
    // What lies elsewhere is in none of them.
    var places = references.compactMap { try? Self.place($0, in: folder) }
    places += playlist.segmentPaths.compactMap { try? Self.place($0, besides: entry, in: folder) }
    for list in places where list.hasSuffix(".m3u8") {
      guard let names = try? Self.read(list, on: disk).segmentPaths else { return nil }
      places += names.compactMap { try? Self.place($0, besides: list, in: folder) }
    }
    let start = folder.utf8.count + 1
    return Set(places.compactMap { PlaylistText.words(Substring($0.utf8.dropFirst(start))).first?.lowercased() })
  }

  /// The folder of subtitles that a reference names a playlist of, as this program writes them; `nil` for others, from
  /// the root of a server or through empty names.
  static func ownFolder(_ reference: String) -> String? {
    let path = PlaylistText.path(reference)
    let words = PlaylistText.words(path)
    let isOurs =
      words.count == 2 && path.utf8.elementsEqual(words.joined(separator: "/").utf8) && words[1] == "playlist.m3u8"
      && words[0].hasPrefix("subtitles-")
    return isOurs ? words[0] : nil
  }

  /// What subtitles add to a presentation.
  package struct Addition: Sendable {
    /// What a player's menu calls them.
    package let name: String
    /// The language of the subtitles that have the name that was asked for, so that a number follows it; `nil` where
    /// none have it.
    package let languageOfTakenName: String?
    /// Their segments, and last the playlist that names these.
    package let files: [StreamPlan.File]
    /// The playlist that players open, with them.
    fileprivate let list: PlaylistText
    /// Whether their folder takes the place of another.
    fileprivate let replaces: Bool
    /// The folders of those that go without another in their place.
    fileprivate let foldersThatGo: [String]
  }

  /// The plan of adding subtitles: their segments, their playlist, and the line that names them; they may take the place
  /// of others.
  package func addition(
    of file: SubtitleFile, name: String, language: LanguageTag?, characteristics: [MediaCharacteristic], isForced: Bool,
    replacing existing: [ExistingRendition] = []
  ) throws -> Addition {
    let lines = Set(existing.flatMap(\.lines))
    let others = playlist.tags("EXT-X-MEDIA").filter {
      $0.attributes["TYPE"] == "SUBTITLES" && !lines.contains($0.line)
    }
    var names = UniqueNames(before: " ", taken: others.compactMap { $0.attributes["NAME"] })
    let wanted = PlaylistAttributes.quotable(name)
    let name = names.name(wanted)
    let namesake = others.first { $0.attributes["NAME"] == wanted }
    let words = [
      "subtitles", language?.description ?? "und", MediaCharacteristic.areSDH(characteristics) ? "sdh" : nil,
      isForced ? "forced" : nil,
    ]
    let existingNames = try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
      try disk.names(in: folder)
    }
    var taken = UniqueNames(before: "-", taken: existingNames)
    let folders = existing.compactMap(\.folder).withoutRepetition
    let place = folders.first ?? StreamedMovie.folder(words, unlike: &taken)
    let rendition = MultivariantPlaylist.Rendition(
      kind: .subtitles, group: groups[0], name: name, language: language?.description ?? "und",
      isDefault: existing.contains(where: \.isDefault),
      isAutomaticallySelected: isForced || !characteristics.contains(.auxiliaryContent), isForced: isForced,
      characteristics: characteristics.map(\.rawValue), path: "\(place)/playlist.m3u8")
    let text = TextRendition(file, as: rendition, folder: words, styles: [])
    var limit = StreamLimits().textByteCount
    let (files, own) = try text.files(in: place, times, delay: delay, limit: &limit)
    let rates = BitRates(own.segments, targetDuration: max(targetDuration, own.targetDuration))
    var changed = playlist
    let before = BitRates(mostOf: Array(textRates.values)) ?? BitRates(peak: 0, average: 0)
    // Others may not have counted the text: what they say is never lowered.
    let kept = playlist.clock == nil ? [before] : textRates.filter { !lines.contains($0.key) }.map(\.value)
    changed.put(
      rendition, inPlaceOf: lines, groups: groups, rates: (before, BitRates(mostOf: kept + [rates]) ?? rates))
    let list = StreamPlan.File(
      "\(place)/playlist.m3u8", .mediaPlaylist, PlaylistText.mediaType,
      text: own.text(targetDuration: max(targetDuration, own.targetDuration), areSegmentsIndependent: true))
    return Addition(
      name: name, languageOfTakenName: namesake.map { $0.attributes["LANGUAGE"] ?? "und" },
      files: files + [list], list: changed, replaces: !folders.isEmpty, foldersThatGo: Array(folders.dropFirst()))
  }

  /// Adds subtitles; the line that names them is written last, and then what nothing names any more is removed.
  ///
  /// Gives the folders of what was replaced that could not be removed.
  package func write(_ addition: Addition) throws -> [String] {
    // Names of folders are those that nothing has, or that of those whose place they take.
    var writing = FolderWriting(folder: folder, replaces: addition.replaces, synchronizes: false, lock: lock, on: disk)
    let list = folder + "/" + StreamPlan.entryPath
    let old = try listStatus()
    do {
      try writing.makeFolders(for: addition.files.map(\.path))
      try writing.writeAll(addition.files, from: MemorySource(Bytes())) { _ in }
      try writing.publish()
      try NewFileSink(path: list, existing: .replace, synchronizes: false, disk: disk)
        .write(Bytes(Array(addition.list.text.utf8)))
    } catch {
      // If only the wait for the disk failed, the new list is there, and names the new files.
      guard let old, try listStatus()?.isSameFile(as: old) == true else { throw error }
      throw writing.rollBack(after: error)
    }
    try writing.finish()
    return addition.foldersThatGo.filter { !writing.removeFiles(ofFolder: $0) }
  }

  private func listStatus() throws(FileError) -> FileStatus? {
    let list = folder + "/" + StreamPlan.entryPath
    return try FileError.withFileErrors(.inputOutput, list) { () throws(SystemError) in
      try disk.status(at: list, followingLinks: true)
    }
  }

  // MARK: - Reading

  /// The file that a reference of the list means. What lies outside of the folder is not for a list to name.
  static func place(_ reference: String, in folder: String) throws(MovieError) -> String {
    try place(PlaylistText.path(reference), besides: folder + "/" + StreamPlan.entryPath, in: folder)
  }

  /// A file that a playlist names, by its name from there on.
  static func place(_ name: String, besides playlist: String, in folder: String) throws(MovieError) -> String {
    var words = PlaylistText.words(Substring(playlist.utf8.dropFirst(folder.utf8.count + 1))).dropLast()
    var isInside = name.utf8.first != UInt8(ascii: "/") && !name.contains("://")
    for word in PlaylistText.words(name) where word != "." {
      if word == ".." { isInside = isInside && words.popLast() != nil } else { words.append(word) }
    }
    guard isInside else {
      throw MovieError(.unsupported, "\(playlist) names \(name), which is no file of the folder")
    }
    return folder + "/" + words.joined(separator: "/")
  }

  static func bytes(_ path: String, on disk: any FileSystem) throws -> Bytes {
    // A playlist of a week has no more than a few megabytes.
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
        place: MediaPlaylist.Place(path: file), byteCount: status?.byteCount ?? 0, microseconds: duration)
    }
    return BitRates(segments, targetDuration: max(targetDuration, MediaPlaylist.targetDuration(durations)))
  }

  /// The clock of another program's presentation: its first picture begins the first segment, and, where no subtitles
  /// say when the movie begins, the movie.
  private static func clock(
    of playlist: PlaylistText, at path: String, in folder: String, movie: UInt64?
  ) throws -> MultivariantPlaylist.Clock {
    guard let start = try start(of: playlist, at: path, in: folder) ?? movie else {
      let isFragmented = playlist.segmentPaths.first.map { name in
        do {
          return try FileSource(path: place(name, besides: path, in: folder)).beginsAsFragmentedMP4()
        } catch {
          return false  // It is elsewhere, or cannot be read.
        }
      }
      throw MovieError(
        .unsupported,
        isFragmented == true
          ? "\(path): EXT-X-MAP is missing, without which segments of fragmented MP4 are not played"
          : "\(path): the segments are not fragmented MP4, whose clock is known; make the presentation again with such segments"
      )
    }
    return MultivariantPlaylist.Clock(movie: movie ?? start, firstSegment: start)
  }

  /// When the first picture is shown on the clock of the media, in ticks of 90 kHz; `nil` where the segments are not
  /// fragmented MP4.
  ///
  /// Other packagers move pictures by an edit list in the initialization segment. Players add its empty edit, and subtract
  /// the media time of the edit after that.
  private static func start(of playlist: PlaylistText, at path: String, in folder: String) throws -> UInt64? {
    guard let map = playlist.tags("EXT-X-MAP").first?.attributes["URI"], let first = playlist.segmentPaths.first else {
      return nil
    }
    let files = try [PlaylistText.path(map), first].map { try place($0, besides: path, in: folder) }
    let sources = try files.withoutRepetition.map { try FileSource(path: $0) }
    let source = try JoinedSource(sources)
    let movie = try Movie(of: source)
    guard let track = try movie.readFragments(of: source).tracks.first, let start = track.fragmentPresentationStart,
      let described = movie.tracks.first, case let scale = described.mediaTimeScale, scale > 0
    else { throw MovieError(.unsupported, "\(path): the first segment has no samples") }
    let origin = Int64(clamping: track.ticksBeforeStart)
    let shown = start.addingClamped(-origin).addingClamped(-max(0, described.presentationStartInMediaTicks))
    let own = MediaTime(ticks: shown, timeScale: scale)?.ticks(of: 90_000) ?? 0
    let empty = described.presentationStartInMovieTicks.scaledToNearest(
      by: 90_000, over: UInt64(max(1, movie.header.timeScale)))
    let ticks = UInt64(clamping: own.addingClamped(Int64(clamping: empty ?? 0)))
    return ticks & (1 << 33 - 1)  // The clock has 33 bits; live presentations are days into it.
  }
}

import MovieBox
import MovieWriter

/// The text output of `inspect`. Its wording and columns may differ in later versions.
extension MovieReport {
  /// The lines of the text view.
  var lines: [String] {
    guard let layout else { return [] }
    var lines = facts(layout)
    if let movie {
      if !movie.tracks.isEmpty { lines += [""] + trackTable(movie) }
      lines += menus(movie)
      lines += section("References", TrackReferences(movie).lines)
      lines += section("Metadata", commonFacts(movie))
      lines += section("Timed metadata", timedMetadata)
    } else {
      lines += section("Atoms", atoms(layout))
    }
    return lines + section("Findings", findings.map(\.description))
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", title] + lines.map { "  " + $0 }
  }

  // MARK: - The file

  private func facts(_ layout: FileLayout) -> [String] {
    var table = TextTable([.init(""), .init("")])
    if !layout.atoms.isEmpty { table.add(["Format", format]) }
    if let movie, let ticks = durationInMovieTicks,
      let duration = Quantity.duration(ticks, timeScale: movie.header.timeScale)
    {
      table.add(["Duration", movie.isFragmented && ticks == 0 ? "unknown (not in the movie atom)" : duration])
    }
    if let start {
      table.add(["Clock", "starts at \(start.text); edits that remove the fragments subtract this time"])
    }
    table.add(["Size", Quantity.exactBytes(layout.identity.byteCount)])
    if let place = movieAtomPlace {
      var description = place.description
      if fragmentCount > 0 {
        description += "; fragmented, " + (fragmentCount == 1 ? "1 fragment" : "\(fragmentCount) fragments")
      }
      if movie?.hasCompressedMovieAtom ?? false { description += "; the movie atom is compressed (cmov)" }
      table.add(["Layout", description])
    }
    if movie?.isInitializationSegment ?? false {
      table.add(["Fragments", "none: this is an initialization segment, and the samples are in other files"])
    }
    if let captionServices {
      // Only some pictures are searched, so other pictures may contain captions.
      table.add(["Captions", captionServices.isEmpty ? "none found in pictures" : inPictures(captionServices)])
    }
    if let editing { table.add(["Editing", editing.description(ofFile: file)]) }
    return Array(table.lines.dropFirst())
  }

  private func inPictures(_ services: [String]) -> String {
    "\(services.joined(separator: ", ")) in pictures"
  }

  private var format: String {
    guard let fileType else {
      return layout?.first("moov") == nil ? "no brands (ftyp)" : "QuickTime, without brands (ftyp)"
    }
    let compatible = fileType.compatibleBrands.filter { $0.rawValue != 0 && $0 != fileType.majorBrand }
    let family = fileType.isQuickTime ? "QuickTime" : "ISO base media (MP4)"
    let compatibility =
      compatible.isEmpty ? "" : ", compatible with \(compatible.map(Self.brand).joined(separator: ", "))"
    return "\(family), brand \(Self.brand(fileType.majorBrand))" + compatibility
  }

  /// Returns the brand without trailing blanks.
  private static func brand(_ brand: FourCC) -> String {
    let text = brand.description
    return text.lastIndex { $0 != " " }.map { String(text[...$0]) } ?? ""
  }

  // MARK: - Metadata

  /// Returns the common metadata, one line per item. `movtool metadata` shows all identifiers.
  private func commonFacts(_ movie: Movie) -> [String] {
    var table = TextTable([.init(""), .init("")])
    for item in movie.commonMetadata { table.add([item.identifier.common?.key ?? "", item.shownValue]) }
    if let recording = movie.recording, recording.isShown {
      table.add(["recorded", recording.header.date.description + " (" + recording.details + ")"])
    }
    return Array(table.lines.dropFirst())
  }

  // MARK: - Tracks

  private func trackTable(_ movie: Movie) -> [String] {
    let tracks = zip(movie.tracks, zip(details, media)).map { ($0, $1.0, $1.1) }
    let columns: [(TextTable.Column, (Track, TrackDetails, TrackMedia) -> String)] = [
      (.init("ID", .right), { track, _, _ in String(track.id) }),
      (.init("Kind"), { track, _, _ in track.kindName }),
      (.init("Codec"), { track, _, _ in track.distinctFormats.map(\.description).joined(separator: ", ") }),
      (.init("Language"), { track, _, _ in track.language?.englishName ?? "" }),
      (.init("Tag"), { track, _, _ in track.language?.description ?? "" }),
      (.init("Size or sound"), { _, details, _ in details.description }),
      (.init("Samples", .right), { _, _, media in String(media.sampleCount) }),
      (.init("Enabled"), { track, _, _ in track.isEnabled ? "yes" : "no" }),
      (.init("Group", .right), { track, _, _ in track.alternateGroup == 0 ? "" : String(track.alternateGroup) }),
      (.init("Role"), { track, _, _ in track.role(in: movie) ?? "" }),
      (.init("Title"), { track, _, _ in track.title ?? "" }),
    ]
    // A column that is empty for all tracks is omitted, because it would only widen the table.
    let usedColumns = columns.filter { column in tracks.contains { !column.1($0, $1, $2).isEmpty } }
    var table = TextTable(usedColumns.map(\.0))
    for (track, details, media) in tracks { table.add(usedColumns.map { $0.1(track, details, media) }) }
    return table.lines
  }

  // MARK: - Menus

  private func menus(_ movie: Movie) -> [String] {
    movie.mediaSelectionGroups.flatMap { group -> [String] in
      // Players show a video menu only for several video tracks.
      guard group.kind != .visual || group.options.count > 1 else { return [] }
      let defaultOption = group.defaultOption
      var table = TextTable([.init(""), .init("")])
      if group.allowsEmptySelection { table.add(["Off", defaultOption == nil ? "default" : ""]) }
      for option in group.options {
        var parts = ["track \(option.trackID)"]
        if option == defaultOption { parts.append("default") }
        if let partner = option.forcedPartner { parts.append("forced subtitles in track \(partner)") }
        if let obstacle = option.obstacle { parts.append("not in the menus of Apple's players: \(obstacle)") }
        table.add([option.displayName, parts.joined(separator: ", ")])
      }
      for track in movie.tracks where group.kind == .legible && track.isHidden(in: group) {
        table.add([
          "(\(track.displayName), forced only)", "track \(track.id), shown automatically if subtitles are off",
        ])
      }
      let number = group.alternateGroup == 0 ? "" : " (group \(group.alternateGroup))"
      return section(group.kind.title + number, Array(table.lines.dropFirst()))
    }
  }

  // MARK: - A broken file

  /// The largest number of lines for atoms that is shown without `--atoms`.
  private static let atomLineLimit = 200

  private func atoms(_ layout: FileLayout) -> [String] {
    let listing = AtomListing(layout, depth: nil)
    var lines = [listing.headLine]
    var omittedCount = 0
    let movieAtom = layout.first("moov")?.range
    listing.forEachRow(tree: { $0.range == movieAtom ? brokenTree : nil }) { row in
      if lines.count < Self.atomLineLimit { lines.append(listing.line(of: row)) } else { omittedCount += 1 }
    }
    return omittedCount == 0 ? lines : lines + ["… and \(omittedCount) more; --atoms lists all atoms"]
  }
}

extension MovieReport.MovieAtomPlace {
  /// A short description of the position.
  var description: String {
    switch self {
    case .first: "movie atom before the media (fast start)"
    case .last: "movie atom after the media"
    case .between: "movie atom between media"
    case .alone: "no media in this file"
    }
  }
}

extension MovieReport.Editing {
  fileprivate func description(ofFile file: String) -> String {
    let salvage = "movtool remux \(ShellWord.path(file)) -o OUT --salvage writes the intact samples"
    if let refusal { return "not possible: \(refusal.reason)" + (canSalvage ? "; " + salvage : "") }
    if needsNewFile { return "only to a new file (-o OUT), because the recording is cut off; \(salvage)" }
    guard let inPlaceBlocker else { return "in place" }
    return "the file is rewritten and replaced: \(inPlaceBlocker)"
      + (canAppend ? "; --append edits the file in place" : "")
  }
}

extension MediaSelectionGroup.Kind {
  fileprivate var title: String {
    switch self {
    case .visual: "Video menu"
    case .audible: "Audio menu"
    case .legible: "Subtitle menu"
    }
  }
}

extension Track {
  /// Whether the track belongs to the menu but players do not list it, as for forced-only subtitles.
  fileprivate func isHidden(in group: MediaSelectionGroup) -> Bool {
    mediaType.isLegible && containsOnlyForcedSubtitles && alternateGroup == group.alternateGroup
  }

  /// The distinct sample formats.
  var distinctFormats: [FourCC] { formats.withoutRepetition }
}

/// The text output of `inspect --layout`: the positions of atoms and media in the file.
extension MovieReport {
  /// The lines of the text output of `inspect --layout`.
  var layoutLines: [String] {
    guard let layout else { return [] }
    let use = mediaUse
    var table = TextTable([.init("offset", .right), .init("bytes", .right), .init("atom"), .init("contents")])
    for atom in layout.atoms {
      table.add([
        String(atom.range.offset), String(atom.range.count), atom.type.description, Self.description(atom, movie, use),
      ])
    }
    if let trailing = layout.trailing {
      table.add([
        String(trailing.offset), String(trailing.count), "", "not an atom: \(layout.trailingDefect?.reason ?? "")",
      ])
    }
    if let leftover = layout.leftoverFreeSpace {
      table.add([String(leftover.offset), String(leftover.count), "free", "left by an interrupted edit"])
    }
    var lines = table.lines
    if let place = movieAtomPlace { lines += ["", "Layout        " + place.description] }
    if let interleaving { lines.append("Interleaving  " + Self.description(interleaving)) }
    if movie?.isFragmented ?? false, layout.first("moof") != nil {
      lines.append("Interleaving  not measured: samples are in fragments")
    }
    return lines
  }

  private static func description(_ atom: FileLayout.TopLevelAtom, _ movie: Movie?, _ use: MediaUse?) -> String {
    if let declaredByteCount = atom.claimedByteCount {
      return "cut off: the header declares \(declaredByteCount) bytes"
    }
    switch atom.type {
    case "mdat": return mediaWords(atom, use)
    case "moov":
      guard let movie, movie.movieAtom == atom else { return "a movie atom" }
      return movie.tracks.count == 1
        ? "the movie atom with 1 track" : "the movie atom with \(movie.tracks.count) tracks"
    case "uuid": return "a vendor's: " + (atom.userType.map(MovieReport.uuid) ?? "without a type")
    default: return atomPurposes[atom.type] ?? "unknown"
    }
  }

  private static func mediaWords(_ atom: FileLayout.TopLevelAtom, _ use: MediaUse?) -> String {
    guard let use else { return "media data" }
    let ids = use.trackIDs(in: atom)
    var description = "media data"
    if !ids.isEmpty {
      description += (ids.count == 1 ? " of track " : " of tracks ") + ids.map(String.init).joined(separator: ", ")
    }
    let unreferenced = use.unreferencedByteCount(in: atom)
    if unreferenced > 0 {
      description +=
        "; \(unreferenced == 1 ? "1 byte that no sample refers to" : "\(unreferenced) bytes that no sample refers to")"
    }
    return description
  }

  private static func description(_ distance: InterleavingDistance) -> String {
    guard let first = distance.trackIDs.first, let last = distance.trackIDs.last else {
      return "in order"
    }
    let tracks = first == last ? "track \(first)" : "tracks \(first) and \(last)"
    return "distance: \(distance.description) (\(tracks))"
  }

  /// Descriptions of top-level atoms.
  private static let atomPurposes: [FourCC: String] = [
    "ftyp": "the brands", "styp": "the brands of a segment", "free": "free space", "skip": "free space",
    "wide": "space for a 64-bit size of the next atom", "meta": "metadata of the file",
    "moof": "the sample tables of a fragment",
    "mfra": "an index of the fragments", "sidx": "an index of segments", "ssix": "an index of subsegments",
    "prft": "the clock of the producer", "emsg": "an event", "pdin": "hints for progressive download",
    "udta": "user data",
    "idat": "data of items", "pnot": "a reference to a preview", "PICT": "a preview picture",
  ]
}

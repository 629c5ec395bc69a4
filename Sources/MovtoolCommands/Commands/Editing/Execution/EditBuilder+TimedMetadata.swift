import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// A track of timed metadata that was added from a file.
  struct AddedTimedMetadata {
    /// The path of the file as the user wrote it.
    let file: String
    let trackID: UInt32
    /// The number of written groups, without gaps.
    let groupCount: Int
    /// The common time range of a route and the movie, or `nil` for other metadata.
    let commonTimes: Range<Int64>?
  }

  /// Adds the groups of a file. Each track of a JSON file becomes a track.
  mutating func add(_ request: TimedMetadataRequest, in context: Context) throws {
    try requireTypeWithTimedMetadata()
    var bytes: Bytes
    do {
      bytes = try context.contents(ofOther: request.file, "timed metadata")
    } catch {
      throw Self.refusal(of: request.name, error, in: context)
    }
    let described = try request.referent.ids(among: edit.tracks)
    if let order = UTF16ByteOrder(markOf: bytes) {
      bytes = Bytes(DecodedText(utf16: bytes.dropFirst(2).array[...], order).utf8)
    }
    let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    guard first == UInt8(ascii: "<") || isJSON || !request.file.lowercased().hasSuffix(".gpx") else {
      throw ToolError(
        .badData, code: SubtitleError.Code.gpx.rawValue, file: request.name,
        first == nil ? "the file is empty, so it is not GPX" : "the file is not GPX: it does not begin with <")
    }
    guard first == UInt8(ascii: "<") else {
      if let option = request.routeOption {
        throw UsageError(.conflict, "--\(option) requires a GPX file, but \(request.name) is not one")
      }
      let tracks: [[TimedMetadataGroup]]
      do {
        tracks = try TimedItemsFile(bytes, named: request.name).tracks
      } catch {
        throw Self.refusal(of: request.name, error, containing: bytes, in: context)
      }
      guard !tracks.isEmpty else {
        throw ToolError(.badData, code: "timed-items", file: request.name, "the file contains no items")
      }
      for groups in tracks { try add(groups, of: request, describing: described, commonTimes: nil) }
      return
    }
    let route: GPXRoute
    do {
      route = try GPXRoute(bytes.array)
    } catch {
      throw Self.refusal(of: request.name, error, in: context)
    }
    if route.repeatedPointCount > 0 {
      let isSingle = route.repeatedPointCount == 1
      warnings.append(
        Warning(
          code: "repeated-point", file: request.name,
          message: "\(counted(route.repeatedPointCount, "point")) \(isSingle ? "is" : "are") omitted, because "
            + "\(isSingle ? "it" : "each") has the date of another point"))
    }
    try add(route, of: request, describing: described)
  }

  /// Throws if the type of the edited movie does not allow timed metadata.
  func requireTypeWithTimedMetadata() throws(ToolError) {
    guard let refusal = edit.timedMetadataRefusal else { return }
    var error = ToolError(refusal, in: movie)
    error.hint = "-o FILE.mp4 writes an MP4 file, which can contain timed metadata"
    throw error
  }

  /// Returns the error about a file that is not JSON or GPX. If it contains subtitles or a movie, a hint names the
  /// command for them.
  private static func refusal(
    of file: String, _ error: any Error, containing bytes: Bytes = Bytes(), in context: Context
  ) -> ToolError {
    var refusal = ToolError(error, about: file)
    guard refusal.exitCode == .badData, refusal.hint == nil else { return refusal }
    do throws(SubtitleError) {
      _ = try SubtitleFile.read(bytes.array, named: file, limits: context.limits.subtitles)
      refusal.hint = "these are subtitles; to add them, use movtool add-subtitle"
      return refusal
    } catch {
      // The file contains no subtitles, but it may be a movie.
    }
    guard file != "standard input" else { return refusal }
    do {
      _ = try Movie(of: context.open(file), limits: context.limits.movie)
      refusal.hint = "this is a movie; to copy its tracks, omit --metadata"
    } catch {
      return refusal  // The file is not a movie, so its own error is reported.
    }
    return refusal
  }

  private mutating func add(
    _ route: GPXRoute, of request: TimedMetadataRequest, describing described: [UInt32]?
  ) throws {
    guard let movieStart = request.start ?? edit.movie.recordingStart else {
      throw UsageError(
        .missingOperand, "\(movie) has no creation date; specify the date at which it starts with --start DATE")
    }
    // Moving the route to later times has the same effect as an earlier start of the movie.
    let start = movieStart - Double(request.offset?.milliseconds ?? 0) / 1_000
    let end = try edit.timedMetadataEnd()
    let seconds = (route.secondsSince1970.lowerBound - start, route.secondsSince1970.upperBound - start)
    let movieSeconds = Double(end) / 1_000_000
    guard seconds.0 < movieSeconds, seconds.1 >= 0 else {
      func range(_ first: Double, _ last: Double) -> String {
        UTCText.text(secondsSince1970: first) + " to " + UTCText.text(secondsSince1970: last)
      }
      throw ToolError(
        .badData, code: "no-overlap", file: request.name,
        "the route and the movie have no common time: \(request.offset == nil ? "" : "shifted by --offset, ")"
          + "the route lasts from " + range(movieStart + seconds.0, movieStart + seconds.1) + ", the movie from "
          + range(movieStart, movieStart + movieSeconds)
          + (request.start == nil ? edit.movie.recordingStartNote.map { "; " + $0 } ?? "" : " (--start)"),
        hint: "--start sets the date at which the movie starts, and --offset shifts the route")
    }
    let addedCount = addedMetadata.count
    // The start and the end are inside the movie and in order, so neither the conversion nor the range can fail.
    func microseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1_000_000).rounded()) }
    let commonTimes = microseconds(max(0, seconds.0))..<microseconds(min(movieSeconds, seconds.1))
    do {
      let groups = try route.groups(startingAt: start, lasting: end, rate: request.rate)
      try add(groups, of: request, describing: described, commonTimes: commonTimes)
    } catch {
      throw Self.explanation(of: error, about: request.name)
    }
    let outsideCount = route.outsidePointCount(startingAt: start, lasting: end)
    // A route whose track already exists is not written at all.
    if outsideCount > 0, addedMetadata.count > addedCount {
      notes.append(
        EditNotice(
          .timedMetadata, trackID: addedMetadata.last?.trackID,
          "\(counted(outsideCount, "point")) of \(request.name) outside the movie \(outsideCount == 1 ? "is" : "are") "
            + "omitted"))
    }
  }

  private mutating func add(
    _ groups: [TimedMetadataGroup], of request: TimedMetadataRequest, describing described: [UInt32]?,
    commonTimes: Range<Int64>?
  ) throws {
    // Compare the identifiers of all items only if the policy depends on them.
    let matches = request.existingTrackPolicy == .keep ? [] : tracksWithIdentifiers(of: groups)
    let isGap = groups.allSatisfy(\.items.isEmpty)
    switch request.existingTrackPolicy {
    case .keep: break
    case .skip:
      if let first = matches.first {
        notes.append(
          EditNotice(
            .nothingToDo, trackID: first.id,
            "timed metadata of \(request.name) is skipped: track \(first.id) has "
              + (isGap ? "no identifiers either" : "the same identifiers")))
        return
      }
    case .replace:
      // Tracks that contain only gaps are equal, so any of them may be replaced.
      guard matches.count <= 1 || isGap else {
        throw UsageError(
          .ambiguous,
          "tracks \(matches.map { String($0.id) }.joined(separator: ", ")) have the identifiers of \(request.name); "
            + "remove one of them")
      }
      if matches.isEmpty {
        notes.append(
          EditNotice(
            .nothingToDo, trackID: nil,
            isGap
              ? "--replace has no effect on gaps of \(request.name): every metadata track has identifiers"
              : "--replace has no effect: no track has the identifiers of \(request.name)"))
      }
    }
    do {
      // A new track that replaces a track describes the same tracks as the replaced track.
      let replaced = request.existingTrackPolicy == .replace ? matches.first : nil
      let id: UInt32
      do {
        id = try edit.addTimedMetadata(groups, describing: described ?? replaced.map { $0.references["cdsc"] ?? [] })
      } catch let error as MovieError where error.code == .invalidEdit {
        // The described tracks exist, so the groups of the file are the cause.
        throw ToolError(.badData, code: "timed-items", file: request.name, error.reason)
      }
      if let replaced { try removeTracks([replaced.id]) }
      addedMetadata.append(
        AddedTimedMetadata(
          file: request.name, trackID: id,
          groupCount: edit.tracks.first { $0.id == id }?.timedGroupCount ?? 0, commonTimes: commonTimes))
    } catch {
      throw Self.explanation(of: error, about: request.name)
    }
  }

  /// Returns the tracks of boxed metadata that declare exactly the identifiers of the groups. If all groups are gaps,
  /// the tracks declare no identifiers.
  private func tracksWithIdentifiers(of groups: [TimedMetadataGroup]) -> [EditedTrack] {
    let identifiers = Set(groups.lazy.flatMap(\.items).map(\.identifier))
    return edit.tracks.filter { track in
      guard let entries = track.old?.sampleDescriptions.entries, !entries.isEmpty,
        entries.allSatisfy({ $0.format == "mebx" })
      else { return false }
      let keys = entries.flatMap(\.timedMetadataKeys)
      // Ignore the keys of fields (`fiel`), because fields are parts of structured items.
      return Set(keys.lazy.map(\.identifier).filter { $0.space.rawValue != "fiel" }) == identifiers
    }
  }

  /// Makes copied metadata tracks describe the requested tracks.
  mutating func describe(_ referent: MetadataReferent) throws {
    guard let described = try referent.ids(among: edit.tracks) else { return }
    let copies = importedTracks.compactMap { track($0) }.filter { $0.mediaType == .metadata }
    guard !copies.isEmpty else {
      throw UsageError(.conflict, "--describes requires a metadata track, but none is added")
    }
    for copy in copies {
      do {
        try edit.setDescribedTracks(described, of: copy.id)
      } catch {
        throw Self.explanation(of: error, about: movie)
      }
    }
  }
}

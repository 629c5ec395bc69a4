import MovieBox
import MovieWriter

/// The list of tracks with timed metadata that `timed` prints. Only sample descriptions are read, and no samples.
struct TimedListing {
  private let files: [String]

  init(_ files: [String]) {
    self.files = files
  }

  /// Prints the tracks of each file. If a file is unreadable, continues with the next file. The exit code is the code
  /// of the first failure, or 1 if no file contains timed metadata.
  func show(asJSON: Bool, in context: Context) throws -> ExitCode {
    var exitCode: ExitCode?
    var isEmpty = true
    let places = try ManyMovies(files, in: context).entries
    func read(_ place: ManyMovies.Entry) throws -> (tracks: [TimedMetadataTrack], failure: ToolError?) {
      try context.checkStop()
      do {
        if let problem = place.problem { throw problem }
        let source = try context.open(place.path)
        let tracks: [TimedMetadataTrack]
        do {
          tracks = try Movie(of: source, limits: context.limits.movie).timedMetadataTracks(from: source)
        } catch let error as MovieError where error.code == .notAMovie {
          // A media segment is not a movie, but it may contain timed events.
          guard let events = try TimedMetadataTrack.events(ofSegment: source) else { throw error }
          tracks = [events]
        }
        if !tracks.isEmpty { isEmpty = false }
        return (tracks, nil)
      } catch {
        let failure = try ToolError.blaming(place.path, for: error)
        if exitCode == nil { exitCode = failure.exitCode }
        return ([], failure)
      }
    }
    if asJSON {
      try context.printJSON { json in
        try json.array("files") { json in
          for place in places {
            let (tracks, failure) = try read(place)
            json.object { json in
              json.member("file", place.path)
              json.objects("tracks", of: tracks) { $0.write(to: &$1) }
              json.object("error", of: failure) { $0.write(to: &$1) }
            }
          }
        }
      }
    } else {
      for (index, place) in places.enumerated() {
        if places.count > 1 { try context.print((index > 0 ? [""] : []) + [place.path + ":"]) }
        let (tracks, failure) = try read(place)
        if let failure { try context.report(failure, asJSON: false) } else { try context.print(Self.lines(tracks)) }
      }
    }
    return exitCode ?? (isEmpty ? .no : .done)
  }

  private static func lines(_ tracks: [TimedMetadataTrack]) -> [String] {
    guard !tracks.isEmpty else { return ["no timed metadata"] }
    return tracks.flatMap { track -> [String] in
      var lines = [track.line]
      for key in track.keys {
        let words = [key.typeDescription, key.language?.description].compactMap { $0 }.joined(separator: ", ")
        lines.append("  \(key.identifier)" + (words.isEmpty ? "" : "  \(words)"))
      }
      return lines + track.declaredIdentifiers.map { "  \($0)" }
    }
  }
}

extension TimedMetadataTrack {
  /// The track in one line.
  fileprivate var line: String {
    var words = [format + (formatName.map { " (\($0))" } ?? "")]
    if !describedTrackIDs.isEmpty {
      let tracks = describedTrackIDs.map(String.init).joined(separator: ", ")
      words.append("describes track\(describedTrackIDs.count == 1 ? "" : "s") \(tracks)")
    }
    let noun = trackID == nil ? "event" : "sample"
    words.append("\(sampleCount) \(noun)\(sampleCount == 1 ? "" : "s")")
    if let microseconds {
      words.append("\(TimedText.seconds(microseconds.lowerBound)) to \(TimedText.seconds(microseconds.upperBound))")
    }
    return (trackID.map { "track \($0): " } ?? "between fragments: ") + words.joined(separator: ", ")
  }

  /// Writes the members of the track's object.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("id", trackID)
    json.member("format", format)
    json.member("sampleCount", sampleCount)
    json.member("startMicroseconds", microseconds?.lowerBound)
    json.member("endMicroseconds", microseconds?.upperBound)
    json.array("describes") { json in for id in describedTrackIDs { json.value(id) } }
    json.objects("keys", of: keys) { key, json in
      json.member("identifier", key.identifier.description)
      json.member("type", key.typeDescription)
      json.member("typeCode", key.typeCode)
      json.member("language", key.language?.description)
    }
    json.array("identifiers") { json in for identifier in declaredIdentifiers { json.value(identifier.description) } }
  }
}

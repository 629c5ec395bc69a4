import MovieBox
import MovieWriter

/// The list of a track's samples that `inspect --samples` prints, including samples of fragments.
///
/// The output is written in batches, so that the list of a long track requires little memory.
struct SampleListing {
  private let track: Track
  private let samples: FragmentedTrack
  /// For each sample description, whether its samples are in another file.
  private let areExternal: [Bool]
  private let offsetWidth: Int
  private let numberWidth: Int

  /// Finds the track that the selector matches and reads the headers of its fragments.
  init(_ selector: TrackSelector, of movie: Movie, _ source: any RandomAccessSource) throws {
    let id = try selector.track(among: movie.tracks.map { EditedTrack($0) }, kind: "track", option: "samples").id
    guard let track = movie.track(id), let samples = try movie.readFragments(of: source).track(id) else {
      throw MovieError(.malformed, in: "moov", "two tracks have the ID \(id)")
    }
    (self.track, self.samples) = (track, samples)
    areExternal = track.externalDescriptions
    offsetWidth = max(6, String(movie.layout.identity.byteCount).utf8.count)
    numberWidth = max(6, String(samples.sampleCount).utf8.count)
  }

  /// Calls `body` with the lines, up to 1000 at a time.
  func forEachBatch(_ body: ([String]) throws -> Void) throws {
    let format = track.formats.first.map { ", \($0)" } ?? ""
    var lines = [
      "track \(track.id), \(track.mediaType.name)\(format): \(samples.sampleCount) samples, "
        + "\(track.mediaTimeScale) ticks per second; times are media times, before edits",
      line(["sample", "decoded", "composed", "duration", "offset", "size", "sync", "description"]),
    ]
    for sample in samples.samples {
      lines.append(
        line([
          String(sample.index + 1), seconds(decodeTime(sample)), seconds(compositionTime(sample)),
          seconds(Int64(sample.duration)), sample.byteRange.map { String($0.offset) } ?? "?",
          sample.byteRange.map { String($0.count) } ?? "?", sample.isSync ? "sync" : "",
          String(sample.sampleDescriptionIndex) + (isExternal(sample) ? ", in another file" : ""),
        ]))
      guard lines.count >= 1000 else { continue }
      try body(lines)
      lines.removeAll(keepingCapacity: true)
    }
    try body(lines)
  }

  /// Returns the decode time in ticks from the start of the media. It is negative for the encoder's priming samples in
  /// the first fragment.
  private func decodeTime(_ sample: Sample) -> Int64 {
    Int64(clamping: sample.decodeTime).addingClamped(-Int64(clamping: samples.ticksBeforeStart))
  }

  private func compositionTime(_ sample: Sample) -> Int64 {
    sample.presentationTime.addingClamped(-Int64(clamping: samples.ticksBeforeStart))
  }

  private func isExternal(_ sample: Sample) -> Bool {
    let index = Int(sample.sampleDescriptionIndex) - 1  // Stored indices begin at 1.
    return areExternal.indices.contains(index) && areExternal[index]
  }

  private func line(_ cells: [String]) -> String {
    let widths = [numberWidth, 12, 12, 10, offsetWidth, 9, 4]
    let padded = zip(cells, widths).map { cell, width in
      String(repeating: " ", count: max(0, width - cell.utf8.count)) + cell
    }
    return (padded + cells.dropFirst(widths.count)).joined(separator: "  ")
  }

  /// Returns ticks as seconds, rounded down to the microsecond.
  private func seconds(_ ticks: Int64) -> String {
    guard track.mediaTimeScale > 0 else { return "?" }
    let (seconds, rest) = ticks.magnitude.quotientAndRemainder(dividingBy: UInt64(track.mediaTimeScale))
    let fraction = String(1_000_000 + rest * 1_000_000 / UInt64(track.mediaTimeScale)).dropFirst()
    return (ticks < 0 ? "-" : "") + "\(seconds).\(fraction)"
  }

  /// Writes the members of the file's object. Calls `flush` whenever 64 KiB have been written.
  func write(to json: inout JSONWriter, _ flush: (inout JSONWriter) throws -> Void) throws {
    json.member("track", track.id)
    json.member("timeScale", track.mediaTimeScale)
    json.member("sampleCount", samples.sampleCount)
    try json.array("samples") { json throws in
      for sample in samples.samples {
        json.object { json in
          json.member("number", sample.index + 1)
          json.member("decodeTime", decodeTime(sample))
          json.member("compositionTime", compositionTime(sample))
          json.member("duration", sample.duration)
          json.member("offset", sample.byteRange?.offset)
          json.member("byteCount", sample.byteRange?.count)
          json.member("isSync", sample.isSync)
          json.member("description", sample.sampleDescriptionIndex)
          json.member("isExternal", isExternal(sample))
        }
        if json.bytes.count > 1 << 16 { try flush(&json) }
      }
    }
  }
}

import Subtitles

extension Movie {
  /// Reads the time code of the movie's start from its time code track (QTFF "Timecode Media").
  ///
  /// This is the first time code track to which the main picture refers, or else the first one. Its edit list may begin
  /// later than its media. The result is the time code's time of day in milliseconds: hours, minutes and seconds as they
  /// are displayed, and the fraction of a second that its frame number is. It is `nil` if the movie has no time code.
  ///
  /// Throws the errors of the source, and ``MovieError`` if the track is malformed.
  package func startTimecodeMilliseconds(from source: some RandomAccessSource) throws -> Int64? {
    let tracks = tracks.filter { $0.mediaType == .timecode }
    let referenced = mainPicture?.referenced("tmcd") ?? []
    guard let track = tracks.first(where: { referenced.contains($0.id) }) ?? tracks.first,
      let sample = track.samples.samples.first(where: { _ in true }),
      let index = Int(exactly: sample.sampleDescriptionIndex), index > 0,
      index <= track.sampleDescriptions.entries.count
    else { return nil }
    let path = tree.path(of: track.atom)
    let description: TimecodeDescription
    do throws(MovieError) {
      description = try TimecodeDescription(track.sampleDescriptions.entries[index - 1])
    } catch {
      throw MovieError(error.code, in: path + "/mdia/minf/stbl/stsd", error.reason)
    }
    // A counter counts frames of a tape and has no time of day.
    guard !description.isCounter else { return nil }
    guard let range = sample.byteRange, range.count >= 4, let first = ByteRange(offset: range.offset, count: 4) else {
      throw MovieError(
        .malformed, in: path, "the first time code has \(sample.byteRange?.count ?? 0) bytes instead of 4")
    }
    guard range.end <= (try source.identity().byteCount) else {
      throw MovieError(.truncated, at: range.offset, in: path, "the first time code is past the end of the file")
    }
    let bytes = try source.readExactly(first)
    guard let number = bytes.load(at: 0, as: Int32.self) else { return nil }
    let skipped = description.frameCount(
      ofMediaTicks: max(0, track.presentationStartInMediaTicks), timeScale: track.mediaHeader.timeScale)
    return Timecode.milliseconds(
      ofFrame: Int64(number).addingClamped(skipped), framesPerSecond: Int64(description.framesPerSecond),
      dropsFrames: description.dropsFrames)
  }
}

/// The fields of a time code sample description (QTFF "Timecode Sample Description").
private struct TimecodeDescription {
  /// Whether the first frame numbers of most minutes are skipped.
  let dropsFrames: Bool
  /// Whether samples count frames instead of the time.
  let isCounter: Bool
  /// The number of frames in a nominal second, above 0.
  let framesPerSecond: UInt8
  private let timeScale: UInt32
  private let frameDuration: UInt32

  init(_ entry: SampleEntry) throws(MovieError) {
    var reader = ByteReader(entry.body)
    _ = try reader.readBytes(4)
    let flags = try reader.read(UInt32.self)
    (dropsFrames, isCounter) = (flags & 1 != 0, flags & 8 != 0)
    timeScale = try reader.read()
    frameDuration = try reader.read()
    framesPerSecond = try reader.read()
    guard entry.format == "tmcd", timeScale > 0, frameDuration > 0, framesPerSecond > 0 else {
      throw MovieError(
        .malformed,
        "the time code description is invalid: format \(entry.format), time scale \(timeScale), frame duration "
          + "\(frameDuration), frames per second \(framesPerSecond)"
      )
    }
  }

  /// Returns the number of frames in a duration of the media.
  func frameCount(ofMediaTicks ticks: Int64, timeScale mediaTimeScale: UInt32) -> Int64 {
    guard mediaTimeScale > 0 else { return 0 }
    return Int64(
      clamping: Int128(ticks) * Int128(timeScale) / (Int128(mediaTimeScale) * Int128(frameDuration)))
  }
}

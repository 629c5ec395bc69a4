import Subtitles

/// The time code at the start of a movie.
package struct StartTimecode: Hashable, Sendable {
  /// The time of day in milliseconds: the displayed hours, minutes and seconds, and the frame number as a fraction of a
  /// second.
  package let milliseconds: Int64
  /// Whether time codes keep pace with real time. They do if frame numbers are drop-frame or the frame rate is a whole
  /// number.
  package let keepsRealTime: Bool
}

extension Movie {
  /// Reads the time code of the movie's start from its time code track (QTFF "Timecode Media"). Returns `nil` if the
  /// movie has no time code.
  ///
  /// The method reads the first time code track to which the main picture refers, or else the first time code track.
  /// If the track's edit list begins after the start of the media, the result includes the skipped frames.
  ///
  /// Throws the errors of the source, and ``MovieError`` if the track is malformed.
  package func startTimecode(from source: some RandomAccessSource) throws -> StartTimecode? {
    let tracks = tracks.filter { $0.mediaType == .timecode }
    let referenced = mainPicture?.referenced("tmcd") ?? []
    guard let track = tracks.first(where: { referenced.contains($0.id) }) ?? tracks.first,
      let sample = track.samples.samples.first(where: { _ in true }),
      let index = Int(exactly: sample.sampleDescriptionIndex), index > 0,
      index <= track.sampleDescriptions.entries.count
    else { return nil }
    let path = tree.path(of: track.atom)
    let entry = track.sampleDescriptions.entries[index - 1]
    guard entry.format == "tmcd", let format = TimecodeFormat(entry), format.timeScale > 0, format.frameDuration > 0
    else {
      throw MovieError(
        .malformed, in: path + "/mdia/minf/stbl/stsd",
        "the description of the time code is too short, has a format other than tmcd, or declares no frame rate")
    }
    // Return `nil` for a counter, because it counts frames of a tape and has no time of day.
    guard !format.isCounter else { return nil }
    guard let range = sample.byteRange, range.count >= 4, let first = ByteRange(offset: range.offset, count: 4) else {
      throw MovieError(
        .malformed, in: path, "the first time code has \(sample.byteRange?.count ?? 0) bytes instead of 4")
    }
    guard range.end <= (try source.identity().byteCount) else {
      throw MovieError(.truncated, at: range.offset, in: path, "the first time code is past the end of the file")
    }
    let bytes = try source.readExactly(first)
    guard let number = bytes.load(at: 0, as: Int32.self) else { return nil }
    let skipped = format.frameCount(
      ofMediaTicks: max(0, track.presentationStartInMediaTicks), timeScale: track.mediaHeader.timeScale)
    let milliseconds = Timecode.milliseconds(
      ofFrame: Int64(number).addingClamped(skipped), framesPerSecond: format.framesPerSecond,
      dropsFrames: format.dropsFrames)
    return StartTimecode(milliseconds: milliseconds, keepsRealTime: format.keepsRealTime)
  }
}

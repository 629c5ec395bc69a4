import MovieBox
import MovieWriter
import Subtitles

/// Text beside the picture: the cues of a track as segments of WebVTT.
struct TextRendition: Sendable {
  /// What the playlist says of it; without group and path.
  let rendition: MultivariantPlaylist.Rendition
  /// The track whose cues these are; `nil` for those of a file.
  let trackID: UInt32?
  /// The words that its folder is named for.
  let folderWords: [String?]
  /// What stands before the cues of every segment, but the first line.
  private let header: String
  private let cues: [Block]

  /// A cue as it is written; the same bytes in each segment that it is shown in, for players tell repeated cues by
  /// their words.
  private struct Block: Hashable, Sendable {
    let start: Int64
    let end: Int64
    let bytes: [UInt8]
  }

  /// The cues of a file.
  init(
    _ file: SubtitleFile, as rendition: MultivariantPlaylist.Rendition, folder words: [String?],
    styles: [StreamOptions.Style], trackID: UInt32? = nil
  ) {
    self.rendition = rendition
    self.trackID = trackID
    folderWords = words
    let source = file.webVTT.flatMap { $0.matching(file.cues) }.flatMap { $0.canStandInFile ? $0 : nil }
    let whole = source?.header ?? WebVTTHeader(of: file.cues).text ?? ""
    header =
      String(whole.drop { $0 != "\n" }.dropFirst())
      + styles.map { "\nSTYLE\n::cue(.\($0.name)) { \($0.declaration) }\n" }.joined()
    var seen: Set<Block> = []
    var identifiers: Set<String> = []
    var blocks: [Block] = []
    for (index, cue) in file.cues.enumerated() {
      // What is never shown is not written: players stumble over such cues.
      guard cue.endMilliseconds > max(0, cue.startMilliseconds), !cue.text.isEmpty else { continue }
      var words =
        source?.cues[index]
        ?? WebVTTSource.CueSource(
          settings: String(cue.placement.webVTTSettings.dropFirst()),
          text: String(decoding: cue.text.webVTT, as: UTF8.self),
          startMilliseconds: cue.startMilliseconds)
      let identifier = words.identifier
      words.identifier = ""
      func block() -> Block {
        let written = WebVTTWriter.write([cue], WebVTTSource(header: "", cues: [words]))
        return Block(start: cue.startMilliseconds, end: cue.endMilliseconds, bytes: written.bytes)
      }
      let nameless = block()
      guard seen.insert(nameless).inserted else { continue }
      // Of two cues with one identifier players drop the second.
      guard !identifier.isEmpty, identifiers.insert(identifier).inserted else {
        blocks.append(nameless)
        continue
      }
      words.identifier = identifier
      blocks.append(block())
    }
    cues = blocks.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  /// What a person should know of cues that nobody sees, as the presentation begins later; `nil` where there are none.
  func noticeOfEarlyCues(_ times: PresentationTimeline) -> String? {
    let start = times.milliseconds(times.boundaries[0]).roundedDown
    let count = cues.count { $0.end <= start }
    guard count > 0 else { return nil }
    let owner = trackID.map { " of track \($0)" } ?? ""
    return "\(count) of \(cues.count) cues\(owner) end before the presentation begins, at "
      + "\(timeText(milliseconds: start)), and are never shown"
  }

  /// A notice that counts the cues after the end of picture and sound, or `nil` if there are none.
  func noticeOfLateCues(_ times: PresentationTimeline) -> String? {
    guard let last = times.boundaries.last else { return nil }
    let end = times.milliseconds(last).roundedUp
    let count = cues.count { $0.start >= end }
    guard count > 0 else { return nil }
    let owner = trackID.map { " of track \($0)" } ?? ""
    return "\(count) of \(cues.count) cues\(owner) begin after picture and sound end, at "
      + "\(timeText(milliseconds: end)), and are never shown"
  }

  /// The segments of these times, each a whole file. A cue is in every segment that it is shown in; one before the
  /// programme is in the first, one after it in the last.
  ///
  /// - Parameters:
  ///   - times: those of the programme, or some of them.
  ///   - delay: how much later times of media are than those of the movie, in ticks of 90 kHz.
  ///   - limit: so many bytes are left; those of the segments are taken off.
  func segments(_ times: PresentationTimeline, delay: UInt64, limit: inout Int) throws(MovieError) -> [Bytes] {
    let inner = times.boundaries.dropFirst().dropLast().map { times.milliseconds($0) }
    var cuesBySegment: [[Int]] = Array(repeating: [], count: times.segmentCount)
    for (index, cue) in cues.enumerated() {
      var number = inner.partitioningIndex { $0.roundedUp > cue.start }
      cuesBySegment[number].append(index)
      while number < inner.count, cue.end > inner[number].roundedDown {
        number += 1
        cuesBySegment[number].append(index)
        try take(cue.bytes.count, from: &limit)
      }
    }
    let start = "WEBVTT\n\(TimestampMap.line(from: delay))\n" + header
    var segments: [Bytes] = []
    for indices in cuesBySegment {
      var bytes = Array(start.utf8)
      for index in indices { bytes += cues[index].bytes }
      // GStreamer reads a cue when a blank line ends it, and not at the end of a segment.
      bytes.append(UInt8(ascii: "\n"))
      try take(bytes.count, from: &limit)
      segments.append(Bytes(bytes))
    }
    return segments
  }

  /// The segments as files of a folder, and the playlist that names them.
  func files(
    in folder: String, _ times: PresentationTimeline, delay: UInt64, limit: inout Int
  ) throws(MovieError) -> (files: [StreamPlan.File], playlist: MediaPlaylist) {
    var files: [StreamPlan.File] = []
    var segments: [MediaPlaylist.Segment] = []
    for (index, bytes) in try self.segments(times, delay: delay, limit: &limit).enumerated() {
      let name = "segment-\(index + 1).vtt"
      files.append(StreamPlan.File("\(folder)/\(name)", .text, "text/vtt", bytes))
      segments.append(
        MediaPlaylist.Segment(
          place: MediaPlaylist.Place(path: name), byteCount: UInt64(bytes.count),
          microseconds: times.microseconds(ofBoundary: index + 1) - times.microseconds(ofBoundary: index)))
    }
    return (files, MediaPlaylist(.text, segments: segments))
  }

  private func take(_ byteCount: Int, from limit: inout Int) throws(MovieError) {
    limit -= byteCount
    guard limit >= 0 else {
      throw MovieError(.limit, "the segments of text have more bytes than the limit allows: cues that last too long")
    }
  }
}

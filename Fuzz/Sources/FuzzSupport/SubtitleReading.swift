public import MovieBox
import MovieWriter
import Subtitles

/// Reads any bytes as a SubRip file, and adds the cues to a movie.
public func readSubRip(_ bytes: Bytes) {
  read(bytes) { try SubRipReader.read(SubtitleText($0, encoding: $1, limits: textLimits), limits: textLimits) }
}

/// Reads any bytes as a WebVTT file, and adds the cues to a movie.
public func readWebVTT(_ bytes: Bytes) {
  read(bytes) { try WebVTTReader.read(SubtitleText($0, encoding: $1, limits: textLimits), limits: textLimits) }
}

private func read(_ input: Bytes, _ body: ([UInt8], TextEncoding?) throws -> SubtitleFile) {
  let bytes = Array(input)
  attempt("subtitle file") { try SubtitleFile.read(bytes, named: "film.vtt", limits: textLimits) }
  for encoding in [TextEncoding.utf8, .windows1252] { attempt("encoded subtitles") { try body(bytes, encoding) } }
  guard let file = attempt("subtitles", { try body(bytes, nil) }) else { return }
  attempt("joined subtitles") { try SubtitleFile.read(bytes, partMilliseconds: 600_000, limits: textLimits) }
  consume(file.unrolled().cues.map(\.text.text))
  consume(file.notices.map(\.description))
  consume(SubtitleNotice.summary(of: file.notices))
  for written in [SubRipWriter.write(file.cues), WebVTTWriter.write(file.cues, file.webVTT)] {
    attempt("written subtitles") { try SubtitleFile.read(written.bytes, limits: textLimits) }
  }
  add(file, .tx3g)
  if file.webVTT != nil { add(file, .webVTT) }
}

/// Adds the cues to a movie, and checks that the new track is readable.
private func add(_ file: SubtitleFile, _ format: SubtitleTrackFormat) {
  let source = MemorySource(Bytes(textMovie(TextKind.timedText, entry: TextKind.timedText.entry, samples: [[0, 0]])))
  let plan = attempt("adding cues") {
    var edit = try MovieEdit(of: Movie(of: source))
    var input = SubtitleInput(cues: file.cues)
    input.format = format
    input.webVTT = file.webVTT
    input.namesVoices = true
    _ = try edit.addSubtitles(input)
    return try edit.outputPlan()
  }
  guard let plan else { return }
  let output = PlannedSource(plan, of: source)
  require("reading added cues") {
    let movie = try Movie(of: output)
    guard let track = movie.tracks.last else { fault("no track was added") }
    writeText(try TextTrackReader(track, of: movie).read(from: output))
  }
}

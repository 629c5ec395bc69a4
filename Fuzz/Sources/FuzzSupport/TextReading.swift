import MovieBox
import MovieWriter
import Subtitles

/// Limits that are low enough for fast fuzzing.
let textLimits: SubtitleLimits = {
  var limits = SubtitleLimits()
  limits.cueCount = 5_000
  limits.noticeCount = 200
  limits.sampleByteCount = 4 << 20
  return limits
}()

/// Reads the text of a track like a player, and writes it as subtitle files.
func writeText(_ text: TextTrack) {
  consume(text.notices.map(\.description))
  consume(text.inexpressibleNotices)
  let output = LegibleOutput(text)
  for shown in output.prefix(200) {
    consume((shown.text, shown.linePositionInPercent))
    consume(output.texts(atMilliseconds: shown.startMilliseconds))
    consume(output.nextChange(afterMilliseconds: shown.endMilliseconds))
  }
  for written in [SubRipWriter.write(text.cues), WebVTTWriter.write(text.cues, text.webVTT)] {
    attempt("written subtitles") { try SubtitleFile.read(written.bytes, limits: textLimits) }
  }
}

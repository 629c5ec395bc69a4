import MovieBox
import MovieWriter
import Subtitles

/// Bounds that let a fuzzer go through many small inputs.
let textLimits: SubtitleLimits = {
  var limits = SubtitleLimits()
  limits.cueCount = 5_000
  limits.noticeCount = 200
  limits.sampleByteCount = 4 << 20
  return limits
}()

/// Hands the text of a track on to whoever wants it: players, and writers of subtitle files.
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

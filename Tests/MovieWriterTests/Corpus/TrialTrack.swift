import SubtitleTestSupport
import MovieBox
import MovieWriter
import Subtitles

/// A subtitle track for movies of any length.
struct TrialTrack: Sendable {
  /// An expected sample. An empty text is a gap.
  struct Piece: Equatable {
    let start: UInt64
    let end: UInt64
    let text: String
  }

  let tag: String
  /// The expected language code in `mdhd`.
  let code: String
  /// The expected tag in `elng`, or `nil` if the atom must be absent.
  let extendedTag: String?
  let texts: [String]

  static let english = TrialTrack(
    tag: "en", code: "eng", extendedTag: nil, texts: ["[door creaks]", "Who is there?", "♪ slow piano ♪"])
  static let french = TrialTrack(
    tag: "fr-CA", code: "fra", extendedTag: "fr-CA", texts: ["[la porte grince]", "Qui est là ?", "♪ piano ♪"])

  /// Returns the expected samples for a movie of this length, which cover it without gaps.
  func pieces(movieMilliseconds end: UInt64) -> [Piece] {
    if end == 0 { return [] }
    if end < 10 { return [Piece(start: 0, end: end, text: texts[0])] }
    let bounds = [0, 1, 3, 5, 7, 9, 10].map { end / 10 * $0 + end % 10 * $0 / 10 }
    let texts = ["", self.texts[0], self.texts[1], "", self.texts[2], ""]
    return texts.indices.map { Piece(start: bounds[$0], end: bounds[$0 + 1], text: texts[$0]) }
  }

  func input(movieMilliseconds end: UInt64) -> SubtitleInput {
    let shown = pieces(movieMilliseconds: end).filter { !$0.text.isEmpty }
    var input = SubtitleInput(
      cues: shown.map {
        Cue(startMilliseconds: Int64($0.start), endMilliseconds: Int64($0.end), text: StyledText($0.text))
      }, language: LanguageTag(tag), title: nil)
    input.mediaCharacteristics = MediaCharacteristic.sdh
    return input
  }
}

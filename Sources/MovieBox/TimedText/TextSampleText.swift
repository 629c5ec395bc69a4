package import Subtitles

/// Tells what samples of one sample description say, whatever format of text they are in.
package struct TextSampleText: Sendable {
  private let decoder: TextSampleDecoder

  /// Reads samples of this description of `track`; `nil` where the format is no text that is known here.
  ///
  /// Descriptions of QuickTime text have no font size: sizes are in percent of `fontSize` there. Throws when the
  /// description is damaged.
  package init?(_ entry: SampleEntry, of track: Track, fontSize: UInt8) throws(MovieError) {
    guard let decoder = try TextSampleDecoder(entry, of: track, for: .conversion(fontSize: fontSize)) else {
      return nil
    }
    self.decoder = decoder
  }

  /// The text of a sample, several cues as lines one after the other; `nil` for one that shows nothing. `problem` is
  /// what could not be read, in words.
  package func read(_ sample: Bytes) -> (text: StyledText?, problem: String?) {
    let answer = decoder.decode(sample, atMilliseconds: 0)
    guard let first = answer.shown.first?.text else { return (nil, answer.problem) }
    guard answer.shown.count > 1 else { return (first, answer.problem) }
    var text = ""
    var runs: [StyledText.Run] = []
    for shown in answer.shown {
      if !text.isEmpty { text += "\n" }
      let start = text.unicodeScalars.count
      runs += shown.text.runs.map {
        StyledText.Run($0.range.lowerBound + start..<$0.range.upperBound + start, $0.style)
      }
      text += shown.text.text
    }
    return (StyledText(text, checkedRuns: runs), answer.problem)
  }
}

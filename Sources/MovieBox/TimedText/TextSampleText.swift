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

  /// The text of a sample.
  package struct Reading {
    /// The text, several cues as lines one after the other, or `nil` if the sample shows nothing.
    package let text: StyledText?
    /// What could not be read, in words.
    package let problem: String?
    /// The place in the text of each character of the stored text, and of its end; `nil` if all have their place.
    package let places: [Int]?
  }

  /// Reads a sample.
  package func read(_ sample: Bytes) -> Reading {
    let answer = decoder.decode(sample, atMilliseconds: 0)
    func reading(_ text: StyledText?) -> Reading {
      Reading(text: text, problem: answer.problem, places: answer.places)
    }
    guard let first = answer.shown.first?.text else { return reading(nil) }
    guard answer.shown.count > 1 else { return reading(first) }
    var text = ""
    var runs: [StyledText.Run] = []
    var start = 0  // In code points, as runs count.
    for shown in answer.shown {
      if !text.isEmpty {
        text += "\n"
        start += 1
      }
      runs += shown.text.runs.map {
        StyledText.Run($0.range.lowerBound + start..<$0.range.upperBound + start, $0.style)
      }
      text += shown.text.text
      start += shown.text.text.unicodeScalars.count
    }
    return reading(StyledText(text, checkedRuns: runs))
  }
}

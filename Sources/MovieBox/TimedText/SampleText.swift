// The texts of samples, whatever their format. `TextSampleText` chooses the decoder by the sample description.

package import Subtitles

/// One of the texts that a sample of a text track shows: none in a gap, one in most formats, several in WebVTT.
struct ShownText: Hashable {
  var text: StyledText
  var placement = CuePlacement.standard
  var isForced = false
  /// The name by which WebVTT knows a cue again in the next sample.
  var sourceID: UInt32?
  /// The sample as WebVTT. `start` is the lead of the clock of times in the text over that of the media.
  var webVTT: WebVTTSource.CueSource?
}

/// The text of a sample, and a description of its unreadable parts.
struct SampleText {
  var shown: [ShownText] = []
  var problem: String?
  /// The new position of each character of the stored text, and of its end, or `nil` if no character moved.
  var places: [Int]?
}

/// Turns the samples of one sample description into texts.
enum TextSampleDecoder {
  /// The purpose for which texts are read.
  enum Purpose {
    /// To be shown: what would not be visible is, as writers leave zeros in fields that they do not use.
    case display
    /// To be written in another format: font sizes of QuickTime text, whose descriptions have none, are in percent of
    /// `fontSize`, transparent text stays so, and line breaks around the text stay, because links count them.
    case conversion(fontSize: UInt8)
  }

  case timedText(Tx3gDecoder)
  case quickTime(QuickTimeTextDecoder)
  case webVTT(WebVTTSampleDecoder)

  /// The decoder for samples of this description of `track`; `nil` where the format is no text that is known here.
  ///
  /// Throws when the description is damaged.
  init?(_ entry: SampleEntry, of track: Track, for purpose: Purpose = .display) throws(MovieError) {
    let fontSize: UInt8? = if case .conversion(let fontSize) = purpose { fontSize } else { nil }
    switch entry.format {
    case _ where entry.holdsTimedText:
      // FFmpeg writes such chapters as `text`, whose samples are QuickTime's: an `encd` says so.
      var decoder = Tx3gDecoder(try Tx3gDescription(payload: entry.body), entry.format, track)
      decoder.isForConversion = fontSize != nil
      self = .timedText(decoder)
    case "text":
      self = .quickTime(QuickTimeTextDecoder(QuickTimeTextDescription(entryBody: entry.body), fontSize: fontSize))
    case "wvtt":
      self = .webVTT(WebVTTSampleDecoder(entryBody: entry.body))
    default: return nil
    }
  }

  /// The texts of a sample, which begins at this time of its media. Never fails: what cannot be read is reported.
  func decode(_ sample: Bytes, atMilliseconds start: Int64) -> SampleText {
    switch self {
    case .timedText(let decoder): decoder.decode(sample)
    case .quickTime(let decoder): decoder.decode(sample)
    case .webVTT(let decoder): decoder.decode(sample, atMilliseconds: start)
    }
  }

  /// The header of a WebVTT file with the words of the samples.
  var webVTTHeader: String? {
    if case .webVTT(let decoder) = self { decoder.header } else { nil }
  }
}

extension SampleText {
  /// The text of a `tx3g` or `text` sample: UTF-16 after a byte order mark, else as `fallback` decodes what is not
  /// UTF-8.
  static func string(_ bytes: Bytes, fallback: TextEncoding) -> (text: String, replacementCount: Int) {
    if let order = UTF16ByteOrder(markOf: bytes) {
      let text = DecodedText(utf16: bytes.array.dropFirst(2), order)
      return (String(decoding: text.utf8, as: UTF8.self), text.replacementCount)
    }
    if let text = String(validating: bytes, as: UTF8.self) { return (text, 0) }
    let decoded = fallback.decode(bytes.array[...])
    return (String(decoding: decoded?.utf8 ?? [], as: UTF8.self), decoded?.replacementCount ?? bytes.count)
  }

  /// The text of a sample that is written in another format, or `nil` if it shows nothing. Blanks show nothing unless
  /// the sample has a link.
  static func converted(_ text: StyledText, of sample: Tx3gSample) -> StyledText? {
    if text.text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) { return text }
    return !text.isEmpty && sample.boxes.contains { $0.type == "href" } ? text : nil
  }

  /// The text without line breaks around it, and its runs moved along; `nil` for one that shows nothing.
  static func trimmed(_ text: StyledText) -> StyledText? {
    // Most texts begin and end with a letter or sign of ASCII.
    if let first = text.text.utf8.first, let last = text.text.utf8.last, Ascii.isVisible(first), Ascii.isVisible(last) {
      return text
    }
    let scalars = Array(text.text.unicodeScalars)
    guard let first = scalars.firstIndex(where: { $0 != "\n" }), let last = scalars.lastIndex(where: { $0 != "\n" }),
      scalars.contains(where: { !$0.properties.isWhitespace })
    else { return nil }
    guard first > 0 || last < scalars.count - 1 else { return text }
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: scalars[first...last])
    let runs = text.runs.compactMap { run -> StyledText.Run? in
      let range = run.range.clamped(to: first..<last + 1)
      return range.isEmpty ? nil : StyledText.Run(range.lowerBound - first..<range.upperBound - first, run.style)
    }
    return StyledText(String(kept), checkedRuns: runs)
  }
}

/// Reads the samples of one sample description, whatever their format.
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
    /// A description of the unreadable parts.
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

/// Types of boxes that are not known, for a message: a file may have more of them than anybody reads.
package struct UnknownBoxTypes: Sendable, CustomStringConvertible {
  /// The number of types that a message names.
  private static let namedCount = 9
  /// The first ones in the order of the file, one more than are named.
  private var first: [FourCC] = []

  package init() {}

  package var isEmpty: Bool { first.isEmpty }

  package mutating func insert(_ type: FourCC) {
    if first.count <= Self.namedCount, !first.contains(type) { first.append(type) }
  }

  package mutating func formUnion(_ others: Self) {
    for type in others.first { insert(type) }
  }

  /// The first of them, for a list.
  package var description: String {
    let names = first.prefix(Self.namedCount).map(\.description) + (first.count > Self.namedCount ? ["…"] : [])
    return "unknown boxes (\(names.joined(separator: ", ")))"
  }
}

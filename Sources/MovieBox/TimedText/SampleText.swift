// The texts of samples in all text formats. `TextSampleDecoder` selects the decoder by the sample description.
//
// Samples of all formats are decoded to styled texts, so that reading, conversion and validation do not depend on the
// format.

package import Subtitles

/// A text that a sample shows. A sample shows no text in a gap, one text in most formats, and several in WebVTT.
struct ShownText: Hashable {
  var text: StyledText
  var placement = Cue.Placement.standard
  var isForced = false
  /// The ID by which WebVTT recognizes a cue in consecutive samples.
  var sourceID: UInt32?
  /// The WebVTT source of the text. Its `startMilliseconds` is the difference between the times in the text and the
  /// media times.
  var webVTT: WebVTTSource.CueSource?
}

/// The decoded texts of a sample, and a description of the bytes that could not be decoded.
struct SampleText {
  var shown: [ShownText] = []
  var problem: String?
  /// For each stored character and for the end of the text, the position in the decoded text. The value is `nil` if no
  /// position changed.
  var decodedPositions: [Int]?
}

/// Decodes the samples of one sample description.
enum TextSampleDecoder {
  /// The purpose of decoding a text.
  enum Purpose {
    /// The text is for display. Text that is invisible only because of unused fields becomes visible.
    case display
    /// The text is for conversion to another format. Transparency and surrounding line breaks are kept, because the
    /// offsets of links include the line breaks. QuickTime text descriptions contain no font size, so sizes are in
    /// percent of `fontSize`.
    case conversion(fontSize: UInt8)
  }

  case timedText(Tx3gDecoder)
  case quickTime(QuickTimeTextDecoder)
  case webVTT(WebVTTSampleDecoder)
  /// Closed captions. Their samples are decoded together (``CaptionSampleReader``).
  case captions

  /// Creates the decoder for the samples of a description, or returns `nil` if the format is not a supported text
  /// format.
  ///
  /// Throws if the description is malformed.
  init?(_ entry: SampleEntry, of track: Track, for purpose: Purpose = .display) throws(MovieError) {
    let fontSize: UInt8? = if case .conversion(let fontSize) = purpose { fontSize } else { nil }
    switch entry.format {
    case _ where entry.isTimedText:
      // FFmpeg writes chapters as `text` entries with a tx3g description. Their samples are QuickTime text and
      // contain `encd`.
      var decoder = Tx3gDecoder(try Tx3gDescription(payload: entry.body), entry.format, track)
      decoder.isForConversion = fontSize != nil
      self = .timedText(decoder)
    case "text":
      self = .quickTime(QuickTimeTextDecoder(QuickTimeTextDescription(entryBody: entry.body), fontSize: fontSize))
    case "wvtt":
      self = .webVTT(WebVTTSampleDecoder(entryBody: entry.body))
    case "c608", "c708":
      guard fontSize == nil else { return nil }
      self = .captions
    default: return nil
    }
  }

  /// Decodes the texts of a sample. `start` is its media time. Reports unreadable bytes in the result instead of
  /// throwing.
  func decode(_ sample: Bytes, atMilliseconds start: Int64) -> SampleText {
    switch self {
    case .timedText(let decoder): decoder.decode(sample)
    case .quickTime(let decoder): decoder.decode(sample)
    case .webVTT(let decoder): decoder.decode(sample, atMilliseconds: start)
    case .captions: SampleText()
    }
  }

  /// The header of the WebVTT source, or `nil` for other formats.
  var webVTTHeader: String? {
    if case .webVTT(let decoder) = self { decoder.header } else { nil }
  }
}

extension SampleText {
  /// Decodes the text of a `tx3g` or `text` sample. Text after a byte order mark is UTF-16. Other text is UTF-8 if it
  /// is valid UTF-8, or has the encoding `fallback` otherwise.
  static func string(_ bytes: Bytes, fallback: TextEncoding) -> (text: String, replacementCount: Int) {
    if let order = UTF16ByteOrder(markOf: bytes) {
      let text = DecodedText(utf16: bytes.array.dropFirst(2), order)
      return (String(decoding: text.utf8, as: UTF8.self), text.replacementCount)
    }
    if let text = String(validating: bytes, as: UTF8.self) { return (text, 0) }
    let decodedText = fallback.decode(bytes.array[...])
    return (String(decoding: decodedText?.utf8 ?? [], as: UTF8.self), decodedText?.replacementCount ?? bytes.count)
  }

  /// Returns the text for conversion to another format, or `nil` if it shows nothing. A text that consists of blanks is
  /// kept only if the sample contains a link.
  static func converted(_ text: StyledText, of sample: Tx3gSample) -> StyledText? {
    if text.text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) { return text }
    return !text.isEmpty && sample.boxes.contains { $0.type == "href" } ? text : nil
  }

  /// Returns the text without surrounding line breaks and with adjusted runs, or `nil` if it shows nothing.
  static func trimmed(_ text: StyledText) -> StyledText? {
    // Most texts begin and end with a visible ASCII character, so there is nothing to remove.
    if let first = text.text.utf8.first, let last = text.text.utf8.last, Ascii.isVisible(first), Ascii.isVisible(last) {
      return text
    }
    let scalars = Array(text.text.unicodeScalars)
    guard let first = scalars.firstIndex(where: { $0 != "\n" }), let last = scalars.lastIndex(where: { $0 != "\n" }),
      scalars.contains(where: { !$0.properties.isWhitespace })
    else { return nil }
    guard first > 0 || last < scalars.count - 1 else { return text }
    var keptScalars = String.UnicodeScalarView()
    keptScalars.append(contentsOf: scalars[first...last])
    let runs = text.runs.compactMap { run -> StyledText.Run? in
      let range = run.range.clamped(to: first..<last + 1)
      return range.isEmpty ? nil : StyledText.Run(range.lowerBound - first..<range.upperBound - first, run.style)
    }
    return StyledText(String(keptScalars), checkedRuns: runs)
  }
}

/// Decodes the samples of one sample description for conversion.
package struct ConversionTextDecoder: Sendable {
  private let decoder: TextSampleDecoder

  /// Creates a decoder for the samples of a description, or returns `nil` if the format is not a supported text format.
  ///
  /// QuickTime text descriptions contain no font size, so sizes are in percent of `fontSize`. Throws if the
  /// description is malformed.
  package init?(_ entry: SampleEntry, of track: Track, fontSize: UInt8) throws(MovieError) {
    guard let decoder = try TextSampleDecoder(entry, of: track, for: .conversion(fontSize: fontSize)) else {
      return nil
    }
    self.decoder = decoder
  }

  /// The decoded text of a sample.
  package struct Reading {
    /// The text, or `nil` if the sample shows nothing. Several cues are on consecutive lines.
    package let text: StyledText?
    /// A description of the bytes that could not be decoded, or `nil` if there are none.
    package let problem: String?
    /// For each stored character and for the end of the text, the position in the decoded text. The value is `nil` if
    /// no position changed.
    package let decodedPositions: [Int]?
  }

  package func read(_ sample: Bytes) -> Reading {
    let decodedSample = decoder.decode(sample, atMilliseconds: 0)
    func reading(_ text: StyledText?) -> Reading {
      Reading(text: text, problem: decodedSample.problem, decodedPositions: decodedSample.decodedPositions)
    }
    guard let first = decodedSample.shown.first?.text else { return reading(nil) }
    guard decodedSample.shown.count > 1 else { return reading(first) }
    var text = ""
    var runs: [StyledText.Run] = []
    var start = 0  // The start is in code points, like the ranges of runs.
    for shown in decodedSample.shown {
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

/// The types of unknown boxes, for a message. The number of types is limited, because a file may contain many.
package struct UnknownBoxTypes: Sendable, CustomStringConvertible {
  /// The maximum number of types in a message.
  private static let namedCount = 9
  /// The first types in file order. If the array has more than `namedCount` elements, the last element only indicates
  /// that there are further types.
  private var first: [FourCC] = []

  package init() {}

  package var isEmpty: Bool { first.isEmpty }

  package mutating func insert(_ type: FourCC) {
    if first.count <= Self.namedCount, !first.contains(type) { first.append(type) }
  }

  package mutating func formUnion(_ others: Self) {
    for type in others.first { insert(type) }
  }

  /// A list of the first types.
  package var description: String {
    let names = first.prefix(Self.namedCount).map(\.description) + (first.count > Self.namedCount ? ["…"] : [])
    return "unknown boxes (\(names.joined(separator: ", ")))"
  }
}

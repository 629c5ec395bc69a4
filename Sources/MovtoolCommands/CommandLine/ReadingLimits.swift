import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// The limits for input files: the defaults of the libraries, changed by `--limits`.
struct ReadingLimits: Sendable {
  var movie = MovieLimits()
  var subtitles = SubtitleLimits()
  var stream = StreamLimits()

  /// A limit, with the name by which users set it.
  struct Limit: Sendable {
    let name: String
    /// The limited quantity, for help.
    let meaning: String
    /// The lowest allowed value.
    var least: UInt64 = 0
    /// The highest allowed value.
    var largest = UInt64(Int64.max)
    let value: @Sendable (ReadingLimits) -> UInt64
    let set: @Sendable (inout ReadingLimits, UInt64) -> Void

    init(_ name: String, _ field: any WritableKeyPath<ReadingLimits, UInt64> & Sendable, _ meaning: String) {
      (self.name, self.meaning) = (name, meaning)
      value = { $0[keyPath: field] }
      set = { $0[keyPath: field] = $1 }
    }

    init(
      _ name: String, _ field: any WritableKeyPath<ReadingLimits, Int> & Sendable, least: UInt64 = 0,
      largest: Int = .max, _ meaning: String
    ) {
      (self.name, self.meaning, self.least) = (name, meaning, least)
      self.largest = UInt64(clamping: largest)
      value = { UInt64(clamping: $0[keyPath: field]) }
      set = { $0[keyPath: field] = Int(clamping: $1) }
    }
  }

  /// All limits, in the order of help.
  static let all: [Limit] = [
    Limit("movie-bytes", \.movie.movieByteCount, "bytes of the movie atom"),
    Limit("inflated-bytes", \.movie.inflatedByteCount, "bytes of the movie atom after decompression"),
    Limit("fragment-bytes", \.movie.fragmentByteCount, "bytes of all moof atoms"),
    Limit("atoms", \.movie.atomCount, "atoms inside the movie atom"),
    Limit("top-level-atoms", \.movie.topLevelAtomCount, "top-level atoms of a file"),
    // Some functions are recursive, so a tree with more than 256 levels could exhaust the stack.
    Limit("depth", \.movie.depth, largest: 256, "atoms inside atoms"),
    Limit("empty-samples", \.movie.implicitSampleCount, "fragment samples with neither media bytes nor a table entry"),
    // The lowest limit is 1, because with a limit of 0, no violation of a rule would be found.
    Limit(
      "defects", \.movie.defectCount, least: 1,
      "findings of each rule, and tolerated defects of a movie atom"),
    Limit("compared-chunks", \.movie.comparedChunkCount, "chunks compared with each other by validate"),
    Limit("text-bytes", \.movie.textByteCount, "bytes of subtitles read by validate"),
    Limit("text-samples", \.movie.textSampleCount, "samples of subtitles examined by validate"),
    Limit("file-bytes", \.subtitles.fileByteCount, "bytes of a subtitle file"),
    Limit("cues", \.subtitles.cueCount, "cues of a subtitle file or track"),
    Limit("sample-bytes", \.subtitles.sampleByteCount, "bytes of all samples of a subtitle track"),
    Limit("style-rules", \.subtitles.styleRuleCount, "style rules and regions of a subtitle file"),
    Limit("notices", \.subtitles.noticeCount, "notices about one subtitle file"),
    Limit("movie-milliseconds", \.subtitles.movieMilliseconds, "longest movie for added subtitles, in milliseconds"),
    Limit("streamed-samples", \.stream.sampleCount, "samples of one track in a presentation of hls"),
    Limit("streamed-segments", \.stream.segmentCount, "segments of all tracks in a presentation of hls"),
    Limit("streamed-fragments", \.stream.fragmentCount, "fragments of all tracks in a presentation of hls"),
    Limit("streamed-cues", \.stream.cueCount, "cues in a presentation of hls; forced cues count twice"),
    Limit("streamed-text-bytes", \.stream.textByteCount, "bytes of all subtitle segments in a presentation of hls"),
  ]

  /// Creates the defaults.
  init() {}

  /// Creates the defaults, changed by a list such as `cues=400000,movie-bytes=2G`.
  init(_ text: String) throws(UsageError) {
    for part in text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmingBlanks) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(Self.trimmingBlanks)
      guard pair.count == 2, let value = ByteQuantity.bytes(pair[1]) else {
        throw UsageError(.invalidValue, "--limits \(part): write NAME=NUMBER; movtool help limits lists the names")
      }
      guard let name = Self.all.first(where: { $0.name == pair[0] }) else {
        let question = Suggestion.clause(
          for: String(pair[0]), among: Self.all.map(\.name), otherwise: "; movtool help limits lists the names")
        throw UsageError(.invalidValue, "--limits \(part): unknown name \(pair[0])\(question)")
      }
      guard value >= name.least else {
        throw UsageError(.invalidValue, "--limits \(part): at least \(name.least)")
      }
      guard value <= name.largest else {
        throw UsageError(.invalidValue, "--limits \(part): at most \(name.largest)")
      }
      name.set(&self, value)
    }
  }

  /// Returns the text without leading and trailing blanks, which users may type inside quotes.
  private static func trimmingBlanks(_ text: Substring) -> Substring {
    let front = text.drop { $0 == " " }
    return front.lastIndex { $0 != " " }.map { front[...$0] } ?? front
  }
}

extension OptionSpec {
  static let limits = OptionSpec(
    "limits", value: "NAME=NUMBER,…", "raise or lower limits; movtool help limits lists them")
}

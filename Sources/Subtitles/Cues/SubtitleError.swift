/// An error in subtitles, with its place.
///
/// Equality serves tests. `description` is the line that a person reads, without the file's name.
public struct SubtitleError: Error, Hashable, Sendable {
  /// The kind of trouble. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name that `--json` shows.
    public let rawValue: String

    /// A code with this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Text in an encoding that is not handled.
    public static let encoding = Code(rawValue: "subtitle-encoding")
    /// A file of another format than is read here.
    public static let format = Code(rawValue: "subtitle-format")
    /// No cue at all.
    public static let noCues = Code(rawValue: "no-cues")
    /// More than a named limit allows; see ``SubtitleLimits``.
    public static let limit = Code(rawValue: "subtitle-limit")
    /// The movie lasts longer than ``SubtitleLimits/movieMilliseconds``.
    public static let movieTooLong = Code(rawValue: "movie-too-long")
    /// A time scale of 0, or a duration that overflows.
    public static let invalidTime = Code(rawValue: "invalid-time")
  }

  /// The kind of trouble.
  public var code: Code
  /// The line of the file, from 1; `nil` where none applies.
  public var line: Int?
  /// The position in the file, in bytes from its start; `nil` where none applies.
  public var offset: UInt64?
  /// One sentence with the names and numbers.
  public var reason: String

  /// An error in `line` at `offset`.
  public init(_ code: Code, line: Int? = nil, at offset: UInt64? = nil, _ reason: String) {
    self.code = code
    self.line = line
    self.offset = offset
    self.reason = reason
  }
}

extension SubtitleError: CustomStringConvertible {
  /// Line, offset and reason: `line 6, byte 212: not UTF-8 …`.
  public var description: String {
    let place = [line.map { "line \($0)" }, offset.map { "byte \($0)" }].compactMap { $0 }
    return place.isEmpty ? reason : place.joined(separator: ", ") + ": " + reason
  }
}

/// Limits for subtitles. Input beyond them is rejected.
///
/// The defaults pass a day of continuous speech many times over.
public struct SubtitleLimits: Hashable, Sendable {
  /// Bytes of a subtitle file. A film of three hours has about 200 KB.
  public var fileByteCount = 16 << 20
  /// Cues of one track. A film has 1 000 to 3 000, a day of speech about 30 000.
  public var cueCount = 200_000
  /// Rules of a file's style sheets, and its regions. Each rule is looked at for each tag; sheets have a dozen.
  public var styleRuleCount = 200
  /// Notices about one file; the rest is counted in a last one, so that junk does not fill the memory.
  public var noticeCount = 10_000
  /// Bytes of text and style records in all samples of one track. Many cues at a time multiply: each change repeats
  /// all that is shown.
  public var sampleByteCount = 64 << 20
  /// The length of a movie in milliseconds: a hundred years. A sample lasts 50 days at most, so that a length that is
  /// no length would make many.
  public var movieMilliseconds: UInt64 = 100 * 366 * 86_400_000

  /// The defaults.
  public init() {}
}

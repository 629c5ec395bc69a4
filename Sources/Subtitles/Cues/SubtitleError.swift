/// An error in subtitles, with its position.
///
/// `description` is the message for the user. It does not contain the file name.
public struct SubtitleError: Error, Hashable, Sendable {
  /// The kind of an error. Later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in the output of `--json`.
    public let rawValue: String

    /// Creates a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The text has an unsupported encoding.
    public static let encoding = Code(rawValue: "subtitle-encoding")
    /// The file has an unsupported format.
    public static let format = Code(rawValue: "subtitle-format")
    /// The file contains no cues.
    public static let noCues = Code(rawValue: "no-cues")
    /// A limit is exceeded. See ``SubtitleLimits``.
    public static let limit = Code(rawValue: "subtitle-limit")
    /// The movie is longer than ``SubtitleLimits/movieMilliseconds``.
    public static let movieTooLong = Code(rawValue: "movie-too-long")
    /// Some bytes of the file violate its format.
    public static let malformed = Code(rawValue: "subtitle-malformed")
    /// A time scale is 0, or a duration overflows.
    public static let invalidTime = Code(rawValue: "invalid-time")
  }

  /// The kind of the error.
  public var code: Code
  /// The line in the file, from 1, or `nil` if the error concerns no particular line.
  public var line: Int?
  /// The offset in the file, in bytes, or `nil` if the error concerns no particular offset.
  public var offset: UInt64?
  /// The reason in one sentence, with names and numbers.
  public var reason: String

  /// Creates an error.
  public init(_ code: Code, line: Int? = nil, at offset: UInt64? = nil, _ reason: String) {
    self.code = code
    self.line = line
    self.offset = offset
    self.reason = reason
  }
}

extension SubtitleError: CustomStringConvertible {
  /// The line, the offset and the reason, such as `line 6, byte 212: not UTF-8 …`.
  public var description: String {
    let position = [line.map { "line \($0)" }, offset.map { "byte \($0)" }].compactMap { $0 }
    return position.isEmpty ? reason : position.joined(separator: ", ") + ": " + reason
  }
}

/// Limits for subtitles. Input beyond these limits is rejected.
///
/// The defaults are many times larger than a day of continuous speech requires.
public struct SubtitleLimits: Hashable, Sendable {
  /// The maximum size of a subtitle file, in bytes. A film of three hours has about 200 KB.
  public var fileByteCount = 16 << 20
  /// The maximum number of cues in a track. A film has 1000 to 3000 cues, and a day of speech has about 30 000.
  public var cueCount = 200_000
  /// The maximum number of style rules in a file, and the maximum number of regions. Each rule is compared with each
  /// tag. Style sheets usually have about a dozen rules.
  public var styleRuleCount = 200
  /// The maximum number of notices about a file. Further notices are only counted. Otherwise, a malformed file could
  /// exhaust memory.
  public var noticeCount = 10_000
  /// The maximum size of text and style records in all samples of a track, in bytes. Overlapping cues increase the
  /// size, because each sample repeats the text of all cues that it shows.
  public var sampleByteCount = 64 << 20
  /// The maximum duration of a movie, in milliseconds. The default is a hundred years. A sample lasts at most 50 days,
  /// so a movie with an invalid duration would require many samples.
  public var movieMilliseconds: UInt64 = 100 * 366 * 86_400_000

  /// Creates the default limits.
  public init() {}
}

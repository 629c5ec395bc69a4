/// Why subtitles cannot be used, and where.
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

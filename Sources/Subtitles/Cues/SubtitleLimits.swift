/// How much of subtitles is taken before they are refused: the one place for such numbers.
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

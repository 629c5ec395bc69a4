/// The source text of a WebVTT file, for tracks that hold WebVTT: more than cues of all formats have.
public struct WebVTTSource: Hashable, Sendable {
  /// The source text of one cue.
  public struct CueSource: Hashable, Sendable {
    /// The line before its times; empty where there is none.
    public var identifier: String
    /// What stands after its times.
    public var settings: String
    /// Its text, with tags.
    public var text: String
    /// When it begins as the file has it, in milliseconds: times in its text count on the same clock.
    public var startMilliseconds: Int64

    /// The source text of a cue.
    public init(identifier: String = "", settings: String = "", text: String, startMilliseconds: Int64) {
      self.identifier = identifier
      self.settings = settings
      self.text = text
      self.startMilliseconds = startMilliseconds
    }
  }

  /// The first line, with what else the header says, and the blocks of styles and regions.
  public var header: String
  /// The cues, in the order of the file's.
  public var cues: [CueSource]

  /// A file of this source text.
  public init(header: String, cues: [CueSource]) {
    self.header = header
    self.cues = cues
  }
}

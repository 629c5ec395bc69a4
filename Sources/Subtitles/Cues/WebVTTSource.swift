/// The source text of a WebVTT file, for tracks that hold WebVTT: more than cues of all formats have.
package struct WebVTTSource: Hashable, Sendable {
  /// The source text of one cue.
  package struct CueSource: Hashable, Sendable {
    /// The line before its times; empty where there is none.
    package var identifier: String
    /// What stands after its times.
    package var settings: String
    /// Its text, with tags.
    package var text: String
    /// When it begins as the file has it, in milliseconds: times in its text count on the same clock.
    package var startMilliseconds: Int64

    /// The source text of a cue.
    package init(identifier: String = "", settings: String = "", text: String, startMilliseconds: Int64) {
      self.identifier = identifier
      self.settings = settings
      self.text = text
      self.startMilliseconds = startMilliseconds
    }
  }

  /// The first line, with what else the header says, and the blocks of styles and regions.
  package var header: String
  /// The cues, in the order of the file's.
  package var cues: [CueSource]

  /// A file of this source text.
  package init(header: String, cues: [CueSource]) {
    self.header = header
    self.cues = cues
  }
}

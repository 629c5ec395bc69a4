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

    /// The cue as it was read: a text or place that was changed since says more than the source text.
    package var readCue: Cue?

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

  /// The source text of a file whose cues are these: those that are as they were read keep their own words, others have
  /// words made of their text and place. `nil` for another number of cues.
  package func matching(_ cues: [Cue]) -> WebVTTSource? {
    guard cues.count == self.cues.count else { return nil }
    var source = self
    for (index, cue) in cues.enumerated() {
      guard let read = self.cues[index].readCue, read.text != cue.text || read.placement != cue.placement else {
        continue
      }
      source.cues[index].settings = String(cue.placement.webVTTSettings.dropFirst())
      source.cues[index].text = String(decoding: cue.text.webVTT, as: UTF8.self)
    }
    return source
  }

  /// Remembers the cues as they were read.
  package mutating func setReadCues(_ cues: [Cue]) {
    guard cues.count == self.cues.count else { return }
    for index in cues.indices { self.cues[index].readCue = cues[index] }
  }
}

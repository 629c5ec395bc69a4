/// The pairs of captions that were read from a movie, which SCC and MCC files can contain without a loss.
package struct CaptionSource: Hashable, Sendable {
  /// The pairs of both fields. The times are frames of line 21, from the start of the movie, and increase.
  package var fields: [[TimedCaptionPair]]
  /// The channel from which the cues were read.
  package var channel: CaptionChannel
  /// The cues as they were read. If a caller has changed them, files contain the changed cues instead of the pairs.
  package var readCues: [Cue]

  /// Creates a source.
  package init(fields: [[TimedCaptionPair]], channel: CaptionChannel, readCues: [Cue]) {
    self.fields = fields
    self.channel = channel
    self.readCues = readCues
  }
}

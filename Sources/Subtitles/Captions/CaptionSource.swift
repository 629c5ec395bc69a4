/// The caption pairs of a caption file or a movie. Caption tracks and caption files store pairs without a loss.
package struct CaptionSource: Hashable, Sendable {
  /// The byte pairs of both fields of line 21, in order of their times. The times are numbers of frames, from the start
  /// of the file or movie.
  package var fields: [[TimedCaptionPair]]
  /// The duration of frames.
  package var rate: CaptionFrameRate
  /// The channel from which the cues were read.
  package var channel: CaptionChannel
  /// The cues that were decoded from the pairs. If a caller changes the cues, the writers of tracks and files use the
  /// changed cues instead of the pairs.
  package var readCues: [Cue]
  /// The maximum distance of a repeated control code from the first code, in multiples of
  /// ``CaptionFrameRate/pairDistance``.
  package var repetitionFrames: Int64
  /// The frames in which the last captions of the channels end in a movie. Captions that no pair erases end with the
  /// media of their track. The dictionary is empty for the pairs of a caption file.
  package var endFrames: [CaptionChannel: Int64] = [:]

  /// Creates a source.
  package init(
    fields: [[TimedCaptionPair]], rate: CaptionFrameRate = .line21, channel: CaptionChannel, readCues: [Cue],
    repetitionFrames: Int64 = 1
  ) {
    self.fields = fields
    self.rate = rate
    self.channel = channel
    self.readCues = readCues
    self.repetitionFrames = repetitionFrames
  }

  /// Returns the pairs of one channel, converted to pairs of CC1. Players offer only channel CC1 of a track.
  ///
  /// The text service of the channel is included. Packets of extended data services (XDS) are omitted.
  package func limited(to channel: CaptionChannel) -> CaptionSource {
    var result = self
    (result.fields, result.channel) = ([[], []], .cc1)
    result.endFrames = endFrames[channel].map { [.cc1: $0] } ?? [:]
    guard channel.field < fields.count else { return result }
    // The data channel of the pairs, or `nil` before the first control code and in XDS packets.
    var isSecond: Bool?
    for timed in fields[channel.field] where !timed.pair.isNull {
      let code = timed.pair.codes.first
      if timed.pair.isControl {
        isSecond = timed.pair.isOfSecondChannel
      } else if channel.field == 1, (0x01...0x0F).contains(code) {
        isSecond = nil
      }
      guard isSecond == channel.isSecond else { continue }
      result.fields[0].append(TimedCaptionPair(time: timed.time, timed.pair.recodedAsCC1, line: timed.line))
    }
    return result
  }

  /// Whether the second pair repeats the control code of the first pair. Both pairs contain data, and no pair with data
  /// is between them.
  package func repeats(_ first: TimedCaptionPair, _ second: TimedCaptionPair) -> Bool {
    let (distance, overflows) = second.time.subtractingReportingOverflow(first.time)
    return !overflows && first.pair == second.pair && first.pair.isControl
      && distance / (repetitionFrames + 1) < rate.pairDistance
  }
}

extension CaptionFrameRate {
  /// The maximum distance in frames between two pairs that directly follow each other. Above 30 frames a second, it is
  /// 2, because each frame contains pairs of one field only.
  package var pairDistance: Int64 { frames > 40 * seconds ? 2 : 1 }
}

extension CaptionPair {
  /// Returns the command that erases the visible rows of a channel (EDM).
  package static func erasingDisplayedMemory(of channel: CaptionChannel) -> CaptionPair {
    CaptionPair(code: (channel.isSecond ? 0x1C : 0x14) + UInt8(clamping: channel.field), 0x2C)
  }

  /// Whether the pair is a command that selects a mode, or shows or erases rows.
  package var changesModeOrScreen: Bool { modeOrScreenChange != nil }

  /// The number of visible rows if the pair is a command that selects roll-up captions (RU2 to RU4), or `nil` for other
  /// pairs.
  package var rollUpRowCount: Int? {
    guard case .rollUp(let depth)? = CaptionCommand(codes.first, codes.second) else { return nil }
    return depth
  }

  /// Whether the pair is a command that moves the rows of roll-up captions up (CR).
  package var isCarriageReturn: Bool { CaptionCommand(codes.first, codes.second) == .carriageReturn }

  /// Whether the pair is a command that erases the rows in hidden memory (ENM).
  package var erasesHiddenRows: Bool { CaptionCommand(codes.first, codes.second) == .eraseNonDisplayedMemory }

  /// Whether the pair contains one or two characters.
  package var containsCharacters: Bool {
    switch CaptionCommand(codes.first, codes.second) {
    case .special, .extended: true
    default: !isControl && codes.first >= 0x20
    }
  }

  /// An effect of a command on the mode or the visible rows.
  package enum ModeOrScreenChange: Hashable, Sendable {
    /// Following characters are loaded into hidden memory (RCL).
    case load
    /// The loaded rows become visible (EOC).
    case show
    /// The visible rows are erased (EDM).
    case erase
    /// Following characters are visible (RDC, RU2 to RU4).
    case write
  }

  /// The effect of the pair on the mode or the visible rows, or `nil` if the pair has no such effect.
  package var modeOrScreenChange: ModeOrScreenChange? {
    switch CaptionCommand(codes.first, codes.second) {
    case .resumeCaptionLoading: .load
    case .endOfCaption: .show
    case .eraseDisplayedMemory: .erase
    case .resumeDirectCaptioning, .rollUp: .write
    default: nil
    }
  }

  /// The pair for channel CC1. Characters, and control codes of CC1 in the first field, are unchanged.
  fileprivate var recodedAsCC1: CaptionPair {
    let (first, second) = codes
    guard isControl else { return self }
    let withoutChannel = first & 0x17
    // In the second field, the first byte of miscellaneous control codes is 0x15 instead of 0x14. Preambles begin with
    // 0x14 or 0x15 in both fields.
    let recoded = withoutChannel == 0x15 && second < 0x40 ? 0x14 : withoutChannel
    return recoded == first ? self : CaptionPair(code: recoded, second)
  }
}

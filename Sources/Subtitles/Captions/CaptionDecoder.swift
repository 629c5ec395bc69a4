/// Decodes the pairs of a field into the screens of its two caption channels (CTA-608-E; 47 CFR 79.101).
///
///     var decoder = CaptionDecoder(field: 0)
///     for pair in pairs { try decoder.receive(pair) }
///     let screens = decoder.screens(of: .cc1)
///
/// A control code that directly repeats the previous control code is ignored, because transmitters send each code
/// twice. A third copy is applied again. In pictures and MCC files, frames without pairs may be between the copies: see
/// `repetitionFrames`. Packets of extended data services (XDS) in the second field are skipped.
package struct CaptionDecoder {
  /// The treatment of bytes whose parity is not odd.
  package enum Parity: Hashable, Sendable {
    /// Parity is ignored, because the bytes come from a file, and some programs write files without parity.
    case ignored
    /// Parity is checked, because the bytes were transmitted. A damaged character becomes a solid block, and a damaged
    /// control code is ignored.
    case checked
  }

  private let field: Int
  private let parity: Parity
  private var channels: (CaptionChannelDecoder, CaptionChannelDecoder)
  /// Whether data belongs to the second channel, or `nil` before the first control code and in XDS packets.
  private var isSecondChannel: Bool?
  /// The last pair, or `nil` if it was not a control code or was ignored as a repetition.
  private var lastControl: CaptionPair?
  /// The time of the last pair with data.
  private var lastTime: Int64?
  /// The minimum distance between two pairs with an empty frame between them.
  private let idleDistance: Int64
  /// If two equal control codes without a pair between them have at least this distance, both are applied.
  private let repetitionEnd: Int64
  /// The faults of each channel after the first control code.
  private var faults = (CaptionFaults(), CaptionFaults())
  /// The faults before the first control code. They count for the channel of this code.
  private var earlyFaults = CaptionFaults()
  /// Whether the first control code belongs to the second channel, or `nil` if there is none.
  private var beginsWithSecondChannel: Bool?

  /// Creates a decoder of a field, 0 or 1. `unitsPerFrame` is the duration of a frame in units of the pairs' times,
  /// rounded down. A control code is a repetition if it equals the previous pair and follows it after at most
  /// `repetitionFrames` frames.
  package init(
    field: Int, unitsPerFrame: Int64 = 1, repetitionFrames: Int64 = 1, parity: Parity = .ignored,
    limits: SubtitleLimits = SubtitleLimits()
  ) {
    self.field = field
    let unit = min(max(unitsPerFrame, 1), 1 << 40)
    idleDistance = 2 * unit
    repetitionEnd = (min(max(repetitionFrames, 1), 1 << 16) + 1) * unit
    self.parity = parity
    channels = (CaptionChannelDecoder(limits), CaptionChannelDecoder(limits))
  }

  /// Processes the next pair. The frames of the pairs must not decrease.
  ///
  /// Throws if the screens exceed a limit.
  package mutating func receive(_ timed: TimedCaptionPair) throws(SubtitleError) {
    // A pair without data is equivalent to a frame without a pair: only the distance of the pairs with data matters.
    guard !timed.pair.isNull else { return }
    if let lastTime {
      let (distance, overflows) = timed.time.subtractingReportingOverflow(lastTime)
      if overflows || distance >= idleDistance { pause() }
      if overflows || distance >= repetitionEnd { lastControl = nil }
    }
    lastTime = timed.time
    let isValid = (CaptionPair.hasOddParity(timed.pair.first), CaptionPair.hasOddParity(timed.pair.second))
    let errorCount = (isValid.0 ? 0 : 1) + (isValid.1 ? 0 : 1)
    if errorCount > 0 {
      let isSecond = timed.pair.isControl ? timed.pair.isOfSecondChannel : isSecondChannel
      changeFaults(ofSecond: isSecond) { $0.parityErrors.add(errorCount, timed.line) }
    }
    let checks = parity == .checked
    let (first, second) = timed.pair.codes
    if timed.pair.isControl {
      guard !checks || errorCount == 0 else {
        lastControl = nil
        return
      }
      try receiveControl(first, second, timed)
    } else if (0x01...0x0F).contains(first) {
      lastControl = nil
      // In the second field, an XDS packet interrupts captions until the next control code of captions.
      if field == 1 { isSecondChannel = nil } else { countIgnoredCode(timed.line) }
    } else {
      lastControl = nil
      let bytes = [(first, isValid.0), (second, isValid.1)]
      for (code, isValid) in bytes where code != 0 || checks && !isValid {
        let scalar = checks && !isValid ? CaptionCharacters.solidBlock : CaptionCharacters.basicCharacter(code)
        guard let scalar else {
          countIgnoredCode(timed.line)
          continue
        }
        try receive(scalar, timed)
      }
    }
  }

  /// Records the last characters of both channels. Call this method after the last pair.
  package mutating func finish() throws(SubtitleError) {
    try channels.0.settle()
    try channels.1.settle()
  }

  /// Returns the screens of a channel, in order of their frames.
  package func screens(of channel: CaptionChannel) -> [CaptionScreen] {
    guard channel.field == field else { return [] }
    return channel.isSecond ? channels.1.screens : channels.0.screens
  }

  /// Returns the faults of a channel, or of both channels for `nil`.
  package func faults(of channel: CaptionChannel?) -> CaptionFaults {
    var result = CaptionFaults()
    guard channel == nil || channel?.field == field else { return result }
    for (isSecond, faults, decoder) in [(false, faults.0, channels.0), (true, faults.1, channels.1)]
    where (channel?.isSecond ?? isSecond) == isSecond {
      result += faults
      result.overwrittenCharacters += decoder.overwritten
      if beginsWithSecondChannel ?? false == isSecond { result += earlyFaults }
    }
    return result
  }

  /// The names of the services that carry characters: caption channels first, then text services.
  package var serviceNames: [String] {
    let names = (CaptionChannel(field: field, isSecond: false), CaptionChannel(field: field, isSecond: true))
    let captions = [channels.0.hasCaptions ? names.0 : nil, channels.1.hasCaptions ? names.1 : nil]
    let texts = [channels.0.hasText ? names.0 : nil, channels.1.hasText ? names.1 : nil]
    return captions.compactMap { $0?.rawValue } + texts.compactMap { $0?.textServiceName }
  }

  private mutating func receiveControl(
    _ first: UInt8, _ second: UInt8, _ timed: TimedCaptionPair
  ) throws(SubtitleError) {
    let plain = CaptionPair(first, second)
    guard plain != lastControl else {
      lastControl = nil
      return
    }
    lastControl = plain
    let isSecond = first & 0x08 != 0
    if isSecond { channels.0.pause() } else { channels.1.pause() }
    isSecondChannel = isSecond
    if beginsWithSecondChannel == nil { beginsWithSecondChannel = isSecond }
    guard let command = CaptionCommand(first, second), command != .ignored else {
      countIgnoredCode(timed.line)
      return
    }
    if isSecond {
      try channels.1.apply(command, timed.time, timed.line)
    } else {
      try channels.0.apply(command, timed.time, timed.line)
    }
  }

  private mutating func receive(_ scalar: Unicode.Scalar, _ timed: TimedCaptionPair) throws(SubtitleError) {
    switch isSecondChannel {
    case true?: try channels.1.write(scalar, timed.time, timed.line)
    case false?: try channels.0.write(scalar, timed.time, timed.line)
    case nil where field == 0: earlyFaults.strayCharacters.add(1, timed.line)
    case nil: break
    }
  }

  /// Records that a frame carries no data.
  private mutating func pause() {
    channels.0.pause()
    channels.1.pause()
  }

  private mutating func countIgnoredCode(_ line: Int) {
    changeFaults(ofSecond: isSecondChannel) { $0.ignoredCodes.add(1, line) }
  }

  /// Changes the faults of a channel. `nil` means that no control code has chosen a channel.
  private mutating func changeFaults(ofSecond isSecond: Bool?, _ change: (inout CaptionFaults) -> Void) {
    switch isSecond ?? beginsWithSecondChannel {
    case true?: change(&faults.1)
    case false?: change(&faults.0)
    case nil: change(&earlyFaults)
    }
  }
}

/// The numbers of faulty bytes, codes and characters of a channel.
package struct CaptionFaults {
  /// A number of bytes, codes or characters, and the line of the first one.
  package struct Tally {
    package private(set) var count = 0
    /// The line in the file, from 1, or 0 if the captions are not from a file.
    package private(set) var firstLine = 0

    mutating func add(_ count: Int, _ line: Int) {
      firstLine = self.count == 0 ? line : min(firstLine, line)
      self.count += count
    }

    static func += (tally: inout Tally, other: Tally) {
      if other.count > 0 { tally.add(other.count, other.firstLine) }
    }
  }

  /// The bytes with even parity.
  package var parityErrors = Tally()
  /// The codes without effect.
  package var ignoredCodes = Tally()
  /// The characters before the first control code of the field. They count for the channel of this code.
  package var strayCharacters = Tally()
  /// The characters that overwrote a character in the last column.
  package var overwrittenCharacters = Tally()

  static func += (faults: inout CaptionFaults, other: CaptionFaults) {
    faults.parityErrors += other.parityErrors
    faults.ignoredCodes += other.ignoredCodes
    faults.strayCharacters += other.strayCharacters
    faults.overwrittenCharacters += other.overwrittenCharacters
  }
}

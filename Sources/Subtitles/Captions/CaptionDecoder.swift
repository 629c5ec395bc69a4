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
  /// The number of bytes with even parity, and the line of the first such byte.
  package private(set) var parityErrors = (count: 0, firstLine: 0)
  /// The number of codes without effect, and the line of the first such code.
  package private(set) var ignoredCodes = (count: 0, firstLine: 0)
  /// The number of characters before the first control code, and the line of the first such character. No channel shows
  /// these characters.
  package private(set) var strayCharacters = (count: 0, firstLine: 0)

  /// The number of characters that overwrote a character in the last column, and the line of the first such character.
  package var overwrittenCharacters: (count: Int, firstLine: Int) {
    let (first, second) = (channels.0.overwritten, channels.1.overwritten)
    return (first.count + second.count, first.count > 0 ? first.firstLine : second.firstLine)
  }

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
    if errorCount > 0 { Self.addOccurrences(errorCount, timed.line, to: &parityErrors) }
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
      if field == 1 { isSecondChannel = nil } else { Self.addOccurrences(1, timed.line, to: &ignoredCodes) }
    } else {
      lastControl = nil
      let bytes = [(first, isValid.0), (second, isValid.1)]
      for (code, isValid) in bytes where code != 0 || checks && !isValid {
        let scalar = checks && !isValid ? CaptionCharacters.solidBlock : CaptionCharacters.basicCharacter(code)
        guard let scalar else {
          Self.addOccurrences(1, timed.line, to: &ignoredCodes)
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
    guard let command = CaptionCommand(first, second), command != .ignored else {
      Self.addOccurrences(1, timed.line, to: &ignoredCodes)
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
    case nil where field == 0: Self.addOccurrences(1, timed.line, to: &strayCharacters)
    case nil: break
    }
  }

  /// Records that a frame carries no data.
  private mutating func pause() {
    channels.0.pause()
    channels.1.pause()
  }

  private static func addOccurrences(_ count: Int, _ line: Int, to found: inout (count: Int, firstLine: Int)) {
    if found.count == 0 { found.firstLine = line }
    found.count += count
  }
}

import Subtitles

/// The visible effect of a pair.
struct CaptionEffect {
  /// The kinds of effects.
  enum Kind {
    /// Nothing changes on the screen.
    case load
    /// The rows disappear.
    case erase
    /// A caption or row appears. If a caption is written while its row is visible, it appears with its first
    /// characters.
    case show
    /// The visible rows change.
    case write
  }

  let kind: Kind
  /// Whether the pair belongs to the second channel of its field.
  let isOfSecondChannel: Bool

  /// Whether the pair may be sent earlier.
  var canBeSentEarlier: Bool { kind == .load || kind == .erase }
}

/// The modes and memories of the two channels of a field, without their characters.
///
/// Its effects show which pairs a viewer notices. Only late captions that a viewer notices are reported.
struct CaptionReceiver {
  private struct Channel {
    /// Whether characters are visible when they arrive. Before the first command, nothing is shown.
    var isWriting = false
    /// Whether the next visible characters begin a caption or row.
    var beginsRow = false
    /// Whether the hidden memory contains characters.
    var hasHiddenText = false
    /// Whether the visible memory contains characters.
    var hasVisible = false
  }

  private var first = Channel()
  private var second = Channel()
  private var isSecond = false

  /// Executes the next pair of the field and returns its effect.
  mutating func receive(_ pair: CaptionPair, isRepetition: Bool) -> CaptionEffect {
    if pair.isControl { isSecond = pair.isOfSecondChannel }
    let kind =
      isSecond
      ? Self.receive(pair, isRepetition: isRepetition, &second)
      : Self.receive(pair, isRepetition: isRepetition, &first)
    return CaptionEffect(kind: kind, isOfSecondChannel: isSecond)
  }

  /// Whether rows of a channel are visible.
  fileprivate func showsRows(ofSecondChannel isOfSecondChannel: Bool) -> Bool {
    isOfSecondChannel ? second.hasVisible : first.hasVisible
  }

  private static func receive(_ pair: CaptionPair, isRepetition: Bool, _ channel: inout Channel) -> CaptionEffect.Kind {
    switch pair.modeOrScreenChange {
    case .load:
      channel.isWriting = false
      return .load
    case .show:
      channel.isWriting = false
      if !isRepetition { swap(&channel.hasHiddenText, &channel.hasVisible) }
      // If no caption is loaded, End Of Caption only hides the visible rows.
      return channel.hasVisible ? .show : .erase
    case .write:
      (channel.isWriting, channel.beginsRow) = (true, true)
      return .write
    case .erase:
      (channel.hasVisible, channel.beginsRow) = (false, true)
      return .erase
    case nil: break
    }
    if pair.erasesHiddenRows { channel.hasHiddenText = false }
    guard channel.isWriting else {
      if pair.containsCharacters { channel.hasHiddenText = true }
      return .load
    }
    if pair.isCarriageReturn { channel.beginsRow = true }
    guard pair.containsCharacters else { return .write }
    defer { channel.beginsRow = false }
    channel.hasVisible = true
    return channel.beginsRow ? .show : .write
  }
}

extension CaptionSource {
  /// Returns the pairs of a field. If no pair erases the last caption of a channel, an erasure is added at the end of the
  /// caption.
  func pairsErasingLastCaptions(ofField field: Int) -> [TimedCaptionPair] {
    var pairs = fields[field]
    guard !endFrames.isEmpty else { return pairs }
    var receiver = CaptionReceiver()
    // The last pair with data, and whether it repeats the control code before it.
    var last: (timed: TimedCaptionPair, isRepetition: Bool)?
    for timed in pairs where !timed.pair.isNull {
      let isRepetition = last.map { !$0.isRepetition && repeats($0.timed, timed) } ?? false
      _ = receiver.receive(timed.pair, isRepetition: isRepetition)
      last = (timed, isRepetition)
    }
    for (channel, end) in endFrames.sorted(by: { $0.value < $1.value })
    where channel.field == field && receiver.showsRows(ofSecondChannel: channel.isSecond) {
      // Insert the erasure before a control code that begins another command, so that no pair of the other channel
      // becomes a pair of this channel.
      var index = pairs.partitioningIndex { $0.time >= end }
      while index < pairs.count,
        !pairs[index].pair.isControl || index > 0 && pairs[index].pair.hasSameCodes(as: pairs[index - 1].pair)
      {
        index += 1
      }
      let first = index > 0 ? max(end, pairs[index - 1].time.addingClamped(1)) : end
      let erasure = CaptionPair.erasingDisplayedMemory(of: channel)
      pairs.insert(
        contentsOf: [first, first.addingClamped(1)].map { TimedCaptionPair(time: $0, erasure) }, at: index)
    }
    return pairs
  }
}

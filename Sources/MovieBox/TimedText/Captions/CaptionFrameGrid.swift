import Subtitles

/// Distributes the pairs of a field over the frames of line 21, which contain one pair each.
///
/// A picture may contain several pairs, and a movie may have an irregular picture rate. Pairs that find no free frame
/// would delay the pairs after them, and captions would appear late. The codes that load a caption are invisible, so
/// they move to earlier frames instead. Codes that change the screen keep their frames unless too few frames are
/// between them.
struct CaptionFrameGrid {
  /// The relation of a pair to the previous pair.
  enum Link {
    case none
    /// The pair continues the previous pair. If rounding leaves one empty frame between them, the pair moves to that
    /// frame, because an empty frame ends a paint-on caption.
    case follower
    /// The pair repeats the control code of the previous pair. Receivers execute a code twice if a gap precedes the
    /// copy.
    case repetition
  }

  /// A pair to be placed.
  struct Element {
    let pair: CaptionPair
    /// The frame that is nearest to the pair's time in the movie.
    let nearestFrame: Int64
    let link: Link
  }

  /// The captions of a channel that appear later on the grid than in the movie.
  struct Delays {
    /// The number of captions.
    fileprivate(set) var count = 0
    /// The longest delay of a caption.
    fileprivate(set) var longestInFrames: Int64 = 0
  }

  /// The maximum number of frames by which an erasure is sent earlier, so that the next caption appears in time. The
  /// time is too short to be noticed.
  static let erasureFrameCount: Int64 = 2

  /// The first frame after the placed pairs.
  private var nextFrame: Int64
  private var receiver = CaptionReceiver()
  /// The delays of the captions of the counted channels.
  private(set) var delays = Delays()

  /// Prepares a grid whose first free frame follows the pairs in `opening`. These pairs load the captions at the start
  /// of a trimmed track.
  init(after opening: [TimedCaptionPair] = []) {
    nextFrame = opening.last.map { $0.time + 1 } ?? 0
    var last: (pair: CaptionPair, isRepetition: Bool)?
    for pair in opening.map(\.pair) {
      let isRepetition = last.map { !$0.isRepetition && pair.isControl && pair.hasSameCodes(as: $0.pair) } ?? false
      _ = receiver.receive(pair, isRepetition: isRepetition)
      last = (pair, isRepetition)
    }
  }

  /// Returns the frame of each element. The frames increase.
  ///
  /// - Parameters:
  ///   - elements: the pairs, in order of their times.
  ///   - counts: whether delays of the first channel (`false`) or second channel (`true`) of the field are counted.
  mutating func frames(of elements: [Element], countingDelays counts: (_ isOfSecondChannel: Bool) -> Bool) -> [Int64] {
    let effects = elements.map { receiver.receive($0.pair, isRepetition: $0.link == .repetition) }
    // For each pair, the latest frame that leaves enough frames for the later pairs up to the next change of the
    // screen. A repetition has no effect of its own, so it may be a frame late.
    var latest = elements.map { $0.link == .repetition ? $0.nearestFrame + 1 : $0.nearestFrame }
    for index in elements.indices.dropLast().reversed() where effects[index].canBeSentEarlier {
      let wanted = min(latest[index], latest[index + 1] - 1)
      latest[index] =
        effects[index].kind == .erase ? max(wanted, latest[index] - Self.erasureFrameCount) : wanted
    }
    return elements.indices.map { index in
      let element = elements[index]
      var frame = max(latest[index], nextFrame)
      switch element.link {
      case .none: break
      case .follower: if frame == nextFrame + 1 { frame = nextFrame }
      case .repetition: frame = nextFrame
      }
      let delay = frame - element.nearestFrame
      if effects[index].kind == .show, element.link != .repetition, delay > CaptionSampleSchedule.toleratedDelay,
        counts(effects[index].isOfSecondChannel)
      {
        delays.count += 1
        delays.longestInFrames = max(delays.longestInFrames, delay)
      }
      nextFrame = frame + 1
      return frame
    }
  }
}

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
    /// Rounding would leave an empty frame between the pairs, and an empty frame ends a paint-on caption.
    case follower
    /// The pair repeats the control code of the previous pair. Receivers execute a code twice if a gap precedes the copy.
    case repetition
  }

  /// A pair to be placed.
  struct Element {
    let pair: CaptionPair
    /// The frame that is nearest to the pair's time in the movie.
    let nearestFrame: Int64
    let link: Link
  }

  /// Captions of a channel that appear later than in the movie.
  struct Delays {
    /// The number of captions.
    fileprivate(set) var count = 0
    /// The longest delay of a caption.
    fileprivate(set) var longestInFrames: Int64 = 0
  }

  /// The maximum number of frames that an erasure moves forward, so that the next caption appears in time. The time is
  /// too short to be noticed.
  private static let erasureFrameCount: Int64 = 2

  /// The first frame after the placed pairs.
  private var nextFrame: Int64
  /// The delays of the captions of the counted channels.
  private(set) var delays = Delays()

  /// Prepares a grid whose first free frame is `nextFrame`.
  init(from nextFrame: Int64) {
    self.nextFrame = nextFrame
  }

  /// Returns the frame of each element. The frames increase.
  ///
  /// - Parameters:
  ///   - elements: the pairs, in order of their times.
  ///   - counts: whether delays of the first channel (`false`) or second channel (`true`) of the field are counted.
  mutating func frames(of elements: [Element], countingDelays counts: (_ isOfSecondChannel: Bool) -> Bool) -> [Int64] {
    // The pairs before the elements may have loaded a caption.
    let effects = Effect.effects(of: elements, isLoaded: nextFrame > 0)
    // The latest frame of each pair from which all later pairs up to the next change of the screen are in time.
    // A repetition has no effect of its own, so it may be a frame late.
    var latest = elements.map { $0.link == .repetition ? $0.nearestFrame + 1 : $0.nearestFrame }
    for index in elements.indices.dropLast().reversed() where effects[index].canMoveForward {
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

  /// The visible effect of a pair.
  private struct Effect {
    enum Kind {
      /// Nothing changes on the screen.
      case load
      /// The rows disappear.
      case erase
      /// A caption or row appears.
      case show
      /// A character of a visible row appears.
      case write
    }

    let kind: Kind
    let isOfSecondChannel: Bool

    var canMoveForward: Bool { kind == .load || kind == .erase }

    static func effects(of elements: [Element], isLoaded: Bool) -> [Effect] {
      // Each channel of the field has a mode of its own. Before the first command, nothing is shown.
      var areWriting = [false, false]
      // Whether the hidden and visible memories of each channel contain characters.
      var memories = [(hidden: isLoaded, visible: isLoaded), (hidden: isLoaded, visible: isLoaded)]
      var isSecond = false
      return elements.map { element in
        let pair = element.pair
        if pair.isControl { isSecond = pair.isOfSecondChannel }
        let channel = isSecond ? 1 : 0
        let kind: Kind
        switch pair.modeOrScreenChange {
        case .load: (areWriting[channel], kind) = (false, .load)
        case .show:
          let memory = memories[channel]
          if element.link != .repetition { memories[channel] = (memory.visible, memory.hidden) }
          // If nothing is loaded, the command only hides the visible rows.
          (areWriting[channel], kind) = (false, memories[channel].visible ? .show : .erase)
        case .write: (areWriting[channel], kind) = (true, .show)
        case .erase: (memories[channel].visible, kind) = (false, .erase)
        case nil: kind = !areWriting[channel] ? .load : pair.isCarriageReturn ? .show : .write
        }
        if pair.containsCharacters {
          if areWriting[channel] { memories[channel].visible = true } else { memories[channel].hidden = true }
        }
        return Effect(kind: kind, isOfSecondChannel: isSecond)
      }
    }
  }
}

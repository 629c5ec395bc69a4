import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Pairs of pictures with any rate get frames of line 21, so that captions appear in time.
struct CaptionFrameGridTests {
  private typealias Element = CaptionFrameGrid.Element

  private static let load = CaptionPair(code: 0x14, 0x20)
  private static let preamble = CaptionPair(code: 0x14, 0x70)
  private static let text = CaptionPair(code: 0x48, 0x49)
  private static let show = CaptionPair(code: 0x14, 0x2F)
  private static let erase = CaptionPair(code: 0x14, 0x2C)
  private static let rollUp = CaptionPair(code: 0x14, 0x25)
  private static let carriageReturn = CaptionPair(code: 0x14, 0x2D)

  /// Places pairs whose nearest frames are given. A pair that equals the previous control code is a repetition.
  private func place(
    _ pairs: [(Int64, CaptionPair)], after opening: [CaptionPair] = []
  ) -> (frames: [Int64], delays: CaptionFrameGrid.Delays) {
    var isRepetition = false
    let elements = pairs.indices.map { index in
      isRepetition = !isRepetition && index > 0 && pairs[index].1.isControl && pairs[index].1 == pairs[index - 1].1
      return Element(pair: pairs[index].1, nearestFrame: pairs[index].0, link: isRepetition ? .repetition : .none)
    }
    var grid = CaptionFrameGrid(
      after: opening.enumerated().map { TimedCaptionPair(time: Int64($0.offset), $0.element) })
    let frames = grid.frames(of: elements) { !$0 }
    return (frames, grid.delays)
  }

  /// Returns pairs of one picture.
  private func picture(_ frame: Int64, _ pairs: CaptionPair...) -> [(Int64, CaptionPair)] { pairs.map { (frame, $0) } }

  @Test func aLoadInOnePictureMovesForward() {
    let loads = picture(20, Self.load, Self.load, Self.preamble, Self.preamble, Self.text, Self.text, Self.text)
    let placed = place(loads + picture(21, Self.show, Self.show) + picture(60, Self.erase, Self.erase))
    #expect(placed.frames == Array(14...20) + [21, 22, 60, 61])
    #expect(placed.delays.count == 0)
  }

  /// The previous caption keeps its frame, so the load begins after it.
  @Test func aLoadStaysAfterTheCaptionBeforeIt() {
    let first: [(Int64, CaptionPair)] = [(0, Self.load), (1, Self.text), (10, Self.show), (10, Self.show)]
    let loads = picture(14, Self.text, Self.text, Self.text, Self.text, Self.text, Self.text)
    let placed = place(first + loads + picture(15, Self.show, Self.show))
    #expect(placed.frames == [0, 1, 10, 11] + Array(12...17) + [18, 19])
    #expect(placed.delays.count == 1 && placed.delays.longestInFrames == 3)
  }

  /// An erasure in the picture of the next caption precedes the caption by two frames.
  @Test func anErasureMakesRoomForTheNextCaption() {
    let placed = place([
      (0, Self.load), (5, Self.text), (20, Self.erase), (20, Self.erase), (20, Self.show), (20, Self.show),
    ])
    #expect(placed.frames == [0, 5, 18, 19, 20, 21] && placed.delays.count == 0)
    // It never moves more, although the load after it needs the frames.
    let loads = picture(
      21, Self.text, Self.text, Self.text, Self.text, Self.text, Self.text, Self.text, Self.text, Self.text)
    let late = place([(0, Self.load), (20, Self.erase)] + loads + picture(22, Self.show))
    #expect(late.frames == [0, 18] + Array(19...27) + [28])
    #expect(late.delays.count == 1 && late.delays.longestInFrames == 6)
  }

  /// A row of a roll-up caption appears with its first characters, and counts once.
  @Test func rowsOfRollUpCaptionsAreNeverEarly() {
    let first = picture(4, Self.rollUp, Self.carriageReturn, Self.text, Self.text)
    let placed = place(first + picture(7, Self.carriageReturn, Self.text))
    #expect(placed.frames == [4, 5, 6, 7, 8, 9])
    #expect(placed.delays.count == 2 && placed.delays.longestInFrames == 2)
    let inTime = place([(4, Self.rollUp), (5, Self.carriageReturn), (6, Self.text), (8, Self.text)])
    #expect(inTime.frames == [4, 5, 6, 8] && inTime.delays.count == 0)
    // The row begins with the first text after an erasure.
    let erased = place([(4, Self.rollUp), (5, Self.text)] + picture(6, Self.erase, Self.text, Self.text, Self.text))
    #expect(erased.delays.count == 0)
    let erasedLate = place(
      [(4, Self.rollUp), (5, Self.text)] + picture(6, Self.erase, Self.preamble, Self.text, Self.text))
    #expect(erasedLate.frames == [4, 5, 6, 7, 8, 9] && erasedLate.delays.count == 1)
  }

  /// A delay of one frame counts in no mode.
  @Test func aDelayOfOneFrameIsNotCounted() {
    func delays(_ pairs: [(Int64, CaptionPair)]) -> [Int64] {
      let delays = place(pairs).delays
      return [Int64(delays.count), delays.longestInFrames]
    }
    let paintOn = CaptionPair(code: 0x14, 0x29)
    #expect(delays(picture(0, Self.load) + picture(1, Self.text, Self.show)) == [0, 0])
    #expect(delays(picture(0, Self.load, Self.text, Self.show)) == [1, 2])
    for mode in [Self.rollUp, paintOn] {
      #expect(delays(picture(0, mode, Self.text)) == [0, 0])
      #expect(delays(picture(0, mode, Self.preamble, Self.text)) == [1, 2])
    }
  }

  /// The pairs at the start of a trimmed track select a mode and fill the memories.
  @Test func pairsAtTheStartOfATrimmedTrackApply() {
    let row = picture(1, Self.carriageReturn, Self.carriageReturn, Self.text)
    let rollUp = place(row, after: [Self.rollUp, Self.rollUp, Self.preamble, Self.text])
    #expect(rollUp.frames == [4, 5, 6] && rollUp.delays.count == 1 && rollUp.delays.longestInFrames == 5)
    #expect(place(row).delays.count == 0)
    // The opening shows its caption, and End Of Caption hides it again.
    let shown = [Self.load, Self.text, Self.show, Self.show]
    #expect(place(picture(1, Self.show), after: shown).delays.count == 0)
    #expect(place(picture(1, Self.text, Self.show), after: shown).delays.longestInFrames == 4)
    #expect(place(picture(0, Self.show), after: [Self.load, Self.text]).delays.longestInFrames == 2)
  }

  @Test func delaysOfOtherChannelsAreNotCounted() {
    func pairs(_ channel: UInt8) -> [(Int64, CaptionPair)] {
      let codes: [UInt8] = [0x20, 0x2E, 0x2E, 0x2C]
      return codes.map { (0, CaptionPair(code: 0x14 | channel, $0)) } + [(0, Self.text)]
        + [(0, CaptionPair(code: 0x14 | channel, 0x2F))]
    }
    #expect(place(pairs(0)).delays.count == 1)
    #expect(place(pairs(8)).delays.count == 0)
  }

  @Test func everyOrderOfPairsGetsIncreasingFrames() {
    var random = SeededGenerator(seed: 4)
    let choices = [Self.load, Self.preamble, Self.text, Self.show, Self.erase, Self.rollUp, Self.carriageReturn]
    for _ in 0..<500 {
      var time: Int64 = 0
      let pairs = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        time += Int64.random(in: 0...6, using: &random) / 3
        return (time, choices[Int.random(in: choices.indices, using: &random)])
      }
      let frames = place(pairs, after: [Self.load, Self.load]).frames
      #expect(frames.count == pairs.count && zip(frames, frames.dropFirst()).allSatisfy { $0 < $1 })
      #expect(frames.allSatisfy { $0 >= 2 })
      // A command that selects roll-up captions is never early. A repetition may follow the first code directly.
      for (index, pair) in pairs.enumerated() where pair.1 == Self.rollUp {
        #expect(frames[index] >= pair.0 || index > 0 && pairs[index - 1].1 == Self.rollUp)
      }
    }
  }
}

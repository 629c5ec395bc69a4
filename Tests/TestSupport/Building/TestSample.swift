/// One sample of a test track.
package struct TestSample: Sendable {
  /// How many bytes it has.
  package var byteCount: Int
  /// How long it lasts, in the media's time scale.
  package var duration: Int
  /// Presentation time less decode time.
  package var compositionOffset: Int
  /// Whether decoding can start here.
  package var isSync: Bool
  /// The flags that a run of a fragment has for it; nil for ones that suit `isSync`.
  package var flags: Int?
  /// Its bytes; nil for bytes that name track and sample.
  package var content: [UInt8]?

  /// A sample of `byteCount` bytes that name the track and the sample.
  package init(_ byteCount: Int, duration: Int, compositionOffset: Int = 0, isSync: Bool = true) {
    self.byteCount = byteCount
    self.duration = duration
    self.compositionOffset = compositionOffset
    self.isSync = isSync
  }

  /// A sample with these bytes.
  package init(content: [UInt8], duration: Int) {
    self.init(content.count, duration: duration)
    self.content = content
  }

  /// A timed text sample: two bytes of length, then UTF-8. An empty text is a gap.
  package static func timedText(_ text: String, duration: Int) -> TestSample {
    TestSample(content: u16(text.utf8.count) + Array(text.utf8), duration: duration)
  }

  /// The bytes of a sample that has no content of its own: `track/number+position` lines, so that a test that finds
  /// them anywhere can tell which sample they are from and where in it.
  package static func pattern(track: UInt32, number: Int, byteCount: Int) -> [UInt8] {
    if byteCount == 0 { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + 24)
    while bytes.count < byteCount { bytes.append(contentsOf: "\(track)/\(number)+\(bytes.count)\n".utf8) }
    return Array(bytes.prefix(byteCount))
  }
}

extension [TestSample] {
  /// `count` samples whose sizes differ: `byteCount`, one more, two more, … and again after seven.
  package static func varied(_ count: Int, around byteCount: Int, duration: Int) -> [TestSample] {
    (0..<count).map { TestSample(byteCount + $0 % 7, duration: duration) }
  }

  /// Pictures out of presentation order: every twelfth is a sync sample, others are shown one or two frames later.
  package static func pictures(_ count: Int, around byteCount: Int, duration: Int) -> [TestSample] {
    (0..<count).map { index in
      let offsets = [1, 3, 0, 2]
      return TestSample(
        index % 12 == 0 ? byteCount * 3 : byteCount + index % 5, duration: duration,
        compositionOffset: offsets[index % 4] * duration, isSync: index % 12 == 0)
    }
  }
}

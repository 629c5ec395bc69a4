/// A sample of a test track.
package struct TestSample: Sendable {
  /// The size in bytes.
  package var byteCount: Int
  /// The duration in the media's time scale.
  package var duration: Int
  /// The presentation time minus the decode time.
  package var compositionOffset: Int
  /// Whether decoding can start here.
  package var isSync: Bool
  /// The flags in a run of a fragment, or `nil` for flags that suit `isSync`.
  package var flags: Int?
  /// The bytes, or `nil` for a pattern of track and sample numbers.
  package var content: [UInt8]?

  /// Creates a sample of `byteCount` bytes that identify the track and the sample.
  package init(_ byteCount: Int, duration: Int, compositionOffset: Int = 0, isSync: Bool = true) {
    self.byteCount = byteCount
    self.duration = duration
    self.compositionOffset = compositionOffset
    self.isSync = isSync
  }

  /// Creates a sample with these bytes.
  package init(content: [UInt8], duration: Int) {
    self.init(content.count, duration: duration)
    self.content = content
  }

  /// Returns a timed text sample: two bytes of length, then UTF-8. An empty text is a gap.
  package static func timedText(_ text: String, duration: Int) -> TestSample {
    TestSample(content: u16(text.utf8.count) + Array(text.utf8), duration: duration)
  }

  /// Returns the bytes of a sample without content of its own: lines of `track/number+position`. From any part of them, a
  /// test can identify the sample and the position in it.
  package static func pattern(track: UInt32, number: Int, byteCount: Int) -> [UInt8] {
    if byteCount == 0 { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + 24)
    while bytes.count < byteCount { bytes.append(contentsOf: "\(track)/\(number)+\(bytes.count)\n".utf8) }
    return Array(bytes.prefix(byteCount))
  }
}

extension [TestSample] {
  /// Returns `count` samples with varying sizes: `byteCount`, one more, two more …, repeated after seven.
  package static func varied(_ count: Int, around byteCount: Int, duration: Int) -> [TestSample] {
    (0..<count).map { TestSample(byteCount + $0 % 7, duration: duration) }
  }

  /// Returns reordered pictures: every twelfth is a sync sample, others are shown one or two frames later.
  package static func pictures(_ count: Int, around byteCount: Int, duration: Int) -> [TestSample] {
    (0..<count).map { index in
      let offsets = [1, 3, 0, 2]
      return TestSample(
        index % 12 == 0 ? byteCount * 3 : byteCount + index % 5, duration: duration,
        compositionOffset: offsets[index % 4] * duration, isSync: index % 12 == 0)
    }
  }
}

/// Movies whose format allows parameter sets in samples.
extension TestMovie {
  /// Returns HEVC key pictures in a `hev1` track, each after these parameter sets. By default, the configuration contains
  /// all of the sets.
  package static func hev1(
    _ format: String = "hev1", repeating sets: [[UInt8]] = [], pictureCount: Int = 4
  ) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        ($0.width, $0.height) = (64, 36)
        $0.samples = Array(repeating: pictureOfHEVC(after: sets), count: pictureCount)
        $0.sampleEntries = [SampleEntry.video(format, width: 64, height: 36, extensions: SampleEntry.hvcC())]
      }
    ]).with { $0.dialect = .iso }
  }

  /// Returns an access unit: delimiter, parameter sets, supplemental information, slice of an IDR picture.
  package static func pictureOfHEVC(after sets: [[UInt8]]) -> TestSample {
    let units = [[0x46, 1, 0x50]] + sets + [[0x4E, 1, 5, 0], [0x26, 1, 0xAF, 0x08]]
    return TestSample(content: units.flatMap { u32($0.count) + $0 }, duration: 50)
  }
}

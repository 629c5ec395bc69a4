import MovieBox
import TestSupport
import Testing

/// Movies whose tracks ffmpeg delayed together because it wrote no edit lists.
struct CommonDelayTests {
  private func delay(_ change: (inout TestMovie) -> Void = { _ in }) throws -> Int64? {
    let movie = StreamableMovie.delayed.with(change)
    let plain = try Movie(of: MemorySource(Bytes(movie.bytes()))).commonDelay()
    let fragmented = MemorySource(Bytes(StreamableMovie.fragments(of: movie)))
    let read = try Movie(of: fragmented)
    #expect(try read.commonDelay(read.readFragments(of: fragmented)) == plain)
    return plain?.milliseconds
  }

  @Test func equalsTheStartOfThePicture() throws {
    #expect(try delay() == 80)
  }

  /// One packet more or less of priming, and times that were rounded to milliseconds.
  @Test(arguments: [2_600, 3_528, 4_400]) func toleratesDifferencesInPriming(_ duration: Int) throws {
    #expect(try delay { $0.tracks[1].samples[0].duration = duration } == 80)
    #expect(
      try delay {
        $0.tracks[1].samples[0].duration = duration
        $0.tracks[1].samples[1].duration += 1
      } == 80)
  }

  @Test func ignoresALatePictureBesideSoundThatStartsAtZero() throws {
    #expect(try delay { $0.tracks[1].samples[0].duration = 1_024 } == nil)
  }

  @Test func ignoresAGapInTheSound() throws {
    #expect(try delay { $0.tracks[1].samples[0].duration = 44_100 } == nil)
    #expect(try delay { for index in 0..<3 { $0.tracks[1].samples[index].duration = 3_528 >> index } } == nil)
  }

  @Test func ignoresADelayThatAnEditListRemoves() throws {
    #expect(try delay { $0.tracks[0].edits = [TestEdit(duration: 14_400, mediaTime: 1_024)] } == nil)
    #expect(try delay { $0.tracks[1].edits = [TestEdit(duration: 14_400, mediaTime: 0)] } == nil)
  }

  @Test func requiresPictureAndSound() throws {
    #expect(try delay { $0.tracks.removeLast() } == nil)
    #expect(try delay { $0.tracks.removeFirst() } == nil)
    #expect(try delay { for index in 0..<600 { $0.tracks[0].samples[index].compositionOffset = 0 } } == nil)
  }

  /// A dub that was added before has an edit list, or starts at 0.
  @Test func findsTheDelayBesideAddedSound() throws {
    let dub = StreamableMovie.sound(id: 3, "fra")
    #expect(try delay { $0.tracks.append(dub) } == 80)
    #expect(try delay { $0.tracks.append(dub.with { $0.edits = [] }) } == 80)
  }

  /// No sum overflows, and no implausible time counts.
  @Test func ignoresImplausibleTimes() throws {
    #expect(try delay { $0.tracks[1].samples[0].duration = Int(UInt32.max) } == nil)
    #expect(
      try delay { movie in
        for index in 0..<600 { movie.tracks[0].samples[index].compositionOffset = Int(Int32.max) }
        movie.tracks[1].samples[0].duration = Int(UInt32.max)
      } == nil)
  }
}

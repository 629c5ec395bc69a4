import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

@Suite struct FragmentComparisonTests {
  private static let pictures: [TestSample] = .pictures(12, around: 40, duration: 50)
  private static let sound: [TestSample] = .varied(8, around: 30, duration: 1000)

  /// Returns a video and an audio fragment that begin `start` ticks after 0.
  private func fragments(
    start: UInt64 = 0, of header: TestMovie = Flattened.header,
    _ change: (inout [TestFragment]) -> Void = { _ in }
  ) -> [UInt8] {
    var all: [TestFragment] = []
    for number in 0..<2 {
      var pictures = TestFragment.Track(
        id: 1, decodeTime: start + UInt64(number) * 600, runs: [TestFragment.Run(Self.pictures)])
      pictures.firstNumber = number * 12 + 1
      var sound = TestFragment.Track(
        id: 2, decodeTime: start + UInt64(number) * 8000, runs: [TestFragment.Run(Self.sound)])
      sound.firstNumber = number * 8 + 1
      all.append(TestFragment([pictures, sound]))
    }
    change(&all)
    return header.bytes(fragments: all)
  }

  @Test func findsNoDifferenceInAFlattenedCopy() throws {
    for start in [0, 12_000] as [UInt64] {
      let bytes = fragments(start: start)
      let copy = try Flattened(bytes)
      let output = try copy.plan.rendered(from: copy.source)
      let found = try ComparedMovies(bytes, output)
      #expect(found.lines == [] && found.remarks.contains("fragments") && found.remarks.contains("media-moved"))
      let back = try ComparedMovies(output, bytes)
      #expect(back.lines == [])
      // A changed byte is found.
      var other = output
      let sample = try #require(SecondReader(output).track(2)).samples[11]
      other[Int(sample.offset)] ^= 1
      #expect(
        try ComparedMovies(bytes, other).descriptions[0].hasPrefix("bytes of 1 of 16 samples, first of sample 12"))
    }
  }

  @Test func comparesSamplesAcrossFragments() throws {
    let one = fragments()
    let joined = Flattened.header.bytes(fragments: [
      TestFragment([
        .init(id: 2, decodeTime: 0, runs: [.init(Self.sound), .init(Self.sound)]),
        .init(id: 1, decodeTime: 0, runs: [.init(Self.pictures + Self.pictures)]),
      ])
    ])
    #expect(try ComparedMovies(one, joined).lines == [])
    let later = fragments { $0[1].tracks[1].decodeTime = 8001 }
    #expect(
      try ComparedMovies(one, later).descriptions == [
        "decode time of 8 of 16 samples, first of sample 9: 8000 became 8001"
      ])
    #expect(try ComparedMovies(one, later).comparison.differences[0].new?.path == "moov/trak[2]")
    let other = fragments { $0[1].tracks[0].runs[0].samples[5].compositionOffset = 77 }
    #expect(try ComparedMovies(one, other).lines == ["changed samples@1"])
    let copy = try Flattened(one)
    #expect(try ComparedMovies(later, copy.plan.rendered(from: copy.source)).lines == ["changed samples@2"])
  }

  @Test func comparesTimesBeforeTheStart() throws {
    let one = fragments()
    let early = fragments {
      for number in $0.indices { $0[number].tracks[1].decodeTime = UInt64(bitPattern: Int64(number) * 8_000 - 1_024) }
    }
    #expect(try ComparedMovies(early, early).lines == [])
    #expect(
      try ComparedMovies(early, one).descriptions == [
        "decode time of 16 of 16 samples, first of sample 1: 0 became 1024"
      ])
    #expect(try ComparedMovies(one, early).lines == ["changed samples@2"])
  }

  @Test func comparesGroupsOfFragmentsWithTables() throws {
    func grouped(_ distance: Int) -> [UInt8] {
      fragments {
        $0[1].tracks[0].atoms = TestSupport.movie {
          fullAtom("sgpd", version: 1) {
            code("roll")
            u32(2, 1)
            u16(distance)
          }
          fullAtom("sbgp") {
            code("roll")
            u32(1, 12, 0x1_0001)
          }
        }
      }
    }
    let copy = try Flattened(grouped(-1))
    let output = try copy.plan.rendered(from: copy.source)
    #expect(try ComparedMovies(grouped(-1), output).lines == [])
    let spoiled = try ComparedMovies(grouped(-2), output)
    #expect(spoiled.lines == ["changed samples@1"])
    #expect(
      spoiled.descriptions == [
        "fragments and tables disagree: the tables put sample 13 into a different roll group than the fragments"
      ])
    #expect(try ComparedMovies(output, grouped(-2)).lines == ["changed samples@1"])
    #expect(try ComparedMovies(grouped(-1), grouped(-2)).lines == ["changed samples@1"])
    // An unreadable table counts as different.
    var broken = output
    let table = try #require(broken.indices.first { broken[$0...].starts(with: Array("sbgp".utf8)) })
    broken[table + 12] = 0xFF  // The number of entries, after version, flags and type of group.
    for (old, new) in [(grouped(-1), broken), (broken, grouped(-1))] {
      let found = try ComparedMovies(old, new).descriptions
      #expect(
        found.count == 1 && found[0].contains("fragments and tables disagree: the tables cannot be read: "))
    }
  }

  @Test func reportsDifferingEdits() throws {
    func edited(_ mediaTime: Int) -> [UInt8] {
      fragments(of: Flattened.header.with { $0.tracks[1].edits = [TestEdit(duration: 600, mediaTime: mediaTime)] })
    }
    let copy = try Flattened(edited(100))
    let output = try copy.plan.rendered(from: copy.source)
    #expect(try ComparedMovies(edited(100), output).lines == [])
    for (other, words) in [(edited(200), "media from 200 for 600"), (fragments(), "none")] {
      let found = try ComparedMovies(other, output)
      #expect(found.lines == ["changed edits@2"])
      #expect(
        found.descriptions == ["edits \(words) became media from 100 for 600 (as in the unfragmented movie)"])
    }
  }

  @Test func comparesProtectionHeadersInFragments() throws {
    func protected(_ system: Int) -> [UInt8] {
      fragments { $0[1].atoms = fullAtom("pssh") { u32(0, 0, 0, system, 0) } }
    }
    #expect(try ComparedMovies(protected(1), protected(1)).lines == [])
    #expect(
      try ComparedMovies(protected(1), protected(2)).descriptions
        == ["the protection system headers (pssh) have different contents"])
    #expect(try ComparedMovies(fragments(), protected(2)).lines == ["changed other"])
  }

  @Test func comparesEncryptionOfFragmentsWithTables() throws {
    for isPIFF in [false, true] {
      func encrypted(_ last: Int) -> [UInt8] {
        fragments { all in
          for index in all.indices {
            all[index].tracks[0].atoms = TestSupport.movie {
              isPIFF
                ? atom("uuid") { SampleEncryption.userType.array + u32(0, 12) + zeros(95) + u8(last + index) }
                : fullAtom("senc") { u32(12) + zeros(95) + u8(last + index) }
            }
          }
        }
      }
      let copy = try Flattened(encrypted(1))
      let output = try copy.plan.rendered(from: copy.source)
      #expect(try ComparedMovies(encrypted(1), output).lines == [])
      #expect(try ComparedMovies(output, encrypted(1)).lines == [])
      #expect(try ComparedMovies(encrypted(3), output).lines == ["changed samples@1"])
    }
  }
}

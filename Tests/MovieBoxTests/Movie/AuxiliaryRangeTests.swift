import MovieBox
import TestSupport
import Testing

/// The ranges of auxiliary information for a track's samples (ISO/IEC 14496-12 8.7.8, 8.7.9).
struct AuxiliaryRangeTests {
  /// Returns the ranges in a track of six samples in chunks of four and two.
  private func ranges(_ atoms: [UInt8]) throws -> [Track.AuxiliaryRange] {
    let movie = TestMovie.simple.with {
      $0.tracks[0].samples = Array(repeating: TestSample(4, duration: 10), count: 6)
      $0.tracks[0].sampleTableAtoms = atoms
    }
    let read = try Movie(of: MemorySource(Bytes(movie.bytes())))
    return try read.tracks[0].auxiliaryInformation(in: read.tree)
  }

  private func refusal(_ atoms: [UInt8]) -> String? {
    let error = #expect(throws: MovieError.self) { try ranges(atoms) }
    #expect(error?.code == .malformed && error?.path == "moov/trak[1]/mdia/minf/stbl/saio" && error?.offset != nil)
    return error?.reason
  }

  private func sizes(of count: Int) -> [UInt8] { fullAtom("saiz") { u8(3) + u32(count) } }

  @Test func appliesOnePositionToAllSamples() throws {
    let saio = fullAtom("saio") { u32(1, 1000) }
    for (count, byteCount) in [(6, 18), (5, 15), (99, 18)] as [(Int, UInt64)] {
      let found = try ranges(sizes(of: count) + saio)
      #expect(found.map(\.range) == [ByteRange(1000..<1000 + byteCount)])
      #expect(found.map(\.firstSample) == [0])
    }
    #expect(try ranges(sizes(of: 0) + saio) == [])
  }

  @Test func assignsSeveralPositionsToChunks() throws {
    let found = try ranges(sizes(of: 5) + fullAtom("saio") { u32(2, 1000, 2000) })
    #expect(found.map(\.range) == [ByteRange(1000..<1012), ByteRange(2000..<2003)])
    #expect(found.map(\.firstSample) == [0, 4])
  }

  @Test func rejectsInformationThatDoesNotFitTheTrack() {
    #expect(refusal(fullAtom("saio") { u32(1, 1000) })?.contains("has no saiz of the same type") == true)
    let three = sizes(of: 6) + fullAtom("saio") { u32(3, 1, 2, 3) }
    #expect(refusal(three) == "has 3 positions, but the track has 2 chunks")
    let far = sizes(of: 6) + fullAtom("saio", version: 1) { u32(1) + u64(.max) }
    #expect(refusal(far)?.contains("exceeds 64 bits") == true)
  }
}

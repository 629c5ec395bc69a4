import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// The largest realistic movie: 24 hours, 200 tracks, 10 million samples. The default limits are based on it.
struct LargestMovieTests {
  private static let trackCount = 200
  private static let samplesPerTrack = 50_000
  private static let samplesPerChunk = 10
  private static let milliseconds = 86_400_000

  /// Returns samples of one byte, track after track. The tables list every size and every chunk.
  private static func bytes() throws -> [UInt8] {
    let one = TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.timeScale = 1000
        $0.samples = [TestSample(1, duration: milliseconds)]
      }
    ]).with { $0.layout = .movieFirst }
    let small = one.bytes()
    let reader = try SecondReader(small)
    let moov = try #require(reader.atom("moov"))
    let trak = try #require(reader.atom("moov/trak#1"))
    var head = Array(small[Int(moov.contentOffset)..<Int(trak.offset)])
    head.replaceSubrange(head.count - 4..<head.count, with: u32(trackCount + 1))  // mvhd ends with the next track's ID.
    let sizes = atom("stsz") {
      u32(0, 0, samplesPerTrack)
      Array(repeatElement([0, 0, 0, 1], count: samplesPerTrack).joined())
    }
    func header(mediaStart: Int) throws -> [UInt8] {
      var content = head
      for id in 1...trackCount {
        content += try track(id, of: reader, trak, sizes, mediaStart + (id - 1) * samplesPerTrack)
      }
      return atom("moov") { content }
    }
    let start = Array(small[..<Int(moov.offset)])
    // The size of the movie atom does not depend on where the media begins.
    let byteCount = 8 + head.count + trackCount * (try track(1, of: reader, trak, sizes, 0).count)
    let media = atom("mdat") { zeros(trackCount * samplesPerTrack) }
    return start + (try header(mediaStart: start.count + byteCount + 8)) + media
  }

  /// Returns the single track of the small movie with another ID, and with tables of many samples from `mediaStart`.
  private static func track(
    _ id: Int, of reader: SecondReader, _ trak: ReadAtom, _ sizes: [UInt8], _ mediaStart: Int
  ) throws -> [UInt8] {
    let chunkCount = samplesPerTrack / samplesPerChunk
    var offsets = u32(0, chunkCount)
    offsets.reserveCapacity(8 + 4 * chunkCount)
    for chunk in 0..<chunkCount { offsets += u32(mediaStart + chunk * samplesPerChunk) }
    let path = "moov/trak#1/mdia/minf/stbl"
    let description = try reader.bytes(of: #require(reader.atom(path + "/stsd")))
    let tables = atom("stbl") {
      description
      fullAtom("stts") { u32(1, samplesPerTrack, milliseconds / samplesPerTrack) }
      fullAtom("stsc") { u32(1, 1, samplesPerChunk, 1) }
      sizes
      atom("stco") { offsets }
    }
    var bytes = try reader.bytes(of: trak)
    let stbl = try #require(reader.atom(path))
    let place = Int(stbl.offset - trak.offset)..<Int(stbl.end - trak.offset)
    for type in ["", "/mdia", "/mdia/minf"] {
      let atom = try #require(reader.atom("moov/trak#1" + type))
      let start = Int(atom.offset - trak.offset)
      bytes.replaceSubrange(start..<start + 4, with: u32(Int(atom.end - atom.offset) + tables.count - place.count))
    }
    let tkhd = try #require(reader.atom("moov/trak#1/tkhd"))
    let number = Int(tkhd.contentOffset - trak.offset) + 12
    bytes.replaceSubrange(number..<number + 4, with: u32(id))
    return bytes[..<place.lowerBound] + tables + bytes[place.upperBound...]
  }

  @Test func acceptsTheLargestRealisticMovieByDefault() throws {
    let source = MemorySource(Bytes(try Self.bytes()))
    let movie = try Movie(of: source)
    #expect(movie.tracks.count == Self.trackCount)
    #expect(movie.tracks.reduce(0) { $0 + $1.samples.sampleCount } == 10_000_000)
    #expect(movie.header.duration / UInt64(movie.header.timeScale) == 86_400)
    #expect(movie.misplacedSamples().isEmpty)
    var edit = try MovieEdit(of: movie)
    let id = try edit.add(
      SubtitleInput(
        cues: (0..<86_000).map { second in
          Cue(
            startMilliseconds: Int64(second) * 1000, endMilliseconds: Int64(second) * 1000 + 900, text: StyledText("a"))
        }, language: LanguageTag("en")))
    let plan = try edit.outputPlan(of: source)
    #expect(try Movie(of: PlannedSource(plan, of: source)).track(id)?.samples.sampleCount == 2 * 86_000)
  }
}

import MovieBox
import TestSupport
import Testing

/// Any damage to a small movie results in an error or in a tree that contains all bytes.
struct AtomTreeDamageTests {
  private let movie = smallestMovie.with { $0.layout = [.fileType, .movie(.ordinary), .media(.ordinary)] }.bytes()

  private var header: Range<Int> {
    get throws {
      let moov = try #require(try SecondReader(movie).atom("moov"))
      return Int(moov.offset)..<Int(moov.end)
    }
  }

  /// Reads as much as a tool would, and uses everything that was read.
  private func use(_ bytes: [UInt8], _ what: String) {
    do {
      let movie = try Movie(of: MemorySource(Bytes(bytes)))
      if movie.tree.reassembled != movie.tree.bytes.array { Issue.record("\(what): bytes are lost") }
      _ = (movie.misplacedSamples(), movie.mediaSelectionGroups, movie.durationInMovieTicks)
      for track in movie.tracks {
        _ = (track.displayName, track.pictureSize, track.presentationStartInMediaTicks, track.role(in: movie))
        for sample in track.samples.samples.prefix(10) { _ = sample }
      }
    } catch is MovieError {
      // Rejected with a reason.
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  @Test func survivesEveryTruncationOfTheFile() {
    for count in movie.indices { use(Array(movie[..<count]), "cut to \(count) bytes") }
  }

  @Test func survivesEveryTruncationOfTheMovieAtom() throws {
    let header = try header
    for count in 8..<header.count {
      var bytes = Array(movie[header.lowerBound..<header.lowerBound + count])
      bytes.replaceSubrange(0..<4, with: u32(count))
      let tree = try AtomTree(bytes)
      #expect(tree.reassembled == bytes)
      use(movie[..<header.lowerBound] + bytes + movie[header.upperBound...], "moov cut to \(count) bytes")
    }
  }

  @Test(arguments: [{ $0 ^ 1 }, { $0 ^ 0x80 }, { _ in 0xFF }] as [@Sendable (UInt8) -> UInt8])
  func survivesEveryCorruptedByte(change: @Sendable (UInt8) -> UInt8) throws {
    for index in try header {
      var bytes = movie
      bytes[index] = change(bytes[index])
      if bytes[index] != movie[index] { use(bytes, "byte \(index) is \(bytes[index])") }
    }
  }
}

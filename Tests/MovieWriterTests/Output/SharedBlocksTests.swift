import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// New files share media blocks with their source if the file system supports it.
struct SharedBlocksTests {
  /// About 6 MB of media.
  private static let film = TestMovie.simple.with {
    $0.tracks[0].samples = .pictures(24, around: 1 << 18, duration: 50)
  }

  @Test(arguments: ["btrfs", "xfs"], [[TestMovie.Piece]](arrayLiteral: .movieFirst, .movieBetween, .movieLast))
  func sharesMediaBlocksOfNewFiles(_ kind: String, _ layout: [TestMovie.Piece]) throws {
    let volume = try MountedVolume.require(kind)
    let bytes = Self.film.with { $0.layout = layout }.bytes()
    let input = volume.path + "/in.mov"
    try Data(bytes).write(to: URL(fileURLWithPath: input))
    let before = try volume.usedByteCount()
    for (output, name) in [
      (
        MovieFileWriter.Output.newFile(volume.path + "/out.mov", overwrites: false, synchronizes: true),
        "out"
      ),
      (.sourceFile(input), "in"),
    ] {
      let source = try FileSource(path: input)
      let edit = try MovieEdit.addingSubtitles(to: source)
      let writer = try MovieFileWriter(edit, to: output)
      guard case .newFile = writer.verifiedPlan else { continue }  // An edit in place copies nothing.
      let report = try writer.write()
      #expect(report.bytesCloned > UInt64(bytes.count) * 95 / 100)
      #expect(report.bytesWritten < 400_000)
      let new = try SecondReader(path: volume.path + "/\(name).mov")
      #expect(try differences(old: SecondReader(bytes), new: new, allowing: .adding(3)) == [])
    }
    let written = try volume.usedByteCount() - before
    #expect(written < bytes.count / 10, "\(written) bytes more in use")
  }

  @Test func sharesNothingFromMemory() {
    #expect(NewFileSink.sharedBlockByteCount(with: Self.film.source, at: "/tmp/out.mov") == nil)
  }

  @Test func keepsThePositionOfMediaWithinABlock() throws {
    for block in [512, 4096, 65536] as [UInt64] {
      for padding in [8, 9, 100, 4095] {
        let movie = Self.film.with { $0.layout = [.fileType, .free(padding), .movie(.ordinary), .media(.ordinary)] }
        let source = movie.source
        var layout = OutputLayout(interleaving: .none)
        layout.blockByteCount = block
        let edit = try MovieEdit.addingSubtitles(to: source)
        let plan = try edit.outputPlan(of: source, layout)
        let old = try #require(edit.movie.layout.first("mdat"))
        let new = try #require(plan.outputOffset(ofSource: old.payloadRange.offset))
        #expect(new % block == old.payloadRange.offset % block)
        #expect(try differences(old: movie.bytes(), new: plan.rendered(from: source), allowing: .adding(3)) == [])
        // Unrequested free space is still an error.
        #expect(throws: MovieError.self) {
          try PlanChecker.check(
            plan, of: edit.resolved(isInterleaved: false), strategy: .rewrite(OutputLayout(interleaving: .none)),
            source: source)
        }
      }
    }
  }
}

import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// ffprobe reads a movie after an interrupted edit in place like the old movie, to the last packet.
struct HalfWayImageTests {
  @Test(arguments: ["interview.mov", "spanish.mov", "interview.mp4"], ["", "SEFT, a vendor's trailer"])
  func exposesTheOldMovieDuringAnEdit(_ name: String, _ trailer: String) throws {
    let old = try [UInt8](Data(contentsOf: URL(fileURLWithPath: TestMedia.path(name)))) + text(trailer)
    let source = MemorySource(Bytes(old))
    var edit = try MovieEdit(of: Movie(of: source))
    let id = try edit.add(TrialTrack.english.input(movieMilliseconds: 10_000))
    try edit.addToSubtitleGroup(id, asDefault: true)
    let plan = try edit.inPlacePlan(of: source, .afterMedia)
    let appended = plan.contentBytes.array
    let before = try listing(old)
    #expect(before.contains("[PACKET]"))

    // Complete, cut at sector boundaries, and cut inside the first header.
    let sectors = stride(from: 512, to: appended.count, by: 512).map { $0 - old.count % 512 }.filter { $0 > 0 }
    let lengths = sectors.prefix(3) + sectors.suffix(2) + [appended.count, 8, 7, 4, 1]
    for length in lengths {
      let image = old + appended[..<length]
      #expect(try listing(image) == before, "\(name), \(length) of \(appended.count) bytes appended")
    }

    var new = old + appended
    let header = Int(plan.commit.offset)
    new.replaceSubrange(header..<header + 8, with: plan.commit.replacement.array)
    #expect(try listing(new) != before, "the witness would not see the new movie")
  }

  /// Returns streams and packets, with positions and hashes.
  private func listing(_ bytes: [UInt8]) throws -> String {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, as: "movie.mov")
    let result = try Witness.require("ffprobe").run([
      "-v", "quiet", "-show_streams", "-show_packets", "-show_data_hash", "md5", path,
    ])
    #expect(result.code == 0, "\(result.errorText)")
    return result.outputText
  }
}

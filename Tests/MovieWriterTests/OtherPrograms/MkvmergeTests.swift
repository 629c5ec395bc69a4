import Foundation
import TestSupport
import Testing

/// mkvmerge as a witness of an edited movie. It does not list timed text.
struct MkvmergeTests {
  @Test(arguments: WitnessedEdit.cases)
  func keepsTracksInMkvmergesList(_ edit: WitnessedEdit.Case) throws {
    let movie = try WitnessedEdit(edit)
    let before = try tracks(movie.old)
    #expect(before.contains("video") && before.contains("audio"))
    #expect(try tracks(movie.new) == before)
  }

  /// Returns the list of tracks with sorted keys.
  private func tracks(_ path: String) throws -> String {
    let result = try Witness.require("mkvmerge").run(["-J", path])
    #expect(result.code == 0, "\(result.outputText)")
    let json = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
    let tracks = try #require(json?["tracks"] as? [Any])
    let data = try JSONSerialization.data(withJSONObject: tracks, options: [.sortedKeys, .prettyPrinted])
    return String(decoding: data, as: UTF8.self)
  }
}

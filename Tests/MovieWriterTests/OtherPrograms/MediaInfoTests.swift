import Foundation
import TestSupport
import Testing

/// MediaInfo as a witness of an edited movie.
struct MediaInfoTests {
  @Test(arguments: WitnessedEdit.cases)
  func writesATrackThatMediaInfoLists(_ edit: WitnessedEdit.Case) throws {
    let movie = try WitnessedEdit(edit)
    let after = try tracks(movie.new)
    let group = try #require(try SecondReader(path: movie.new).track(movie.trackID)?.group)
    let track = try #require(after.first { $0["ID"] == "\(movie.trackID)" })
    #expect(track["@type"] == "Text" && track["Format"] == "Timed Text" && track["CodecID"] == "tx3g")
    #expect(track["Language"] == "en")
    #expect(track["AlternateGroup"] == "\(group)")
    #expect(track["Events_Total"] == "\(movie.lines.count)")
  }

  @Test(arguments: WitnessedEdit.cases)
  func keepsOtherTracksInMediaInfosList(_ edit: WitnessedEdit.Case) throws {
    let movie = try WitnessedEdit(edit)
    let after = try tracks(movie.new).filter { $0["ID"] != "\(movie.trackID)" && $0["@type"] != "General" }
    let before = try tracks(movie.old).filter { $0["@type"] != "General" }
    #expect(before.count >= 2)
    #expect(after == before)
  }

  private func tracks(_ path: String) throws -> [[String: String]] {
    let result = try Witness.require("mediainfo").run(["--Output=JSON", path])
    #expect(result.code == 0, "\(result.errorText)")
    let json = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
    let media = try #require(json?["media"] as? [String: Any])
    let tracks = try #require(media["track"] as? [[String: Any]])
    // MediaInfo numbers the tracks of a kind if there are several.
    return tracks.map { $0.filter { $0.key != "@typeorder" }.compactMapValues { $0 as? String } }
  }
}

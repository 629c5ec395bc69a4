import Foundation
import TestSupport
import Testing

/// ffmpeg as a witness of an edited movie.
struct FFmpegTests {
  @Test(arguments: WitnessedEdit.cases)
  func keepsEveryOldPacket(_ edit: WitnessedEdit.Case) throws {
    try expectSamePackets(WitnessedEdit(edit))
  }

  @Test(arguments: WitnessedEdit.cases)
  func writesTextsAndTimesOfTheFile(_ edit: WitnessedEdit.Case) throws {
    try expectTexts(WitnessedEdit(edit))
  }

  @Test func writesStylesThatFFmpegReads() throws {
    let edit = try WitnessedEdit(.init(movie: "interview.mov", strategy: .itself))
    // ffmpeg writes the font of every run.
    let text = try subtitles(edit).replacingOccurrences(of: "</?font[^>]*>", with: "", options: .regularExpression)
    #expect(text.contains("<i>Who is there?</i>"))
    #expect(text.contains("You said <i>never</i> to come back."))
    #expect(text.contains("<b>MARIA:</b> I know what I said."))
  }

  @Test func writesLanguageAndDispositionOfTheStream() throws {
    let edit = try WitnessedEdit(.init(movie: "spanish.mov", strategy: .itself))
    let ffprobe = try Witness.require("ffprobe")
    let result = try ffprobe.run([
      "-v", "error", "-select_streams", "s", "-show_entries", "stream=codec_name:stream_tags=language", "-of",
      "csv=p=0", edit.new,
    ])
    #expect(result.outputText == "mov_text,spa\nmov_text,eng\n")
  }

  @Test(.timeLimit(.minutes(5))) func keepsRealMoviesReadable() throws {
    let corpus = try HeavyTests.corpus()
    for name in WitnessedEdit.wild {
      let entry = try #require(corpus.movies.first { $0.name == name }, "\(name) is not in the corpus")
      for strategy in [EditStrategy.itself, .fastStart] {
        let edit = try WitnessedEdit(wild: entry.path, strategy)
        try expectSamePackets(edit)
        try expectTexts(edit)
      }
    }
  }

  private func expectTexts(_ edit: WitnessedEdit) throws {
    #expect(try WitnessedEdit.lines(subtitles(edit)) == edit.lines, "\(edit.name)")
  }

  private func subtitles(_ edit: WitnessedEdit) throws -> String {
    let ffmpeg = try Witness.require("ffmpeg")
    let index = try #require(try streams(edit.new).first { $0.id == edit.trackID }?.index)
    let result = try ffmpeg.run([
      "-nostdin", "-v", "error", "-copyts", "-i", edit.new, "-map", "0:\(index)", "-f", "srt", "-",
    ])
    #expect(result.code == 0 && result.errorText.isEmpty, "\(edit.name): \(result.errorText)")
    return result.outputText
  }

  private func expectSamePackets(_ edit: WitnessedEdit) throws {
    let before = try streams(edit.old)
    let after = try streams(edit.new).filter { $0.id != edit.trackID }
    #expect(before.map(\.id) == after.map(\.id), "\(edit.name)")
    let old = try packets(edit.old, before.map(\.index))
    #expect(old.count > before.count)
    #expect(try packets(edit.new, after.map(\.index)) == old, "\(edit.name)")
  }

  /// Returns times, sizes and hashes of all packets, sorted, since streams may be interleaved differently.
  private func packets(_ path: String, _ streams: [Int]) throws -> [String] {
    let ffmpeg = try Witness.require("ffmpeg")
    let maps = streams.flatMap { ["-map", "0:\($0)"] }
    let result = try ffmpeg.run(
      ["-nostdin", "-v", "error", "-copyts", "-i", path] + maps
        + ["-c", "copy", "-copy_unknown", "-f", "framemd5", "-"])
    #expect(result.code == 0, "\(path): \(result.errorText)")
    return result.outputText.split(separator: "\n").map(String.init).sorted()
  }

  /// Returns the streams and the IDs of their tracks, with 0 for a picture in the metadata.
  private func streams(_ path: String) throws -> [(index: Int, id: UInt32)] {
    let ffprobe = try Witness.require("ffprobe")
    let result = try ffprobe.run(["-v", "error", "-show_entries", "stream=index,id", "-of", "csv=p=0", path])
    #expect(result.code == 0, "\(path): \(result.errorText)")
    return result.outputText.split(separator: "\n").map { row in
      let cells = row.split(separator: ",")
      return (Int(cells[0]) ?? -1, cells.count > 1 ? UInt32(cells[1].dropFirst(2), radix: 16) ?? 0 : 0)
    }
  }
}

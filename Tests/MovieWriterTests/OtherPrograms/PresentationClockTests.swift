import Foundation
import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

/// A cue appears at its time on the movie's presentation clock, for any timing of the media. ffmpeg determines when the
/// picture turns white and when the text of that time appears.
struct PresentationClockTests {
  /// The commands for a movie whose picture turns white after two seconds of media.
  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let input: [String]
    let codecs: [String]
    /// The time on the movie's clock when the picture turns white.
    let flash: Double
  }

  private static let picture = [
    "-f", "lavfi", "-i",
    "color=black:s=64x48:r=25:d=2,format=yuv420p[a];color=white:s=64x48:r=25:d=2,format=yuv420p[b];[a][b]concat",
  ]
  private static let tone = ["-f", "lavfi", "-i", "sine=d=4"]

  static let cases = [
    Case(description: "no edit", input: picture, codecs: ["-c:v", "mpeg4", "-bf", "0"], flash: 2),
    Case(description: "reordered frames", input: picture, codecs: ["-c:v", "libx264", "-bf", "3"], flash: 2),
    Case(
      description: "priming", input: picture + tone, codecs: ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"], flash: 2),
    Case(
      description: "empty edit", input: tone + ["-itsoffset", "1.6"] + picture,
      codecs: ["-map", "0", "-map", "1", "-fps_mode", "passthrough", "-c:v", "libx264", "-bf", "2", "-c:a", "aac"],
      flash: 3.6),
  ]

  @Test(arguments: cases, ["movie.mov", "movie.mp4"])
  func showsACueWithItsFrame(_ movie: Case, _ name: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    let made = try ffmpeg.run(["-nostdin", "-v", "error"] + movie.input + movie.codecs + [folder.file(name)])
    try #require(made.code == 0, "\(made.errorText)")
    #expect(try whiteTime(folder.file(name)) == movie.flash, "before the edit")

    let start = Int64(movie.flash * 1_000)
    let cue = Cue(startMilliseconds: start, endMilliseconds: start + 400, text: StyledText("White"))
    let edited = try EditStrategy.itself.add([cue], to: folder.file(name), in: folder, as: "edited-" + name)
    #expect(try whiteTime(edited.path) == movie.flash)
    #expect(try textTime(edited.path) == movie.flash)
  }

  /// Returns the time of the first frame that is not black.
  private func whiteTime(_ path: String) throws -> Double? {
    let ffmpeg = try Witness.require("ffmpeg")
    let result = try ffmpeg.run([
      "-nostdin", "-v", "error", "-copyts", "-i", path, "-map", "0:v", "-vf", "signalstats,metadata=print:file=-", "-f",
      "null", "-",
    ])
    var time: Double?
    for line in result.outputText.split(separator: "\n") {
      if let range = line.range(of: "pts_time:") { time = Double(line[range.upperBound...]) }
      if line.hasPrefix("lavfi.signalstats.YAVG="), let mean = Double(line.dropFirst(23)), mean > 128 { return time }
    }
    return nil
  }

  /// Returns the time of the first text.
  private func textTime(_ path: String) throws -> Double? {
    let ffmpeg = try Witness.require("ffmpeg")
    let result = try ffmpeg.run(["-nostdin", "-v", "error", "-copyts", "-i", path, "-map", "0:s", "-f", "srt", "-"])
    return WitnessedEdit.lines(result.outputText).first { $0.text == "White" }.map { Double($0.start) / 1_000 }
  }
}

import MovieBox
import MovieWriter

/// `movtool add-captions IN SUB…`.
///
/// The command works like `add-subtitle`, but adds caption tracks.
struct AddCaptionsCommand: Command {
  static let name = "add-captions"

  /// The options of `add-subtitle` that do not apply to captions, each with the reason.
  private static let refusedOptions = [
    "sdh": "captions are for deaf viewers even without a tag; omit the option",
    "forced": "CEA-608 has no forced captions; use add-subtitle",
    "forced-for": "CEA-608 has no forced captions; use add-subtitle",
    "font-size": "players determine the size of captions; omit the option",
    "plain": "the codes of captions contain their styles; use add-subtitle",
    "format": "caption tracks contain c608; use add-subtitle for tx3g and wvtt",
  ]

  static let manual = CommandManual(
    operands: "IN [SUB…]",
    summary: "add SCC, MCC, SubRip or WebVTT files as caption tracks",
    examples: [
      .init(line: "movtool add-captions film.mov film.en.scc", effect: "add the captions of a file, unchanged"),
      .init(
        line: "movtool add-captions film.mov film.en.srt --default -o out.mov",
        effect: "encode subtitles as captions that are on by default"),
      .init(
        line: "movtool add-captions film.mov film.en.scc --timecode-base movie",
        effect: "subtract the movie's first time code from the file's times"),
    ],
    options: AddSubtitleCommand.manual.options.filter { refusedOptions[$0.name] == nil },
    firstInput: AddSubtitleCommand.manual.firstInput, refusedOptions: refusedOptions,
    notes: [
      "The track contains CEA-608 captions (c608), and joins the group of the subtitles.",
      "QuickTime Player, TVs, ffmpeg and GStreamer show the captions. The track needs no SDH tags.",
      "The codes of SCC and MCC files are copied. --channel copies one channel, and stores it as CC1.",
      "SubRip and WebVTT files are encoded as pop-on captions of CC1.",
      "Files are found, named and paired as in add-subtitle.",
    ] + TrackSelector.notes("matches one track"))

  /// The `add-subtitle` command that adds the caption tracks.
  let addition: AddSubtitleCommand

  init(_ arguments: Arguments) throws(UsageError) {
    let table = AddSubtitleCommand.manual.options + OptionSpec.commonOptions
    addition = try AddSubtitleCommand(arguments.interpreted(by: table), addsCaptions: true)
  }

  func run(in context: Context) throws -> ExitCode { try addition.run(in: context) }
}

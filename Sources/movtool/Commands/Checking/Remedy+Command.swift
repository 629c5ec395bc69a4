import MovieBox
import MovieWriter

extension Remedy {
  /// A step as a person takes it.
  struct ShownStep: Hashable {
    /// A command that can be pasted into a shell; `nil` where movtool cannot do it.
    let command: String?
    let remark: String?
  }

  /// The steps with their commands, for a file of this name; words in capitals stand for what is not known.
  func shownSteps(ofFile file: String?, tracks: [Subject: UInt32]) -> [ShownStep] {
    // A name that looks like an option is none after a folder; standard output has no name.
    let name = file == "-" ? nil : file.map { $0.hasPrefix("-") ? "./" + $0 : $0 }
    return steps.map { step in
      ShownStep(
        command: step.action.map { $0.command(file: name.map(ShellWord.quoted) ?? "FILE", tracks) },
        remark: step.remark)
    }
  }
}

extension Remedy.Action {
  /// The command line that does it.
  fileprivate func command(file: String, _ tracks: [Remedy.Subject: UInt32]) -> String {
    func selector(_ subject: Remedy.Subject) -> String { tracks[subject].map { "id:\($0)" } ?? subject.placeholder }
    func pair(_ from: Remedy.Subject, _ to: Remedy.Subject) -> String { "\(selector(from))=\(selector(to))" }
    let words: [String] =
      switch self {
      case .fixAutomatically(let target):
        ["validate", file, "--fix"] + (target.map { ["--target", $0.rawValue] } ?? [])
      case .change(let track, let changes):
        ["set", file, "--track", selector(track)] + changes.flatMap(\.options)
      case .associateForced(let from, let to): ["link", file, "--forced", pair(from, to)]
      case .associateForcedByLanguage: ["link", file, "--auto"]
      case .associateChapters(let from, let to): ["link", file, "--chapters", pair(from, to)]
      case .setChaptersAgain: ["chapters", file, "--set", file]
      case .associateFollower(let from, let to): ["link", file, "--follow", pair(from, to)]
      case .removeReferences(let from, let to): ["link", file, "--clear", pair(from, to)]
      case .extractSubtitles(let track): ["extract", file, "--track", selector(track)]
      case .addSubtitles(let isReplacing): ["add-subtitle", file, "SUB"] + (isReplacing ? ["--replace"] : [])
      case .removeTrack(let track): ["remove", file, "--track", selector(track)]
      case .setMetadata(let fact, let language):
        ["metadata", file, "--set", (fact ?? "FACT") + "=TEXT"] + (language.map { ["--language", "\($0)"] } ?? [])
      case .removeMetadata(let items): ["metadata", file, "--remove", items.map(ShellWord.quoted) ?? "PATTERN"]
      case .rewriteCompact: ["remux", file, "-o", "OUT", "--compact"]
      case .rewriteSelfContained: ["remux", file, "-o", "OUT", "--self-contained"]
      case .flatten: ["remux", file, "-o", "OUT", "--flatten"]
      case .salvage: ["remux", file, "-o", "OUT", "--salvage"]
      case .convert(let type): ["remux", file, "-o", "OUT", "--type", type.rawValue]
      }
    return (["movtool"] + words).joined(separator: " ")
  }
}

extension Remedy.Change {
  fileprivate var options: [String] {
    switch self {
    case .role(let role): ["--role", role.rawValue]
    case .group: ["--group", "NUMBER"]
    case .noGroup: ["--group", "none"]
    case .language(let tag): ["--language", tag?.description ?? "TAG"]
    case .title: ["--title", "TEXT"]
    case .enabledInGroup: ["--default"]
    case .disabled: ["--enabled", "off"]
    case .noCharacteristic(let tag): ["--characteristic", tag.map { "-" + ShellWord.quoted($0) } ?? "-TAG"]
    }
  }
}

extension Remedy.Subject {
  /// What stands in a command for a track that a person chooses.
  fileprivate var placeholder: String {
    switch self {
    case .track: "SELECTOR"
    case .fullSubtitles: "FULL"
    case .forcedSubtitles: "FORCED"
    case .audio: "AUDIO"
    case .subtitles: "SUBTITLE"
    case .source: "A"
    case .target: "B"
    }
  }
}

extension Rule {
  /// How to fix it, in one line; what is no part of a command stands in parentheses.
  var howToFix: String {
    remedies.enumerated().map { number, remedy in
      (number > 0 ? "or " : "")
        + remedy.shownSteps(ofFile: nil, tracks: [:]).map { step in
          let remark = step.remark.map { step.command == nil ? $0 : "(\($0))" }
          return [step.command, remark].compactMap { $0 }.joined(separator: " ")
        }.joined(separator: ", then ")
    }.joined(separator: ", ")
  }
}

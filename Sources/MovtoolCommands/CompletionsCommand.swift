import MovieBox
import MovieWriter

/// `movtool completions SHELL`.
struct CompletionsCommand: Command {
  static let name = "completions"

  static let manual = CommandManual(
    operands: "bash|zsh|fish",
    summary: "print a script that completes options and tracks",
    examples: [
      .init(line: "movtool completions bash", effect: "save as ~/.local/share/bash-completion/completions/movtool"),
      .init(line: "movtool completions zsh", effect: "save as _movtool in a folder of fpath"),
      .init(line: "movtool completions fish", effect: "save as ~/.config/fish/completions/movtool.fish"),
    ],
    options: [])

  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  private let shell: Shell

  init(_ arguments: Arguments) throws(UsageError) {
    guard let name = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError(.missingOperand, "specify a shell: bash, zsh or fish")
    }
    guard let shell = Shell(rawValue: name) else {
      throw UsageError(.invalidValue, "no completions for \(name); use bash, zsh or fish")
    }
    self.shell = shell
  }

  func run(in context: Context) throws -> ExitCode {
    try context.print(script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    return .done
  }

  private var script: String {
    switch shell {
    case .bash: Self.bash
    case .zsh: Self.zsh
    case .fish: Self.fish
    }
  }

  // bash splits words at `:` and `=`. Selectors and option values contain these characters, so bash would replace only
  // the text after them unless the word is quoted.
  private static let bash = #"""
    # bash completion for movtool
    _movtool_plain() {
      local word=$1
      case $word in
        [\"\']*) word=${word#?}; word=${word%[\"\']} ;;
        *) word=${word//\\/} ;;
      esac
      printf '%s' "$word"
    }
    _movtool() {
      local part= cur candidate index word whole=
      local -a words=()
      for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ $index -gt 1 && ( $word == [:=]* || $whole == *[:=] ) ]]; then
          whole+=$word
          words[${#words[@]} - 1]=$(_movtool_plain "$whole")
        else
          whole=$word
          words+=("$(_movtool_plain "$word")")
        fi
      done
      cur=${words[${#words[@]} - 1]}
      [[ $whole == [\"\']* ]] || part=${cur%"${cur##*[:=]}"}
      COMPREPLY=()
      while IFS=$'\t' read -r candidate _; do
        if [[ $candidate == //files ]]; then
          local option=
          [[ $cur == -*=* ]] && option=${cur%%=*}=
          compopt -o filenames 2>/dev/null
          while IFS= read -r candidate; do
            candidate=$option$candidate
            COMPREPLY+=("${candidate#"$part"}")
          done < <(compgen -f -- "${cur#"$option"}")
          return
        fi
        COMPREPLY+=("${candidate#"$part"}")
      done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
    }
    complete -F _movtool movtool
    """#

  private static let zsh = #"""
    #compdef movtool
    _movtool() {
      local -a lines items
      local line
      lines=("${(@f)$("${(Q)words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
      if [[ $lines[1] == //files ]]; then
        _files
        return
      fi
      for line in $lines; do
        items+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
      done
      _describe 'movtool' items
    }
    if [[ $funcstack[1] == _movtool ]]; then _movtool "$@"; else compdef _movtool movtool; fi
    """#

  private static let fish = #"""
    # fish completion for movtool
    function __movtool_complete
      set -l words (commandline -opc) (commandline -ct)
      set -l lines ($words[1] complete -- $words[2..-1] 2>/dev/null)
      if test "$lines[1]" = //files
        __fish_complete_path (commandline -ct)
      else
        printf '%s\n' $lines
      end
    end
    complete -c movtool -f -a '(__movtool_complete)'
    """#
}

/// `movtool complete -- WORD…`. The scripts of ``CompletionsCommand`` run this command.
struct CompleteCommand: Command {
  static let name = "complete"

  static let manual = CommandManual(
    operands: "-- WORD…", summary: "list possible values of the last word, for a shell",
    examples: [
      .init(line: "movtool complete -- set film.mov --track subtitle:", effect: "list the subtitle tracks of film.mov")
    ], options: [])

  private let words: [String]

  init(_ arguments: Arguments) throws(UsageError) {
    words = arguments.operands
  }

  func run(in context: Context) throws -> ExitCode {
    switch Completion(words, in: context).answer {
    case .files: try context.print(["//files"])
    case .words(let candidates):
      try context.output.write(Array(candidates.map { "\($0.word)\t\($0.meaning)\n" }.joined().utf8))
    }
    return .done
  }
}

/// The completions of the last word of a command line.
///
/// The scripts of ``CompletionsCommand`` run `movtool complete` whenever the user presses Tab. Commands, options and
/// values come from the tables that parsing uses. Tracks come from the movie on the command line. So new options do not
/// change the scripts.
struct Completion {
  /// A possible word and its meaning.
  struct Candidate: Equatable {
    let word: String
    let meaning: String

    init(_ word: String, _ meaning: String = "") {
      self.word = word
      self.meaning = meaning
    }
  }

  enum Answer: Equatable {
    /// File names. The shell itself completes them.
    case files
    case words([Candidate])
  }

  private let words: [String]
  private let context: Context

  /// Creates the completions of a command line. `words` are the words after `movtool`, and the last of them is
  /// incomplete.
  init(_ words: [String], in context: Context) {
    self.words = words
    self.context = context
  }

  /// The candidates that begin with the last word.
  var answer: Answer {
    let current = words.last ?? ""
    guard let name = words.first, words.count > 1 else { return Self.words(Self.commands, beginning: current) }
    guard let command = (CommandTable.all + CommandTable.hiddenCommands).first(where: { $0.name == name }) else {
      return .files
    }
    let before = words.dropFirst().dropLast()
    guard !before.contains("--") else { return .files }
    let options = command.manual.options + OptionSpec.commonOptions
    if let option = before.last.flatMap({ word in options.first { $0.isSpelled(word) } }), let value = option.value,
      !value.isOptional || !current.isEmpty && !current.hasPrefix("-")
    {
      if value.isOptional, self.answer(value, of: command, current) == .words([]) { return .files }
      return self.answer(value, of: command, current)
    }
    if current.hasPrefix("-"), let equals = current.firstIndex(of: "="),
      let value = options.first(where: { $0.isSpelled(String(current[..<equals])) })?.value
    {
      return self.answer(value, of: command, current, after: String(current[...equals]))
    }
    if current.hasPrefix("-") {
      return Self.words(options.map { Candidate($0.spelling, $0.help) }, beginning: current)
    }
    switch name {
    case HelpCommand.name: return Self.words(Self.commands, beginning: current)
    case CompletionsCommand.name:
      return Self.words(CompletionsCommand.Shell.allCases.map { Candidate($0.rawValue) }, beginning: current)
    default: return .files
    }
  }

  private static var commands: [Candidate] { CommandTable.all.map { Candidate($0.name, $0.manual.summary) } }

  private static func words(_ candidates: [Candidate], beginning start: String) -> Answer {
    .words(candidates.filter { $0.word.hasPrefix(start) })
  }

  /// Returns the possible values of an option. `prefix` is the text before the value in the incomplete word.
  private func answer(
    _ value: OptionValue, of command: any Command.Type, _ current: String, after prefix: String = ""
  ) -> Answer {
    var candidates: [Candidate]
    var prefix = prefix
    switch value.kind {
    case .text: return .words([])
    case .file: return .files
    case .words(let words): candidates = words.map { Candidate($0) }
    case .rule: candidates = [Candidate("all", "every rule")] + Rule.all.map { Candidate($0.id, $0.effect) }
    case .language: candidates = languages
    case .selector(let words): candidates = words.map { Candidate($0) } + selectors(command, or: words)
    case .selectorPair:
      candidates = selectors(command)
      if let equals = current.dropFirst(prefix.count).firstIndex(of: "=") { prefix = String(current[...equals]) }
    }
    candidates = candidates.map { Candidate(prefix + $0.word, $0.meaning) }
    return Self.words(candidates, beginning: current)
  }

  /// The languages of the movie, followed by the most common languages of subtitle files.
  private var languages: [Candidate] {
    let commonWords = [
      "ar", "cs", "da", "de", "el", "en", "es", "es-419", "fi", "fr", "fr-CA", "he", "hi", "hu", "id", "it", "ja", "ko",
      "nb",
      "nl", "pl", "pt", "pt-BR", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh-Hans", "zh-Hant",
    ]
    let movieLanguages = movie(at: 0)?.tracks.compactMap { $0.language?.description } ?? []
    return (movieLanguages + commonWords).withoutRepetition.map { Candidate($0, LanguageTag($0)?.englishName ?? "") }
  }

  /// Returns selectors of the movie's tracks. A selector by kind, language and role is included if it matches only one
  /// track. A selector by ID is included for each track.
  private func selectors(_ command: any Command.Type, or words: [String] = []) -> [Candidate] {
    // For `add-track`, selectors refer to the second file, except for `--describes`, which may be `none`.
    guard let movie = movie(at: command.name == AddTrackCommand.name && words.isEmpty ? 1 : 0) else {
      return TrackSelector.Kind.allCases.map { Candidate($0.rawValue) }
    }
    let tracks = movie.tracks.map { EditedTrack($0) }
    var candidates: [Candidate] = []
    for kind in TrackSelector.Kind.allCases {
      guard let selector = Self.selector(kind.rawValue) else { continue }
      var tracksByText: [(text: String, track: EditedTrack)] = []
      for track in selector.matches(among: tracks) {
        for text in Self.selectors(kind, track) { tracksByText.append((text, track)) }
      }
      let counts = Dictionary(tracksByText.map { ($0.text, 1) }, uniquingKeysWith: +)
      for (text, track) in tracksByText where counts[text] == 1 {
        candidates.append(Candidate(text, track.kindAndName))
      }
    }
    return candidates + tracks.map { Candidate("id:\($0.id)", $0.kindAndName) }
  }

  private static func selector(_ text: String) -> TrackSelector? {
    do {
      return try TrackSelector(text, option: "track")
    } catch {
      return nil
    }
  }

  /// Returns the selectors that describe a track by kind, language and at most one role.
  private static func selectors(_ kind: TrackSelector.Kind, _ track: EditedTrack) -> [String] {
    let languageSelectors = track.language.map { ["\(kind.rawValue):\($0)"] } ?? []
    let roles = TrackRole.allCases.filter { role in
      role != .regular
        && role.isSignalled(by: track.taggedCharacteristics, isForcedOnly: track.containsOnlyForcedSubtitles)
    }
    let withRoles = roles.map { role in
      (languageSelectors.first.map { $0 + "," } ?? "\(kind.rawValue):") + role.rawValue
    }
    return [kind.rawValue] + languageSelectors + withRoles
  }

  /// Returns the movie that an operand names, or `nil` if it cannot be read.
  private func movie(at index: Int) -> Movie? {
    var isValue = false
    var operands: [String] = []
    guard let command = CommandTable.all.first(where: { $0.name == words.first }) else { return nil }
    let options = command.manual.options + OptionSpec.commonOptions
    for word in words.dropFirst().dropLast() {
      defer { isValue = options.contains { $0.isSpelled(word) && $0.value != nil } }
      if !isValue, !word.hasPrefix("-") { operands.append(word) }
    }
    guard operands.indices.contains(index) else { return nil }
    do {
      return try Movie(of: context.open(operands[index]), limits: context.limits.movie)
    } catch {
      return nil  // Files on an incomplete line may not exist yet.
    }
  }
}

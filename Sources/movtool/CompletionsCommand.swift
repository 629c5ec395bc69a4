/// `movtool completions SHELL`.
struct CompletionsCommand: Command {
  static let name = "completions"

  static let manual = CommandManual(
    operands: "bash|zsh|fish",
    summary: "prints what a shell needs to complete options and tracks",
    examples: [
      .init(line: "movtool completions bash", effect: "for ~/.local/share/bash-completion/completions/movtool"),
      .init(line: "movtool completions zsh", effect: "for a file _movtool in a folder of fpath"),
      .init(line: "movtool completions fish", effect: "for ~/.config/fish/completions/movtool.fish"),
    ],
    options: [])

  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  private let shell: Shell

  init(_ arguments: Arguments) throws(UsageError) {
    guard let name = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError(.missingOperand, "which shell? bash, zsh or fish")
    }
    guard let shell = Shell(rawValue: name) else {
      throw UsageError(.invalidValue, "no completions for \(name); there are some for bash, zsh and fish")
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

  // bash divides words at `:` and `=`, which selectors and names have in them, and replaces only the last part, unless the
  // word is in quotes.
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

/// `movtool complete -- WORD…`, which the scripts of ``CompletionsCommand`` call.
struct CompleteCommand: Command {
  static let name = "complete"

  static let manual = CommandManual(
    operands: "-- WORD…", summary: "lists what the last word can be, for a shell",
    examples: [
      .init(line: "movtool complete -- set film.mov --track subtitle:", effect: "lists the subtitle tracks of film.mov")
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

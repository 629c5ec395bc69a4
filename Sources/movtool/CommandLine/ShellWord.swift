/// A text as one word of a command line that can be pasted into a shell.
enum ShellWord {
  /// The name of a file; one that looks like an option gets `./` before it.
  static func path(_ name: some StringProtocol) -> String {
    quoted((name.hasPrefix("-") ? "./" : "") + name)
  }

  /// The text as it is where no shell takes it for more, else in single quotes.
  static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: "-_./:,+@%".unicodeScalars.contains(scalar)
      }
    }
    guard !isPlain || text.isEmpty else { return text }
    // By scalars: to a shell a quote ends the word whatever mark stands after it, though the two are one character.
    var quoted = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "'"
  }
}

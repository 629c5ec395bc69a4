import CMovtool
public import MovieBox
import MovtoolC

/// Runs a command line with `movtool_run`. The movie is the input as a whole, and its last bytes determine the words.
public func runWords(_ bytes: Bytes) {
  let control = [UInt8](bytes.array.suffix(24))
  var words: [String] = []
  for index in stride(from: 0, to: control.count - 1, by: 2) {
    let number = Int(control[index]) << 8 | Int(control[index + 1])
    switch number % 16 {
    case 0: break
    case 1: words.append(rawWord(of: control))
    case 2, 3, 4: words.append(values[number / 16 % values.count])
    case 5, 6: words.append("film.mov")
    default: words.append(options[number / 16 % options.count])
    }
  }
  words.insert(commands[Int(control.last ?? 0) % commands.count], at: 0)
  // `serve` runs until it is stopped.
  if words[0] == "serve" { return }
  let inputs = [
    CallbackInput("film.mov", CallbackReader(bytes)),
    CallbackInput("film.en.srt", CallbackReader(Bytes(Array("1\n00:00:00,100 --> 00:00:00,400\nHello\n".utf8)))),
  ]
  withoutFiles {
    withWords(words) { start, count in
      withHost(inputs) { host in
        _ = check { movtool_run(start, count, host, $0) }
      }
    }
  }
  for input in inputs { movtool_source_free(input.handle) }
}

/// A word of arbitrary bytes, without slashes and null characters.
private func rawWord(of control: [UInt8]) -> String {
  String(decoding: control.filter { $0 != 0 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ".") }, as: UTF8.self)
}

private let commands = [
  "inspect", "metadata", "timed", "chapters", "add-subtitle", "add-captions", "extract", "add-track", "remove", "set",
  "retime", "link", "remux", "select", "validate", "diff", "hls", "html", "completions", "help", "batch",
]

private let values = [
  "film.en.srt", "film.mov", "-o", "-", "subtitle:1", "audio:1", "video", "id:1", "id:2", "all", "en", "und", "0", "1",
  "-1.5", "25/24", "json", "vtt", "srt", "mp4", "mov", "store", "title=x", "mdta/a.b=c", "cc1", "00:00:01.000", "--",
]

/// The options of all commands, from their help.
private let options: [String] = {
  var options: Set<String> = []
  for command in commands {
    withWords(["help", command]) { start, count in
      let help = check { movtool_run(start, count, nil, $0) }.answer
      for word in help.split(whereSeparator: { !$0.isLetter && $0 != "-" }) where word.hasPrefix("--") && word.count > 3
      {
        options.insert(String(word))
      }
    }
  }
  guard options.count > 50 else { fatalError("the help lists only \(options.count) options") }
  return options.sorted()
}()

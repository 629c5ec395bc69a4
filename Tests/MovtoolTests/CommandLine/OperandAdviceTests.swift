import TestSupport
import Testing

@testable import MovtoolCommands

/// A value without its option leads to the line with the option.
struct OperandAdviceTests {
  @Test(arguments: [
    ("chapters film.mov chapters.txt", "movtool chapters film.mov --set chapters.txt"),
    ("chapters film.mov chapters.txt out.mov", "movtool chapters film.mov --set chapters.txt -o out.mov"),
    ("metadata film.mov title=Home", "movtool metadata film.mov --set 'title=Home'"),
    ("metadata film.mov title=Home artist=Ann", "movtool metadata film.mov --set 'title=Home' --set 'artist=Ann'"),
    ("remux film.mov out.mp4", "movtool remux film.mov -o out.mp4"),
    ("remux film.mov a/out.mov --fast-start", "movtool remux film.mov -o a/out.mov --fast-start"),
    ("remux film.mov -", "movtool remux film.mov -o -"),
    ("extract film.mov film.en.srt", "movtool extract film.mov -o film.en.srt"),
    ("extract film.mov subtitle:es", "movtool extract film.mov --track subtitle:es"),
    ("remove film.mov subtitle:es audio:2", "movtool remove film.mov --track subtitle:es --track audio:2"),
    ("set film.mov id:3 --language en", "movtool set film.mov --track id:3 --language en"),
    ("set film.mov language=en --track id:3", "movtool set film.mov --language en --track id:3"),
    ("retime film.mov 1.5 --track subtitle", "movtool retime film.mov --offset 1.5 --track subtitle"),
    ("select film.mov es", "movtool select film.mov --language es"),
    ("link film.mov audio:1=subtitle:1", "movtool link film.mov --follow 'audio:1=subtitle:1'"),
    ("add-track film.mov dub.m4a out.mov --dub", "movtool add-track film.mov dub.m4a -o out.mov --dub"),
    ("add-subtitle film.mov film.en.srt out.mov", "movtool add-subtitle film.mov film.en.srt -o out.mov"),
    ("html film.mov page.html", "movtool html film.mov -o page.html"),
  ]) func missingOptionIsNamed(_ line: String, _ advice: String) {
    let (code, lines) = run(line)
    #expect(code == .usage && lines.last == "try: " + advice, "\(lines)")
  }

  @Test(arguments: [
    "remux film.mov out", "metadata film.mov title", "set film.mov x=1", "remux film.mov out.mov -o other.mov",
    "diff a.mov b.mov c.mov", "select film.mov subtitle:1", "remove film.mov a/b:c", "metadata film.mov =x",
  ]) func wordsWithoutALikelyOptionGetNone(_ line: String) {
    let (code, lines) = run(line)
    #expect(code == .usage && lines.last?.hasPrefix("see movtool help ") == true, "\(lines)")
  }

  private func run(_ line: String) -> (ExitCode, [String]) {
    let console = Console()
    let code = Movtool.run(line.split(separator: " ").map(String.init), in: console.context)
    return (code, console.errors.lines)
  }
}

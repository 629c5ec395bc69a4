import SubtitleTestSupport
import Subtitles
import TestSupport

/// A random SubRip file with cues and all kinds of defects, generated from a seed.
struct WildSubRip {
  /// The words of the cues, which occur nowhere else in the file.
  private(set) var words: [String] = []
  private(set) var bytes: [UInt8] = []

  private var random: SubtitleRandom
  private var text = ""
  private var wordCount = 0

  init(seed: UInt64) {
    random = SubtitleRandom(seed: seed)
    if chance(8) { text += "Subtitles by \(word())\n\n" }
    let cueCount = 2 + pick(9)
    var time = pick(3_000)
    for index in 0..<cueCount {
      time += pick(4_000) - 500
      let duration = 300 + pick(3_000)
      append(index, start: time, end: chance(25) ? time - pick(3) : time + duration)
      time += duration
    }
    text = [{ $0 }, { $0.replacing("\n", with: "\r\n") }, { $0.replacing("\n", with: "\r") }][pick(3)](text)
    bytes = encoded()
  }

  // MARK: - Chance

  private mutating func pick(_ count: Int) -> Int { Int(random.next(below: UInt64(count))) }

  private mutating func chance(_ oneIn: Int) -> Bool { pick(oneIn) == 0 }

  private mutating func choose<T>(_ choices: [T]) -> T { choices[pick(choices.count)] }

  // MARK: - Words

  /// Returns a word that is part of no other word, sometimes with characters that resemble markup.
  private mutating func word() -> String {
    wordCount += 1
    let core = "w\(wordCount)x"
    let word = choose([
      core, core, core, core + "é", "¿" + core, core + "<3", core + "&co", "{" + core + "}", core + "'s", core + ">y",
      "AT&T" + core, core + "–", core + "…", "$" + core, core + "|", "<<" + core, core + "\\n",
    ])
    words.append(word)
    return word
  }

  // MARK: - Cues

  private mutating func append(_ index: Int, start: Int, end: Int) {
    switch pick(12) {
    case 0: break
    case 1: text += "7\n"
    case 2: text += "\(index + 1) \(chance(2) ? word() : "")\n"
    default: text += "\(index + 1)\n"
    }
    text += timing(start, end) + "\n"
    let lineCount = chance(20) ? 0 : 1 + pick(3)
    for line in 0..<lineCount {
      text += markedUp((0...pick(4)).map { _ in word() }) + (chance(6) ? " \t" : "") + "\n"
      if line + 1 < lineCount, chance(12) { text += chance(2) ? "\n" : " \n\n" }
      if chance(60) { text += "\0" }
      if chance(60) { text += "\u{FEFF}" }
    }
    if !chance(10) { text += String(repeating: "\n", count: 1 + pick(2)) }
  }

  private mutating func timing(_ start: Int, _ end: Int) -> String {
    if chance(40) {
      return choose(["\(clock(start)) -->", "\(clock(start)) --> soon", "\(clock(start)) -> ", "00:1x --> 2"])
    }
    let arrow = chance(3) ? choose(["-->", " -->", "-->  ", " -> ", " –> ", " → ", "\t-->\t", " --- > "]) : " --> "
    var line = clock(start) + arrow + clock(end)
    if chance(10) {
      line += choose([" !!!", " X1:100 X2:600 Y1:50 Y2:90", " X1:1 X2:2 Y1:400 Y2:470", " align:start", " "])
    }
    if chance(30) { line += " " + word() }
    return line
  }

  private mutating func clock(_ milliseconds: Int) -> String {
    let total = abs(milliseconds)
    func padded(_ value: Int, _ width: Int) -> String { String(String(value + 1_000_000).suffix(width)) }
    let (hours, minutes, seconds) = (total / 3_600_000, total / 60_000 % 60, total / 1_000 % 60)
    let separator = chance(4) ? choose([".", ":", ", ", " ,"]) : ","
    let colon = chance(20) ? choose([": ", " : "]) : ":"
    let fraction =
      chance(8) ? choose([padded(total / 100 % 10, 1), padded(total % 1_000, 3) + "0", ""]) : padded(total % 1_000, 3)
    let sign = milliseconds < 0 ? "-" : ""
    if chance(15) { return "\(sign)\(minutes):\(padded(seconds, 2))\(separator)\(fraction)" }
    return "\(sign)\(padded(hours, 2))\(colon)\(padded(minutes, 2))\(colon)\(padded(seconds, 2))\(separator)\(fraction)"
  }

  // MARK: - Markup

  private mutating func markedUp(_ words: [String]) -> String {
    var line = ""
    for (index, word) in words.enumerated() {
      if index > 0 { line += choose([" ", " ", " ", "<br>", "\\N", "&nbsp;", "  ", "\\h"]) }
      line += chance(4) ? marked(word) : word
    }
    return line
  }

  private mutating func marked(_ word: String) -> String {
    switch pick(16) {
    case 0: "<i>\(word)</i>"
    case 1: "<b>\(word)</B>"
    case 2: "<u>\(word)"
    case 3: "\(word)</i>"
    case 4: "<font color=\"#FF00\(pick(90) + 10)\">\(word)</font>"
    case 5: "<font color=red face='Arial'>\(word)"
    case 6: "<i><b>\(word)</i></b>"
    case 7: "{\\an\(pick(10))}\(word)"
    case 8: "{\\i1}\(word){\\i0}"
    case 9: "{\\fad(200,200)\\pos(10,20)}\(word)"
    case 10: "{b}\(word){/b}"
    case 11: "{y:i}\(word)"
    case 12: "<c.yellow>\(word)</c>"
    case 13: "<unknown>\(word)"
    case 14: "&lt;\(word)&gt; &amp; &#39;"
    default: "<font color=\"\">\(word)</font></font>"
    }
  }

  // MARK: - Bytes

  private mutating func encoded() -> [UInt8] {
    let units = Array(text.utf16)
    func bigEndian(_ units: [UInt16]) -> [UInt8] { units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
    func littleEndian(_ units: [UInt16]) -> [UInt8] { units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
    switch pick(10) {
    case 0: return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    case 1: return bigEndian([0xFEFF] + units)
    case 2: return littleEndian([0xFEFF] + units)
    case 3: return bigEndian(units)
    case 4: return littleEndian(units)
    case 5: return windows1252(text.replacing("\u{FEFF}", with: "").replacing(" → ", with: " --> "))
    default: return Array(text.utf8)
    }
  }

  private func windows1252(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "–": 0x96
      case "…": 0x85
      default: UInt8(clamping: scalar.value)
      }
    }
  }
}

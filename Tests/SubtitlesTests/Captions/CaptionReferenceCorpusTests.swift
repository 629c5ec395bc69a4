import Foundation
import TestSupport
import Testing

@testable import Subtitles

/// Captions of the corpus, compared with the answers beside them. `Docs/captions.md` explains each difference.
struct CaptionReferenceCorpusTests {
  private func contents(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try Corpus.require().folder + "/streaming/" + name)))
  }

  private func captions(_ name: String) throws -> CaptionFile {
    let notices = NoticeList(SubtitleLimits())
    let text = try SubtitleText(contents(name)).utf8
    return try name.hasSuffix(".scc")
      ? ScenaristReader.read(text, notices: notices) : MacCaptionReader.read(text, notices: notices)
  }

  private func read(_ name: String) throws -> SubtitleFile { try SubtitleFile.read(contents(name), named: name) }

  // MARK: - Caption Inspector

  /// The codes of a channel as Caption Inspector lists them: a line for each command that changes the mode or the screen.
  private func listing(
    _ pairs: [TimedCaptionPair], isSecond: Bool = false, time: (TimedCaptionPair) throws -> String
  ) rethrows -> [String] {
    var lines: [String] = []
    var text = ""
    var isOurs = false
    func endText() {
      if !text.isEmpty { lines[lines.count - 1] += " \"\(text)\"" }
      text = ""
    }
    for timed in pairs where !timed.pair.isNull {
      let (first, second) = timed.pair.codes
      guard timed.pair.isControl else {
        guard isOurs, !lines.isEmpty else { continue }
        for code in [first, second] {
          if let scalar = CaptionCharacters.basicCharacter(code) { text.unicodeScalars.append(scalar) }
        }
        continue
      }
      isOurs = (first & 8 != 0) == isSecond
      guard isOurs else { continue }
      endText()
      if let name = [0x20: "RCL", 0x2C: "EDM", 0x2F: "EOC"][second], first & 0x16 == 0x14 {
        lines.append(try time(timed) + " - {\(name)}")
      } else if !lines.isEmpty {
        lines[lines.count - 1] += " {\(name(first & 0x17, second))}"
      }
    }
    endText()
    return lines
  }

  /// The name of a code. Caption Inspector reads special and extended characters as preambles, because it ignores the bit
  /// that distinguishes them.
  private func name(_ first: UInt8, _ second: UInt8) -> String {
    let isCharacter = (0x11...0x13).contains(first) && second < 0x40
    switch CaptionCommand(first, isCharacter ? second | 0x40 : second) {
    case .eraseNonDisplayedMemory: return "ENM"
    case .tab(let count): return "TO\(count)"
    case .preamble(let row, let column, let color, _, let isUnderlined):
      let place = (second | 0x40) & 0x10 == 0 ? "\(color)".capitalized : "C\(column)"
      return "R\(row):\(place)" + (isUnderlined ? ":UL" : "")
    case let other: return "\(String(describing: other))"
    }
  }

  private func answer(_ name: String) throws -> [String] {
    var lines = String(decoding: try contents(name), as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().map(
      String.init)
    // The program does not close the text at the end of a file.
    if let last = lines.last, !last.hasSuffix("}"), !last.hasSuffix("\"") { lines[lines.count - 1] += "\"" }
    return lines
  }

  /// Caption Inspector counts 24 frames a second in this file, and sends a pair in each.
  @Test func readsTheCodesAndFramesThatCaptionInspectorReads() throws {
    let name = "captinsp-plan9fromouterspace"
    let text = String(decoding: try contents(name + ".scc"), as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let pairs = try captions(name + ".scc").fields[0]
    var (next, line) = (0, 0)
    var frames: [Int] = []
    for timed in pairs {
      if timed.line != line {
        line = timed.line
        let fields = text[line - 1].prefix(11).split(whereSeparator: { ":;".contains($0) }).compactMap { Int($0) }
        next = max(next, ((fields[0] * 60 + fields[1]) * 60 + fields[2]) * 24 + fields[3])
      }
      frames.append(next)
      next += 1
    }
    let renumbered = zip(pairs, frames).map { TimedCaptionPair(time: Int64($1), $0.pair) }
    let listed = listing(renumbered) { timed in
      let seconds = timed.time / 24
      return [seconds / 3_600, seconds / 60 % 60, seconds % 60, timed.time % 24].map { $0.padded(to: 2) }
        .joined(separator: ":")
    }
    let answer = try answer(name + "-c1.608")
    let different = zip(listed, answer).filter { $0 != $1 }
    print("\(name): \(listed.count) lines, \(answer.count) in the answer, \(different.count) different")
    #expect(listed.count == answer.count && different.isEmpty, "\(different.prefix(3))")
  }

  @Test(arguments: [("c1", 0), ("c3", 1)])
  func readsTheMacCaptionCodesThatCaptionInspectorReads(_ channel: String, field: Int) throws {
    let name = "captinsp-bigbuckbunny-256x144-24fps"
    let file = try captions(name + ".mcc")
    #expect(file.digitalServices == [1, 2, 3, 4, 5, 6])
    let listed = listing(file.fields[field]) { timed in
      timeText(milliseconds: file.numbering.rate.milliseconds(ofFrame: timed.time)).replacing(".", with: ",")
    }
    let answer = try answer(name + "-\(channel).608")
    let different = zip(listed, answer).filter { $0 != $1 }
    print("\(name) \(channel): \(listed.count) lines, \(answer.count) in the answer, \(different.count) different")
    #expect(listed.count == answer.count && different.isEmpty, "\(different.prefix(5))")
  }

  // MARK: - GStreamer

  private struct Event: Decodable {
    struct Line: Decodable {
      struct Chunk: Decodable { let text: String }
      let row: Int
      let chunks: [Chunk]
    }
    let lines: [Line]
    let mode: String?

    /// The rows with their texts, in the characters of CTA-608-E where GStreamer has others.
    var rows: [String] {
      lines.compactMap { line in
        let text = line.chunks.map(\.text).joined()
        return CaptionReferenceCorpusTests.row(line.row + 1, text)
      }
    }
  }

  /// A row without surrounding blanks, or `nil` if nothing is left.
  private static func row(_ row: Int, _ text: String) -> String? {
    let words = text.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? nil : "\(row) \(words)"
  }

  private static let otherCharacters: [Character: Character] = ["’": "'", "Ⓡ": "®", "Ⓒ": "©", "¦": "│"]

  @Test func showsTheScreensThatGStreamerShows() throws {
    let text = String(decoding: try contents("gstrs-608-all-features-unbuffered.json"), as: UTF8.self)
    let events = try text.replacing("}{\"lines\"", with: "}\n{\"lines\"").split(separator: "\n").map {
      try JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
    #expect(events.count == 648)
    func common(_ rows: [String]) -> [String] { rows.map { String($0.map { Self.otherCharacters[$0] ?? $0 }) } }
    let theirs = events.map { common($0.rows) }
    var decoder = CaptionDecoder(field: 0)
    for pair in try captions("gstrs-608-all-features.scc").fields[0] { try decoder.receive(pair) }
    try decoder.finish()
    let screens = decoder.screens(of: .cc1).filter { !$0.rows.isEmpty }
    let ours = screens.map { $0.rows.compactMap { Self.row($0.row, $0.text.text) } }
    var place = 0
    var missing: [[String]] = []
    for rows in ours {
      if let found = theirs[place...].firstIndex(of: rows) { place = found } else { missing.append(rows) }
    }
    let popOn = Set(zip(events, theirs).filter { $0.0.mode == "PopOn" && !$0.1.isEmpty }.map(\.1))
    let notOurs = popOn.subtracting(ours)
    print("gstrs-608-all-features: \(ours.count) screens, \(missing.count) not among GStreamer's events")
    // GStreamer lacks three characters and the transparent space, and its events contain only the rows that were written
    // since the last change of mode or base row.
    #expect(notOurs.count == 3, "\(notOurs)")
    #expect(missing.count == 16, "\(missing)")
  }

  @Test func namesTheServicesOfAFileWithOnlyCEA708() throws {
    let name = "gstrs-captions-test-708.mcc"
    let file = try captions(name)
    print("\(name): services \(file.digitalServices)")
    #expect(file.digitalServices == [1] && file.notices.finished.isEmpty)
    let error = #expect(throws: SubtitleError.self) { try read(name) }
    #expect(error?.code == .noCues && error?.reason.contains("all captions are CEA-708 (service 1)") == true)
  }

  // MARK: - Cues on which other readers agree

  @Test(
    arguments: [
      ("captinsp-plan9fromouterspace.scc", 664, 25_425), ("ttconv-pop-on.scc", 3, 3_777_907),
      ("ttconv-paint-on.scc", 3, 173_773), ("pycaption-example.scc", 3, 1_134), ("libcaption-tos.scc", 76, 22_889),
      ("gstrs-timecodes-cut-down-sample.scc", 17, 15_048),
    ] as [(String, Int, Int64)])
  func cuesBeginAtEndOfCaption(_ name: String, count: Int, start: Int64) throws {
    let file = try read(name)
    print("\(name): \(file.cues.count) cues")
    #expect(file.cues.count == count)
    #expect(file.cues.first?.startMilliseconds == start)
  }

  // MARK: - Round trips

  private static let files = [
    "captinsp-plan9fromouterspace.scc", "gstrs-608-all-features.scc", "ttconv-pop-on.scc", "ttconv-paint-on.scc",
    "pycaption-example.scc", "libcaption-tos.scc", "gstrs-timecodes-cut-down-sample.scc",
  ]

  @Test(arguments: files) func roundTripsWordsAndFrames(_ name: String) throws {
    let file = try captions(name)
    let again = try ScenaristReader.read(
      ScenaristWriter.write(file.fields[0], file.numbering), notices: NoticeList(SubtitleLimits()))
    #expect(again.fields[0].map(\.time) == file.fields[0].map(\.time))
    // The writer repairs the parity of files without parity bits.
    #expect(again.fields[0].map(\.pair) == file.fields[0].map(\.pair.withOddParity))
  }

  @Test(arguments: files) func roundTripsCuesThatFFmpegReads(_ name: String) throws {
    // Only the cues are encoded. A file that was read keeps its pairs.
    let file = SubtitleFile(cues: try read(name).cues, notices: [])
    let written = file.written(as: .scenarist)
    let again = try SubtitleFile.read(written.bytes)
    let dropped = written.notices.filter { $0.kind.effect == .dropped }
    // The blocks of a screen are cues of the same time.
    let starts = Set(file.cues.map(\.startMilliseconds)).count
    print("\(name): \(file.cues.count) cues, \(again.cues.count) after encoding, \(dropped.count) dropped")
    #expect(dropped.isEmpty, "\(dropped)")
    #expect(Set(again.cues.map(\.startMilliseconds)).count >= starts)
    if !written.notices.contains(where: { $0.kind == .dividedCue }) {
      #expect(again.cues.map(\.text.text).sorted() == file.cues.map(\.text.text).sorted())
    }
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    try folder.write(written.bytes, as: "a.scc")
    let result = try ffmpeg.run(["-v", "error", "-i", folder.file("a.scc"), "-c:s", "srt", "-f", "srt", "-"])
    let times = result.outputText.split(separator: "\n").filter { $0.contains(" --> ") && $0.first?.isNumber == true }
    #expect(times.count == Set(again.cues.map(\.startMilliseconds)).count)
  }
}

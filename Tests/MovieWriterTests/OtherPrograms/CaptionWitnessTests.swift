import Foundation
import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

/// Other programs read caption tracks with the same texts and codes.
struct CaptionWitnessTests {
  private struct Made {
    let folder: TemporaryFolder
    let path: String
    let captions: ReadCaptions
    let trackID: UInt32
  }

  /// Adds captions to a film of ten seconds.
  private func make(_ type: String, _ text: String, named name: String) throws -> Made {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: TestMedia.path("interview." + type))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    let file = try SubtitleFile.read(Array(text.utf8), named: name)
    var input = SubtitleInput(file, language: LanguageTag("en"))
    input.format = .captions
    let id = try edit.addSubtitles(input).trackID
    let path = folder.file("new." + type)
    try MovieFileWriter(edit, to: .newFile(path, overwrites: false, synchronizes: false)).write()
    let reader = try SecondReader(path: path)
    return Made(folder: folder, path: path, captions: try ReadCaptions(reader, track: id), trackID: id)
  }

  private static let subRip = """
    1
    00:00:02,000 --> 00:00:03,500
    Who is there?

    2
    00:00:04,000 --> 00:00:06,000
    Ñandú ♪ (it's me)

    3
    00:00:06,500 --> 00:00:08,000
    Two rows,
    one of them second

    """

  private static let scc = """
    Scenarist_SCC V1.0

    00:00:01:00\t94ae 94ae 9420 9420 9470 9470 c8e5 ecec ef80 942f 942f

    00:00:03:00\t942c 942c

    00:00:04:00\t94ae 94ae 9420 9420 1370 1370 57ef f2ec 6480 942f 942f

    00:00:06:00\t942c 942c

    """

  /// Returns the cues that ffmpeg reads: the start in milliseconds, and the lines without tags.
  private func cues(ofFFmpeg path: String) throws -> [(start: Int, text: String)] {
    let result = try Witness.require("ffmpeg").run(["-v", "error", "-i", path, "-map", "0:s:0", "-f", "srt", "-"])
    #expect(result.code == 0, "\(result.errorText)")
    let blocks = result.outputText.replacing("\r\n", with: "\n").components(separatedBy: "\n\n")
    return blocks.compactMap { block in
      let lines = block.split(separator: "\n").map(String.init)
      guard lines.count > 2 else { return nil }
      let fields = lines[1].prefix(12).split { ":,".contains($0) }.compactMap { Int($0) }
      guard fields.count == 4 else { return nil }
      let text = lines[2...].joined(separator: "\n").replacing(#/<[^>]*>|\{[^}]*\}/#, with: "")
        .replacing("\\h", with: " ")
      let start = ((fields[0] * 60 + fields[1]) * 60 + fields[2]) * 1_000 + fields[3]
      return (
        start, text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
      )
    }
  }

  @Test(arguments: ["mov", "mp4"]) func ffmpegReadsEncodedCues(_ type: String) throws {
    let made = try make(type, Self.subRip, named: "film.en.srt")
    let read = try cues(ofFFmpeg: made.path)
    #expect(
      read.map(\.text)
        == ["Who is there?", "Ñandú ♪ (it's me)", "Two rows,\none of them second"].map {
          $0.replacing("'", with: "’")  // ffmpeg's character for code 27.
        })
    for (start, wanted) in zip(read.map(\.start), [2_000, 4_000, 6_500]) { #expect(abs(start - wanted) <= 34) }
  }

  @Test(arguments: ["mov", "mp4"]) func ffmpegReadsTheCodesOfAFile(_ type: String) throws {
    let made = try make(type, Self.scc, named: "film.en.scc")
    let read = try cues(ofFFmpeg: made.path)
    #expect(read.map(\.text) == ["Hello", "World"])
    // End of Caption is nine frames after the start of its line.
    for (start, wanted) in zip(read.map(\.start), [1_301, 4_304]) { #expect(abs(start - wanted) <= 3) }
  }

  /// ffmpeg drops the characters beyond column 32, so it reads 13 captions of the first file differently.
  @Test(arguments: [("libcaption-tos.scc", 76, 13), ("gstrs-timecodes-cut-down-sample.scc", 17, 0)])
  func ffmpegReadsTheTextsOfRealFiles(_ name: String, count: Int, differentCount: Int) throws {
    let path = try Corpus.require().folder + "/streaming/" + name
    let theirs = try cues(ofFFmpeg: path).map { $0.text.replacing("’", with: "'") }
    let file = try SubtitleFile.read([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), named: name)
    func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
    let different = zip(theirs, file.cues.map(\.text.text)).filter { words($0) != words($1) }
    print("\(name): \(file.cues.count) cues, \(theirs.count) in ffmpeg, \(different.count) different texts")
    #expect(theirs.count == count && file.cues.count == count)
    #expect(different.count == differentCount, "\(different)")
  }

  @Test(arguments: ["mov", "mp4"]) func ffmpegCopiesTheSamples(_ type: String) throws {
    let made = try make(type, Self.scc, named: "film.en.scc")
    let result = try Witness.require("ffprobe").run([
      "-v", "error", "-select_streams", "s:0", "-show_entries", "packet=pts,duration,size:stream=codec_name", "-of",
      "csv=p=0",
      made.path,
    ])
    let lines = result.outputText.split(separator: "\n").map(String.init)
    #expect(lines.contains("eia_608"))
    let starts = lines.compactMap { $0.split(separator: ",").first.flatMap { Int($0) } }
    #expect(starts == made.captions.samples.map { $0.start * 1_001 }, "\(lines)")
  }

  @Test func gstreamerConvertsTheCodesOfAFile() throws {
    let made = try make("mov", Self.scc, named: "film.en.scc")
    let output = made.folder.file("pairs")
    let result = try Witness.require("gst-launch-1.0").run([
      "-q", "filesrc", "location=\(made.path)", "!", "qtdemux", "name=d", "d.subtitle_0", "!", "queue", "!",
      "ccconverter", "!", "closedcaption/x-cea-608,format=raw", "!", "filesink", "location=\(output)",
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let bytes = try made.folder.read("pairs")
    let pairs = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { Array(bytes[$0..<$0 + 2]) }
    #expect(pairs.filter { $0 != [0x80, 0x80] } == made.captions.fields[0].map { [$0.first, $0.second] })
  }

  @Test func gstreamerReadsTheCodesOfAFile() throws {
    let made = try make("mov", Self.scc, named: "film.en.scc")
    let output = made.folder.file("pairs")
    let result = try Witness.require("gst-launch-1.0").run([
      "-q", "filesrc", "location=\(made.path)", "!", "qtdemux", "name=d", "d.subtitle_0", "!", "queue", "!",
      "closedcaption/x-cea-608", "!", "filesink", "location=\(output)",
    ])
    #expect(result.code == 0, "\(result.errorText)")
    // Triples of SMPTE 334-1: the field in the highest bit, then the pair.
    let bytes = try made.folder.read("pairs")
    let triples = stride(from: 0, to: bytes.count - bytes.count % 3, by: 3).map { Array(bytes[$0..<$0 + 3]) }
    let pairs = triples.filter { $0[1] & 0x7F != 0 || $0[2] & 0x7F != 0 }.map { Array($0[1...]) }
    #expect(pairs == made.captions.fields[0].map { [$0.first, $0.second] })
  }

  /// A second style after a color in a row, which needs several codes.
  private static let styled =
    subRip + """

      4
      00:00:08,500 --> 00:00:09,500
      <font color="#ffff00">yellow</font> <i>(slanted)</i> plain

      """

  @Test func ffmpegReadsEachWordOfStyledCues() throws {
    let made = try make("mov", Self.styled, named: "film.en.srt")
    let words = try cues(ofFFmpeg: made.path).last?.text.split(separator: " ").map(String.init)
    #expect(words == ["yellow", "(slanted)", "plain"])
  }

  /// Readers of SCC in Python.
  @Test(arguments: [
    (
      "pycaption",
      """
      from pycaption import SCCReader
      captions = SCCReader().read(text).get_captions("en-US")
      found = [(c.start // 1000, c.get_text()) for c in captions]
      """
    ),
    (
      "ttconv",
      """
      import ttconv.scc.reader, ttconv.srt.writer
      lines = ttconv.srt.writer.from_model(ttconv.scc.reader.to_model(text)).strip()
      blocks = [block.split("\\n", 2) for block in lines.split("\\n\\n")]
      stamp = lambda t: sum(int(n) * f for n, f in zip(t.replace(",", ":").split(":"), (3600000, 60000, 1000, 1)))
      found = [(stamp(b[1][:12]), b[2]) for b in blocks]
      """
    ),
  ]) func otherReadersLoseNoEncodedCue(_ module: String, _ reading: String) throws {
    let python = try Witness.require("python3")
    guard try python.run(["-c", "import \(module)"]).code == 0 else {
      _ = try Witness.require(module)
      return
    }
    let folder = try TemporaryFolder()
    let file = try SubtitleFile.read(Array(Self.styled.utf8))
    try folder.write(file.written(as: .scenarist).bytes, as: "a.scc")
    let script = """
      import json, re, sys
      text = open(sys.argv[1]).read()
      \(reading)
      plain = lambda t: " ".join(re.sub("<[^>]*>", "", t).split())
      print(json.dumps({"cues": [[start, plain(t)] for start, t in found]}))
      """
    let found = try #require(Witness.json("python3", ["-c", script, folder.file("a.scc")])["cues"] as? [[Any]])
    let wanted = file.cues.map { $0.text.text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    #expect(found.compactMap { $0.last as? String } == wanted)
    for (cue, start) in zip(file.cues, found.compactMap { $0.first as? Int }) {
      #expect(abs(Int(cue.startMilliseconds) - start) <= 34, "\(start)")
    }
  }
}

import SubtitleTestSupport
import Subtitles
import Testing

/// Forty files in the form in which programs and people write them. Each word is shown or reported, and none is invented.
struct FoundFilesTests {
  static let files: [String: String] = [
    "a rounded second": "1\n00:00:07,1000 --> 00:00:08,1000\nAlpha beta\n",
    "a rounded second after a regular one":
      "1\n00:00:01,200 --> 00:00:02,000\nAlpha\n\n2\n00:00:02,1000 --> 00:00:04,000\nBeta\n",
    "milliseconds without zeros": "1\n00:00:01,000 --> 00:00:02,91\nAlpha\n\n2\n00:00:02,97 --> 00:00:02,831\nBeta\n",
    "centiseconds": "1\n00:00:01,25 --> 00:00:02,50\nAlpha\n\n2\n00:00:03,00 --> 00:00:04,75\nBeta\n",
    "no length": "1\n00:00:01,000 --> 00:00:01,000\nAlpha\n\n2\n00:00:05,500 --> 00:00:04,000\nBeta\n",
    "no length at all": "0\n00:00:00,000 --> 00:00:00,000\nAlpha\n\n1\n00:00:00,000 --> 00:00:00,000\nBeta\n",
    "signs after times": "1\n00:00:08,0: --> 00:00:09,0:\nAlpha\n\n2\n00:00:10,000; --> 00:00:11,000;\nBeta\n",
    "brackets around times": "1\n[00:00:10.000 --> 00:00:11.000]\nAlpha\n\n2\n[00:00:12.000 --> 00:00:13.000]\nBeta\n",
    "quotes around times":
      "1\n\"00:00:12,000 --> 00:00:13,000\"\nAlpha\n\n2\n\"00:00:14,000 --> 00:00:15,000\"\nBeta\n",
    "units": "1\n00h00m01s000 --> 00h00m02s500\nAlpha\n\n2\n00:00:03s --> 00:00:04s\nBeta\n",
    "unknown times": "1\nundefined --> undefined\nAlpha\n\n2\n00:00:01,000 --> 00:00:02,000\nBeta\n",
    "no number": "1\nNaN:NaN:NaN,NaN --> NaN:NaN:NaN,NaN\nAlpha\n\n2\n00:00:01,000 --> 00:00:02,000\nBeta\n",
    "a lost start": "1\n --> 00:00:02,000\nAlpha\n\n2\n00:00:03,000 --> 00:00:04,000\nBeta\n",
    "menus in a lesson":
      "1\n00:00:01,000 --> 00:00:02,000\nAlpha --> Beta\nFile --> Open\n\n2\n00:00:03,000 --> 00:00:04,000\nnull --> undefined\n",
    "output of whisper.cpp":
      "\n[00:00:00.000 --> 00:00:03.000]   Alpha beta.\n[00:00:03.000 --> 00:00:04.500]   [BLANK_AUDIO]\n",
    "output of openai-whisper":
      "Detecting language using up to the first 30 seconds.\nDetected language: English\n[00:00.000 --> 00:03.000]  Alpha\n[00:03.000 --> 01:02:04.000]  Beta\n",
    "numbers of China": "一\n00:00:01,000 --> 00:00:02,000\nAlpha\n\n二\n00:00:03,000 --> 00:00:04,000\nBeta\n",
    "numbers in words": "un\n00:00:01,000 --> 00:00:02,000\nAlpha\n\ndeux\n00:00:03,000 --> 00:00:04,000\nBeta\n",
    "numbers with a sign": "#1\n00:00:01,000 --> 00:00:02,000\nAlpha\n\n#2\n00:00:03,000 --> 00:00:04,000\nBeta\n",
    "speakers before times":
      "Ann\n00:00:01,000 --> 00:00:02,000\nAlpha\n\nBob\n00:00:03,000 --> 00:00:04,000\nBeta\n\nAnn\n00:00:05,000 --> 00:00:06,000\nGamma\n",
    "every line spaced":
      "1\n\n00:00:01,000 --> 00:00:02,000\n\nAlpha\n\nbeta\n\n\n\n2\n\n00:00:03,000 --> 00:00:04,000\n\nGamma\n\n",
    "CR CR LF":
      "1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nAlpha\r\r\n\r\r\n2\r\r\n00:00:03,000 --> 00:00:04,000\r\r\nBeta\r\r\n",
    "an advertisement":
      "Downloaded from a site\n\n1\n00:00:01,000 --> 00:00:02,000\nAlpha\n\n2\n00:00:03,000 --> 00:00:04,000\nBeta\n\nSupport us\nand become VIP\n",
    "twice in itself":
      "1\n00:00:01,000 --> 00:00:02,000\nAlpha\n\n1\n00:00:01,000 --> 00:00:02,000\nAlpha\n\n2\n00:00:03,000 --> 00:00:04,000\nBeta\n",
    "numbers that start again":
      "1\n00:00:01,000 --> 00:00:02,000\nAlpha\n\n2\n00:00:03,000 --> 00:00:04,000\nBeta\n\n1\n00:00:00,500 --> 00:00:02,000\nGamma\n",
    "no blank lines": "1\n00:00:01,000 --> 00:00:02,000\nAlpha\n2\n00:00:03,000 --> 00:00:04,000\nBeta\n",
    "a double arrow": "1\n00:00:01,000 -->> 00:00:02,000\nAlpha\n\n2\n00:00:03,000 ->> 00:00:04,000\nBeta\n",
    "an address in angle brackets": "1\n00:00:01,000 --> 00:00:02,000\n<alpha@example.org> beta\n",
    "dialogue of two":
      "1\n00:00:01,000 --> 00:00:04,000\n- Alpha.\n- Beta.\n\n2\n00:00:03,50 --> 00:00:05,000\n- Gamma.\n",
    "times as text": "1\n00:00:01,000 --> 00:00:02,000\nMeet at 10:30.\n10:30 -> 11:30\n",
    "WebVTT with short fractions": "WEBVTT\n\n00:01.5 --> 00:02.59\nAlpha\n\n0:3.250 --> 0:4.500\nBeta\n",
    "WebVTT with a comma":
      "WEBVTT\n\n1\n00:00:01,000 --> 00:00:02,500\nAlpha\n\n2\n00:00:03,000 --> 00:00:04,000\nBeta\n",
    "WebVTT of two parts":
      "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nAlpha\n\nWEBVTT\n\n00:00:00.500 --> 00:00:02.000\nBeta\n",
    "WebVTT without length": "WEBVTT\n\n00:01.000 --> 00:01.000\nAlpha\n\n00:02.000 --> 00:01.000\nBeta\n",
    "WebVTT with every line spaced":
      "WEBVTT\n\n00:01.000 --> 00:02.000\n\nAlpha\n\n00:03.000 --> 00:04.000\n\nBeta\n\n",
    "WebVTT with unknown times": "WEBVTT\n\nundefined --> undefined\nAlpha\n\n00:03.000 --> 00:04.000\nBeta\n",
    "WebVTT of a recogniser":
      "WEBVTT\n\n[00:00:01.000 --> 00:00:03.000]  Alpha\n[00:00:03.000 --> 00:00:04.000]  beta\n",
    "WebVTT with an arrow in a cue":
      "WEBVTT\n\n00:01.000 --> 00:02.000\nAlpha\nFile --> Open\n\n00:03.000 --> 00:04.000\nBeta\n",
    "WebVTT with a note":
      "WEBVTT\n\n00:01.000 --> 00:02.000\nAlpha\n\nNOTE\nfor writers\n\n00:03.000 --> 00:04.000\nBeta\n",
    "captions that roll up":
      "WEBVTT\nKind: captions\n\n00:00.000 --> 00:02.000\nAlpha\n\n00:02.000 --> 00:02.010\nAlpha\n\n00:02.010 --> 00:04.000\nAlpha\nBeta\n\n00:04.000 --> 00:04.010\nBeta\n",
    "translated colons":
      "1\n00 : 00 : 01, 000 --> 00 : 00 : 02, 000\nAlpha\n\n2\n００：００：０３，０００ --> ００：００：０４，０００\nBeta\n",
  ]

  private static func words(_ text: some StringProtocol) -> [String] {
    text.split { !$0.isLetter }.map { $0.lowercased() }
  }

  /// Words in times, headers and comments, which do not belong to cues.
  private static let structure: Set = ["webvtt", "kind", "captions", "note", "for", "writers", "h", "m", "s"]

  @Test(arguments: files.keys.sorted())
  func neitherLosesNorInventsWords(_ name: String) throws {
    let text = try #require(Self.files[name])
    let file = try SubtitleFile.read(Array(text.utf8))
    let shown = Self.words(file.texts.joined(separator: " "))
    let reported = Self.words(file.notices.compactMap(\.lostText).joined(separator: " "))
    let written = Self.words(text)
    for word in Set(written).subtracting(Self.structure) {
      #expect(shown.contains(word) || reported.contains(word), "\(word) is lost")
    }
    for word in shown { #expect(written.contains(word), "\(word) is invented") }
    #expect(file.cues.allSatisfy { $0.endMilliseconds > $0.startMilliseconds })
  }

  @Test func coversFortyFiles() {
    #expect(Self.files.count >= 40)
  }

  /// Every deviation from the format is reported, so that `--strict` rejects it.
  @Test(arguments: files.keys.sorted())
  func reportsEveryRepair(_ name: String) throws {
    let regular: Set = [
      "dialogue of two", "menus in a lesson", "times as text", "numbers that start again", "CR CR LF",
    ]
    let file = try SubtitleFile.read(Array(try #require(Self.files[name]).utf8))
    let isRegular = regular.contains(name) && name != "dialogue of two" || name == "WebVTT with a note"
    #expect(file.notices.isEmpty == isRegular, "\(file.notices)")
    #expect(file.notices.allSatisfy { $0.line > 0 })
  }
}

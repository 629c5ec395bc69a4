import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

/// WebVTT tracks, read back by a separate parser of the tests (ISO/IEC 14496-30, clause 7).
struct WebVTTTrackTests {
  /// A box of a sample: its type, and its text or child boxes.
  private indirect enum Box: Equatable, CustomStringConvertible {
    case text(String, String)
    case boxes(String, [Box])

    var description: String {
      switch self {
      case .text(let type, let text): "\(type)=\(text)"
      case .boxes(let type, let boxes): "\(type)[\(boxes.map(\.description).joined(separator: " "))]"
      }
    }
  }

  private func parse(_ bytes: [UInt8]) throws -> [Box] {
    var boxes: [Box] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let size = try #require(rest.count >= 8 ? rest.prefix(4).reduce(0) { $0 << 8 | Int($1) } : nil)
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      try #require(size >= 8 && size <= rest.count)
      let body = Array(rest.prefix(size).dropFirst(8))
      switch type {
      case "vttc", "vtte": boxes.append(.boxes(type, try parse(body)))
      case "vsid": boxes.append(.text(type, String(body.reduce(0) { $0 << 8 | Int($1) })))
      default: boxes.append(.text(type, String(decoding: body, as: UTF8.self)))
      }
      rest = rest.dropFirst(size)
    }
    return boxes
  }

  private struct Made {
    let track: ReadTrack
    /// The boxes of each sample in words, after its duration.
    let samples: [String]
    let header: String
    let edit: MovieEdit
  }

  /// Makes a track in a movie of four seconds.
  private func make(_ file: SubtitleFile, _ change: (inout SubtitleInput) -> Void = { _ in }) throws -> Made {
    let movie = TestMovie.simple.with {
      $0.dialect = .iso
      $0.duration = 4 * $0.timeScale
    }
    var edit = try MovieEdit(of: movie.source)
    var input = SubtitleInput(cues: file.cues, language: LanguageTag("en"))
    input.format = .webVTT
    input.webVTT = file.webVTT
    change(&input)
    let id = try edit.add(input)
    let plan = try edit.outputPlan(of: movie.source)
    let reader = try SecondReader(PlannedSource(plan, of: movie.source).read(ByteRange(0..<plan.byteCount)).array)
    let track = try #require(reader.track(id))
    let stsd = try reader.content(of: try #require(reader.atoms.last { $0.type == "stsd" }))
    return Made(
      track: track,
      samples: try track.samples.map { sample in
        "\(sample.duration) " + (try parse(reader.bytes(of: sample))).map(\.description).joined(separator: " ")
      }, header: String(decoding: stsd.dropFirst(8 + 8 + 8 + 8), as: UTF8.self), edit: edit)
  }

  @Test func coversTheMovieBySamples() throws {
    let made = try make(
      readWebVTT(
        whole:
          "WEBVTT\n\none\n00:01.000 --> 00:02.000 line:0  align:start\n<v Ann>A &amp; B\n\n00:02.500 --> 00:03.000\nC\n"
      ))
    #expect(made.track.handler == "text" && made.track.formats == ["wvtt"])
    #expect(made.header == "WEBVTT\n")
    #expect(
      made.samples == [
        "1000 vtte[]", "1000 vttc[iden=one sttg=line:0 align:start payl=<v Ann>A &amp; B]", "500 vtte[]",
        "500 vttc[payl=C]", "1000 vtte[]",
      ])
    #expect(made.edit.tracks.last?.shownCueCount == 2)
    #expect(made.edit.tracks.last?.subtitleNotices.isEmpty == true)
  }

  @Test func keepsOverlappingCuesSeparate() throws {
    let made = try make(
      readWebVTT("00:00.000 --> 00:03.000\nA\n\n00:01.000 --> 00:02.000\nB\n\n00:02.000 --> 00:03.000\nC\n"))
    #expect(
      made.samples == [
        "1000 vttc[vsid=1 payl=A]", "1000 vttc[vsid=1 payl=A] vttc[payl=B]", "1000 vttc[vsid=1 payl=A] vttc[payl=C]",
        "1000 vtte[]",
      ])
  }

  @Test func keepsEqualNeighboursSeparate() throws {
    let made = try make(
      readWebVTT("00:00.000 --> 00:01.000\nA\n\n00:01.000 --> 00:02.000\nA\n\n00:02.000 --> 00:03.000 line:0\nA\n"))
    #expect(
      made.samples == [
        "1000 vttc[vsid=1 payl=A]", "1000 vttc[vsid=2 payl=A]", "1000 vttc[sttg=line:0 payl=A]", "1000 vtte[]",
      ])
    let source = TestMovie.simple.with { $0.dialect = .iso }.source
    var edit = try MovieEdit(of: Movie(of: source))
    let cues = [cue(0, 500, "A"), cue(500, 1_000, "A"), cue(800, 1_500, "A"), cue(1_500, 2_000, "A")]
    var input = SubtitleInput(cues: cues, language: LanguageTag("en"))
    input.format = .webVTT
    let id = try edit.add(input)
    let plan = try edit.outputPlan(of: source)
    let new = MemorySource(Bytes(try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array))
    let movie = try Movie(of: new)
    let read = try TextTrackReader(#require(movie.track(id)), of: movie).read(from: new).cues
    #expect(
      read.map(\.startMilliseconds) == [0, 500, 800, 1_500]
        && read.map(\.endMilliseconds) == [500, 1_000, 1_500, 2_000])
  }

  @Test func keepsStylesAndRegionsInTheHeader() throws {
    let header = "WEBVTT - title\nKind: captions\n\nSTYLE\n::cue(b) { zoom: 2 }\n\nREGION\nid:a\nlines:2\n"
    let file = try readWebVTT(whole: header + "\nNOTE x\n\n00:01.000 --> 00:02.000 region:a size:50% x\n<b>A\n")
    let made = try make(file)
    #expect(made.header == header)
    #expect(made.samples[1] == "1000 vttc[sttg=region:a size:50% x payl=<b>A]")
    #expect(file.kinds.count > 2 && file.notices(for: .webVTT).map(\.kind) == [.ignoredSetting])
    #expect(file.notices(for: .tx3g) == file.notices)
  }

  @Test func keepsTheClockOfInnerTimestamps() throws {
    let file = try readWebVTT(
      "00:11.000 --> 00:13.000\n<00:12.000>A\n\n00:12.000 --> 00:13.000\nB\n")
    let made = try make(file) { $0.timing.offsetMilliseconds = -10_000 }
    #expect(
      made.samples == [
        "1000 vtte[]", "1000 vttc[vsid=1 ctim=00:00:11.000 payl=<00:12.000>A]",
        "1000 vttc[vsid=1 ctim=00:00:12.000 payl=<00:12.000>A] vttc[payl=B]", "1000 vtte[]",
      ])
  }

  @Test func encodesSubRipAsWebVTT() throws {
    let made = try make(
      readSubRip("1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color=#102030>A</font> <i>&lt;B></i>\n"))
    #expect(made.header == "WEBVTT\n\nSTYLE\n::cue(.x102030ff) { color: #102030 }\n")
    #expect(made.samples[1] == "1000 vttc[sttg=line:0 payl=<c.x102030ff>A</c> <i>&lt;B&gt;</i>]")
  }

  @Test func rewritesPlainAndNamedCues() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000 line:0\n<v Ann><b>A</b>\n")
    #expect(try make(file) { $0.isPlain = true }.samples[1] == "1000 vttc[payl=A]")
    #expect(try make(file) { $0.namesVoices = true }.samples[1] == "1000 vttc[sttg=line:0 payl=<b>Ann: A</b>]")
  }

  @Test func rewritesChangedCues() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000\n<b>A\n")
    #expect(try make(file) { $0.cues.append(cue(3_000, 4_000, "B")) }.samples[1] == "1000 vttc[payl=<b>A</b>]")
  }

  @Test func trimsCuesAtTheMoviesEnds() throws {
    let made = try make(readWebVTT("00:01.000 --> 00:09.000\nA\n\n00:04.000 --> 00:05.000\nB\n"))
    #expect(made.samples == ["1000 vtte[]", "3000 vttc[payl=A]"])
    #expect(made.edit.tracks.last?.subtitleNotices.distinctKinds == [.trimmedAtEnd, .droppedPastEnd])
    #expect(made.edit.tracks.last?.shownCueCount == 1)
  }

  @Test func reportsForcedCues() throws {
    let made = try make(readSubRip("1\n00:00:01,000 --> 00:00:02,000 !!!\nA\n"))
    #expect(made.edit.tracks.last?.subtitleNotices.map(\.kind) == [.inexpressibleStyle])
    #expect(throws: MovieError.self) {
      try make(readWebVTT("00:01.000 --> 00:02.000\nA\n")) { $0.containsOnlyForcedSubtitles = true }
    }
  }

  @Test func rejectsWebVTTInQuickTimeMovies() throws {
    var edit = try MovieEdit(of: TestMovie.simple.source)
    var input = SubtitleInput(cues: [cue(0, 1_000, "A")])
    input.format = .webVTT
    let error = #expect(throws: MovieError.self) { try edit.add(input) }
    #expect(error?.code == .unsupported)
  }
}

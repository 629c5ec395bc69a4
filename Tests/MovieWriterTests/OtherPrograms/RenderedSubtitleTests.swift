import SubtitleTestSupport
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Pictures rendered by ffmpeg (libass) from our track, from its source file, and from the file extracted from it.
struct RenderedSubtitleTests {
  private static let file = """
    1
    00:00:01,000 --> 00:00:02,000
    Will it fill the hill

    2
    00:00:03,000 --> 00:00:04,000
    <font color="#ffff00"><i>Will it fill the hill</i></font>

    3
    00:00:05,000 --> 00:00:06,000
    {\\an8}<font color="#ff0000">Sign</font>

    4
    00:00:07,000 --> 00:00:08,000
    plain <b>bold</b>
    <u>under</u> <font color="#00ff00">green</font>

    """

  /// The times of pictures in milliseconds: around each change and within each text.
  private static let times = [0, 999, 1_000, 1_999, 2_000, 3_000, 3_500, 4_000, 7_000, 7_999, 8_000, 9_500]

  /// The source file, a movie with its track, and the file extracted from the track.
  private struct Scene {
    let folder: TemporaryFolder
    let movie: String
    var given: String { folder.file("in.srt") }
    var extracted: String { folder.file("out.srt") }

    init(_ strategy: EditStrategy) throws {
      let filters = try Witness.require("ffmpeg").run(["-v", "error", "-filters"])
      if !filters.outputText.contains(" subtitles ") {
        print("SKIPPED: this ffmpeg burns no subtitles in")
        try Test.cancel("this ffmpeg burns no subtitles in")
      }
      folder = try TemporaryFolder()
      try folder.write(Array(RenderedSubtitleTests.file.utf8), as: "in.srt")
      let cues = try SubRipReader.read(Array(RenderedSubtitleTests.file.utf8)).cues
      let new = try strategy.add(cues, to: TestMedia.path("interview.mov"), in: folder, as: "new.mov")
      movie = new.path
      let text = try extractedText(FileSource(path: movie), track: new.trackID)
      try folder.write(SubRipWriter.write(text.cues).bytes, as: "out.srt")
    }
  }

  @Test(arguments: EditStrategy.allCases)
  func rendersATrackLikeItsFile(_ strategy: EditStrategy) throws {
    let scene = try Scene(strategy)
    for time in Self.times {
      let picture = try RenderedPicture(scene.movie, at: time)
      #expect(picture == (try RenderedPicture(scene.given, at: time)), "at \(time) ms")
      let isShown = [1_000..<2_000, 3_000..<4_000, 7_000..<8_000].contains { $0.contains(time) }
      #expect(picture.isBlack == !isShown, "at \(time) ms")
      // At the bottom, like all cues except the sign.
      #expect(picture.litCounts.upper == 0, "at \(time) ms")
    }
  }

  @Test func rendersItalicsAndColours() throws {
    let scene = try Scene(.itself)
    let (upright, leaning) = (
      try RenderedPicture(scene.movie, at: 1_500), try RenderedPicture(scene.movie, at: 3_500)
    )
    #expect(upright.slantInPercent == 0)
    #expect((15...30).contains(leaning.slantInPercent), "\(leaning.slantInPercent) %")
    #expect(upright.sums.red == upright.sums.green && upright.sums.green == upright.sums.blue)
    #expect(leaning.sums.red == leaning.sums.green && leaning.sums.blue == 0)
    let sign = try RenderedPicture(scene.movie, at: 5_500).sums
    #expect(sign.red > 0 && sign.green == 0 && sign.blue == 0)
  }

  @Test func rendersExtractedFilesLikeTheirSource() throws {
    let scene = try Scene(.itself)
    for time in Self.times + [5_000, 5_999] {
      #expect(try RenderedPicture(scene.extracted, at: time) == RenderedPicture(scene.given, at: time), "at \(time) ms")
    }
    // ffmpeg ignores positions in timed text, but the extracted file contains them.
    let sign = try RenderedPicture(scene.extracted, at: 5_500).litCounts
    #expect(sign.upper > 0 && sign.lower == 0)
    #expect(
      try RenderedPicture(scene.extracted, at: 4_999).isBlack && RenderedPicture(scene.extracted, at: 6_000).isBlack)
  }
}

/// A black picture with the subtitles of one time burnt in.
private struct RenderedPicture: Equatable {
  private static let (width, height) = (640, 360)
  /// The styles by default differ between files and movies. A common style makes the text's own styles visible.
  private static let defaults = [
    "FontName=Sans", "FontSize=40", "PrimaryColour=&H00FFFFFF", "Bold=0", "Italic=0", "Underline=0", "Outline=0",
    "Shadow=0", "BorderStyle=1", "MarginL=10", "MarginR=10", "MarginV=10", "Alignment=2",
  ].joined(separator: ",")

  private let pixels: [UInt8]

  init(_ path: String, at milliseconds: Int) throws {
    let result = try Witness.require("ffmpeg").run([
      "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=black:s=\(Self.width)x\(Self.height):r=1000:d=0.001",
      "-vf", "setpts=\(milliseconds),format=rgb24,subtitles=\(path):force_style='\(Self.defaults)'", "-frames:v", "1",
      "-pix_fmt",
      "rgb24", "-f", "rawvideo", "-",
    ])
    try #require(result.code == 0, "\(result.errorText)")
    try #require(result.output.count == Self.width * Self.height * 3)
    pixels = result.output
  }

  var isBlack: Bool { pixels.allSatisfy { $0 == 0 } }

  /// The number of lit pixels in the upper half and in the lower one.
  var litCounts: (upper: Int, lower: Int) {
    let lit = stride(from: 0, to: pixels.count, by: 3).filter { pixels[$0..<$0 + 3].contains { $0 > 64 } }
    let upper = lit.count { $0 / 3 / Self.width < Self.height / 2 }
    return (upper, lit.count - upper)
  }

  /// The sums of all color values.
  var sums: (red: Int, green: Int, blue: Int) {
    func sum(_ component: Int) -> Int {
      stride(from: component, to: pixels.count, by: 3).reduce(0) { $0 + Int(pixels[$1]) }
    }
    return (sum(0), sum(1), sum(2))
  }

  /// The slant of the letters to the right: the shear that makes most of them upright, in percent of their height.
  var slantInPercent: Int {
    let lit = stride(from: 0, to: pixels.count, by: 3).compactMap { offset -> (x: Int, y: Int)? in
      pixels[offset] > 127 ? (offset / 3 % Self.width, offset / 3 / Self.width) : nil
    }
    // Upright stems concentrate pixels in few columns.
    let fullness = stride(from: -40, through: 40, by: 5).map { slant -> (slant: Int, squares: Int) in
      var columns: [Int: Int] = [:]
      for (x, y) in lit { columns[x + (y * slant + 50) / 100, default: 0] += 1 }
      return (slant, columns.values.reduce(0) { $0 + $1 * $1 })
    }
    return fullness.max { $0.squares < $1.squares }?.slant ?? 0
  }
}

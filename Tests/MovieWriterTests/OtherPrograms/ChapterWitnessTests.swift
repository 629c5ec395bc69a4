import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Other programs read the chapters that we write.
struct ChapterWitnessTests {
  private static let starts = [0, 700, 1400]
  private static let titles = ["Prolog ü", "Zweites; = # \\ & <b>", "終わり 🎬"]

  private static let brands: [[String]] = [["qt  "], ["isom", "mp42"], ["M4A ", "M4A "], ["M4B ", "M4A "]]

  /// Returns a movie of these brands, or a camera movie without brands, with three chapters and optional pictures.
  private func movie(
    _ brands: [String], hasPictures: Bool = false, hasLinks: Bool = false, firstStart: Int = 0
  ) throws -> (folder: TemporaryFolder, path: String) {
    let folder = try TemporaryFolder()
    let name = brands.first == "qt  " ? "a.mov" : "a.mp4"
    if brands.isEmpty {
      try folder.copy(TestMedia.path("interview.mp4"), as: name)
    } else {
      try folder.write(
        TestMovie.playable.with {
          $0.dialect = brands[0] == "qt  " ? .quickTime : .iso
          $0.brands = brands
        }, as: name)
    }
    let source = try FileSource(path: folder.file(name))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    var chapters = zip(Self.starts, Self.titles).map { Chapter(startMilliseconds: Int64($0), title: $1) }
    chapters[0].startMilliseconds = Int64(firstStart)
    if hasLinks { for index in 0..<2 { chapters[index].link = "https://a.example/\(index)" } }
    if hasPictures { for index in chapters.indices { chapters[index].image = .data(Self.picture) } }
    try edit.setChapters(chapters)
    try MovieFileWriter(edit, to: .sourceFile(folder.file(name))).write()
    return (folder, folder.file(name))
  }

  /// A picture of 1 × 1 pixel.
  private static let picture = Bytes(
    [UInt8](
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==") ?? Data())
  )

  private func ffprobeChapters(_ path: String) throws -> (starts: [Int], titles: [String?]) {
    let answer = try Witness.json("ffprobe", ["-v", "error", "-of", "json", "-show_chapters", path])
    let chapters = try #require(answer["chapters"] as? [[String: Any]])
    return (
      chapters.map { Int((Double($0["start_time"] as? String ?? "") ?? -1) * 1000 + 0.5) },
      chapters.map { ($0["tags"] as? [String: String])?["title"] }
    )
  }

  @Test(arguments: brands) func writesChaptersThatFFprobeReads(_ brands: [String]) throws {
    let (folder, path) = try movie(brands)
    let (starts, titles) = try ffprobeChapters(path)
    _ = folder
    #expect(starts == Self.starts && titles == Self.titles)
  }

  /// ffmpeg treats the sample before the first chapter as a chapter without a title.
  @Test func writesALateFirstChapterForFFprobe() throws {
    let (folder, path) = try movie(["qt  "], firstStart: 300)
    let (starts, titles) = try ffprobeChapters(path)
    _ = folder
    #expect(starts == [0, 300, 700, 1400] && Array(titles.dropFirst()) == Self.titles && (titles[0] ?? "").isEmpty)
  }

  @Test func writesChapterPicturesForFFprobe() throws {
    let (folder, path) = try movie(["M4B ", "M4A "], hasPictures: true)
    let answer = try Witness.json("ffprobe", ["-v", "error", "-of", "json", "-show_streams", path])
    let streams = try #require(answer["streams"] as? [[String: Any]])
    _ = folder
    let pictures = streams.filter { $0["codec_name"] as? String == "png" }
    let disposition = try #require(pictures.first?["disposition"] as? [String: Int])
    #expect(disposition["attached_pic"] == 1 && disposition["timed_thumbnails"] == 1 && pictures.count == 1)
    #expect(try ffprobeChapters(path).titles == Self.titles)
  }

  /// ffmpeg uses the texts of the last track in the list, the links, as titles. Therefore they equal the titles.
  @Test(arguments: brands) func writesTitlesAndLinksForFFprobe(_ brands: [String]) throws {
    let (folder, path) = try movie(brands, hasLinks: true)
    let (starts, titles) = try ffprobeChapters(path)
    _ = folder
    #expect(starts == Self.starts && titles == Self.titles)
  }

  @Test(arguments: brands) func writesChaptersThatMediaInfoReads(_ brands: [String]) throws {
    let (folder, path) = try movie(brands)
    let result = try Witness.require("mediainfo").run([path])
    _ = folder
    let lines = result.outputText.split(separator: "\n").map(String.init)
    for (start, title) in zip(["00:00:00.000", "00:00:00.700", "00:00:01.400"], Self.titles) {
      let found = lines.filter { $0.hasPrefix(start) && $0.hasSuffix(": " + title) }
      #expect(found.count == (brands[0] == "qt  " ? 1 : 2), "\(lines)")
    }
  }

  @Test(arguments: brands) func writesChaptersThatMkvmergeCopies(_ brands: [String]) throws {
    let (folder, path) = try movie(brands)
    let copy = folder.file("copy.mkv")
    let merged = try Witness.require("mkvmerge").run(["-o", copy, path])
    #expect(merged.code < 2, "\(merged.outputText)")
    let result = try Witness.require("mkvextract").run([copy, "chapters", "-"])
    let list = try ChapterList.read(result.output)
    #expect(list.chapters.map { Int($0.startMilliseconds) } == Self.starts)
    #expect(list.chapters.map { $0.title() } == Self.titles)
  }

  /// GStreamer's demultiplexer does not support chapters, but recognizes a chapter track and does not list it as text.
  @Test(arguments: brands) func writesChaptersThatGStreamerDoesNotListAsSubtitles(_ brands: [String]) throws {
    let (folder, path) = try movie(brands)
    let result = try Witness.require("gst-discoverer-1.0").run(["-v", path])
    _ = folder
    let streams = result.outputText.split(separator: "\n").map { $0.drop { $0 == " " } }
      .filter { line in ["video", "audio", "subtitles", "unknown"].contains { line.hasPrefix($0 + " #") } }
    #expect(streams.map { String($0.prefix(5)) }.sorted() == ["audio", "video"], "\(result.outputText)")
  }

  @Test func writesAListThatMutagenReads() throws {
    let (folder, path) = try movie([])
    let script = """
      import sys, mutagen.mp4
      for chapter in mutagen.mp4.MP4(sys.argv[1]).chapters: print(round(chapter.start * 1000), chapter.title)
      """
    let python = try Witness.require("python3")
    guard try python.run(["-c", "import mutagen"]).code == 0 else {
      _ = try Witness.require("mutagen")
      return
    }
    let result = try python.run(["-c", script, path])
    _ = folder
    let lines = result.outputText.split(separator: "\n").map(String.init)
    #expect(lines == zip(Self.starts, Self.titles).map { "\($0) \($1)" }, "\(result.errorText)")
  }

  // MARK: - Files

  private static let list = ChapterList(
    zip(starts, titles).map { Chapter(startMilliseconds: Int64($0), title: $1) }, durationMilliseconds: 2000)

  @Test func exportsFFmetadataForFFmpeg() throws {
    let folder = try TemporaryFolder()
    try folder.write(TestMovie.playable, as: "in.mov")
    try folder.write(Self.list.written(as: .ffmetadata).bytes, as: "a.ffmeta")
    let out = folder.file("out.mov")
    let result = try Witness.require("ffmpeg").run([
      "-v", "error", "-i", folder.file("in.mov"), "-i", folder.file("a.ffmeta"), "-map_metadata", "1", "-map_chapters",
      "1", "-map", "0", "-c", "copy", out,
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let (starts, titles) = try ffprobeChapters(out)
    #expect(starts == Self.starts && titles == Self.titles)
    let source = try FileSource(path: out)
    let read = try Movie(of: source).chapters(from: source)
    #expect(read.chapters.map { $0.title() } == Self.titles)
    let back = try Witness.require("ffmpeg").run(["-v", "error", "-i", out, "-f", "ffmetadata", "-"])
    #expect(try ChapterList.read(back.output).chapters.map { $0.title() } == Self.titles)
  }

  @Test(arguments: [ChapterFileFormat.matroska, .ogm]) func exportsChaptersForMkvmerge(_ format: ChapterFileFormat)
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(TestMovie.playable, as: "in.mov")
    try folder.write(Self.list.written(as: format).bytes, as: "chapters")
    let out = folder.file("out.mkv")
    let result = try Witness.require("mkvmerge").run([
      "-o", out, "--chapters", folder.file("chapters"), folder.file("in.mov"),
    ])
    #expect(result.code < 2, "\(result.outputText)")
    let back = try Witness.require("mkvextract").run([out, "chapters", "-"])
    #expect(try ChapterList.read(back.output).chapters.map { $0.title() } == Self.titles)
  }
}

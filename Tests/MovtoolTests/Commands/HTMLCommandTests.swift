import Foundation
import MovieBox
import MovieStreaming
import TestSupport
import Testing

@testable import MovtoolCommands

struct HTMLCommandTests {
  @Test func writesThePageBesideTheMovie() throws {
    let shop = try Workshop(.playable)
    let result = shop.run("html @in.mov")
    #expect(result.exitCode == .done)
    let page = String(decoding: try shop.folder.read("in.html"), as: UTF8.self)
    #expect(page.contains(#" src="in.mov""#))
    #expect(shop.run("html @in.mov").exitCode == .cannotCreate)
    #expect(shop.run("html @in.mov --force --language de").exitCode == .done)
    #expect(String(decoding: try shop.folder.read("in.html"), as: UTF8.self).contains(#"<html lang="de" dir="ltr">"#))
  }

  @Test func writesAllFilesOfThePageIntoAFolder() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let movie = try shop.folder.read("film.mp4")
    let result = shop.run("html @film.mp4 -o @page")
    #expect(result.exitCode == .done && result.errors.isEmpty)
    #expect(result.output[0].hasPrefix("wrote page/index.html: 1 movie, "))
    #expect(try shop.folder.names("page") == ["film-hls", "film.mp4", "index.html"])
    #expect(try shop.folder.read("page/film.mp4") == movie)
    let page = String(decoding: try shop.folder.read("page/index.html"), as: UTF8.self)
    #expect(page.contains(#" src="film.mp4""#) && page.contains(#""url":"film-hls/main.m3u8""#))
    #expect(try shop.folder.names("page/film-hls").contains("main.m3u8"))
    // Nothing is replaced without being requested, and a failure leaves no files.
    #expect(shop.run("html @film.mp4 -o @page").exitCode == .cannotCreate)
    #expect(shop.run("html @film.mp4 -o @page/ --force").exitCode == .done)
    try shop.folder.remove("page/film.mp4")
    try shop.folder.remove("page/index.html")
    #expect(shop.run("html @film.mp4 -o @page").exitCode == .cannotCreate)  // The presentation is there.
    #expect(try shop.folder.names("page") == ["film-hls"])
    #expect(shop.run("html @film.mp4 -o @none/page").exitCode == .cannotCreate)
  }

  @Test func keepsMoviesInTheFolderAndRenamesOtherFiles() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    try shop.folder.makeFolder("site")
    try shop.folder.write(StreamableMovie.talk, as: "site/film.mp4")
    let json = shop.run("html @film.mp4 @site/film.mp4 -o @site --json").json
    let movies = json["movies"] as? [[String: Any]]
    #expect(movies?.map { $0["source"] as? String } == ["film-2.mp4", "film.mp4"])
    #expect(movies?.map { $0["playlist"] as? String } == ["film-hls/main.m3u8", "film-hls-2/main.m3u8"])
    #expect(
      try shop.folder.names("site") == ["film-2.mp4", "film-hls", "film-hls-2", "film.mp4", "index.html"])
  }

  @Test func linksAMovieThatCannotBeStreamed() throws {
    let shop = try Workshop(.playable)
    let result = shop.run("html @in.mov -o @page")
    #expect(result.exitCode == .done)
    // Browsers do not play the video either, and only some play the sound.
    #expect(result.errors.count == 3, "\(result.errors)")
    #expect(result.errors.last?.contains("cannot be streamed as HLS, but only played as a file") == true)
    #expect(try shop.folder.names("page") == ["in.mov", "index.html"])
    #expect(shop.run("html @in.mov -o @strict --strict").exitCode == .no)
    #expect(try !shop.folder.names().contains("strict"))
  }

  @Test func neverWritesOverTheMovie() throws {
    let shop = try Workshop(.playable)
    let before = try shop.folder.read("in.mov")
    let outcome = shop.run("html @in.mov -o @in.mov --force")
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors.suffix(2) == ["movtool html: -o in.mov is the movie", "see movtool help html"])
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func aReportShowsTracksAndAtoms() throws {
    let shop = try Workshop(.playable)
    #expect(shop.run("html @in.mov --report -o @report.html").exitCode == .done)
    let page = String(decoding: try shop.folder.read("report.html"), as: UTF8.self)
    #expect(page.contains(#"<th scope="row">mdat</th>"#))
    #expect(page.contains("<h3>Bit rate of picture and sound</h3>"))
  }

  @Test func limitsPicturesOfAPage() throws {
    let shop = try Workshop(.playable)
    try shop.folder.write(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 92), as: "c.png")
    #expect(shop.run("metadata @in.mov --artwork @c.png").exitCode == .done)
    let english = try #require(LanguageTag("en"))
    let console = Console(isOnDisk: true)
    let movies = try withExtendedLifetime(console) {
      let inputs = try PageInputs(Array(repeating: shop.folder.file("in.mov"), count: 3), in: console.context)
      return try inputs.pageMovies(
        preferring: english, in: console.context, holdsTexts: true, pictureByteCountLimit: 250
      ) { $0.path }
    }
    #expect(movies.map { $0.artwork?.count } == [100, 100, nil])
    #expect(movies.map { $0.notices.contains { $0.code == "limit" } } == [false, false, true])
    // A cover that is used twice is embedded once.
    let page = shop.run("html @in.mov @in.mov -o @two.html")
    #expect(page.exitCode == .done)
    let html = String(decoding: try shop.folder.read("two.html"), as: UTF8.self)
    #expect(html.components(separatedBy: "data:image/png;base64,").count == 3)
  }

  @Test func limitsTextOfAPage() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let english = try #require(LanguageTag("en"))
    let console = Console(isOnDisk: true)
    func pageMovies(holdsTexts: Bool, limit: Int) throws -> [PageMovie] {
      try withExtendedLifetime(console) {
        let inputs = try PageInputs(Array(repeating: shop.folder.file("film.mp4"), count: 3), in: console.context)
        return try inputs.pageMovies(
          preferring: english, in: console.context, holdsTexts: holdsTexts, textByteCountLimit: limit
        ) { $0.path }
      }
    }
    let all = try pageMovies(holdsTexts: true, limit: .max)
    let byteCount = all[0].textByteCount
    #expect(byteCount > 0 && all.allSatisfy { $0.textByteCount == byteCount })
    let some = try pageMovies(holdsTexts: true, limit: byteCount * 2)
    #expect(some.map(\.textByteCount) == [byteCount, byteCount, 0])
    #expect(some.map { $0.notices.count { $0.code == "limit" } } == [0, 0, all[0].subtitles.count])
    // A server delivers texts as separate files.
    #expect(try pageMovies(holdsTexts: false, limit: byteCount).map(\.textByteCount) == all.map(\.textByteCount))
  }

  @Test func skipsUnreadableFilesOfAFolder() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    try shop.folder.makeFolder("mixed")
    try shop.folder.write(StreamableMovie.talk, as: "mixed/film.mp4")
    try shop.folder.write(Array("text".utf8), as: "mixed/broken.mp4")
    let outcome = shop.run("html @mixed -o @mixed/index.html")
    #expect(outcome.exitCode == .done && outcome.output[0].contains("1 movie"))
    #expect(outcome.errors.count == 1 && outcome.errors[0].hasPrefix("warning: mixed/broken.mp4: "))
    #expect(shop.run("html @mixed -o @strict.html --strict").exitCode == .no)
    #expect(shop.run("html @mixed/broken.mp4 -o @broken.html").exitCode == .badData)
    try shop.folder.remove("mixed/film.mp4")
    #expect(shop.run("html @mixed -o @none.html").exitCode == .badData)
  }

  @Test func warnsOfFormatsThatMayNotPlay() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let fast = StreamableMovie.talk.with { $0.layout = .movieFirst }.build().bytes
    try shop.folder.write(Array(fast.dropLast(4_000)), as: "cut.mp4")
    let cut = shop.run("html @cut.mp4")
    #expect(cut.exitCode == .done && cut.errors.contains { $0.contains("may not play") }, "\(cut.errors)")
    let sound = StreamableMovie.talk.with { movie in
      for index in movie.tracks.indices { movie.tracks[index].samples = [] }
    }
    try shop.folder.write(sound, as: "empty.mp4")
    #expect(shop.run("html @empty.mp4").errors.contains { $0.contains("no video or audio") })
  }

  @Test func appliesLimitsToPresentations() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let outcome = shop.run("html @film.mp4 -o @site --limits streamed-samples=3")
    #expect(outcome.exitCode == .done && outcome.output.contains { $0.contains(" 0 as HLS") }, "\(outcome.output)")
    #expect(outcome.errors.contains { $0.contains("the limit is 3") }, "\(outcome.errors)")
  }

  /// Links out of a served folder, to a file or through a folder, and a link inside the folder.
  @Test func reportsLinksOutOfAServedFolder() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    for folder in ["served", "served2", "links"] { try shop.folder.makeFolder(folder) }
    try shop.folder.write(StreamableMovie.talk, as: "served/own.mp4")
    try shop.folder.write(StreamableMovie.talk, as: "served2/secret.mp4")
    func link(_ name: String, _ target: String) throws {
      try FileManager.default.createSymbolicLink(atPath: shop.folder.file(name), withDestinationPath: target)
    }
    try link("served/inside.mp4", "own.mp4")
    try link("served/outside.mp4", "../film.mp4")
    // A folder whose name begins with the name of the served folder.
    try link("served/neighbour.mp4", shop.folder.file("served2/secret.mp4"))
    try link("links/film.mp4", "../film.mp4")
    try link("there", "served")
    func serve(_ words: String) throws -> (presentations: [String], warnings: [String], exitCode: ExitCode) {
      let console = Console(isOnDisk: true)
      console.output.beforeWrite = { _ in console.isStopped = true }
      let outcome = shop.run("serve --json " + words, console)
      let presentations = outcome.json["presentations"] as? [[String: Any]] ?? []
      let warnings = outcome.json["warnings"] as? [[String: Any]] ?? []
      return (
        presentations.compactMap { ($0["file"] as? String).map { String($0.split(separator: "/").last ?? "") } },
        warnings.compactMap { ($0["code"] as? String) == "link-outside" ? $0["file"] as? String : nil },
        outcome.exitCode
      )
    }
    for folder in ["served", "served/", "there"] {
      let answer = try serve("@" + folder)
      #expect(answer.presentations == ["inside.mp4", "own.mp4"])
      let start = folder.hasSuffix("/") ? folder : folder + "/"
      #expect(answer.warnings == [start + "neighbour.mp4", start + "outside.mp4"])
    }
    let all = try serve("@served --follow-links")
    #expect(all.presentations == ["inside.mp4", "neighbour.mp4", "outside.mp4", "own.mp4"] && all.warnings.isEmpty)
    #expect(try serve("@links").exitCode == .noInput)
    #expect(try serve("@links --follow-links").presentations == ["film.mp4"])
    // A link on the command line is followed.
    #expect(try serve("@served/outside.mp4").presentations == ["outside.mp4"])
  }

  @Test func rejectsInvalidUsage() throws {
    let shop = try Workshop(.playable)
    for line in [
      "html", "html @in.mov --language tlh", "html @in.mov @in.mov", "html @in.mov -o - --json", "serve",
      "serve @in.mov --port 70000", "serve @in.mov --port x", "serve @in.mov --allow-origin *",
      "serve @in.mov --allow-origin player.example",
    ] {
      #expect(shop.run(line).exitCode == .usage, "\(line)")
    }
    #expect(shop.run("html @none.mov").exitCode == .noInput)
    #expect(shop.run("serve @in.mov --bind nowhere").exitCode == .cannotCreate)
  }
}

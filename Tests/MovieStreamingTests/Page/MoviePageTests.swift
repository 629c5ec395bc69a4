import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

@testable import MovieStreaming

@Suite("the page of a movie")
struct MoviePageTests {
  static func movie(
    _ subtitles: [(name: String, text: String)], named file: String = "interview.mp4"
  ) throws -> (Movie, MemorySource) {
    let file = try FileSource(path: TestMedia.path(file))
    let source = MemorySource(try file.readExactly(ByteRange(0..<file.identity().byteCount)))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    for (name, text) in subtitles {
      try edit.addSubtitles([SubtitleInput(try SubtitleFile.read(Array(text.utf8), named: name), named: name)])
    }
    let edited = try Self.edited(edit, of: source)
    return (try Movie(of: edited), edited)
  }

  static func edited(_ edit: MovieEdit, of source: MemorySource) throws -> MemorySource {
    let plan = try edit.outputPlan(of: source)
    return MemorySource(try PlannedSource(plan, of: source).readExactly(ByteRange(0..<plan.byteCount)))
  }

  static let english =
    "1\n00:00:01,000 --> 00:00:03,000\nGood evening.\n\n2\n00:00:04,000 --> 00:00:05,000\n♪ Music ♪\n"

  static func page(_ movie: Movie, _ source: MemorySource, at path: String = "film.mp4") throws -> MoviePage {
    let texts = try #require(LanguageTag("en").flatMap(PageTexts.init))
    return MoviePage([try PageMovie(movie, from: source, at: path)], in: texts)
  }

  @Test func namesMenuEntriesLikeSelect() throws {
    let (movie, source) = try Self.movie([("film.en.sdh.srt", Self.english), ("film.es.srt", Self.english)])
    let page = try Self.page(movie, source)
    let names = movie.mediaSelectionGroups.first { $0.kind == .legible }?.options.map(\.displayName)
    #expect(page.movies[0].subtitles.map(\.name) == names)
    #expect(names == ["English SDH", "Spanish"])
    let tracks = String(decoding: page.html, as: UTF8.self).components(of: "<track ").map { $0.prefix { $0 != ">" } }
    #expect(tracks.count == 2)
    #expect(tracks[0].hasPrefix(#"kind="captions" data-track=""#))
    #expect(tracks[0].contains(#" label="English SDH" srclang="en" src="data:text/vtt;base64,"#))
    #expect(tracks[1].contains(#" label="Spanish" srclang="es""#))
  }

  @Test func omitsForcedTextsFromMenus() throws {
    let (movie, source) = try Self.movie([("film.en.srt", Self.english), ("film.en.forced.srt", Self.english)])
    let subtitles = try Self.page(movie, source).movies[0].subtitles
    #expect(subtitles.map(\.isForced) == [false, true])
    #expect(subtitles.map(\.name) == ["English", "English (forced)"])
  }

  /// Forced texts among others: one of each language is included. SDH subtitles are enabled.
  @Test(arguments: [
    (["film.en.srt"], [false, true]), (["film.en.sdh.srt"], [false]),
    (["film.en.srt", "film.en.forced.srt"], [false, true]),
    (["film.en.srt", "film.es.forced.srt"], [false, true, true]),
  ])
  func includesForcedTextsOfALanguageOnce(names: [String], isForced: [Bool]) throws {
    let text = "1\n00:00:01,000 --> 00:00:03,000 !!!\nA sign.\n\n2\n00:00:04,000 --> 00:00:05,000\nSpoken.\n"
    let (movie, source) = try Self.movie(names.map { ($0, text) })
    #expect(try Self.page(movie, source).movies[0].subtitles.map(\.isForced) == isForced)
  }

  @Test func fillsInEveryPlaceholder() throws {
    let (movie, source) = try Self.movie([])
    let html = try Self.page(movie, source).html
    #expect(html.count <= 60_000)
    #expect(!String(decoding: html, as: UTF8.self).contains("{{"))
  }

  /// Without the movie's own texts and pictures, in each language of the page, with and without a stream, a map and a report.
  @Test func keepsAPageOfOneMovieBelowSixtyKilobytes() throws {
    let talk = MemorySource(Bytes(StreamableMovie.talk.bytes()))
    let shown = try PageMovie(Movie(of: talk), from: talk, at: "film.mp4")
    let source = MemorySource(
      Bytes(
        StreamableMovie.talk.with {
          $0.tracks.append(.route(id: 9, ["+48.1370+011.5750/", "+48.1380+011.5760/"]))
        }.build().bytes))
    let movie = try Movie(of: source)
    var streamed = try PageMovie(movie, from: source, at: "film.mp4")
    streamed.addStream(try StreamPlan(of: movie, from: source), at: "hls/")
    var withoutRoute = shown
    withoutRoute.addStream(try StreamPlan(of: Movie(of: talk), from: talk), at: "hls/")
    let texts = shown.subtitles.reduce(0) { $0 + Markup.dataURL($1.webVTT, type: "text/vtt").utf8.count }
    for language in PageTexts.languages {
      let words = try #require(PageTexts(language))
      let plain = MoviePage([shown], in: words).html.count - texts
      #expect(plain < 60_000, "\(language): \(plain)")
      let streaming = MoviePage([withoutRoute], in: words).html.count - texts
      #expect(streaming < 60_000, "\(language): \(streaming)")
      var page = MoviePage([streamed], in: words)
      page.report = "<p></p>"
      let html = page.html
      #expect(html.count - texts < 60_000, "\(language): \(html.count - texts)")
      #expect(String(decoding: html, as: UTF8.self).contains("DOMPoint"))
    }
  }

  @Test func embedsTheRouteOfAMovie() throws {
    let places = (0..<2_500).map { "+10.\(10_000 + $0)+020.0000+\(100 + $0)/" }
    let source = MemorySource(
      Bytes(
        TestMovie(tracks: [
          TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] }, .route(id: 2, places),
        ]).build().bytes))
    let shown = try PageMovie(Movie(of: source), from: source, at: "walk.mov")
    #expect(shown.route.count == 1 && shown.route[0].count == 1_000)
    #expect(shown.route[0].first?.location.altitude == 100 && shown.route[0].last?.location.altitude == 2_599)
    let texts = try #require(LanguageTag("en").flatMap(PageTexts.init))
    let html = String(decoding: MoviePage([shown], in: texts).html, as: UTF8.self)
    #expect(html.contains(#""route":[[[0.0,10.1,20.0,100.0],"#) && html.contains("DOMPoint"))
    let (plain, plainSource) = try Self.movie([])
    #expect(!String(decoding: try Self.page(plain, plainSource).html, as: UTF8.self).contains("DOMPoint"))
  }

  /// A sample without items is a gap. The page must not draw a line across it.
  @Test func embedsTheSegmentsOfARoute() throws {
    func page(_ places: [String]) throws -> PageMovie {
      let source = MemorySource(
        Bytes(
          TestMovie(tracks: [
            TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] }, .route(id: 2, places),
          ]).build().bytes))
      return try PageMovie(Movie(of: source), from: source, at: "walk.mov")
    }
    let shown = try page(["+10.0000+020.0000/", "+11.0000+020.0000/", "", "+12.0000+020.0000/"])
    #expect(shown.route.map { $0.map(\.location.latitude) } == [[10, 11], [12]])
    let texts = try #require(LanguageTag("en").flatMap(PageTexts.init))
    let html = String(decoding: MoviePage([shown], in: texts).html, as: UTF8.self)
    #expect(html.contains(#""route":[[[0.0,10.0,20.0],[1.0,11.0,20.0]],[[3.0,12.0,20.0]]]"#))
    // A thousand of 2,000 points remain, and each remains in its segment.
    let long = try page((0..<2_001).map { $0 == 500 ? "" : "+10.\(10_000 + $0)+020.0000+\(100 + $0)/" })
    #expect(long.route.map(\.count) == [250, 750])
    #expect(long.route[0].allSatisfy { $0.milliseconds < 500_000 })
    #expect(long.route[1].allSatisfy { $0.milliseconds > 500_000 })
    #expect(long.route[0].first?.location.altitude == 100 && long.route[1].last?.location.altitude == 2_100)
  }

  /// The camera's telemetry contains two points per second.
  @Test func embedsTheRouteOfACamera() throws {
    let point = (481_370_000, 115_750_000, 520_000)
    let source = MemorySource(
      Bytes(
        TestMovie(tracks: [
          TestTrack(.video, id: 1).with { $0.samples = [TestSample(8, duration: 6_000)] },
          .timed(
            "gpmd", id: 2,
            [telemetryPayload(points: [point, point], total: 2), telemetryPayload(points: [point, point], total: 4)]),
        ]).build().bytes))
    let shown = try PageMovie(Movie(of: source), from: source, at: "ride.mp4")
    #expect(shown.route.map { $0.map(\.milliseconds) } == [[0, 500, 1_000, 1_500]])
    let first = GeographicLocation(latitude: 48.137, longitude: 11.575, altitude: 520)
    #expect(shown.route.first?.first?.location == first)
  }

  @Test func translatesTheReport() throws {
    let (movie, source) = try Self.movie([("film.en.srt", Self.english)])
    let report = try PageReport(movie, from: source)
    for (language, words) in [("en", "Layout of the file"), ("de", "Aufbau der Datei"), ("ar", "بنية الملف")] {
      let texts = try #require(LanguageTag(language).flatMap(PageTexts.init))
      let html = PageReport.html(of: [("film", report)], in: texts)
      #expect(html.contains("<h3>\(words)</h3>"))
      for part in html.components(of: "<h3>") + html.components(of: "scope=\"col\">") { #expect(part.first != "<") }
      #expect(!html.contains("{"))
    }
    let template = PageReport.html(
      of: [("a", report), ("b", report)], in: try #require(PageTexts.languages.first.flatMap(PageTexts.init)))
    #expect(template.components(of: "<h3 dir=\"auto\">").count == 2)
  }

  @Test func allowsOnlyItsOwnScriptAndStyle() throws {
    let (movie, source) = try Self.movie([])
    let html = String(decoding: try Self.page(movie, source).html, as: UTF8.self)
    func hash(of element: String) throws -> String {
      let start = try #require(html.firstRange(of: "<\(element)>"))
      let end = try #require(html[start.upperBound...].firstRange(of: "</\(element)>"))
      return Markup.base64(SHA256.hash(Array(html[start.upperBound..<end.lowerBound].utf8)))
    }
    #expect(html.contains("script-src &#39;sha256-" + (try hash(of: "script")) + "&#39;"))
    #expect(html.contains("style-src &#39;sha256-" + (try hash(of: "style")) + "&#39;"))
    #expect(html.contains("default-src &#39;none&#39;"))
    #expect(!html.contains("unsafe-"))
    // The page loads nothing from other places.
    #expect(!html.contains("https://"))
    #expect(html.components(of: "http://").allSatisfy { $0.hasPrefix("www.w3.org/") })
  }

  /// All pages of a server share one copy of each script.
  @Test(arguments: [false, true], [false, true]) func compactsCodeOnce(_ hasStream: Bool, _ hasRoute: Bool) {
    let codes = (0..<2).map { _ in PageCode.script(hasStream: hasStream, hasRoute: hasRoute) }
    let places = codes.map { code in
      unsafe code.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
    #expect(places[0] == places[1] && !codes[0].bytes.isEmpty)
  }

  @Test func escapesTextOfTheMovie() throws {
    let hostile = "</script><script>alert(1)</script><!--\"'&\u{1}\u{202E}"
    let (plain, plainSource) = try Self.movie([("film.en.srt", Self.english)])
    var edit = try MovieEdit(of: plain, from: plainSource)
    let subtitles = try #require(plain.tracks.last { $0.mediaType == .subtitle })
    try edit.setTitle(hostile, of: subtitles.id)
    let source = try Self.edited(edit, of: plainSource)
    let html = String(decoding: try Self.page(Movie(of: source), source, at: hostile + ".mp4").html, as: UTF8.self)
    #expect(html.components(of: "<script").count == 2)
    #expect(html.components(of: "</script>").count == 2)
    #expect(!html.contains("<!--"))
    #expect(!html.contains("alert(1)</script>"))
    #expect(!html.contains("\u{1}"))
  }

  @Test func translatesEveryText() {
    let names = Set(PageTexts.languages.compactMap(PageTexts.init)[0].namedTexts.map(\.name))
    for language in PageTexts.languages {
      let texts = PageTexts(language)
      #expect(Set(texts?.namedTexts.map(\.name) ?? []) == names, "\(language)")
    }
    // The texts to which the template and the script refer.
    let template = String(decoding: PackageResources.page_html, as: UTF8.self)
    for part in template.components(of: "{{text.") { #expect(names.contains(String(part.prefix { $0 != "}" }))) }
    let script = String(decoding: PackageResources.page_js, as: UTF8.self)
    for part in script.components(of: "words.") {
      #expect(names.contains(String(part.prefix { $0.isLetter })), "\(part.prefix(20))")
    }
    // The page contains only texts to which the script refers.
    let used = Set(PageTexts.languages.compactMap(PageTexts.init)[0].usedTexts(in: script).map(\.name))
    for part in script.components(of: "words.") {
      #expect(used.contains(String(part.prefix { $0.isLetter })))
    }
    #expect(used.isSuperset(of: ["usual", "yellow", "black", "outline", "loading"]))
    #expect(used.isDisjoint(with: ["chapters", "keysNote", "mute", "tenths", "noScript", "report.track"]))
  }

  @Test func listsSeveralMovies() throws {
    let (movie, source) = try Self.movie([("film.en.srt", Self.english)])
    let texts = try #require(LanguageTag("ar").flatMap(PageTexts.init))
    let movies = try ["a.mp4", "b.mp4", "c.mp4"].map { try PageMovie(movie, from: source, at: $0) }
    let html = String(decoding: MoviePage(movies, in: texts).html, as: UTF8.self)
    #expect(html.contains(#"<html lang="ar" dir="rtl">"#))
    #expect(html.components(of: "<template data-movie=").count == 2)
    #expect(html.components(of: "<li><button type=\"button\">").count == 3)
  }
}

extension String {
  /// Returns the text after each occurrence of a text.
  func components(of text: String) -> [Substring] {
    var found: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      rest = rest[range.upperBound...]
      found.append(rest)
    }
    return found
  }
}

public import MovieBox
import Subtitles

/// A page that plays movies in a browser: one HTML file that contains its style, script, texts and pictures.
///
/// Besides the movies, the page needs no other files. Its policy permits only the page's own script, and only files of
/// the page's own server. Text from a movie is escaped and never becomes markup.
///
///     let source = try FileSource(path: "film.mov")
///     let page = try MoviePage(of: Movie(of: source), from: source, at: "film.mov")
///     print(String(decoding: page.html, as: UTF8.self))
public struct MoviePage: Sendable {
  /// The movies in playback order.
  package let movies: [PageMovie]
  /// The page's own texts.
  package let texts: PageTexts
  /// The title of the page, or `nil` for the title of its first movie.
  package var title: String?
  /// Diagrams of the movies' structure as HTML, or empty.
  package var report = ""

  /// Creates a page of at least one movie.
  package init(_ movies: [PageMovie], in texts: PageTexts) {
    (self.movies, self.texts) = (movies, texts)
  }

  /// Creates the page of one movie.
  ///
  /// `path` is the path of the movie, relative to the page. If a server has a presentation of the movie (`stream`), the
  /// page's script plays the presentation, so that viewers can switch audio in every browser. `presentation` is then
  /// the relative path of the presentation's folder, with a trailing slash. `language` is the language of the page's
  /// own texts. The page is in English if there are no texts in that language.
  ///
  /// Reads only text samples, chapters and chapter pictures of the media. Tracks and pictures that cannot be read are
  /// omitted. Throws the errors of the source, and ``/MovieBox/MovieError``.
  public init(
    of movie: Movie, from source: some RandomAccessSource, at path: String, stream: StreamPlan? = nil,
    presentation: String = "hls/", language: LanguageTag? = nil
  ) throws {
    var shown = try PageMovie(movie, from: source, at: path, preferring: [language].compactMap(\.self))
    if let stream { shown.addStream(stream, at: presentation) }
    self.init([shown], in: PageTexts(preferring: language))
  }

  /// The HTML of the page in UTF-8.
  public var html: [UInt8] {
    let template = String(decoding: PackageResources.page_html, as: UTF8.self)
    return Array(Markup.filled(template) { replacement(for: $0) }.utf8)
  }

  /// The value of `Content-Security-Policy` (level 3). The page contains it too. It permits the page's own script and
  /// style, which it identifies by hashes. It also permits media and pictures in the page or in files next to the page.
  public var policy: String {
    var parts = [
      "default-src 'none'", "script-src " + script.hash, "style-src " + style.hash, "img-src 'self' data:",
      "media-src 'self' data:" + (hasStream ? " blob:" : ""), "base-uri 'none'", "form-action 'none'",
    ]
    if hasStream { parts.append("connect-src 'self'") }
    return parts.joined(separator: "; ")
  }

  private var hasStream: Bool { movies.contains { $0.stream != nil } }

  private var style: PageCode { .style(hasReport: !report.isEmpty) }

  private var script: PageCode {
    .script(hasStream: hasStream, hasRoute: movies.contains { !$0.route.isEmpty })
  }

  /// Returns the replacement of a template name, or `nil` if the name is unknown.
  private func replacement(for name: Substring) -> String? {
    switch name {
    case "language": return texts.language.description
    case "direction": return texts.direction
    case "policy": return Markup.escaped(policy)
    case "title": return Markup.escaped(title ?? heading)
    case "heading": return Markup.escaped(heading)
    case "style": return String(decoding: style.bytes, as: UTF8.self)
    case "script": return String(decoding: script.bytes, as: UTF8.self)
    case "video": return movies.first.map { video($0, attributes: " id=\"video\" controls playsinline") } ?? ""
    case "list": return movieList
    case "templates": return movieTemplates
    case "report": return report
    case "data": return String(decoding: scriptData, as: UTF8.self)
    case _ where name.hasPrefix("text."): return Markup.escaped(texts[String(name.dropFirst("text.".count))])
    default: return nil
    }
  }

  private var heading: String { movies.first?.title ?? "" }

  // MARK: - Markup

  /// Returns the element that plays a movie, with its text tracks.
  private func video(_ movie: PageMovie, attributes: String) -> String {
    var html = "<video" + attributes + " preload=\"metadata\" src=\"" + Markup.escaped(movie.source) + "\""
    // The width and height make the browser reserve space before the movie is loaded.
    if let size = movie.pictureSize { html += " width=\"\(size.width)\" height=\"\(size.height)\"" }
    if let poster = movie.artwork.flatMap(Self.pictureURL) { html += " poster=\"" + poster + "\"" }
    html += ">\n"
    for text in movie.subtitles {
      html += "<track kind=\"\(text.kind)\" data-track=\"\(text.id)\" label=\"" + Markup.escaped(text.name) + "\""
      if let language = text.language { html += " srclang=\"" + Markup.escaped(language.description) + "\"" }
      html += " src=\"" + (text.url.map(Markup.escaped) ?? Markup.dataURL(text.webVTT, type: "text/vtt")) + "\">\n"
    }
    return html + "</video>"
  }

  /// The elements of the movies after the first, as templates for the script.
  private var movieTemplates: String {
    movies.enumerated().dropFirst().map { index, movie in
      "<template data-movie=\"\(index)\">" + video(movie, attributes: "") + "</template>"
    }.joined(separator: "\n")
  }

  private var movieList: String {
    guard movies.count > 1 else { return "" }
    let lines = movies.map { movie in
      let seconds = UInt64(clamping: movie.durationMilliseconds / 1_000)
      // The page contains the cover only once, as data for the script. The script inserts the cover here.
      return "<li><button type=\"button\"><span dir=\"auto\">" + Markup.escaped(movie.title)
        + "</span><time>" + Self.clock(seconds) + "</time></button></li>"
    }
    return "<section aria-labelledby=\"movies-title\"><h2 id=\"movies-title\">" + Markup.escaped(texts["movies"])
      + "</h2><ol id=\"movies\">" + lines.joined() + "</ol></section>"
  }

  /// Formats a time as `1:02:03`.
  static func clock(_ seconds: UInt64) -> String {
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):" + minutes.padded(to: 2) : "\(minutes)") + ":" + (seconds % 60).padded(to: 2)
  }

  /// Returns a data URL of a picture, or `nil` if browsers do not support the format.
  static func pictureURL(_ bytes: Bytes) -> String? {
    guard let format = PictureFormat(bytes), format != .bmp else { return nil }
    return Markup.dataURL(bytes.array, type: format.mediaType)
  }

  // MARK: - Data

  /// The data for the script. It contains no `<`, so it cannot end its element.
  private var scriptData: [UInt8] {
    var json = JSONWriter(.compact)
    json.object { json in
      json.member("language", texts.language.description)
      let used = texts.usedTexts(in: String(decoding: PackageResources.page_js, as: UTF8.self))
      json.object("texts") { json in for (name, text) in used { json.member(name, text) } }
      json.objects("movies", of: movies) { $0.write(to: &$1) }
    }
    return json.bytes.flatMap { $0 == UInt8(ascii: "<") ? Array("\\u003C".utf8) : [$0] }
  }
}

extension PageMovie {
  /// Writes the members for the script.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("title", title)
    json.member("artist", artist)
    json.member("source", source)
    json.member("formats", formats)
    json.member("duration", Self.seconds(durationMilliseconds))
    if let clockMilliseconds { json.member("clock", Self.seconds(clockMilliseconds)) }
    json.member("hasPicture", hasPicture)
    if let stream {
      json.object("stream") { json in
        json.member("url", stream.url)
        json.member("delay", Self.seconds(stream.delayMilliseconds))
        if stream.startMilliseconds > 0 { json.member("start", Self.seconds(stream.startMilliseconds)) }
      }
    }
    json.objects("subtitles", of: subtitles) { text, json in
      json.member("id", text.id)
      json.member("name", text.name)
      json.member("language", text.language?.description)
      json.member("isSDH", text.isSDH)
      json.member("isDefault", text.isDefault)
      json.member("isForced", text.isForced)
      json.member("isAuxiliary", text.isAuxiliary)
    }
    json.objects("audio", of: sounds) { sound, json in
      json.member("id", sound.id)
      json.member("name", sound.name)
      json.member("language", sound.language?.description)
      json.member("isDefault", sound.isDefault)
      json.member("isAuxiliary", sound.isAuxiliary)
      json.member("describesVideo", sound.describesVideo)
      guard !sound.playlists.isEmpty else { return }
      json.objects("playlists", of: sound.playlists) { playlist, json in
        json.member("url", playlist.url)
        json.member("codecs", playlist.codecs)
      }
    }
    if !route.isEmpty {
      json.array("route") { json in
        for segment in route {
          json.array { json in
            for point in segment {
              json.array { json in for number in Self.coordinates(of: point) { json.value(number) } }
            }
          }
        }
      }
    }
    json.objects("chapters", of: chapters) { chapter, json in
      json.member("start", Self.seconds(chapter.startMilliseconds))
      json.member("title", chapter.title)
      json.member("language", chapter.language?.description)
      if let url = chapter.image.flatMap(MoviePage.pictureURL) { json.member("image", url) }
    }
  }

  /// Returns the time in seconds, the location in degrees, rounded to 10 cm, and the altitude in meters if known.
  private static func coordinates(of point: RoutePoint) -> [Double] {
    func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }
    let location = point.location
    return [seconds(point.milliseconds), rounded(location.latitude, 1e6), rounded(location.longitude, 1e6)]
      + (location.altitude.map { [rounded($0, 10)] } ?? [])
  }

  private static func seconds(_ milliseconds: Int64) -> Double { Double(milliseconds) / 1_000 }
}

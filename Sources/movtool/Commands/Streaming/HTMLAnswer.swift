import MovieBox
import MovieStreaming
import MovieWriter

/// What `html` says of a page.
struct HTMLAnswer {
  /// The page; `-` for standard output.
  let output: String
  let inputs: [PageInputs.Input]
  let page: MoviePage
  /// The page's size.
  let byteCount: Int
  /// What is beside the page; `nil` where the movies stay where they are.
  let folder: HTMLFolder?
  let warnings: [Warning]
  /// Whether nothing was written because of warnings and `--strict`.
  let isRefused: Bool

  func show(asJSON: Bool, in context: Context) throws {
    if asJSON { return try context.printJSON { write(to: &$0) } }
    if isRefused { return try context.sayRefused(warnings) }
    let what = page.movies.count == 1 ? "1 movie" : "\(page.movies.count) movies"
    var line = "wrote \(output): \(what), \(Quantity.bytes(UInt64(byteCount)))"
    if let folder {
      let copied = folder.entries.count { !$0.isThere }
      let streamed = folder.entries.count { $0.plan != nil }
      line += "; beside it \(copied) copied, \(streamed) as HLS, \(Quantity.bytes(folder.byteCount(of: inputs)))"
    }
    try output == "-" ? context.say(line) : context.print([line])
  }

  private func write(to json: inout JSONWriter) {
    json.member("output", output)
    json.member("isWritten", !isRefused)
    json.member("byteCount", byteCount)
    json.member("language", page.texts.language.description)
    json.objects("movies", of: zip(inputs, page.movies).enumerated()) { numbered, json in
      let (index, (input, movie)) = numbered
      json.member("file", input.path)
      json.member("title", movie.title)
      json.member("source", movie.source)
      json.member("playlist", folder?.entries[index].playlist)
      json.member("subtitles", movie.subtitles.map(\.name))
      json.member("audio", movie.sounds.map(\.name))
      json.member("chapterCount", movie.chapters.count)
    }
    json.warnings(warnings)
  }
}

public import MovieBox
import MovieWriter
import Subtitles

private let chapters = [
  Chapter(startMilliseconds: 0, titles: [.init("Ünïque"), .init("Eins", language: LanguageTag("de"))]),
  Chapter(startMilliseconds: 40, titles: [.init("Two")], link: "https://a.example"),
]

/// Reads the chapters of a movie in every form, and writes them in every format.
public func readChapters(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  guard let movie = attempt("movie", { try Movie(of: source) }),
    let list = attempt("chapters", { try movie.chapters(from: source, readsImages: true) })
  else { return }
  write(list)
}

/// Replaces the chapters of a movie. The edit must either throw or keep all samples.
public func setChapters(_ bytes: Bytes) {
  edit(bytes) { edit in consume(attempt("setting") { try edit.setChapters(chapters) }) }
}

/// Removes the chapters of a movie.
public func removeChapters(_ bytes: Bytes) {
  edit(bytes) { edit in consume(try edit.removeChapters()) }
}

/// Reads a list of chapters. The reader must either throw or return chapters in order. The chapters must remain
/// readable in every format that they are written in.
public func readChapterFile(_ bytes: Bytes) {
  do throws(SubtitleError) {
    let list = try ChapterList.read(bytes.array)
    let starts = list.chapters.map(\.startMilliseconds)
    if starts != starts.sorted() || starts.contains(where: { $0 < 0 }) { fault("chapters out of order: \(starts)") }
    write(list)
  } catch {
    consume(error.description)
  }
}

private func write(_ list: ChapterList) {
  for format in ChapterFileFormat.allCases {
    let written = list.written(as: format)
    consume(written.notices)
    guard !list.chapters.isEmpty else { continue }
    do throws(SubtitleError) {
      consume(try ChapterList.read(written.bytes))
    } catch {
      // A chapter whose title is invisible is written without a cue.
      if error.code != .limit, error.code != .noCues { fault("\(format.rawValue) is not read again: \(error)") }
    }
  }
}

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

/// Gives a movie other chapters: an error, or a movie in which every sample is what it was.
public func setChapters(_ bytes: Bytes) {
  edit(bytes) { edit in consume(attempt("setting") { try edit.setChapters(chapters) }) }
}

/// Takes the chapters of a movie out.
public func removeChapters(_ bytes: Bytes) {
  edit(bytes) { edit in consume(try edit.removeChapters()) }
}

/// Reads a list of chapters: an error, or chapters in order that are read again from every format in which they are
/// written.
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
      // A title of nothing that shows is no cue.
      if error.code != .limit, error.code != .noCues { fault("\(format.rawValue) is not read again: \(error)") }
    }
  }
}

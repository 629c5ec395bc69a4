import MovieBox
import Subtitles

// Where subtitles of a movie lie that nobody named.
extension AddSubtitleCommand {
  /// The subtitle files of the movie: those beside it that are named after it, by language and role, and those in the
  /// folders `Subs` and `Subtitles` beside it.
  func pathsBesideMovie(in context: Context) throws -> [String] {
    let path = FilePath(movie)
    let folder = String(movie[..<path.name.startIndex])
    let beside = try context.listFiles(path.folder, String(path.stem)).filter { file in
      file != path.name && SubtitleFileFormat(fileName: file) != nil
        && FileNameHints(path: file, movie: movie).isOfMovie
    }.sorted().map { folder + $0 }
    let names = try context.listFolders(path.folder) ?? []
    var isOnlyMovie: Bool?
    return try names.filter { ["subs", "subtitles"].contains($0.lowercased()) }.sorted().reduce(into: beside) {
      paths, name in
      let place = folder + name
      let files = try subtitleFiles(in: place, context)
      if isOnlyMovie == nil, !files.isEmpty {
        isOnlyMovie = try context.movies(in: path.folder, withSoundAlone: false).count == 1
      }
      paths += files.filter { file in
        let hints = FileNameHints(path: file, movie: movie)
        return hints.isOfMovie || isOnlyMovie == true && hints.language != nil
      }
      for inner in try context.listFolders(place) ?? [] where inner.lowercased() == path.stem.lowercased() {
        paths += try subtitleFiles(in: place + "/" + inner, context)
      }
    }
  }

  private func subtitleFiles(in folder: String, _ context: Context) throws -> [String] {
    try context.listFiles(folder, "").filter { SubtitleFileFormat(fileName: $0) != nil && !$0.hasPrefix(".") }
      .sorted().map { folder + "/" + $0 }
  }
}

// Paths on the command line: relative ones between files and folders, and output files that must not replace an input.

import MovieBox
import MovieWriter

extension Context {
  /// The path that leads from a folder to a file. Their folders are looked up, so that links lead where they do for who
  /// reads it.
  func path(to file: String, from folder: String) throws -> String {
    func components(_ folder: String) throws -> [Substring] {
      do {
        return try resolve(folder).split(separator: "/")
      } catch let error as SystemError where error.code == .notFound {
        throw ToolError(FileError(.cannotCreate, file, "the folder \(folder) does not exist"))
      } catch {
        throw ToolError(error, about: folder)
      }
    }
    let start = try components(folder)
    let path = FilePath(file)
    let end = try components(path.folder)
    let shared = zip(start, end).prefix { $0 == $1 }.count
    return ([Substring](repeating: "..", count: start.count - shared) + end.dropFirst(shared) + [path.name])
      .joined(separator: "/")
  }

  /// How the names of movies with pictures end, and of movies of sound alone.
  private static let suffixes = [".mov", ".mp4", ".m4v", ".qt", ".3gp", ".3g2"]
  private static let suffixesOfSound = [".m4a", ".m4b"]

  /// The movies in a folder that are not hidden, by their names, with those of sound alone or without.
  func movies(in folder: String, withSoundAlone: Bool) throws -> [String] {
    let suffixes = Self.suffixes + (withSoundAlone ? Self.suffixesOfSound : [])
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    let names = try listFiles(folder, "").filter { name in
      !name.hasPrefix(".") && suffixes.contains { name.lowercased().hasSuffix($0) }
    }
    return names.sorted().map { start + $0 }
  }

  /// That a folder has none.
  static func noMovies(in folder: String, orBelow: Bool = false, withSoundAlone: Bool) -> ToolError {
    let suffixes = Self.suffixes + (withSoundAlone ? Self.suffixesOfSound : [])
    let place = "no movie in this folder" + (orBelow ? " or below" : "")
    return ToolError(
      .noInput, code: "no-movie", file: folder, "\(place): no name ends in \(suffixes.joined(separator: ", "))")
  }
}

extension Context {
  /// Writes new files, all or none; refuses one that is an input. The message shows its path as it was given, after the
  /// option; `nil` where several options give paths.
  func write(
    _ files: [(path: String, bytes: Bytes)], besides inputs: [String], overwrites: Bool,
    givenBy option: String? = "-o"
  ) throws {
    for (path, _) in files where inputs.contains(where: { $0 == path || isSameFile($0, path) }) {
      throw UsageError(.conflict, "\(option.map { "\($0) " } ?? "")\(path) is the movie")
    }
    holdStops(true)
    defer { holdStops(false) }
    try checkStop()
    try NewFileSink.write(
      files.map { path, bytes in
        (NewFileSink(path: path, existing: overwrites ? .replace : .keep, synchronizes: false), bytes)
      })
  }
}

import Foundation
package import Testing

/// The folder of real movies to which the environment variable `MOVTOOL_CORPUS` refers.
package struct Corpus: Sendable {
  /// A movie with its row of `MANIFEST.tsv`.
  package struct Entry: Sendable, CustomStringConvertible {
    package let name: String
    package let path: String
    package let writer: String
    package let features: Set<String>

    package var description: String { name }
  }

  /// The path of the corpus.
  package let folder: String
  /// The intact movies, in the order of the manifest.
  package let movies: [Entry]
  /// The paths of the damaged movies, sorted.
  package let broken: [String]

  /// Returns the corpus, or `nil` after printing a message if the variable is not set or does not name such a folder.
  package static func find() -> Corpus? {
    guard let folder = ProcessInfo.processInfo.environment["MOVTOOL_CORPUS"], !folder.isEmpty else {
      print("SKIPPED: MOVTOOL_CORPUS is not set, movies from the wild are not tested")
      return nil
    }
    do {
      return try Corpus(folder: folder)
    } catch {
      print("SKIPPED: MOVTOOL_CORPUS is \(folder), but \(error)")
      return nil
    }
  }

  /// Returns the corpus, or skips the test with a message.
  package static func require(sourceLocation: SourceLocation = #_sourceLocation) throws -> Corpus {
    if let corpus = find() { return corpus }
    try Test.cancel("there is no corpus", sourceLocation: sourceLocation)
  }

  /// Opens the corpus in a folder. Throws if its manifest cannot be read.
  package init(folder: String) throws {
    self.folder = folder
    let rows = try String(contentsOfFile: folder + "/MANIFEST.tsv", encoding: .utf8).split(separator: "\n").dropFirst()
    movies = rows.compactMap { row in
      let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard cells.count >= 7, !cells[0].contains("/") else { return nil }
      let path = folder + "/" + cells[0]
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      return Entry(
        name: cells[0], path: path, writer: cells[5], features: Set(cells[6].split(separator: " ").map(String.init)))
    }
    broken = try FileManager.default.contentsOfDirectory(atPath: folder + "/bad").sorted().map { "\(folder)/bad/\($0)" }
  }
}

import Foundation
import MovieBox
import MovieWriter
import TestSupport

extension Corpus {
  /// Of larger movies debug builds take too long.
  private static let lightByteCount = 60_000

  /// Calls `body` with the bytes of each movie that can be edited; gives how many there are. In debug builds only small
  /// ones are taken, unless `MOVTOOL_HEAVY` is set. What is refused is told by ``CorpusTests``.
  func forEachEditable(
    withFragments: Bool = true, _ body: (_ bytes: [UInt8], _ name: String) throws -> Void
  ) throws -> Int {
    var isHeavy = true
    #if DEBUG
      isHeavy = ProcessInfo.processInfo.environment["MOVTOOL_HEAVY"] != nil
    #endif
    var count = 0
    for entry in movies {
      let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: entry.path)))
      guard isHeavy || bytes.count <= Self.lightByteCount else { continue }
      do {
        let source = MemorySource(Bytes(bytes))
        let movie = try Movie(of: source)
        guard withFragments || !movie.isFragmented else { continue }
        _ = try MovieEdit(of: movie, from: source)
      } catch is MovieError {
        continue
      }
      try body(bytes, entry.name)
      count += 1
    }
    return count
  }
}

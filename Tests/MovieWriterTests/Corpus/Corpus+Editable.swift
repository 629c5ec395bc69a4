import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

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
        guard withFragments || !movie.isFragmented, !movie.isInitializationSegment else { continue }
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

extension MovieEdit {
  /// Looks at the edited movie, as a new file, and in place where that can be: the second reader finds nothing changed
  /// but what may.
  func forEachOutput(
    _ source: MemorySource, allowing allowed: AllowedChanges, _ name: String,
    _ body: (Movie) throws -> Void
  ) throws {
    let old = try SecondReader(source.bytes.array)
    let allowed = allowed.with {
      $0.flattened = flattens
      if old.isFragmented, !flattens { $0.changedAtoms.formUnion(["moof", "mfra"]) }
    }
    var plans = [try outputPlan(of: source, OutputLayout(interleaving: .none))]
    if let plan = try possibleInPlacePlan(of: source) { plans.append(try plan.rendered()) }
    for (number, plan) in plans.enumerated() {
      let new = try plan.rendered(from: source)
      let reader = try SecondReader(new)
      let found = try differences(
        old: old, new: reader,
        allowing: allowed.with {
          $0.mediaDataRearranged = number > 0
          // What is left of the space in the movie atom that took the new metadata.
          if number > 0 {
            $0.addedAtoms.insert("moov/free")
            $0.changedAtoms.insert("moov/free")
          }
        })
      #expect(found == [], "\(name)")
      #expect(reader.isFragmented == (old.isFragmented && !flattens), "\(name)")
      try body(Movie(of: MemorySource(Bytes(new))))
    }
  }
}

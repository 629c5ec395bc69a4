import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

extension Corpus {
  /// The size limit of movies in debug builds, which take too long for larger ones.
  private static let lightByteCount = 60_000

  /// Calls `body` with the bytes of each editable movie and returns their number. Debug builds use only small ones unless
  /// `MOVTOOL_HEAVY` is set. Rejected movies are covered by ``CorpusTests``.
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
  /// Examines the edited movie as a new file and, if possible, in place. The second reader must find only allowed changes.
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
          // The rest of the free space in the movie atom that received the new metadata.
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

import Foundation
import TestSupport
import Testing

/// Tests that take long in debug builds.
enum HeavyTests {
  /// Ends the test, aloud, in debug builds unless `MOVTOOL_HEAVY` is set.
  static func require(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #if DEBUG
      if ProcessInfo.processInfo.environment["MOVTOOL_HEAVY"] == nil {
        print("SKIPPED: \(what) takes long in debug builds; set MOVTOOL_HEAVY, or test in release")
        try Test.cancel("heavy, and this is a debug build", sourceLocation: sourceLocation)
      }
    #endif
  }

  /// The corpus; ends the test, aloud, where there is none, or where ``require(_:sourceLocation:)`` would.
  static func corpus(sourceLocation: SourceLocation = #_sourceLocation) throws -> Corpus {
    let corpus = try Corpus.require(sourceLocation: sourceLocation)
    try require("the corpus", sourceLocation: sourceLocation)
    return corpus
  }
}

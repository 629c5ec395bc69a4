import Foundation
import TestSupport
import Testing

/// Tests that take long in debug builds.
enum HeavyTests {
  /// Skips the test with a message in debug builds unless `MOVTOOL_HEAVY` is set.
  static func require(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #if DEBUG
      if ProcessInfo.processInfo.environment["MOVTOOL_HEAVY"] == nil {
        print("SKIPPED: \(what) takes long in debug builds; set MOVTOOL_HEAVY, or test in release")
        try Test.cancel("heavy, and this is a debug build", sourceLocation: sourceLocation)
      }
    #endif
  }

  /// Returns the corpus. Skips the test with a message if there is none, or as ``require(_:sourceLocation:)`` does.
  static func corpus(sourceLocation: SourceLocation = #_sourceLocation) throws -> Corpus {
    let corpus = try Corpus.require(sourceLocation: sourceLocation)
    try require("the corpus", sourceLocation: sourceLocation)
    return corpus
  }
}

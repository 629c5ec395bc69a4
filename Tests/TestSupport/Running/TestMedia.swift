import Foundation

/// The movies and subtitles of the folder `TestMedia`.
package enum TestMedia {
  /// The path of one of them.
  package static func path(_ name: String) -> String {
    // This file is Tests/TestSupport/Running/TestMedia.swift.
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("TestMedia").appendingPathComponent(name).path
  }
}

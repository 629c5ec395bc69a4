import Foundation

/// The movies and subtitles of the folder `TestMedia`.
package enum TestMedia {
  /// Returns the path of a file.
  package static func path(_ name: String) -> String {
    // This file is Tests/TestSupport/Running/TestMedia.swift.
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("TestMedia").appendingPathComponent(name).path
  }
}

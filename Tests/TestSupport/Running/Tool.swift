import Foundation

/// movtool as a separate process, for tests of signals, permissions and system limits.
package enum Tool {
  /// Returns the program to which `MOVTOOL` refers, or else the one that was built with the tests.
  package static func path() throws -> String {
    if let named = ProcessInfo.processInfo.environment["MOVTOOL"] { return named }
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    let path = tests.deletingLastPathComponent().appendingPathComponent("movtool").path
    if FileManager.default.isExecutableFile(atPath: path) { return path }
    throw TestSupportError("no movtool beside \(CommandLine.arguments[0]), and MOVTOOL is not set")
  }

  /// Whether the program is a release build, which is fast enough to be started a thousand times.
  package static var isRelease: Bool { ProcessInfo.processInfo.environment["MOVTOOL"] != nil }
}

import Foundation

/// movtool as a process of its own, for what only a process can show: signals, permissions, limits of the system.
package enum Tool {
  /// The program that `MOVTOOL` names, else the one that was built with the tests.
  package static func path() throws -> String {
    if let named = ProcessInfo.processInfo.environment["MOVTOOL"] { return named }
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    let path = tests.deletingLastPathComponent().appendingPathComponent("movtool").path
    if FileManager.default.isExecutableFile(atPath: path) { return path }
    throw TestSupportError("no movtool beside \(CommandLine.arguments[0]), and MOVTOOL is not set")
  }

  /// Whether it is a release build, which is quick enough to be started a thousand times.
  package static var isRelease: Bool { ProcessInfo.processInfo.environment["MOVTOOL"] != nil }
}

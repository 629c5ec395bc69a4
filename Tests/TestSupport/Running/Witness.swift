import Foundation
package import Testing

/// Another program that reads our movies, as an independent witness.
///
///     let ffprobe = try Witness.require("ffprobe")
///     let result = try ffprobe.run(["-v", "error", "-show_streams", path])
package struct Witness: Sendable {
  /// The program's name.
  package let name: String
  private let path: String

  /// Returns the program. If it is missing, skips the test with a message, or fails if the environment has `CI=true`.
  package static func require(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Witness {
    if let path = Shell.find(name) { return Witness(name: name, path: path) }
    if ProcessInfo.processInfo.environment["CI"] == "true" {
      throw TestSupportError("\(name) is not installed, and CI must have every witness")
    }
    print("SKIPPED: \(name) is not installed (\(sourceLocation))")
    try Test.cancel("\(name) is not installed", sourceLocation: sourceLocation)
  }

  /// Runs the program to its end; see `Shell.run`.
  package func run(_ arguments: [String], input: [UInt8] = [], timeout: Double = 60) throws -> Shell.Result {
    try Shell.run(path, arguments, input: input, timeout: timeout)
  }
}

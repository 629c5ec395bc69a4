import Dispatch
import Foundation

/// Execution of other programs.
package enum Shell {
  /// The result of a program.
  package struct Result: Sendable {
    /// The exit code, or 128 plus the number of the signal that ended the program.
    package let code: Int32
    package let output: [UInt8]
    package let errors: [UInt8]

    /// The standard output as text.
    package var outputText: String { String(decoding: output, as: UTF8.self) }
    /// The standard error as text.
    package var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  /// Runs a program to its end and returns its output.
  ///
  /// `program` is a path or a name that is looked up in `PATH`. Throws if there is no such program. After `timeout` seconds,
  /// ends the program and throws.
  package static func run(
    _ program: String, _ arguments: [String], input: [UInt8] = [], in folder: String? = nil,
    environment: [String: String] = [:], timeout: Double = 60
  ) throws -> Result {
    guard let path = find(program) else { throw TestSupportError("there is no program \(program)") }
    // Files, unlike pipes, never fill up.
    let files = try TemporaryFolder()
    try files.write(input, as: "input")
    for name in ["output", "errors"] { try files.write([], as: name) }
    guard let standardInput = FileHandle(forReadingAtPath: files.file("input")),
      let output = FileHandle(forWritingAtPath: files.file("output")),
      let errors = FileHandle(forWritingAtPath: files.file("errors"))
    else { throw TestSupportError("cannot open the files for what \(program) writes") }

    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = errors
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    if ended.wait(timeout: .now() + timeout) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      throw TestSupportError("\(program) took longer than \(timeout) s: \(arguments.joined(separator: " "))")
    }
    let status = process.terminationStatus
    return Result(
      code: process.terminationReason == .uncaughtSignal ? 128 + status : status,
      output: try files.read("output"), errors: try files.read("errors"))
  }

  /// Returns the path of a program, or `nil` if there is none.
  package static func find(_ program: String) -> String? {
    if program.contains("/") { return FileManager.default.isExecutableFile(atPath: program) ? program : nil }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

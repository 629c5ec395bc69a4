import MovieBox
import Subtitles

/// The error of a command, for a program that called the command through a ``CommandHost``.
package struct CommandFailure: Sendable {
  /// The exit code of the command.
  package let exitCode: ExitCode
  /// The code that `Docs/json.md` describes.
  package let code: String
  /// Whether another attempt may succeed, because another program was using the file.
  package let isTransient: Bool
  /// The message with the file and the location, as the tool prints it.
  package let line: String
  /// The error as one JSON object.
  package let json: [UInt8]

  /// Converts any error that was thrown during work on `file`, or on no file if it is `nil`.
  package init(_ error: any Error, about file: String? = nil) {
    self.init(ToolError(error, about: file))
  }

  /// Creates the error for an invalid call, such as a call without a required argument.
  package init(invalidCall message: String, code: String) {
    self.init(ToolError(.usage, code: code, file: nil, message))
  }

  fileprivate init(_ error: ToolError) {
    exitCode = error.exitCode
    code = error.code
    isTransient = error.isTransient
    line = error.line
    var json = JSONWriter(.compact)
    json.object { error.write(to: &$0) }
    self.json = json.bytes
  }

  /// The answer of a command that failed with this error.
  package var answer: [UInt8] {
    var answer = JSONWriter(.compact)
    answer.object { answer in
      answer.member("schema", Context.schema)
      answer.memberNull("command")
      answer.member("error", json: json[...])
    }
    return answer.bytes
  }
}

extension CommandHost.Outcome {
  /// The first error in the answer, or `nil` if there is none. The host must print JSON in lines and report errors as
  /// JSON.
  package var failure: CommandFailure? {
    guard exitCode != .done else { return nil }
    for line in answer.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "{") {
      do {
        if let error = ToolError(in: try JSONValue(Bytes(Array(line)))) { return CommandFailure(error) }
      } catch {
        continue  // This line is text that begins with a brace.
      }
    }
    return nil
  }
}

extension ToolError {
  /// Reads the error of an answer. If the answer lists several movies, reads the first error of a movie. Returns `nil`
  /// if there is no error.
  fileprivate init?(in answer: JSONValue) {
    guard case .object(let members) = answer else { return nil }
    if let error = answer["error"], let code = error["code"]?.string, let message = error["message"]?.string,
      let exitCode = error["exitCode"]?.number.flatMap({ Int32($0) }).flatMap(ExitCode.init)
    {
      self.init(exitCode, code: code, file: error["file"]?.string, message, hint: error["hint"]?.string)
      path = error["path"]?.string ?? ""
      lineNumber = error["line"]?.number.flatMap { Int($0) }
      offset = error["offset"]?.number.flatMap { UInt64($0) }
      isTransient = error["isTransient"]?.boolean ?? false
      return
    }
    for element in members.keys.sorted().lazy.compactMap({ members[$0]?.array }).joined() {
      if let error = ToolError(in: element) {
        self = error
        return
      }
    }
    return nil
  }
}

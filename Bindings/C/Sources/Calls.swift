// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// movtool.h documents the functions. They are public, because the library hides all other functions.

public import CMovtool
import MovieBox
import MovieWriter
import MovtoolCommands

// Code that all functions of the library use to return results and errors to the caller.

/// A pointer to the variable of a caller that receives a result.
public typealias ResultPointer = UnsafeMutablePointer<UnsafeMutablePointer<movtool_result>?>

/// The error for an argument that is never valid, such as a null pointer.
struct InvalidCall: Error {
  let message: String
  var code = "invalid-value"
}

/// The result of a call before it is copied to memory of the caller.
struct Answer {
  var exitCode: Int32 = 0
  var answer: [UInt8] = []
  var messages: [UInt8] = []
  var failure: CommandFailure?

  init(_ answer: [UInt8] = []) {
    self.answer = answer
  }

  init(_ outcome: CommandHost.Outcome) {
    exitCode = outcome.exitCode.rawValue
    answer = outcome.answer
    messages = outcome.messages
    failure = outcome.failure
  }

  init(_ failure: CommandFailure) {
    exitCode = failure.exitCode.rawValue
    answer = failure.answer
    self.failure = failure
  }

  /// Copies the result into one block of memory: the structure, and then its texts.
  func allocate() -> UnsafeMutablePointer<movtool_result> {
    let texts = [answer, messages, failure.map { Array($0.line.utf8) }, failure?.json].map { $0.map { $0 + [0] } }
    let size = MemoryLayout<movtool_result>.size
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: texts.reduce(size) { $0 + ($1?.count ?? 0) }, alignment: MemoryLayout<movtool_result>.alignment)
    var position = block + size
    let addresses = texts.map { text -> UnsafePointer<CChar>? in
      guard let text else { return nil }
      UnsafeMutableRawBufferPointer(start: position, count: text.count).copyBytes(from: text)
      defer { position += text.count }
      return UnsafePointer(position.assumingMemoryBound(to: CChar.self))
    }
    let result = block.bindMemory(to: movtool_result.self, capacity: 1)
    result.initialize(
      to: movtool_result(
        exit_code: exitCode, error: failure.map { ErrorNumbers.number(of: $0.code) } ?? 0,
        is_transient: failure?.isTransient == true ? 1 : 0, answer: addresses[0], answer_size: answer.count,
        messages: addresses[1], messages_size: messages.count, error_message: addresses[2], error_json: addresses[3]))
    return result
  }
}

/// Runs the body of a function of the library, passes the result to the caller, and returns the exit code.
///
/// - Parameters:
///   - result: the variable of the caller, or `nil` if the caller does not need the result.
///   - file: the file for errors that contain no name, or `nil` if there is none.
///   - body: the code of the function.
func call(_ result: ResultPointer?, about file: String? = nil, _ body: () throws -> Answer) -> Int32 {
  result?.pointee = nil
  var answer: Answer
  do {
    answer = try body()
  } catch let error as InvalidCall {
    answer = Answer(CommandFailure(invalidCall: error.message, code: error.code))
  } catch is CommandEdit.Busy {
    answer = Answer(CommandFailure(invalidCall: "the edit is being used by another call", code: "busy"))
  } catch {
    answer = Answer(CommandFailure(error, about: file))
  }
  result?.pointee = answer.allocate()
  return answer.exitCode
}

/// Returns a text of the caller. Throws if the pointer is null or the text is not UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String {
  guard let pointer else { throw InvalidCall(message: "\(name) is NULL") }
  guard let text = String(validatingCString: pointer) else { throw InvalidCall(message: "\(name) is not UTF-8") }
  return text
}

/// Returns the words of a command line.
func words(_ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int) throws -> [String] {
  guard let pointer else { throw InvalidCall(message: "words is NULL") }
  guard count > 0 else { throw InvalidCall(message: "the command line has no words") }
  return try (0..<count).map { try text(pointer[$0], "word \($0 + 1) of the command line") }
}

@c @implementation public func movtool_result_free(_ result: UnsafeMutablePointer<movtool_result>?) {
  result?.deallocate()
}

@c @implementation public func movtool_version() -> UnsafePointer<CChar>? { versionText }

@c @implementation public func movtool_abi() -> UInt32 { UInt32(MOVTOOL_ABI) }

/// The version as a text that is never freed and never changed.
nonisolated(unsafe) private let versionText: UnsafePointer<CChar>? = {
  let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: movtoolVersion.utf8.count + 1)
  _ = text.initialize(from: movtoolVersion.utf8CString)
  return text.baseAddress.map { UnsafePointer($0) }
}()

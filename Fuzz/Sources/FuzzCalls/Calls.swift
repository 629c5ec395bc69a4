import CMovtool
import FuzzSupport
import Glibc
import MovieBox
import MovtoolC

// The fuzzers of the library for C call the functions of movtool.h, as a program in C does.

/// A source of the library, which reads through callbacks. The last reference to the callbacks frees the reader.
struct CallbackInput {
  let name: String
  let handle: OpaquePointer?

  /// Creates a source. A fault if the library refuses it.
  init(_ name: String, _ reader: CallbackReader) {
    var callbacks = movtool_reader()
    callbacks.struct_size = MemoryLayout<movtool_reader>.size
    callbacks.context = Unmanaged.passRetained(reader).toOpaque()
    callbacks.read_at = { context, offset, buffer, count in
      guard let context, let buffer else { fault("read_at without context or buffer") }
      let reader = Unmanaged<CallbackReader>.fromOpaque(context).takeUnretainedValue()
      return reader.read(offset, UnsafeMutableRawBufferPointer(start: buffer, count: count))
    }
    callbacks.release = { context in
      if let context { Unmanaged<CallbackReader>.fromOpaque(context).release() }
    }
    var handle: OpaquePointer?
    let code = movtool_source_create(&callbacks, UInt64(reader.bytes.count), "tag", &handle, nil)
    guard code == 0, handle != nil else { fault("movtool_source_create returned \(code)") }
    self.name = name
    self.handle = handle
  }
}

/// The outcome of a call, copied from its result.
struct CallOutcome {
  let exitCode: Int32
  let error: Int32
  let answer: String
}

/// Makes a call, and checks and frees its result.
///
/// The texts of a result must be UTF-8, their sizes must be right, and an error must have its number, sentence and JSON.
/// If a command reports several files, their errors are only in the answer or in the messages. An internal error is a
/// fault, unless the reader has changed bytes: a plan and its check may have read different bytes then.
func check(
  _ reader: CallbackReader? = nil, _ call: (UnsafeMutablePointer<UnsafeMutablePointer<movtool_result>?>) -> Int32
) -> CallOutcome {
  var result: UnsafeMutablePointer<movtool_result>?
  let code = call(&result)
  guard let result else { fault("a call without a result") }
  defer { movtool_result_free(result) }
  let values = result.pointee
  guard values.exit_code == code else { fault("the call returned \(code), and its result \(values.exit_code)") }
  guard let answer = text(values.answer, values.answer_size),
    let messages = text(values.messages, values.messages_size)
  else { fault("a text that is not UTF-8 or has the wrong size") }
  if code == 70 || values.error == Int32(MOVTOOL_ERROR_INTERNAL.rawValue), reader?.hasChangedBytes != true {
    fault("an internal error: \(values.error_message.map { String(cString: $0) } ?? "")")
  }
  let hasError = values.error != 0
  guard hasError == (values.error_message != nil), hasError == (values.error_json != nil),
    hasError || code < 64 || answer.contains("\"exitCode\"") || !messages.isEmpty,
    !hasError || movtool_error_name(values.error) != nil || values.error == Int32(MOVTOOL_ERROR_OTHER.rawValue)
  else { fault("exit code \(code) with the error \(values.error)") }
  return CallOutcome(exitCode: code, error: values.error, answer: answer)
}

private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String? {
  guard let start, strlen(start) <= count, start[count] == 0 else { return nil }
  return start.withMemoryRebound(to: UInt8.self, capacity: count) {
    String(validating: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
  }
}

/// Calls `body` with a host that has the inputs and counts the bytes of the output.
func withHost<Result>(_ inputs: [CallbackInput], _ body: (UnsafePointer<movtool_host>) -> Result) -> Result {
  var byteCount = 0
  let names = inputs.map { strdup($0.name) }
  defer { for name in names { free(name) } }
  let named = zip(names, inputs).map { name, input in
    movtool_input(name: name.map { UnsafePointer($0) }, source: input.handle)
  }
  return withUnsafeMutablePointer(to: &byteCount) { byteCount in
    named.withUnsafeBufferPointer { named in
      var host = movtool_host()
      host.struct_size = MemoryLayout<movtool_host>.size
      host.context = UnsafeMutableRawPointer(byteCount)
      host.inputs = named.baseAddress
      host.input_count = named.count
      host.receive_output = { context, _, count in
        guard let sum = context?.assumingMemoryBound(to: Int.self) else { fault("receive_output without context") }
        sum.pointee += count
        // A command that writes more than this ends with an error.
        return sum.pointee > 64 << 20 ? 1 : 0
      }
      return body(&host)
    }
  }
}

/// Calls `body` with the words as texts of C.
func withWords<Result>(_ words: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?, Int) -> Result) -> Result {
  let texts = words.map { strdup($0) }
  defer { for text in texts { free(text) } }
  return texts.map { $0.map { UnsafePointer($0) } }.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
}

/// Calls `body` in a folder where no file can be created, so that no command changes a file.
func withoutFiles<Result>(_ body: () -> Result) -> Result {
  let folder = open(".", O_RDONLY | O_DIRECTORY)
  guard folder >= 0, chdir("/proc/self/fdinfo") == 0 else { fault("cannot leave the folder") }
  defer {
    // The fuzzer itself uses relative paths.
    guard fchdir(folder) == 0 else { fault("cannot return to the folder") }
    close(folder)
  }
  return body()
}

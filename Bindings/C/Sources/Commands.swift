// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// movtool.h documents the functions. They are public, because the library hides all other functions.

public import CMovtool
import MovieBox
import MovtoolCommands

// Commands, and the host that a caller describes.

/// A value of the caller that may be used on any thread, as the header demands.
private struct Shared<Value>: @unchecked Sendable {
  let value: Value
}

extension CommandHost {
  /// Creates the host that the caller describes, or one without inputs and callbacks if the pointer is null.
  init(_ pointer: UnsafePointer<movtool_host>?) throws {
    self.init()
    printsJSONLines = true
    reportsErrorsAsJSON = true
    guard let pointer else { return }
    guard pointer.pointee.struct_size >= MemoryLayout<movtool_host>.size else {
      throw InvalidCall(message: "the struct_size of the host is not sizeof(movtool_host)")
    }
    let shared = Shared(value: pointer.pointee)
    let host = shared.value
    guard host.input_count == 0 || host.inputs != nil && host.input_count > 0 else {
      throw InvalidCall(message: "inputs is NULL, or input_count is too large")
    }
    for input in UnsafeBufferPointer(start: host.inputs, count: host.input_count) {
      let name = try text(input.name, "the name of an input")
      guard inputs.updateValue(try SourceHandle.source(input.source, "the source of \(name)"), forKey: name) == nil
      else { throw InvalidCall(message: "two inputs have the name \(name)") }
    }
    if host.receive_output != nil {
      receiveOutput = { block in
        let host = shared.value
        let code = block.withUnsafeBytes { bytes in
          // A block is never empty.
          bytes.baseAddress.flatMap { host.receive_output?(host.context, $0, bytes.count) } ?? 0
        }
        guard code == 0 else { throw CallbackFailure(message: "receive_output returned \(code)") }
      }
    }
    if host.receive_message != nil {
      receiveMessage = { block in
        let host = shared.value
        block.withUnsafeBytes { bytes in
          if let start = bytes.baseAddress {
            host.receive_message?(host.context, start.assumingMemoryBound(to: CChar.self), bytes.count)
          }
        }
      }
    }
    if host.is_stopped != nil {
      isStopped = { shared.value.is_stopped?(shared.value.context) ?? 0 != 0 }
    }
  }
}

@c @implementation public func movtool_run(
  _ words: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ host: UnsafePointer<movtool_host>?,
  _ result: ResultPointer?
) -> Int32 {
  call(result) {
    let words = CommandHost.wordsWithJSON(try MovtoolC.words(words, count))
    return Answer(try CommandHost(host).run(words))
  }
}

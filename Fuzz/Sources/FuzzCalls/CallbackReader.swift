import CMovtool
import MovieBox
import Synchronization

/// An object that the library reads through callbacks, and whose reads may go wrong.
final class CallbackReader: Sendable {
  /// The result of a read.
  private enum Behavior {
    case complete
    case half
    case end
    case tooMany
    case negative
    case failure
    case change
    case otherBytes
  }

  let bytes: Bytes
  /// A byte for each read, in order. The list repeats. Without bytes, every read is complete.
  private let control: [UInt8]
  private let state = Mutex<(readCount: Int, hasFailed: Bool, hasChangedBytes: Bool)>((0, false, false))

  init(_ bytes: Bytes, control: [UInt8] = []) {
    self.bytes = bytes
    self.control = control
  }

  /// Whether a read has failed, was too long, or ended early.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }
  /// Whether a read has returned a byte that differs from the object.
  var hasChangedBytes: Bool { state.withLock { $0.hasChangedBytes } }

  /// Reads bytes as `read_at` of movtool.h does.
  func read(_ offset: UInt64, _ buffer: UnsafeMutableRawBufferPointer) -> Int64 {
    guard let start = Int(exactly: offset), start < bytes.count, !buffer.isEmpty,
      buffer.count <= bytes.count - start
    else { fatalError("a read of \(buffer.count) bytes at \(offset) of \(bytes.count)") }
    let behavior = nextBehavior()
    let count = behavior == .half ? (buffer.count + 1) / 2 : buffer.count
    switch behavior {
    case .complete, .half, .otherBytes, .tooMany:
      buffer.copyBytes(from: bytes.array[start..<start + count])
      if behavior == .otherBytes { buffer[count / 2] ^= 0x10 }
      return Int64(behavior == .tooMany ? count + 1 : count)
    case .end: return 0
    case .negative: return .min
    case .failure: return Int64(MOVTOOL_READ_FAILED)
    case .change: return Int64(MOVTOOL_READ_CHANGED)
    }
  }

  private func nextBehavior() -> Behavior {
    guard !control.isEmpty else { return .complete }
    return state.withLock { state in
      let byte = control[state.readCount % control.count]
      state.readCount += 1
      let behavior: Behavior =
        switch byte {
        case 250...: .failure
        case 244...: .change
        case 240...: .end
        case 236...: .tooMany
        case 234...: .negative
        case 220...: .otherBytes
        case 160...: .half
        default: .complete
        }
      if ![.complete, .half, .otherBytes].contains(behavior) { state.hasFailed = true }
      if behavior == .otherBytes { state.hasChangedBytes = true }
      return behavior
    }
  }
}

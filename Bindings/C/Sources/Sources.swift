// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// movtool.h documents the functions. They are public, because the library hides all other functions.

public import CMovtool
import MovieBox
import MovtoolCommands

// Sources: files, memory, and objects that a program reads for the library.

/// The object behind a `movtool_source`.
final class SourceHandle: Sendable {
  let source: any RandomAccessSource

  init(_ source: any RandomAccessSource) {
    self.source = source
  }

  /// Returns the source of a handle of the caller.
  static func source(_ handle: OpaquePointer?, _ name: String = "source") throws -> any RandomAccessSource {
    try object(handle, name, as: SourceHandle.self).source
  }
}

/// Returns the object behind a handle of the caller.
func object<Object: AnyObject>(_ handle: OpaquePointer?, _ name: String, as type: Object.Type) throws -> Object {
  guard let handle else { throw InvalidCall(message: "\(name) is NULL") }
  return Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// Passes the object that `make` returns to the caller, who must free its handle.
func deliver(
  _ handle: UnsafeMutablePointer<OpaquePointer?>?, _ name: String, _ make: () throws -> some AnyObject
) throws -> Answer {
  guard let handle else { throw InvalidCall(message: "\(name) is NULL") }
  handle.pointee = nil
  handle.pointee = OpaquePointer(Unmanaged.passRetained(try make()).toOpaque())
  return Answer()
}

/// Frees an object that was passed to the caller.
func release<Object: AnyObject>(_ handle: OpaquePointer?, as type: Object.Type) {
  if let handle { Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release() }
}

/// An object that the caller reads.
///
/// The caller promises that the callbacks may be called on any thread.
private final class ReaderSource: InterruptibleSource, @unchecked Sendable {
  private let reader: movtool_reader
  private let byteCount: UInt64
  private let tag: String

  init(_ reader: movtool_reader, _ byteCount: UInt64, _ tag: String) {
    self.reader = reader
    self.byteCount = byteCount
    self.tag = tag
  }

  deinit { reader.release?(reader.context) }

  func identity() -> SourceIdentity { SourceIdentity(byteCount: byteCount, tag: tag) }

  func read(_ range: ByteRange) throws -> Bytes { try read(range) {} }

  func read(_ range: ByteRange, _ checkStop: () throws -> Void) throws -> Bytes {
    guard range.end <= byteCount, let count = Int(exactly: range.count) else {
      throw MovieError(
        .truncated, at: range.offset,
        "the read of \(range.count) bytes extends past the end of the source at \(byteCount)")
    }
    return try Bytes(count: count) { buffer throws(any Error) in
      var filled = 0
      while filled < count {
        try checkStop()
        let rest = UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped + filled)
        switch reader.read_at(reader.context, range.offset + UInt64(filled), rest, count - filled) {
        case 0: return filled
        case let part where part > 0 && part <= count - filled: filled += Int(part)
        case Int64(MOVTOOL_READ_CHANGED):
          throw MovieError(.sourceChanged, at: range.offset, "the object has changed since the source was created")
        case let part where part > 0:
          throw CallbackFailure(message: "read_at returned \(part), but \(count - filled) bytes were requested")
        default: throw CallbackFailure(message: "read_at failed at byte \(range.offset + UInt64(filled))")
        }
      }
      return filled
    }
  }
}

/// The error of a callback.
struct CallbackFailure: Error, CustomStringConvertible {
  let message: String
  var description: String { message }
}

@c @implementation public func movtool_source_open(
  _ path: UnsafePointer<CChar>?, _ source: UnsafeMutablePointer<OpaquePointer?>?, _ result: ResultPointer?
) -> Int32 {
  call(result) {
    try deliver(source, "source") { SourceHandle(try FileSource(path: try text(path, "path"))) }
  }
}

@c @implementation public func movtool_source_from_bytes(
  _ bytes: UnsafeRawPointer?, _ count: Int, _ source: UnsafeMutablePointer<OpaquePointer?>?, _ result: ResultPointer?
) -> Int32 {
  call(result) {
    try deliver(source, "source") {
      guard count >= 0, bytes != nil || count == 0 else { throw InvalidCall(message: "bytes is NULL") }
      return SourceHandle(MemorySource(Bytes(Array(UnsafeRawBufferPointer(start: bytes, count: count)))))
    }
  }
}

@c @implementation public func movtool_source_create(
  _ reader: UnsafePointer<movtool_reader>?, _ size: UInt64, _ tag: UnsafePointer<CChar>?,
  _ source: UnsafeMutablePointer<OpaquePointer?>?, _ result: ResultPointer?
) -> Int32 {
  call(result) {
    guard let reader else { throw InvalidCall(message: "reader is NULL") }
    guard reader.pointee.struct_size >= MemoryLayout<movtool_reader>.size else {
      throw InvalidCall(message: "the struct_size of the reader is not sizeof(movtool_reader)")
    }
    do {
      guard reader.pointee.read_at != nil else { throw InvalidCall(message: "read_at is NULL") }
      guard source != nil else { throw InvalidCall(message: "source is NULL") }
      let tag = try text(tag, "tag")
      guard size <= UInt64(Int64.max) else { throw InvalidCall(message: "size exceeds 2⁶³ bytes") }
      return try deliver(source, "source") { SourceHandle(ReaderSource(reader.pointee, size, tag)) }
    } catch {
      reader.pointee.release?(reader.pointee.context)
      throw error
    }
  }
}

@c @implementation public func movtool_source_free(_ source: OpaquePointer?) {
  release(source, as: SourceHandle.self)
}

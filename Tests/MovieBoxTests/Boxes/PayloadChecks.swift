import MovieBox
import Testing

/// A field of a payload in a test.
enum Field {
  case u8(UInt8)
  case u16(UInt16)
  case u32(UInt32)
  case u64(UInt64)
  case code(FourCC)
  case text(String)
  case bytes([UInt8])
  case zeros(Int)
  /// Nine numbers.
  case matrix([Int32])
}

/// Returns the concatenated bytes of fields.
func fields(_ fields: Field...) -> Bytes {
  var writer = ByteWriter()
  for field in fields {
    switch field {
    case .u8(let value): writer.write(value)
    case .u16(let value): writer.write(value)
    case .u32(let value): writer.write(value)
    case .u64(let value): writer.write(value)
    case .code(let value): writer.write(value)
    case .text(let value): writer.write(utf8: value)
    case .bytes(let value): writer.write(value)
    case .zeros(let count): writer.writeZeros(count)
    case .matrix(let numbers): for number in numbers { writer.write(number) }
    }
  }
  return Bytes(writer.bytes)
}

/// Checks that `value` and `bytes` are converted into each other, with any tail, and that no truncation traps.
///
/// - Parameter fixedByteCount: the minimum number of bytes. Shorter payloads must throw.
func checkPayload<Payload: AtomPayload>(
  _ value: Payload, is bytes: Bytes, fixedByteCount: Int, at location: SourceLocation = #_sourceLocation
) throws {
  #expect(value.payloadBytes == bytes.array, "value → bytes", sourceLocation: location)
  #expect(try Payload(payload: bytes) == value, "bytes → value", sourceLocation: location)
  for tail in [[0], [0, 0, 0, 0], [1, 2, 3], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
    let longer = Bytes(bytes.array + tail)
    #expect(try Payload(payload: longer).payloadBytes == longer.array, "tail \(tail)", sourceLocation: location)
  }
  try checkTruncations(Payload.self, of: bytes, fixedByteCount: fixedByteCount, at: location)
}

/// Checks that every prefix of `bytes` throws or is written back unchanged.
func checkTruncations<Payload: AtomPayload>(
  _ type: Payload.Type, of bytes: Bytes, fixedByteCount: Int, at location: SourceLocation = #_sourceLocation
) throws {
  for count in 0...bytes.count {
    let prefix = try #require(bytes.slice(at: 0, count: count))
    do {
      let value = try Payload(payload: prefix)
      #expect(value.payloadBytes == prefix.array, "\(count) bytes", sourceLocation: location)
      #expect(count >= fixedByteCount, "\(count) bytes are too few", sourceLocation: location)
    } catch {
      #expect([.truncated, .malformed].contains(error.code), "\(count) bytes: \(error)", sourceLocation: location)
    }
  }
}

/// Checks that `bytes` with any version above `newestVersion` are rejected as unsupported.
func checkVersions<Payload: AtomPayload>(
  _ type: Payload.Type, of bytes: Bytes, newestVersion: UInt8, at location: SourceLocation = #_sourceLocation
) {
  for version in newestVersion + 1...UInt8.max {
    let changed = Bytes([version] + bytes.array.dropFirst())
    checkRefused(type, changed, .unsupported, at: location)
  }
}

/// Checks that `bytes` are rejected with this code.
func checkRefused<Payload: AtomPayload>(
  _ type: Payload.Type, _ bytes: Bytes, _ code: MovieError.Code, at location: SourceLocation = #_sourceLocation
) {
  do {
    let value = try Payload(payload: bytes)
    Issue.record("accepted as \(value)", sourceLocation: location)
  } catch {
    #expect(error.code == code, "\(error)", sourceLocation: location)
  }
}

/// Checks that `bytes` are written back unchanged, and returns their value.
@discardableResult
func readBack<Payload: AtomPayload>(
  _ type: Payload.Type, _ bytes: Bytes, at location: SourceLocation = #_sourceLocation
) throws -> Payload {
  let value = try Payload(payload: bytes)
  #expect(value.payloadBytes == bytes.array, sourceLocation: location)
  return value
}

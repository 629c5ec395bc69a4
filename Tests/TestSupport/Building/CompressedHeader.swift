/// Returns a `moov` that contains another `moov` in compressed form.
package func compressedMoov(
  algorithm: String = "zlib", zlib stream: [UInt8], inflatedByteCount: Int, header: HeaderForm = .ordinary
) -> [UInt8] {
  atom("moov", header: header) {
    atom("cmov") {
      atom("dcom") { code(algorithm) }
      atom("cmvd") {
        u32(inflatedByteCount)
        stream
      }
    }
  }
}

/// Returns a zlib stream of stored blocks of at most `blockByteCount` bytes.
package func storedZlib(_ bytes: [UInt8], blockByteCount: Int = 65535) -> [UInt8] {
  var stream: [UInt8] = [0x78, 0x01]
  var position = 0
  repeat {
    let block = bytes[position..<min(bytes.count, position + blockByteCount)]
    position = block.endIndex
    stream.append(position == bytes.count ? 1 : 0)
    for number in [block.count, block.count ^ 0xFFFF] { stream += [UInt8(number & 255), UInt8(number >> 8)] }
    stream += block
  } while position < bytes.count
  var (a, b) = (1, 0)
  for byte in bytes {
    a = (a + Int(byte)) % 65521
    b = (b + a) % 65521
  }
  return stream + u32(b << 16 | a)
}

/// Returns the file with its movie atom compressed by `compress`. Free space replaces the saved bytes, so that all other
/// positions remain valid.
package func withCompressedHeader(
  _ file: [UInt8], by compress: ([UInt8]) throws -> [UInt8]
) throws -> [UInt8] {
  let reader = try SecondReader(file)
  guard let moov = reader.topLevel.first(where: { $0.type == "moov" }) else {
    throw TestSupportError("the file has no moov")
  }
  let plain = try reader.bytes(of: moov)
  let compressed = compressedMoov(zlib: try compress(plain), inflatedByteCount: plain.count)
  guard compressed.count + 8 <= plain.count else { throw TestSupportError("the header does not become shorter") }
  let filler = atom("free") { zeros(plain.count - compressed.count - 8) }
  return Array(file[..<Int(moov.offset)]) + compressed + filler + file[Int(moov.end)...]
}

extension Witness {
  /// Returns bytes compressed by the zlib of `python3`.
  package func zlib(_ bytes: [UInt8], level: Int = 9) throws -> [UInt8] {
    let script = "import sys,zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read(), \(level)))"
    let result = try run(["-c", script], input: bytes)
    guard result.code == 0 else { throw TestSupportError("\(name): \(result.errorText)") }
    return result.output
  }
}

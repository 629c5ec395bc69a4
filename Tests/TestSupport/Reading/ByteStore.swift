import Foundation

/// The bytes of a file, in memory or on disk.
package final class ByteStore: Sendable {
  private enum Place {
    case memory([UInt8])
    case file(Int32)
  }

  private let place: Place
  private let isOwner: Bool
  /// The number of bytes.
  package let count: UInt64

  package init(_ bytes: [UInt8]) {
    place = .memory(bytes)
    isOwner = false
    count = UInt64(bytes.count)
  }

  /// Opens a file. Throws if it cannot be opened.
  package convenience init(path: String) throws {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestSupportError("cannot open \(path)") }
    try self.init(descriptor: descriptor, isOwner: true)
  }

  /// Uses an open file without closing it.
  package convenience init(descriptor: Int32) throws {
    try self.init(descriptor: descriptor, isOwner: false)
  }

  private init(descriptor: Int32, isOwner: Bool) throws {
    place = .file(descriptor)
    self.isOwner = isOwner
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw TestSupportError("cannot tell the size of descriptor \(descriptor)") }
    count = UInt64(end)
  }

  deinit {
    if case .file(let descriptor) = place, isOwner { close(descriptor) }
  }

  /// Returns `count` bytes from `offset`. Throws if there are fewer. Reading no bytes always succeeds.
  package func read(_ offset: UInt64, _ count: Int) throws -> [UInt8] {
    if count == 0 { return [] }
    guard count >= 0, offset <= self.count, UInt64(count) <= self.count - offset else {
      throw TestSupportError("\(count) bytes at \(offset) reach past the end at \(self.count)")
    }
    switch place {
    case .memory(let bytes): return Array(bytes[Int(offset)..<Int(offset) + count])
    case .file(let descriptor):
      return try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while filled < count {
          // SAFETY: the buffer has `count` bytes, and at most the remaining ones are requested.
          let base = unsafe UnsafeMutableRawPointer(buffer.baseAddress)?.advanced(by: filled)
          let got = unsafe pread(descriptor, base, count - filled, off_t(offset) + off_t(filled))
          guard got > 0 else { throw TestSupportError("cannot read \(count) bytes at \(offset)") }
          filled += got
        }
      }
    }
  }
}

/// Whether two arrays are equal, at the speed of the C library even in debug builds.
func sameBytes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  if one.count != other.count { return false }
  if one.isEmpty { return true }
  return unsafe one.withUnsafeBytes { a in
    unsafe other.withUnsafeBytes { b in
      // SAFETY: both have `one.count` bytes, at least one, so both have an address.
      guard let a = a.baseAddress, let b = b.baseAddress else { return false }
      return unsafe memcmp(a, b, one.count) == 0
    }
  }
}

/// Returns the big-endian number in `count` bytes from `offset`, or `nil` if there are fewer.
func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64? {
  guard offset >= 0, count <= 8, offset + count <= bytes.count else { return nil }
  var value: UInt64 = 0
  for index in offset..<offset + count { value = value << 8 | UInt64(bytes[index]) }
  return value
}

/// Returns four bytes as a code, each byte as the character of its number.
func codeText(_ bytes: [UInt8], _ offset: Int) -> String {
  var text = ""
  for byte in bytes.dropFirst(offset).prefix(4) { text.unicodeScalars.append(Unicode.Scalar(byte)) }
  return text
}

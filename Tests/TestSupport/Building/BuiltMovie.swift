import Foundation

/// A movie after its layout.
package struct BuiltMovie: Sendable {
  /// The file offsets of each track's chunks, by track ID.
  package internal(set) var chunkOffsets: [UInt32: [UInt64]] = [:]
  /// The size of the file.
  package private(set) var byteCount: UInt64 = 0
  /// The written bytes with their positions. The gaps between them are holes that read as zeros.
  package private(set) var segments: [(offset: UInt64, bytes: [UInt8])] = []

  mutating func append(_ bytes: [UInt8]) {
    if let last = segments.last, last.offset + UInt64(last.bytes.count) == byteCount {
      segments[segments.count - 1].bytes += bytes
    } else {
      segments.append((byteCount, bytes))
    }
    byteCount += UInt64(bytes.count)
  }

  mutating func skip(_ count: UInt64) {
    byteCount += count
  }

  /// The whole file. Use only for small files.
  package var bytes: [UInt8] {
    precondition(byteCount < 1 << 28, "write a file of \(byteCount) bytes to a folder instead")
    var bytes: [UInt8] = []
    for segment in segments {
      bytes += zeros(Int(segment.offset) - bytes.count)
      bytes += segment.bytes
    }
    return bytes + zeros(Int(byteCount) - bytes.count)
  }

  /// Writes the file as a sparse file.
  package func write(to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw TestSupportError("cannot create \(path)") }
    for segment in segments {
      try file.seek(toOffset: segment.offset)
      try file.write(contentsOf: segment.bytes)
    }
    try file.truncate(atOffset: byteCount)
    try file.close()
  }
}

/// An error in the test's own code.
package struct TestSupportError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

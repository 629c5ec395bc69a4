import MovieBox
import MovieStreaming
import MovieWriter
import TestSupport

/// A plan for a movie in memory.
struct Streamed {
  let source: MemorySource
  let plan: StreamPlan

  init(_ movie: TestMovie, _ options: StreamOptions = StreamOptions()) throws {
    try self.init(movie.bytes(), options)
  }

  init(_ bytes: [UInt8], _ options: StreamOptions = StreamOptions()) throws {
    source = MemorySource(Bytes(bytes))
    plan = try StreamPlan(of: Movie(of: source), from: source, options)
  }

  /// Returns the bytes of a file.
  func bytes(_ path: String) throws -> [UInt8] {
    guard let file = plan.file(path) else { throw TestSupportError("no file \(path)") }
    return try PlannedSource(plan.outputPlan(of: file), of: source).read(ByteRange(0..<file.byteCount)).array
  }

  /// Returns the lines of a text file.
  func lines(_ path: String) throws -> [String] {
    String(decoding: try bytes(path), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// Returns the initialization segment and all segments of a folder, which together form a fragmented movie.
  func joined(_ folder: String) throws -> [UInt8] {
    try plan.files.filter { $0.path.hasPrefix(folder + "/") && ($0.kind == .initialization || $0.kind == .media) }
      .flatMap { try bytes($0.path) }
  }
}

extension [UInt8] {
  /// Returns a fragmented movie or its initialization segment with edits added to its track, or `nil` for other bytes.
  func withEdits(_ edits: [(duration: Int, mediaTime: Int)]) -> [UInt8]? {
    let edts = atom("edts") {
      fullAtom("elst") {
        u32(edits.count)
        edits.flatMap { u32($0.duration, $0.mediaTime, 0x1_0000) }
      }
    }
    var bytes = self
    guard let mdia = bytes.firstRange(of: code("mdia")).map({ $0.lowerBound - 4 }) else { return nil }
    bytes.insert(contentsOf: edts, at: mdia)
    for type in ["moov", "trak"] {
      guard let start = bytes.firstRange(of: code(type)).map({ $0.lowerBound - 4 }) else { return nil }
      let size = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      bytes.replaceSubrange(start..<start + 4, with: u32(size + edts.count))
    }
    return bytes
  }
}

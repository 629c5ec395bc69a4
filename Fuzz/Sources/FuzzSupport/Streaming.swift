public import MovieBox
import MovieStreaming
import MovieWriter

/// Plans a presentation. The function must either throw or return a plan whose files are readable and have the declared
/// sizes.
public func stream(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  guard let movie = attempt("movie", { try Movie(of: source) }) else { return }
  for options in [StreamOptions(), StreamOptions(segmentMilliseconds: 1_000, isSingleFile: true)] {
    guard let plan = attempt("stream plan", { try StreamPlan(of: movie, from: source, options) }) else { continue }
    consume(plan.notices.map(\.message))
    for file in plan.files.prefix(64) {
      // This may throw, because samples may share bytes.
      guard let output = attempt("file", { try plan.outputPlan(of: file) }) else { continue }
      let read = require("reading a file") {
        try PlannedSource(output, of: source).read(ByteRange(0..<min(file.byteCount, 1 << 16)))
      }
      if UInt64(read.count) != min(file.byteCount, 1 << 16) { fault("\(file.path) has another size than it says") }
    }
  }
}

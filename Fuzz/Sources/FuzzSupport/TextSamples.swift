public import MovieBox
import MovieWriter

/// Decodes text samples. The first byte selects the format, and its highest bit declares that a sample description
/// follows. The description and the samples are each preceded by their length in one byte.
public func readTextSamples(_ bytes: Bytes) {
  var rest = bytes.array[...]
  guard let first = rest.popFirst() else { return }
  let kind = TextKind.allCases[Int(first & 0x7F) % TextKind.allCases.count]
  let entry = first & 0x80 == 0 ? kind.entry : Array(takePart(of: &rest))
  var samples: [[UInt8]] = []
  while !rest.isEmpty, samples.count < 64 { samples.append(Array(takePart(of: &rest))) }
  let source = MeteredSource(textMovie(kind, entry: entry, samples: samples))
  attempt("text samples") {
    let movie = try Movie(of: source)
    for track in movie.tracks where TextTrackReader.canRead(track) {
      writeText(try TextTrackReader(track, of: movie, limits: textLimits).read(from: source))
    }
    for finding in try movie.findings(for: .apple, readingTextOf: source) { consume(finding.description) }
  }
}

private func takePart(of rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  let count = Int(rest.popFirst() ?? 0)
  defer { rest = rest.dropFirst(count) }
  return rest.prefix(count)
}

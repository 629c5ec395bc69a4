public import MovieBox
import MovieWriter

/// Reads all parts of a movie: atoms, payloads, tracks, samples, fragments, findings and text.
public func readMovie(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  guard let movie = readHeader(of: source) else { return }
  let fragments = movie.isFragmented ? attempt("fragments", { try movie.readFragments(of: source) }) : nil
  for track in movie.tracks {
    readTables(of: track, movie)
    if let fragmented = fragments?.track(track.id) {
      for sample in fragmented.samples.prefix(sampleLimit) { consume(sample.presentationTime) }
    }
    readText(of: track, movie, fragments, from: source)
  }
  readFindings(of: movie, fragments, from: source)
  consume(attempt("route") { try movie.route(from: source) })
  consume(movie.interleavingDistance())
  consume(movie.mediaSelectionGroups)
  consume(movie.tracks.map { ($0.displayName, $0.role(in: movie)) })
  consume(movie.automaticSelection(for: MediaSelectionCriteria()))
  consume(MediaRanges(movie.tracks).byteCount)
}

/// The maximum number of samples that are read per track, because a table of a few bytes can declare four billion
/// samples.
let sampleLimit = 20_000

/// Prevents the optimizer from removing the computation of an unused value.
@inline(never)
func consume<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}

/// Returns the movie in a source, or `nil` if it is not readable. Reads all atoms, even if the movie is not readable.
func readHeader(of source: MeteredSource) -> Movie? {
  guard let layout = attempt("layout", { try FileLayout(of: source) }) else { return nil }
  for atom in layout.atoms where atom.range.count <= 1 << 20 && atom.type != "mdat" && atom.type != "moov" {
    guard let bytes = attempt("atom", { try source.read(atom.range) }) else { continue }
    if let tree = attempt("tree", { try AtomTree(bytes, at: atom.range.offset) }) { readPayloads(of: tree) }
  }
  if let tree = attempt("movie tree", { try Movie.movieTree(of: source, layout: layout) }) { readPayloads(of: tree) }
  return attempt("movie", { try Movie(of: source, layout: layout) })
}

private func readTables(of track: Track, _ movie: Movie) {
  let samples = track.samples
  for sample in samples.samples.prefix(sampleLimit) { consume(sample.presentationTime) }
  let locator = ChunkLocator(track)
  for chunk in samples.chunks.prefix(sampleLimit) { consume((locator.isExternal(chunk), locator.byteRange(of: chunk))) }
  consume(samples.totalByteCount)
  consume((track.language, track.characteristics, track.pictureSize, track.isSDH, track.title))
  consume(track.durationInMovieTicks(movieTimeScale: movie.header.timeScale))
  consume((track.presentationStartInMovieTicks, track.presentationStartInMediaTicks))
}

private func readText(of track: Track, _ movie: Movie, _ fragments: MovieFragments?, from source: MeteredSource) {
  guard TextTrackReader.canRead(track) else { return }
  let text = attempt("text") {
    try TextTrackReader(track, of: movie, fragments: fragments, limits: textLimits).read(from: source)
  }
  if let text { writeText(text) }
}

private func readFindings(of movie: Movie, _ fragments: MovieFragments?, from source: MeteredSource) {
  var findings = movie.findings(for: nil, fragments: fragments)
  for target in Rule.Target.allCases {
    findings += movie.findings(for: target, fragments: fragments, fileName: "film.mov")
    findings +=
      attempt("findings") { try movie.findings(for: target, fragments: fragments, readingTextOf: source) } ?? []
  }
  for finding in findings {
    consume(finding.description)
    if finding.error.code == .planCheckFailed { fault(finding.description) }
  }
  consume((movie.misplacedSamples(), movie.inconsistencies()))
}

public import MovieBox
import MovieWriter

/// Converts a movie to several types, and converts each result to a type of the other family, with and without
/// preparation for sharing.
///
/// Each conversion must either throw or keep all pictures. The verification of plans checks all other properties.
public func convert(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  guard let movie = attempt("movie", { try Movie(of: source) }) else { return }
  for type in [MovieType.quickTime, .mp4, .m4a, .threeGPP] {
    guard let there = converted(movie, source, to: type), there.count <= 4 * bytes.count + 65_536 else { continue }
    let again = MeteredSource(there)
    let new = require("reading a converted movie") { try Movie(of: again) }
    let family: MovieType = type.isQuickTime ? .mp4 : .quickTime
    _ = converted(new, again, to: family)
    _ = converted(new, again, to: family, isShared: true)
  }
}

/// Returns the movie converted to a type, or `nil` if the conversion throws.
private func converted(
  _ movie: Movie, _ source: MeteredSource, to type: MovieType, isShared: Bool = false
) -> Bytes? {
  attempt("converting") {
    var edit = try MovieEdit(of: movie, from: source)
    try edit.convert(to: type)
    if isShared { consume(try edit.prepareForSharing().map(\.reason)) }
    consume(edit.notices.map(\.message))
    let joined = try edit.joinedSource()
    let plan = try edit.outputPlan()
    // Only pictures are compared, because a conversion may change samples of text and the sample tables of old
    // compressed audio.
    let pictures = edit.tracks.filter { $0.mediaType == .video }.map(\.id)
    let others = Set(edit.tracks.map(\.id)).subtracting(pictures)
    if !pictures.isEmpty {
      var part = edit
      if !others.isEmpty { try part.remove(others) }
      let old = KeptSamples(of: movie, in: source, tracks: Set(pictures))
      old.check(try part.outputPlan(of: joined), of: source, reading: joined)
    }
    return try PlannedSource(plan, of: joined).read(ByteRange(0..<plan.byteCount))
  }
}

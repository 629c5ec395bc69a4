/// A generator of random movies, with equal movies for equal seeds.
///
///     var chance = Chance(seed: 7)
///     let movie = TestMovie.random(&chance)
package struct Chance: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number by SplitMix64, for which every seed is suitable.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns `true` once in `count` times on average.
  package mutating func once(in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }
}

extension TestMovie {
  /// Returns a movie with tracks of any kind, tables of any form and atoms in any order, including rare ones.
  package static func random(_ chance: inout Chance) -> TestMovie {
    let count = Int.random(in: 1...4, using: &chance)
    var movie = TestMovie(
      tracks: (0..<count).map { TestTrack.random(id: UInt32($0 + 1), isFirst: $0 == 0, &chance) })
    movie.dialect = chance.once(in: 2) ? .iso : .quickTime
    movie.timeScale = [600, 1000, 90_000, 30_000].randomElement(using: &chance) ?? 600
    movie.usesLongTimes = chance.once(in: 4)
    movie.hasCompressedMovieAtom = chance.once(in: 8)
    movie.storesTrackAfterTrack = chance.once(in: 3)
    if chance.once(in: 3) { movie.userData = atom("ZZZZ") { zeros(Int.random(in: 0..<40, using: &chance)) } }
    if chance.once(in: 3) { movie.movieAtoms = atom("XXXX") { text("unknown") } }
    if chance.once(in: 4) { movie.movieItem = text("an item of the movie") }
    if chance.once(in: 4) { movie.fileItem = text("an item of the file") }
    movie.layout = layout(hasFileItem: movie.fileItem != nil, &chance)
    return movie
  }

  private static func layout(hasFileItem: Bool, _ chance: inout Chance) -> [Piece] {
    let forms: [HeaderForm] = [.ordinary, .extended]
    var pieces: [Piece] = [.movie(forms.randomElement(using: &chance) ?? .ordinary)]
    for _ in 0..<Int.random(in: 1...3, using: &chance) {
      pieces.append(.media(forms.randomElement(using: &chance) ?? .ordinary))
    }
    if hasFileItem { pieces.append(.itemTable) }
    for _ in 0..<Int.random(in: 0...3, using: &chance) {
      let others: [Piece] = [
        .free(Int.random(in: 8...600, using: &chance)), .wide, .bytes(atom("uuid") { zeros(16) + text("vendor") }),
        .bytes(atom("JUNK") { text("nobody knows") }),
      ]
      pieces.append(others.randomElement(using: &chance) ?? .wide)
    }
    pieces.shuffle(using: &chance)
    if !chance.once(in: 6) { pieces.insert(.fileType, at: 0) }
    if chance.once(in: 8) { pieces.append(.bytes(text("SEFT trailer"))) }
    return pieces
  }
}

extension TestTrack {
  fileprivate static func random(id: UInt32, isFirst: Bool, _ chance: inout Chance) -> TestTrack {
    let kinds: [Kind] = [.video, .sound, .sound, .subtitle, .text, .timecode, .other(handler: "meta")]
    var track = TestTrack(isFirst ? .video : kinds.randomElement(using: &chance) ?? .sound, id: id)
    let count = Int.random(in: 1...40, using: &chance)
    switch track.kind {
    case .video: track.samples = .pictures(count, around: Int.random(in: 1...90, using: &chance), duration: 50)
    case .sound:
      let duration = Int.random(in: 100...2000, using: &chance)
      track.samples = .varied(count, around: Int.random(in: 1...60, using: &chance), duration: duration)
    default: break
    }
    track.chunking = (0..<Int.random(in: 1...4, using: &chance)).map { _ in Int.random(in: 1...9, using: &chance) }
    track.language = .packed(["und", "eng", "spa"].randomElement(using: &chance) ?? "und")
    track.group = Int.random(in: 0...2, using: &chance)
    track.isEnabled = !chance.once(in: 3)
    track.usesLongOffsets = chance.once(in: 3)
    track.usesLongTimes = chance.once(in: 4)
    track.auxiliaryByteCount = chance.once(in: 6) ? Int.random(in: 1...20, using: &chance) : 0
    if chance.once(in: 6) { track.item = text("an item of track \(id)") }
    if chance.once(in: 3) {
      track.edits = [TestEdit(duration: 300, mediaTime: -1), TestEdit(duration: 600, mediaTime: 40)]
    }
    if chance.once(in: 4) { track.sampleTableAtoms = atom("ABCD") { zeros(3) } }
    if chance.once(in: 4) { track.trackAtoms = atom("EFGH") { text("track") } }
    return track
  }
}

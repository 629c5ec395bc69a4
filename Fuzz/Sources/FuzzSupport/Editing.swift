public import MovieBox
import MovieWriter
import Subtitles

/// Adds a subtitle track with every strategy of writing. Each edit must either throw or keep all old samples.
public func addSubtitles(_ bytes: Bytes) {
  edit(bytes) { edit in
    _ = try edit.addSubtitles(shortInput)
  }
}

/// Writes a movie without its fragments and in several layouts, without other changes.
public func rearrange(_ bytes: Bytes) {
  edit(bytes) { $0.flatten() }
}

/// Writes the intact parts of a movie that may be truncated. The edit must either throw or result in a complete movie.
public func salvage(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  guard let movie = attempt("movie", { try Movie(of: source) }),
    let edit = attempt("salvaging", { try MovieEdit(salvaging: movie, from: source) })
  else { return }
  for layout in layouts {
    guard let plan = attempt("plan", { try edit.outputPlan(layout) }) else { continue }
    let output = require("reading a salvaged movie") { try Movie(of: PlannedSource(plan, of: source)) }
    guard edit.missingSamples.isEmpty || output.misplacedSamples().isEmpty else { fault("samples are still missing") }
  }
}

/// Removes the last track of a movie.
public func removeTrack(_ bytes: Bytes) {
  edit(bytes) { edit in
    if let last = edit.tracks.last { try edit.remove([last.id]) }
  }
}

/// Applies all automatic fixes to a movie.
public func fix(_ bytes: Bytes) {
  edit(bytes) { edit in
    for target in Rule.Target.allCases { consume(try edit.fix(for: target).map(\.message)) }
  }
}

/// Removes the first track of a movie, and adds it again from the unedited movie.
public func replaceTrack(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  attempt("replacing") {
    let movie = try Movie(of: source)
    guard let first = movie.tracks.first else { return }
    let joined = try JoinedSource([source, source])
    var edit = try MovieEdit(of: movie, from: source)
    try edit.remove([first.id])
    _ = try edit.addTracks([TrackInput(first)], of: movie, from: source)
    let plan = try edit.outputPlan()
    require("reading a replaced track") { try Movie(of: PlannedSource(plan, of: joined)) }
  }
}

private var shortInput: SubtitleInput {
  var input = SubtitleInput(
    cues: [
      Cue(startMilliseconds: 200, endMilliseconds: 1500, text: StyledText("Who is there?")),
      Cue(startMilliseconds: 1600, endMilliseconds: 1900, text: StyledText("¿Quién?"), isForced: true),
    ], language: LanguageTag("en"), title: "English")
  input.mediaCharacteristics = MediaCharacteristic.sdh
  return input
}

private let layouts: [OutputLayout] = {
  var compact = OutputLayout(isFastStart: true, interleaving: .all, isCompact: true)
  compact.splitsChunks = true
  var shared = OutputLayout(interleaving: .none)
  shared.blockByteCount = 512
  return [OutputLayout(), OutputLayout(isFastStart: true), compact, shared]
}()

func edit(_ bytes: Bytes, _ change: (inout MovieEdit) throws -> Void) {
  let source = MeteredSource(bytes)
  guard let movie = attempt("movie", { try Movie(of: source) }) else { return }
  let made = attempt("edit") {
    var edit = try MovieEdit(of: movie, from: source)
    try change(&edit)
    return edit
  }
  guard let edit = made else { return }
  consume(edit.notices.map(\.message) + edit.movie.newFileWarnings(keepsTrailingBytes: true).map(\.message))
  let old = KeptSamples(of: movie, in: source, tracks: Set(edit.tracks.map(\.id)))
  for layout in layouts {
    guard let plan = attempt("plan", { try edit.outputPlan(layout) }) else { continue }
    old.check(plan, of: source)
  }
  for position in [InPlacePlan.Position.keepingFastStart, .afterMedia] {
    guard let plan = attempt("append plan", { try edit.inPlacePlan(of: source, position) }) else { continue }
    old.check(require("rendering") { try plan.rendered() }, of: source)
  }
}

/// Compares a movie with an edited copy, and with a copy in which one byte differs.
public func compare(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  attempt("comparing with an edited movie") {
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    _ = try edit.addSubtitles(shortInput)
    let plan = try edit.outputPlan()
    tell(try MovieComparison(source, PlannedSource(plan, of: source)))
  }
  var other = bytes.array
  guard !other.isEmpty else { return }
  let place = other.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % other.count
  other[place] ^= 0x10
  attempt("comparing") { tell(try MovieComparison(source, MeteredSource(other))) }
}

private func tell(_ comparison: MovieComparison) {
  consume(comparison.differences.map(\.description))
  consume(comparison.remarks.map(\.description))
}

/// Finds the samples of fragments that the end of a cut-off file lacks.
///
/// A recorder that loses power leaves its last fragment without an end. Its `moof` is mostly whole, for the media after it
/// has nearly all of the bytes: the samples up to the cut can be played, as players do.
struct FragmentCut {
  /// The samples that a track lacks.
  struct Loss {
    /// The runs of the fragment without the samples from the first missing one on.
    let keptRuns: [FragmentRun]
    /// The number of missing samples.
    private(set) var sampleCount: Int
    /// The presentation time of the first missing sample, on the clock of the runs.
    private(set) var presentationTime: Int64

    /// Adds what a later fragment lost.
    mutating func add(_ other: Loss) {
      sampleCount += other.sampleCount
      presentationTime = Swift.min(presentationTime, other.presentationTime)
    }
  }

  /// From here on bytes may be missing.
  private let start: UInt64
  private let fileEnd: UInt64
  private let locators: [UInt32: ChunkLocator]

  /// The cut of a movie's file, or `nil` if its last atom is whole.
  init?(_ movie: Movie) {
    guard let start = movie.layout.cutOffset else { return nil }
    self.start = start
    fileEnd = movie.layout.identity.byteCount
    locators = Dictionary(movie.tracks.map { ($0.id, ChunkLocator($0)) }) { first, _ in first }
  }

  /// Returns the loss of a part of a fragment, or `nil` if it has all its samples.
  ///
  /// Drops the samples after the first missing one of the same track fragment as well: sample groups and encryption
  /// data are indexed from its first sample.
  func loss(of runs: [FragmentRun], at traf: Int, in tree: AtomTree, ofTrack id: UInt32) -> Loss? {
    guard let cut = runs.firstIndex(where: isCut), !isExternal(runs[cut], ofTrack: id) else { return nil }
    let run = runs[cut]
    let room = fileEnd - Swift.min(fileEnd, run.offset ?? fileEnd)
    let keptCount = run.table.sampleCount(within: room, default: run.defaults.size)
    let isDivisible =
      tree.child(of: traf, "saiz") != nil || !tree.children(of: traf).contains { isEncryption($0, tree) }
    var keptRuns = isDivisible ? Array(runs[..<cut]) : []
    if isDivisible, keptCount > 0 { keptRuns.append(run.prefix(keptCount)) }
    let kept = keptRuns.last?.samples.upperBound ?? runs.first?.firstSample ?? 0
    let missing = runs.filter { $0.samples.upperBound > kept }
    return Loss(
      keptRuns: keptRuns, sampleCount: (runs.last?.samples.upperBound ?? kept) - kept,
      presentationTime: missing.map { $0.presentationStart(from: Swift.max(0, kept - $0.firstSample)) }.min() ?? 0)
  }

  /// Whether bytes of a run lie past the end of the file, and the cut explains that.
  private func isCut(_ run: FragmentRun) -> Bool {
    guard run.byteCount > 0, let range = run.byteRange else { return false }
    return range.end > fileEnd && range.offset >= start
  }

  private func isExternal(_ run: FragmentRun, ofTrack id: UInt32) -> Bool {
    locators[id]?.isExternal(description: run.sampleDescriptionIndex) ?? false
  }

  /// Whether an atom of a fragment has encryption information whose parts only another atom (`saiz`) tells.
  private func isEncryption(_ atom: Int, _ tree: AtomTree) -> Bool {
    tree[atom].type == "senc"
      || tree[atom].type == "uuid" && tree.payload(of: atom).slice(at: 0, count: 16) == SampleEncryption.userType
  }
}

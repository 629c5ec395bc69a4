/// The samples of fragments that are missing because the end of the file is truncated.
///
/// A recorder that loses power writes an incomplete last fragment. Its `moof` is usually complete, because nearly all
/// bytes of a fragment are media. Players can play the samples before the end of the file, so these samples are kept.
struct FragmentCut {
  /// The samples that a track has lost.
  struct Loss {
    /// The runs of the fragment, limited to the samples before the first missing sample.
    let keptRuns: [FragmentRun]
    /// The number of missing samples.
    private(set) var sampleCount: Int
    /// The presentation time of the first missing sample, in media ticks. It has the same origin as the decode times of
    /// runs.
    private(set) var presentationTime: Int64

    /// Adds the loss in a later fragment.
    mutating func add(_ other: Loss) {
      sampleCount += other.sampleCount
      presentationTime = Swift.min(presentationTime, other.presentationTime)
    }
  }

  /// The first offset from which bytes may be missing.
  private let start: UInt64
  private let fileEnd: UInt64
  private let locators: [UInt32: ChunkLocator]

  /// Creates the cut of a movie's file, or returns `nil` if the file is not truncated.
  init?(_ movie: Movie) {
    guard let start = movie.layout.cutOffset else { return nil }
    self.start = start
    fileEnd = movie.layout.identity.byteCount
    locators = Dictionary(movie.tracks.map { ($0.id, ChunkLocator($0)) }) { first, _ in first }
  }

  /// Returns the loss in a track fragment, or `nil` if no sample of the track fragment is cut off.
  ///
  /// All samples after the first missing sample are dropped, even if they are complete. Sample groups and encryption
  /// parameters are indexed from the first sample of the track fragment, so the samples cannot be skipped
  /// individually.
  func loss(of runs: [FragmentRun], at traf: Int, in tree: AtomTree, ofTrack id: UInt32) -> Loss? {
    guard let cut = runs.firstIndex(where: isTruncated), !isExternal(runs[cut], ofTrack: id) else { return nil }
    let run = runs[cut]
    let room = fileEnd - Swift.min(fileEnd, run.offset ?? fileEnd)
    let keptCount = run.table.sampleCount(within: room, default: run.defaults.size)
    let isDivisible =
      tree.child(of: traf, "saiz") != nil || !tree.children(of: traf).contains { isEncryption($0, tree) }
    var keptRuns = isDivisible ? Array(runs[..<cut]) : []
    if isDivisible, keptCount > 0 { keptRuns.append(run.prefix(keptCount)) }
    let keptEnd = keptRuns.last?.samples.upperBound ?? runs.first?.firstSample ?? 0
    let incompleteRuns = runs.filter { $0.samples.upperBound > keptEnd }
    return Loss(
      keptRuns: keptRuns, sampleCount: (runs.last?.samples.upperBound ?? keptEnd) - keptEnd,
      presentationTime: incompleteRuns.map { $0.presentationStart(from: Swift.max(0, keptEnd - $0.firstSample)) }.min()
        ?? 0)
  }

  /// Whether a run extends past the end of the file because of the truncation.
  private func isTruncated(_ run: FragmentRun) -> Bool {
    guard run.byteCount > 0, let range = run.byteRange else { return false }
    return range.end > fileEnd && range.offset >= start
  }

  private func isExternal(_ run: FragmentRun, ofTrack id: UInt32) -> Bool {
    locators[id]?.isExternal(description: run.sampleDescriptionIndex) ?? false
  }

  /// Whether the atom contains encryption parameters (`senc`, or its older form `uuid`). Only `saiz` declares the sizes
  /// of the entries of such an atom. Without `saiz`, the atom cannot be divided.
  private func isEncryption(_ atom: Int, _ tree: AtomTree) -> Bool {
    tree[atom].type == "senc"
      || tree[atom].type == "uuid" && tree.payload(of: atom).slice(at: 0, count: 16) == SampleEncryption.userType
  }
}

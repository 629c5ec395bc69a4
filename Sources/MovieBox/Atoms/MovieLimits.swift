/// The limits of reading. A movie that exceeds one is rejected.
///
/// The defaults allow the largest real movie (24 hours, 10 million samples, 200 tracks).
public struct MovieLimits: Hashable, Sendable {
  /// Atoms inside atoms. Real movies reach 10 or so (`moov/trak/mdia/minf/stbl/stsd/avc1/sinf/schi/tenc`).
  public var depth = 32
  /// Atoms inside one tree. A movie of 200 tracks has about 10 000.
  public var atomCount = 1_000_000
  /// Top-level atoms of a file. A day of fragments of one second has about 200 000.
  public var topLevelAtomCount = 1_000_000
  /// Bytes of `moov`, which is held in memory. 10 million samples take about 150 MB.
  public var movieByteCount: UInt64 = 1 << 30
  /// Bytes that a compressed movie atom (`cmov`) inflates to; at most ``movieByteCount``. A byte may claim a thousand;
  /// those who wrote such movie atoms made films of some hours, whose movie atoms take a few MB.
  public var inflatedByteCount: UInt64 = 32 << 20
  /// Bytes of all `moof` atoms together, which are held in memory. A day of fragments of one second has about 100 MB.
  public var fragmentByteCount: UInt64 = 1 << 30
  /// Samples of fragments with no table entry: only a number in the file says how many there are. Where they have bytes
  /// of media, there may be as many as the file has bytes.
  public var implicitSampleCount = 1_000_000
  /// Defects that a tree reports, and places where a rule is said to be broken; further ones add nothing for a reader.
  public var defectCount = 100
  /// Chunks that are compared with one another, at 32 bytes each. A film in chunks of half a second has about 50 000.
  public var comparedChunkCount = 4_000_000
  /// Bytes of subtitles that are read to validate a movie. Those of a film take about 200 kB a language.
  public var textByteCount: UInt64 = 64 << 20
  /// Samples of subtitles that are looked at. Those of a film are about 3000 a language.
  public var textSampleCount = 1_000_000

  /// The defaults.
  public init() {}

  /// Room for what an edit adds: a movie that was just inside the limits can be edited.
  package var withRoomForEdits: MovieLimits {
    var limits = self
    limits.atomCount = Self.sum(atomCount, 10_000)
    limits.topLevelAtomCount = Self.sum(topLevelAtomCount, 10)
    limits.movieByteCount = Self.sum(movieByteCount, 256 << 20)
    return limits
  }

  private static func sum<Number: FixedWidthInteger>(_ limit: Number, _ room: Number) -> Number {
    let (sum, overflow) = limit.addingReportingOverflow(room)
    return overflow ? .max : sum
  }
}

/// A pass over a list that a small file can make long: the children of an atom, tracks, metadata items.
///
/// A pass for each element of the list costs the square of the list's length, so that 800 kB of movie atom occupy a
/// service for a minute. Tests therefore count the elements that passes visit, with lists of two lengths.
package enum ListPass {
  /// Called at the end of each pass with the number of elements that the pass visited.
  @TaskLocal package static var didVisit: (@Sendable (_ count: Int) -> Void)?

  /// Reports a pass that visited so many elements.
  @inline(never)
  package static func end(after count: Int) { didVisit?(count) }
}

/// Limits for reading. A movie that exceeds a limit is rejected.
///
/// The defaults are sufficient for 24 hours, 10 million samples and 200 tracks.
public struct MovieLimits: Hashable, Sendable {
  /// The nesting depth of atoms. Real movies reach about 10 (`moov/trak/mdia/minf/stbl/stsd/avc1/sinf/schi/tenc`).
  public var depth = 32
  /// The number of atoms in one tree. A movie of 200 tracks has about 10 000 atoms.
  public var atomCount = 1_000_000
  /// The number of top-level atoms in a file. A day of one-second fragments has about 200 000 top-level atoms.
  public var topLevelAtomCount = 1_000_000
  /// The size of `moov` in bytes. The whole atom is kept in memory. 10 million samples require about 150 MB.
  public var movieByteCount: UInt64 = 1 << 30
  /// The inflated size of a compressed movie atom (`cmov`) in bytes, at most ``movieByteCount``. One compressed byte
  /// may inflate to a thousand bytes. Compressed movie atoms occur only in old files. Even a movie of a few hours
  /// inflates to only a few MB.
  public var inflatedByteCount: UInt64 = 32 << 20
  /// The total size of all `moof` atoms in bytes. The atoms are kept in memory. A day of one-second fragments has about
  /// 100 MB.
  public var fragmentByteCount: UInt64 = 1 << 30
  /// The number of fragment samples that have neither table entries nor media bytes. A file declares only the number of
  /// these samples, so a small file could declare any number. Samples with media bytes need no limit, because the file
  /// contains the bytes.
  public var implicitSampleCount = 1_000_000
  /// The maximum number of defects that a tree lists, and of violations that a validation rule lists.
  public var defectCount = 100
  /// The number of chunks that validation compares with one another. Each chunk requires 32 bytes of memory. A film
  /// with half-second chunks has about 50 000 chunks.
  public var comparedChunkCount = 4_000_000
  /// The number of subtitle bytes that validation reads. A film has about 200 kB for each language.
  public var textByteCount: UInt64 = 64 << 20
  /// The number of subtitle samples that validation examines. A film has about 3000 samples for each language.
  public var textSampleCount = 1_000_000

  /// Creates the default limits.
  public init() {}

  /// The limits, increased by the number of atoms and bytes that an edit may add. If a movie just meets the limits, its
  /// edited copy can therefore still be read.
  package var withRoomForEdits: MovieLimits {
    var limits = self
    limits.atomCount = Self.adding(10_000, to: atomCount)
    limits.topLevelAtomCount = Self.adding(10, to: topLevelAtomCount)
    limits.movieByteCount = Self.adding(256 << 20, to: movieByteCount)
    return limits
  }

  private static func adding<Number: FixedWidthInteger>(_ room: Number, to limit: Number) -> Number {
    let (sum, overflow) = limit.addingReportingOverflow(room)
    return overflow ? .max : sum
  }
}

/// A hook for tests. It counts the elements that are visited by passes over lists, such as the children of an atom, the
/// tracks or the metadata items. Even a small file may contain a long list.
///
/// One pass for each element takes quadratic time, so a movie atom of 800 kB could occupy a service for a minute. Tests
/// therefore compare the numbers of visited elements for lists of two lengths.
package enum ListPass {
  /// A function that is called at the end of each pass, with the number of elements that the pass visited.
  @TaskLocal package static var didVisit: (@Sendable (_ count: Int) -> Void)?

  /// Reports a pass that visited `count` elements.
  @inline(never)
  package static func end(after count: Int) { didVisit?(count) }
}

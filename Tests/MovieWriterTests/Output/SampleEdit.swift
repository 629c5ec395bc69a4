import MovieBox

@testable import MovieWriter

/// An edit in place of a small file: the old file, the plan, the new file.
struct SampleEdit {
  let old: [UInt8]
  /// The number of bytes of `old` that are kept; less than all if the file ends with a torn atom.
  let kept: Int
  let appended: [UInt8]
  let headerOffset: Int
  let header: [UInt8]

  /// The size of `moov`.
  let movieByteCount: Int

  /// Creates an edit of a movie with `media` bytes before `moov`, a `moov` of `movie` bytes, a vendor's atom of 12 bytes, and
  /// `torn` bytes of a `free` atom from an interrupted edit. The edit appends `added` bytes in a `free` atom.
  init(media: Int, added: Int, torn: Int = 0, movie: Int = 40) {
    let mdat = Self.atom("mdat", Self.pattern(media, from: 1))
    let whole = mdat + Self.atom("moov", Self.pattern(movie - 8, from: 7)) + Self.atom("vndr", [1, 2, 3, 4])
    movieByteCount = movie
    kept = whole.count
    old = whole + Self.atom("free", FreeSpace.mark + Self.pattern(4000, from: 9)).prefix(torn)
    appended = Self.atom("free", FreeSpace.mark + Self.pattern(added, from: 100))
    headerOffset = mdat.count
    var writer = ByteWriter()
    writer.write(UInt32(movie + 12 + 24))
    writer.write(FourCC("free"))
    header = writer.bytes
  }

  /// Whether the header of the torn atom crosses a sector boundary.
  private var truncatesBeforeWriting: Bool { kept < old.count && kept % 512 > 504 }

  var new: [UInt8] {
    Array(old[..<headerOffset]) + header + old[headerOffset + 8..<kept] + appended
  }

  func plan(for identity: SourceIdentity) -> InPlacePlan {
    let movie = headerOffset..<headerOffset + movieByteCount
    return InPlacePlan(
      source: identity, form: .appended, writeOffset: UInt64(kept), contents: [.generated(Bytes(appended))],
      commit: .init(
        offset: UInt64(headerOffset), expected: Bytes(Array(old[movie.prefix(8)])), replacement: Bytes(header)),
      requiredOldBytes: [
        .init(offset: UInt64(headerOffset), bytes: Bytes(Array(old[movie]))),
        .init(offset: UInt64(movie.upperBound), bytes: Bytes(Array(old[movie.upperBound..<kept]))),
      ],
      overwrittenByteCount: truncatesBeforeWriting ? 0 : UInt64(old.count - kept),
      overwrittenHead: .init(offset: 0, bytes: Bytes()),
      markOffset: nil, truncatesBeforeWriting: truncatesBeforeWriting)
  }

  func plan(for path: String, on disk: any FileSystem = LocalFileSystem()) throws -> InPlacePlan {
    guard let status = try disk.status(at: path, followingLinks: true) else { throw SystemError("find", .notFound) }
    return plan(for: status.identity)
  }

  /// Returns bytes without zeros, whose sections all differ.
  static func pattern(_ count: Int, from seed: Int) -> [UInt8] {
    let period = (0..<251).map { UInt8(($0 * 31 + seed) % 251 + 1) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + period.count)
    while bytes.count < count { bytes += period }
    return Array(bytes.prefix(count))
  }

  static func atom(_ type: FourCC, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { $0.write(payload) }
    return writer.bytes
  }
}

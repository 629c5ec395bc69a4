import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// A movie with holes of any size, which read as zeros.
struct SparseSource: RandomAccessSource {
  let built: BuiltMovie

  init(_ movie: TestMovie) {
    built = movie.build()
  }

  func identity() -> SourceIdentity { SourceIdentity(byteCount: built.byteCount, tag: "sparse") }

  func read(_ range: ByteRange) throws -> Bytes {
    guard range.end <= built.byteCount, range.count < 1 << 26 else {
      throw MovieError(.truncated, at: range.offset, "asked for \(range.count) bytes of \(built.byteCount)")
    }
    var bytes = zeros(Int(range.count))
    for segment in built.segments {
      let start = Swift.max(range.offset, segment.offset)
      let end = Swift.min(range.end, segment.offset + UInt64(segment.bytes.count))
      guard start < end else { continue }
      let part = segment.bytes[Int(start - segment.offset)..<Int(end - segment.offset)]
      bytes.replaceSubrange(Int(start - range.offset)..<Int(end - range.offset), with: part)
    }
    return Bytes(bytes)
  }
}

extension TestMovie {
  /// The movie as a source in memory.
  var source: MemorySource { MemorySource(Bytes(bytes())) }
}

extension OutputPlan {
  /// Returns the plan with some bytes of its output replaced.
  func spoiled(_ range: Range<UInt64>, with bytes: [UInt8]) throws -> OutputPlan {
    let before = extents(in: ByteRange(0..<range.lowerBound)).map(\.content)
    let after = extents(in: ByteRange(range.upperBound..<byteCount)).map(\.content)
    return try OutputPlan(of: source, before + [.generated(Bytes(bytes))] + after)
  }

  /// Returns the whole output.
  func rendered(from source: some RandomAccessSource) throws -> [UInt8] {
    try PlannedSource(self, of: source).read(ByteRange(0..<byteCount)).array
  }
}

extension MovieEdit {
  /// Creates an edit of the movie in a source.
  init(of source: some RandomAccessSource) throws {
    let movie = try Movie(of: source)
    if movie.isFragmented { try self.init(of: movie) } else { try self.init(of: movie, from: source) }
  }

  /// Returns an edit that adds a track of one cue.
  static func addingSubtitles(
    to source: some RandomAccessSource, language: String = "en", isForced: Bool = false
  ) throws -> MovieEdit {
    var edit = try MovieEdit(of: source)
    _ = try edit.addSubtitles(language, isForced: isForced)
    return edit
  }

  /// Adds a track of one cue and returns its ID.
  mutating func addSubtitles(_ language: String?, isForced: Bool = false) throws -> UInt32 {
    var input = SubtitleInput(cues: [.hello], language: language.flatMap { LanguageTag($0) })
    input.containsOnlyForcedSubtitles = isForced
    return try add(input)
  }

  /// Returns the plan of the edit in place, or `nil` if it is not possible.
  func possibleInPlacePlan(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position = .keepingFastStart
  ) throws -> InPlacePlan? {
    if case .plan(let plan, _) = try EditPlanner(self).inPlaceDecision(of: source, position) { plan } else { nil }
  }

  /// Returns the reason why the edit cannot be made in place, or `nil` after planning and checking it.
  func inPlaceBlocker(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position = .keepingFastStart
  ) throws -> String? {
    let decision = try EditPlanner(self).inPlaceDecision(of: source, position)
    return if case .blocked(let reason, _) = decision { reason } else { nil }
  }

  /// The references to other files with samples, track by track.
  var externalReferences: [ExternalReference] { movie.tracks.flatMap { movie.externalReferences(of: $0) } }

  var track: [UInt32: EditedTrack] {
    Dictionary(tracks.map { ($0.id, $0) }) { first, _ in first }
  }
}

extension InPlaceCommit {
  /// Carries out an edit without other movies.
  @discardableResult
  func carryOut(
    _ plan: InPlacePlan, progress: @escaping (UInt64, UInt64) throws -> Void = { _, _ in }
  ) throws -> SinkReport {
    try carryOut(plan, from: MemorySource(Bytes()), progress: progress)
  }
}

extension Cue {
  static let hello = Cue(startMilliseconds: 500, endMilliseconds: 1500, text: StyledText("Hello"))
}

/// Returns whether an error is a ``MovieError`` with this code.
func isMovieError(_ error: any Error, _ code: MovieError.Code) -> Bool {
  (error as? MovieError)?.code == code
}

extension InPlacePlan {
  /// The bytes that an edit without other movies writes.
  var contentBytes: Bytes {
    var writer = ByteWriter()
    for content in contents {
      switch content {
      case .generated(let bytes): writer.write(bytes)
      case .zeros(let count): writer.writeZeros(Int(count))
      case .source: preconditionFailure("other movies have no bytes here")
      }
    }
    return Bytes(writer.bytes)
  }
}

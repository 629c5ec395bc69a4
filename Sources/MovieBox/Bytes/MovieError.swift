/// An error in a movie, with its place.
///
/// Equality serves tests. `description` is the line that a person reads, without the file's name.
public struct MovieError: Error, Hashable, Sendable {
  /// The kind of trouble. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name that `--json` shows.
    public let rawValue: String

    /// A code with this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Bytes that break the format's rules.
    public static let malformed = Code(rawValue: "malformed")
    /// The file or atom ends before what it announces.
    public static let truncated = Code(rawValue: "truncated")
    /// Correct, but of a version or kind that is not handled.
    public static let unsupported = Code(rawValue: "unsupported")
    /// More than a named limit allows; see ``MovieLimits``.
    public static let limit = Code(rawValue: "limit")
    /// No movie: no `moov` atom.
    public static let notAMovie = Code(rawValue: "not-a-movie")
    /// The source gave other bytes than it promised, or changed.
    public static let sourceChanged = Code(rawValue: "source-changed")
    /// The request does not fit this movie.
    public static let invalidEdit = Code(rawValue: "invalid-edit")
    /// Two movies do not say the same of their samples.
    public static let contentsDiffer = Code(rawValue: "contents-differ")
    /// The planned movie differs from the request: an internal error, never the file's.
    public static let planCheckFailed = Code(rawValue: "plan-check-failed")

    /// Whether the same may work a moment later, from opening the file on: another program was at it, and what was read
    /// is out of date.
    public var isTransient: Bool { self == .sourceChanged }
  }

  /// The kind of trouble.
  public var code: Code
  /// The position in the file, in bytes from its start; `nil` where none applies.
  ///
  /// Where `path` leads on from `moov/cmov/cmvd` it is the position in the inflated movie atom, from its first byte.
  public var offset: UInt64?
  /// The atoms that lead there, such as `moov/trak[2]/mdia`; empty where none applies.
  public var path: String
  /// One sentence with the names and numbers.
  public var reason: String

  /// An error at `offset` in the atom that `path` names.
  public init(_ code: Code, at offset: UInt64? = nil, in path: String = "", _ reason: String) {
    self.code = code
    self.offset = offset
    self.path = path
    self.reason = reason
  }

  /// Returns the error as seen from outside: `base` bytes further on, inside the atom that `path` names.
  package func inside(_ path: String, startingAt base: UInt64) -> MovieError {
    var copy = self
    copy.offset = base.addingReportingOverflow(offset ?? 0).partialValue
    copy.path = self.path.isEmpty ? path : path + "/" + self.path
    return copy
  }
}

extension MovieError: CustomStringConvertible {
  /// Path, offset and reason: `moov/trak[2]/mdia/minf/stbl/stco at byte 41230: claims 9 entries, room for 3`.
  ///
  /// In a compressed movie atom: `moov/cmov/cmvd/moov/mvhd at byte 8 of the inflated movie atom: …`.
  public var description: String {
    let space = path.contains("/cmvd/") ? " of the inflated movie atom" : ""
    let place = [path.isEmpty ? nil : path, offset.map { "at byte \($0)" + space }].compactMap { $0 }
    return place.isEmpty ? reason : place.joined(separator: " ") + ": " + reason
  }
}

extension MovieError {
  /// The error of a movie that an edit would write: an internal error of the edit.
  package var asPlanError: MovieError {
    MovieError(.planCheckFailed, at: offset, in: path, "the new movie does not read: \(reason)")
  }
}

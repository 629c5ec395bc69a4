/// An error in a movie, with its location.
///
/// `description` is the message for the user. It does not contain the file name.
public struct MovieError: Error, Hashable, Sendable {
  /// The kind of error. Later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in `--json` output.
    public let rawValue: String

    /// Creates a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The bytes violate the rules of the format.
    public static let malformed = Code(rawValue: "malformed")
    /// The file or atom ends too early.
    public static let truncated = Code(rawValue: "truncated")
    /// The bytes are valid, but their version or type is unsupported.
    public static let unsupported = Code(rawValue: "unsupported")
    /// A limit is exceeded. See ``MovieLimits``.
    public static let limit = Code(rawValue: "limit")
    /// The file is not a movie, because it contains no `moov` atom.
    public static let notAMovie = Code(rawValue: "not-a-movie")
    /// The source returned an unexpected number of bytes, or changed.
    public static let sourceChanged = Code(rawValue: "source-changed")
    /// The request is not possible for this movie.
    public static let invalidEdit = Code(rawValue: "invalid-edit")
    /// Two movies have different sample contents.
    public static let contentsDiffer = Code(rawValue: "contents-differ")
    /// The planned movie differs from the request. This is an internal error, not a defect of the file.
    public static let planCheckFailed = Code(rawValue: "plan-check-failed")

    /// Whether another attempt may succeed after the file is reopened. This applies to errors that occur because
    /// another program changes the file while it is read.
    public var isTransient: Bool { self == .sourceChanged }
  }

  /// The kind of error.
  public var code: Code
  /// The offset in the file, or `nil` if the error has no offset.
  ///
  /// If `path` begins with `moov/cmov/cmvd`, the offset counts from the start of the inflated movie atom.
  public var offset: UInt64?
  /// The path of the atom, such as `moov/trak[2]/mdia`, or an empty string if the error has no path.
  public var path: String
  /// The message, without the location.
  public var reason: String

  /// Creates an error at `offset` in the atom at `path`.
  public init(_ code: Code, at offset: UInt64? = nil, in path: String = "", _ reason: String) {
    self.code = code
    self.offset = offset
    self.path = path
    self.reason = reason
  }

  /// Returns a copy of the error, with `base` added to its offset and `path` prepended to its path.
  package func located(inside path: String, startingAt base: UInt64) -> MovieError {
    var copy = self
    copy.offset = base.addingReportingOverflow(offset ?? 0).partialValue
    copy.path = self.path.isEmpty ? path : path + "/" + self.path
    return copy
  }
}

extension MovieError: CustomStringConvertible {
  /// The path, offset and reason, such as `moov/trak[2]/mdia/minf/stbl/stco at byte 41230: declares 9 entries, but has
  /// room for only 3`.
  ///
  /// In a compressed movie atom, the offset is marked: `moov/cmov/cmvd/moov/mvhd at byte 8 of the inflated movie atom:
  /// …`.
  public var description: String {
    let space = path.contains("/cmvd/") ? " of the inflated movie atom" : ""
    let position = [path.isEmpty ? nil : path, offset.map { "at byte \($0)" + space }].compactMap { $0 }
    return position.isEmpty ? reason : position.joined(separator: " ") + ": " + reason
  }
}

extension MovieError {
  /// This error, reported as an error in a planned movie (``Code/planCheckFailed``).
  package var asPlanError: MovieError {
    MovieError(.planCheckFailed, at: offset, in: path, "the planned movie is unreadable: \(reason)")
  }
}

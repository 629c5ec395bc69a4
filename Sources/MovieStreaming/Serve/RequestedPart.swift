public import MovieBox
import Subtitles

/// The bytes of a file that a request selects by its conditions and its range. Conditions are evaluated in the order of
/// RFC 9110, 13.2.2.
///
///     let part = RequestedPart(of: 5_000, entityTag: "\"1\"") { $0 == "range" ? "bytes=0-99" : nil }
///     print(part == .part(ByteRange(0..<100)))
public enum RequestedPart: Hashable, Sendable {
  /// The whole file: status 200.
  case whole
  /// A range of the file: status 206.
  case part(ByteRange)
  /// Nothing, because the client has the file: status 304.
  case notModified
  /// Nothing, because the client requests another version of the file: status 412.
  case preconditionFailed
  /// Nothing, because the range is outside the file: status 416.
  case notSatisfiable

  /// Evaluates a request for a file.
  ///
  /// Several ranges and malformed ranges select the whole file, as RFC 9110, 14.2 permits.
  ///
  /// - Parameters:
  ///   - byteCount: the size of the file.
  ///   - entityTag: the strong entity tag of the file, with its quotation marks.
  ///   - otherTags: the entity tags of the file in other content codings.
  ///   - method: the method of the request. Ranges apply only to `GET`.
  ///   - field: returns the value of a field of the request by its lower-case name.
  public init(
    of byteCount: UInt64, entityTag: String, otherTags: [String] = [], method: String = "GET",
    field: (String) -> String?
  ) {
    if let tags = field("if-match"), !Self.list(tags, containsOneOf: [entityTag] + otherTags, isWeak: false) {
      self = .preconditionFailed
      return
    }
    if let tags = field("if-none-match"), Self.list(tags, containsOneOf: [entityTag], isWeak: true) {
      self = .notModified
      return
    }
    // A range of another version would not match the bytes that the client already has.
    let isSame = field("if-range").map { $0 == entityTag } ?? true
    switch RequestedRange(isSame && method == "GET" ? field("range") : nil, byteCount: byteCount) {
    case .whole: self = .whole
    case .part(let range): self = .part(range)
    case .none: self = .notSatisfiable
    }
  }

  /// Whether a list of tags in a field contains one of these tags or is `*`. With `isWeak`, weak tags match too (RFC
  /// 9110, 13.1).
  private static func list(_ list: String, containsOneOf tags: [String], isWeak: Bool) -> Bool {
    list.split(separator: ",").contains { part in
      let name = part.trimmingBlanks
      return name == "*" || tags.contains(String(isWeak && name.hasPrefix("W/") ? name.dropFirst(2) : name))
    }
  }
}

/// The range in a `Range` field (RFC 9110, 14) for a file of known size.
enum RequestedRange: Equatable, Sendable {
  /// The whole file. The field is missing, is malformed, or contains several ranges.
  case whole
  case part(ByteRange)
  /// A range outside the file.
  case none

  init(_ field: String?, byteCount: UInt64) {
    guard let field, field.lowercased().hasPrefix("bytes=") else {
      self = .whole
      return
    }
    let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else {
      self = .whole
      return
    }
    let (first, last) = (Self.number(ends[0]), Self.number(ends[1]))
    if ends[0].isEmpty, let count = last {
      // A suffix range selects the last bytes.
      self = count == 0 || byteCount == 0 ? .none : .part(ByteRange(byteCount - min(count, byteCount)..<byteCount))
    } else if let first, ends[1].isEmpty || last.map({ $0 >= first }) ?? false {
      let end = last.map { $0 < byteCount ? $0 + 1 : byteCount } ?? byteCount
      self = first < byteCount ? .part(ByteRange(first..<end)) : .none
    } else {
      self = .whole
    }
  }

  /// Parses decimal digits. A number that exceeds 64 bits is past the end of every file.
  private static func number(_ text: Substring) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy(Ascii.isDigit) else { return nil }
    return UInt64(text) ?? UInt64.max
  }
}

public import MovieBox
import Subtitles

/// What a request asks of a file: its conditions in the order of RFC 9110, 13.2.2, then its range.
///
///     let part = RequestedPart(of: 5_000, entityTag: "\"1\"") { $0 == "range" ? "bytes=0-99" : nil }
///     print(part == .part(ByteRange(0..<100)))
public enum RequestedPart: Hashable, Sendable {
  /// The whole file: status 200.
  case whole
  /// Some of its bytes: status 206.
  case part(ByteRange)
  /// Nothing, for the client has the file: status 304.
  case notModified
  /// Nothing, for the client wants another version of the file: status 412.
  case preconditionFailed
  /// No byte of the file: status 416.
  case notSatisfiable

  /// What a request asks of a file of this size.
  ///
  /// Of several ranges, and of what is not understood, it is the whole file, as a server may answer (14.2).
  ///
  /// - Parameters:
  ///   - byteCount: how many bytes the file has.
  ///   - entityTag: the strong tag of the file, with its quotation marks.
  ///   - otherTags: those of the same file in other codings.
  ///   - method: the request's method; a range is for `GET` alone.
  ///   - field: gives the value of a field of the request by its name in lower case.
  public init(
    of byteCount: UInt64, entityTag: String, otherTags: [String] = [], method: String = "GET",
    field: (String) -> String?
  ) {
    if let tags = field("if-match"), !Self.lists(tags, [entityTag] + otherTags, isWeak: false) {
      self = .preconditionFailed
      return
    }
    if let tags = field("if-none-match"), Self.lists(tags, [entityTag], isWeak: true) {
      self = .notModified
      return
    }
    // Part of another version of the file would not fit what the client has.
    let isSame = field("if-range").map { $0 == entityTag } ?? true
    switch RequestedRange(isSame && method == "GET" ? field("range") : nil, byteCount: byteCount) {
    case .whole: self = .whole
    case .part(let range): self = .part(range)
    case .none: self = .notSatisfiable
    }
  }

  /// Whether a list of tags has one of these, or is `*`; weak ones count where that is said (RFC 9110, 13.1).
  private static func lists(_ list: String, _ tags: [String], isWeak: Bool) -> Bool {
    list.split(separator: ",").contains { part in
      let name = part.trimmingBlanks
      return name == "*" || tags.contains(String(isWeak && name.hasPrefix("W/") ? name.dropFirst(2) : name))
    }
  }
}

/// What `Range` asks for (RFC 9110, 14), of a file of a known size.
enum RequestedRange: Equatable, Sendable {
  /// The whole file: nothing is asked, or what is not understood, which a server may pass over; several ranges too.
  case whole
  case part(ByteRange)
  /// No byte of the file.
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
      // The last bytes.
      self = count == 0 || byteCount == 0 ? .none : .part(ByteRange(byteCount - min(count, byteCount)..<byteCount))
    } else if let first, ends[1].isEmpty || last.map({ $0 >= first }) ?? false {
      let end = last.map { $0 < byteCount ? $0 + 1 : byteCount } ?? byteCount
      self = first < byteCount ? .part(ByteRange(first..<end)) : .none
    } else {
      self = .whole
    }
  }

  /// A number of digits alone; one that does not fit in 64 bits is past the end of every file.
  private static func number(_ text: Substring) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy(Ascii.isDigit) else { return nil }
    return UInt64(text) ?? UInt64.max
  }
}

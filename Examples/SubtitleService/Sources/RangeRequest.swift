import MovieBox

/// What a `Range` header asks for (RFC 9110 §14).
enum RangeRequest: Equatable {
  /// Everything: no range, several, or one that makes no sense, all of which a server may answer so (§14.2).
  case whole
  case part(ByteRange)
  /// A range that begins after the end.
  case unsatisfiable

  /// Reads a header's value; `byteCount` is the size of what it is about.
  init(_ value: String?, of byteCount: UInt64) {
    let parts = value?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, parts[0].lowercased() == "bytes" else {
      self = .whole
      return
    }
    let ends = parts[1].filter { $0 != " " && $0 != "\t" }.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
      self = .whole
      return
    }
    // A number that is too large for us lies after every end.
    let numbers = ends.map { $0.isEmpty ? nil : UInt64($0) ?? .max }
    switch (numbers[0], numbers[1]) {
    case (nil, nil): self = .whole
    case (let first?, let last?) where first > last: self = .whole
    case (let first?, _) where first >= byteCount: self = .unsatisfiable
    case (nil, 0): self = .unsatisfiable
    case (let first?, let last?) where last < byteCount: self = .part(ByteRange(first..<last + 1))
    case (let first?, _): self = .part(ByteRange(first..<byteCount))
    case (nil, let count?): self = .part(ByteRange(byteCount - min(byteCount, count)..<byteCount))
    }
  }
}

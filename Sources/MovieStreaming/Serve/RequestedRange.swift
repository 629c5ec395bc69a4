import MovieBox
import Subtitles

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

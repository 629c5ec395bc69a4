import Subtitles

/// How the bytes of a file are sent (RFC 9110, 8.4).
enum ContentCoding: Sendable {
  case identity
  case gzip

  /// What a value of `Accept-Encoding` likes better; as they are where it likes both alike, or is not there.
  ///
  /// An item without a weight has weight 1, and one of weight 0 is refused (12.5.3). Items that make no sense are passed
  /// over.
  init(acceptedBy field: String?) {
    var weights: [String: Double] = [:]
    for item in (field ?? "").split(separator: ",") {
      let parts = item.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingBlanks.lowercased() }
      guard let name = parts.first, !name.isEmpty, let weight = Self.weight(parts.dropFirst()) else { continue }
      weights[name] = weight
    }
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    // What is not spoken of may be sent as it is, but was not asked for.
    self = gzip > 0 && gzip >= weights["identity"] ?? 0 ? .gzip : .identity
  }

  /// `q=` and a number from 0 to 1 with at most three digits after the point.
  private static func weight(_ parameters: ArraySlice<String>) -> Double? {
    guard let parameter = parameters.first else { return 1 }
    guard parameters.count == 1, parameter.hasPrefix("q=") else { return nil }
    let digits = parameter.dropFirst("q=".count)
    guard digits.count <= 5, digits.utf8.allSatisfy({ $0 == 0x2E || Ascii.isDigit($0) }) else { return nil }
    return Double(digits).flatMap { $0 <= 1 ? $0 : nil }
  }
}

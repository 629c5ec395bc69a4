/// The bytes that a client sent and that have not been answered, with the end of the first request among them.
///
/// Each byte is searched once: the search continues where it stopped. Otherwise clients that send half a request, or a
/// request byte by byte, would make the server search all their bytes at every turn, which costs them nothing.
struct RequestBuffer {
  /// The bytes, without empty lines before a request, which some clients send (RFC 9112, 2.2).
  private(set) var bytes: [UInt8] = []
  /// The end of the first request, with its empty line, or `nil` if it has not arrived.
  private(set) var requestEnd: Int?
  /// No end of a request begins before this index.
  private var searchedCount = 0
  /// The number of positions that were searched since the buffer was made.
  private(set) var searchCost = 0

  private static let emptyLine: [UInt8] = [13, 10]

  var isEmpty: Bool { bytes.isEmpty }

  /// Adds bytes that have arrived.
  mutating func append(_ more: [UInt8]) {
    bytes += more
    skipEmptyLines()
    search()
  }

  /// Removes the first request, or the bytes before this index.
  mutating func removeFirst(_ count: Int) {
    bytes.removeFirst(min(count, bytes.count))
    (requestEnd, searchedCount) = (nil, 0)
    skipEmptyLines()
    search()
  }

  /// Removes all bytes.
  mutating func removeAll() {
    (bytes, requestEnd, searchedCount) = ([], nil, 0)
  }

  private mutating func skipEmptyLines() {
    guard searchedCount == 0, requestEnd == nil else { return }
    var start = 0
    while bytes[start...].starts(with: Self.emptyLine) { start += 2 }
    if start > 0 { bytes.removeFirst(start) }
  }

  private mutating func search() {
    guard requestEnd == nil else { return }
    while searchedCount + 4 <= bytes.count {
      let start = searchedCount
      searchedCount += 1
      searchCost += 1
      guard bytes[start] == 13, bytes[start + 1] == 10, bytes[start + 2] == 13, bytes[start + 3] == 10 else { continue }
      requestEnd = start + 4
      return
    }
  }
}

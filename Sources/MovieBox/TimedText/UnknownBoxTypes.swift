/// Types of boxes that are not known, for a message: a file may have more of them than anybody reads.
package struct UnknownBoxTypes: Sendable, CustomStringConvertible {
  /// How many a message names.
  private static let namedCount = 9
  /// The first ones in the order of the file, one more than are named.
  private var first: [FourCC] = []

  package init() {}

  package var isEmpty: Bool { first.isEmpty }

  package mutating func insert(_ type: FourCC) {
    if first.count <= Self.namedCount, !first.contains(type) { first.append(type) }
  }

  package mutating func formUnion(_ others: Self) {
    for type in others.first { insert(type) }
  }

  /// The first of them, for a list.
  package var description: String {
    let names = first.prefix(Self.namedCount).map(\.description) + (first.count > Self.namedCount ? ["…"] : [])
    return "unknown boxes (\(names.joined(separator: ", ")))"
  }
}

import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The search for values that were to go from a movie for sharing.
struct ValueSearchTests {
  @Test func manyValuesThatBeginAlikeAreAllLookedFor() {
    let names = (1000..<3000).map { "IMG_\($0 / 1000)00 number \($0).jpeg" }
    var search = ValueSearch(names)
    search.forgetValues(in: Bytes(Array(names.dropLast().joined(separator: " ").utf8)))
    let finds = [names[0] + names[1], "as in " + names[1999]].map { search.isFound(in: Bytes(text($0))) }
    #expect(finds == [false, true])
  }
}

import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The search for values that should have been removed from a movie for sharing.
struct ValueSearchTests {
  @Test func searchesManyValuesWithEqualStarts() throws {
    let names = (1000..<3000).map { "IMG_\($0 / 1000)00 number \($0).jpeg" }
    var search = ValueSearch(names)
    try search.forgetValues(in: Bytes(Array(names.dropLast().joined(separator: " ").utf8)))
    let finds = try [names[0] + names[1], "as in " + names[1999]].map { try search.isFound(in: Bytes(text($0))) }
    #expect(finds == [false, true])
  }

  /// A search that was not completed is not a success.
  @Test func rejectsASearchThatTakesTooLong() throws {
    let names = ["at the house of Ann", "at the house of Bob"]
    let bytes = Bytes(text(names.joined()))
    var search = ValueSearch(names, lookupCount: 1)
    #expect(try search.isFound(in: bytes))  // The first match suffices.
    #expect { try search.isFound(in: bytes) } throws: { isMovieError($0, .unsupported) }
    #expect { try search.forgetValues(in: bytes) } throws: { isMovieError($0, .unsupported) }
  }
}

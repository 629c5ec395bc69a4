import MovieBox
import Testing

@testable import MovtoolCommands

struct RemovedValueSearchTests {
  private func isFound(_ values: [String], in space: String) -> Bool {
    var search = RemovedValueSearch(values.map { Bytes(Array($0.utf8)) })
    return search.isFound(in: Bytes(Array(space.utf8)))
  }

  @Test func findsValuesAnywhere() {
    for space in ["Gräfin", "....Gräfin", "GrGräfin..", "GräGräfin"] { #expect(isFound(["Gräfin"], in: space)) }
    #expect(!isFound(["Gräfin"], in: "Gräfi"))
    // Among any number of values.
    #expect(isFound((10..<60).map { "value \($0)" }, in: "…value 59"))
  }

  @Test func ignoresValuesThatOccurByChance() {
    #expect(!isFound(["2024"], in: "2024"))
    var zeros = RemovedValueSearch([Bytes([UInt8](repeating: 0, count: 8))])
    #expect(zeros.isEmpty && !zeros.isFound(in: Bytes([UInt8](repeating: 0, count: 100))))
  }

  @Test func findsLongValuesByTheirStart() {
    let long = String(repeating: "ab", count: 100)
    #expect(isFound([long], in: "x" + long.prefix(70)))
  }
}

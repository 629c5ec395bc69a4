import MovieBox
import Testing

@testable import MovieWriter

struct AppendPlanTests {
  @Test func rendersWhatTheFileWillHold() throws {
    for kept in [20, 24] {
      let old = Array(UInt8(0)..<24)
      let source = MemorySource(Bytes(old))
      let header: [UInt8] = [200, 201, 202, 203, 204, 205, 206, 207]
      let plan = AppendPlan(
        source: source.identity(), keptByteCount: UInt64(kept), appended: [.generated(Bytes([100, 101]))],
        commit: .init(offset: 8, expected: Bytes(Array(8..<16)), replacement: Bytes(header)))
      #expect(try plan.rendered().rendered(from: source) == old[..<8] + header + old[16..<kept] + [100, 101])
      #expect(plan.byteCount == 10)
    }
  }

  @Test func theHeaderMayBeTheLastEightBytes() throws {
    let source = MemorySource(Bytes(Array(0..<16)))
    let plan = AppendPlan(
      source: source.identity(), keptByteCount: 16, appended: [.generated(Bytes([1]))],
      commit: .init(offset: 8, expected: Bytes(Array(8..<16)), replacement: Bytes([9, 9, 9, 9, 9, 9, 9, 9])))
    #expect(try plan.rendered().byteCount == 17)
  }
}

import MovieBox
import Testing

@testable import MovieWriter

struct InPlacePlanTests {
  private let old = Array(UInt8(0)..<64)
  private let header: [UInt8] = [200, 201, 202, 203, 204, 205, 206, 207]

  private func plan(_ form: InPlacePlan.Form, commit: Int, write: Int, mark: UInt64? = nil) -> InPlacePlan {
    let source = MemorySource(Bytes(old))
    return InPlacePlan(
      source: source.identity(), form: form, writeOffset: UInt64(write), contents: [.generated(Bytes([100, 101]))],
      commit: .init(
        offset: UInt64(commit), expected: Bytes(Array(old[commit..<commit + 8])), replacement: Bytes(header)),
      requiredOldBytes: [], overwrittenByteCount: 0, overwrittenHead: .init(offset: 0, bytes: Bytes()),
      markOffset: mark,
      truncatesBeforeWriting: false)
  }

  @Test func rendersTheEditedFile() throws {
    let source = MemorySource(Bytes(old))
    let appended = plan(.appended, commit: 8, write: 64)
    var new = old
    new.replaceSubrange(8..<16, with: header)
    #expect(try appended.rendered().rendered(from: source) == new + [100, 101])
    #expect(try appended.renderedBeforeCommit().rendered(from: source) == old + [100, 101])
    #expect(appended.byteCount == 10)
    let over = plan(.appended, commit: 8, write: 60)
    new.replaceSubrange(60..<62, with: [100, 101])
    #expect(try over.rendered().rendered(from: source) == new)
    let inside = plan(.inSpaceBefore, commit: 0, write: 40, mark: 8)
    var other = old
    other.replaceSubrange(0..<8, with: header)
    other.replaceSubrange(8..<24, with: FreeSpace.mark)
    other.replaceSubrange(40..<42, with: [100, 101])
    #expect(try inside.rendered().rendered(from: source) == other)
  }

  @Test func commitsByTheLastEightBytes() throws {
    #expect(try plan(.appended, commit: 56, write: 64).rendered().byteCount == 66)
  }
}

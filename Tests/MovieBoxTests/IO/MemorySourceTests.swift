import MovieBox
import Testing

struct MemorySourceTests {
  private let source = MemorySource(Bytes([1, 2, 3, 4]))

  @Test func readsBytes() throws {
    #expect(source.identity().byteCount == 4)
    #expect(try source.read(ByteRange(1..<4)).array == [2, 3, 4])
    #expect(try source.read(ByteRange(4..<4)).isEmpty)
  }

  @Test func rejectsReadsBeyondTheBytes() {
    for range in [ByteRange(1..<5), ByteRange(5..<5), ByteRange(0..<UInt64.max), ByteRange(UInt64.max..<UInt64.max)] {
      #expect { try source.read(range) } throws: { ($0 as? MovieError)?.code == .truncated }
    }
  }

  @Test func reportsAChangeForAWrongNumberOfBytes() {
    for count in [3, 5] {
      #expect { try Liar(count: count).readExactly(ByteRange(0..<4)) } throws: {
        ($0 as? MovieError)?.code == .sourceChanged
      }
    }
    #expect(throws: Never.self) { try Liar(count: 4).readExactly(ByteRange(0..<4)) }
  }

  private struct Liar: RandomAccessSource {
    let count: Int
    func identity() -> SourceIdentity { SourceIdentity(byteCount: 100, tag: "") }
    func read(_ range: ByteRange) -> Bytes { Bytes([UInt8](repeating: 0, count: count)) }
  }
}

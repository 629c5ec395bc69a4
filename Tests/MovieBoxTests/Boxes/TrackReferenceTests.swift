import MovieBox
import Testing

@Suite struct TrackReferenceTests {
  @Test func readsAndWritesTrackIDs() throws {
    let value = TrackReference(trackIDs: [4, 0, .max])
    try checkPayload(value, is: fields(.u32(4), .u32(0), .u32(.max)), fixedByteCount: 0)
  }

  @Test func keepsOddBytes() throws {
    let value = try readBack(TrackReference.self, fields(.u32(4), .bytes([0, 5])))
    #expect(value.trackIDs == [4])
    #expect(value.tail == Bytes([0, 5]))
  }
}

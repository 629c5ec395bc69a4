import TestSupport
import Testing

@testable import MovieBox

struct EventMessageTests {
  private static let tag: [UInt8] =
    Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 14] + code("TIT2") + [0, 0, 0, 4, 0, 0, 3] + Array("Now".utf8)

  static func later(scale: Int = 90_000, time: UInt64 = 270_000, data: [UInt8] = tag) -> [UInt8] {
    [1, 0, 0, 0] + u32(scale) + u64(time) + u32(90_000, 7) + cString("https://aomedia.org/emsg/ID3") + cString("x")
      + data
  }

  @Test func readsBothVersions() throws {
    let later = try #require(EventMessage(Bytes(Self.later())))
    #expect(later.scheme == "https://aomedia.org/emsg/ID3" && later.value == "x" && later.id == 7)
    #expect(later.time == 270_000 && later.duration == 90_000 && later.timeScale == 90_000)
    let earlier = try #require(
      EventMessage(
        Bytes(
          [0, 0, 0, 0] + cString("urn:scte:scte35:2013:bin") + cString("1") + u32(1_000, 250, 0xFFFF_FFFF, 9) + [1, 2]))
    )
    #expect(earlier.scheme == "urn:scte:scte35:2013:bin" && earlier.time == 250 && earlier.duration == nil)
    #expect(earlier.data == Bytes([1, 2]))
  }

  @Test func readsFramesOfID3() throws {
    let message = try #require(EventMessage(Bytes(Self.later())))
    let item = message.item(at: TimedSamplePlace(trackID: nil, path: "emsg", offset: 0))
    #expect(item.identifier.description == "emsg/https://aomedia.org/emsg/ID3")
    #expect(item.nestedItems.map(\.identifier.description) == ["id3/TIT2"] && item.nestedItems[0].stringValue == "Now")
    #expect(item.details == ["id": "7", "value": "x"])
  }

  @Test func rejectsATimeScaleOfZeroAndEveryTruncation() {
    #expect(EventMessage(Bytes(Self.later(scale: 0))) == nil)
    let whole = Self.later(data: [])
    for count in whole.indices { #expect(EventMessage(Bytes(Array(whole[..<count]))) == nil) }
    #expect(EventMessage(Bytes([2] + whole.dropFirst())) == nil)
  }
}

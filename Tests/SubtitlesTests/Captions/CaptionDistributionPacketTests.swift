import Testing

@testable import Subtitles

struct CaptionDistributionPacketTests {
  private let packet = CaptionDistributionPacket(
    rateCode: 4, sequence: 0x1234,
    triples: [.init(.field1, CaptionPair(0x94, 0x2C)), .init(.digitalData, isValid: false, CaptionPair(0, 0))])

  /// A packet with other sections, whose size and checksum are correct.
  private func bytes(_ sections: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x96, 0x69, 0, 0x4F, 0x43, 0, 1] + sections + [0x74, 0, 1]
    bytes[2] = UInt8(bytes.count + 1)
    return bytes + [0 &- bytes.reduce(0, &+)]
  }

  private func parse(_ bytes: [UInt8]) throws(SubtitleError) -> CaptionDistributionPacket {
    try CaptionDistributionPacket(parsing: bytes[...])
  }

  @Test func roundTripsBytes() throws {
    #expect(try parse(packet.bytes) == packet)
    #expect(packet.bytes.reduce(0, &+) == 0)
  }

  @Test func everyTruncationAndEveryOtherByteIsRefused() {
    let bytes = packet.bytes
    for count in bytes.indices { #expect(throws: SubtitleError.self) { try parse(Array(bytes.prefix(count))) } }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: SubtitleError.self, "byte \(index)") { try parse(changed) }
    }
  }

  @Test func skipsTimeCodesServicesAndUnknownSections() throws {
    let time: [UInt8] = [0x71, 0xC0, 0x80, 0x80, 0x80]
    let services: [UInt8] = [0x73, 0x91, 0x81, 0x65, 0x6E, 0x67, 0x81, 0x7F, 0xFF]
    let future: [UInt8] = [0x75, 2, 9, 9]
    let read = try parse(bytes(time + [0x72, 0xE1, 0xFC, 0x94, 0x2C] + services + future))
    #expect(read.triples.map(\.pair) == [CaptionPair(0x94, 0x2C)])
  }

  @Test(
    arguments: [
      [0x72, 0xFF, 0xFC, 0x94, 0x2C], [0x72], [0x72, 0xE2, 0xFC, 0x94, 0x2C], [0x71], [0x73, 0x9F], [0x75, 0xFF],
      [0x10],
    ] as [[UInt8]])
  func sectionsThatExceedThePacketAreRefused(_ sections: [UInt8]) {
    #expect(throws: SubtitleError.self) { try parse(bytes(sections)) }
  }

  /// The captions of a frame are in one section, which limits them to 31 triples.
  @Test func aSecondSectionOfCaptionsIsRefused() {
    let captions: [UInt8] = [0x72, 0xE1, 0xFC, 0x94, 0x2C]
    #expect(throws: SubtitleError.self) { try parse(bytes(captions + captions)) }
  }

  @Test func servicesAreListedFromPacketsOverSeveralFrames() {
    var services = DigitalCaptionServices()
    services.receive(.init(.digitalStart, CaptionPair(0x04, 0x21)))
    services.receive(.init(.digitalData, CaptionPair(0x41, 0xE1)))
    services.receive(.init(.field1, CaptionPair(0x94, 0x2C)))
    services.receive(.init(.digitalData, CaptionPair(0x0A, 0x42)))
    services.finish()
    #expect(services.numbers == [1, 10])
    // Data without a start, and a block that claims more than the packet, add nothing.
    services.receive(.init(.digitalData, CaptionPair(0x61, 0x61)))
    services.finish()
    #expect(services.numbers == [1, 10])
  }
}

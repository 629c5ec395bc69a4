import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// The search for closed captions in the units of a picture.
struct PictureCaptionsTests {
  private let hello = CaptionedPicture([(0, 0x94, 0x20), (1, 0x80, 0x80), (0, 0xC8, 0x49)])

  private func search(_ sample: [UInt8], lengthByteCount: Int = 4, isHEVC: Bool = false) -> PictureCaptions {
    var captions = PictureCaptions(.init(lengthByteCount: lengthByteCount, isHEVC: isHEVC))
    _ = captions.search(Bytes(sample), ofByteCount: UInt64(sample.count))
    return captions
  }

  private func pairs(_ picture: CaptionedPicture) -> [[UInt8]] {
    let captions = search(picture.bytes, lengthByteCount: picture.lengthByteCount, isHEVC: picture.isHEVC)
    #expect(captions.damagedCount == 0)
    return captions.triples.map { [$0.kind.rawValue, $0.pair.first, $0.pair.second] }
  }

  private let found: [[UInt8]] = [[0, 0x94, 0x20], [1, 0x80, 0x80], [0, 0xC8, 0x49]]

  @Test(arguments: [1, 2, 4], [false, true])
  func findsCaptionsWithLengthFieldsOfAnySize(_ lengthByteCount: Int, _ isHEVC: Bool) {
    #expect(
      pairs(
        hello.with {
          $0.lengthByteCount = lengthByteCount
          $0.isHEVC = isHEVC
        }) == found)
  }

  @Test func findsCaptionsAfterOtherUnitsAndMessages() {
    let picture = hello.with {
      // A delimiter, a sequence parameter set, and a unit with two messages before the one with captions.
      $0.unitsBefore = [u8(9, 0xF0), u8(0x67) + zeros(300), u8(6, 1, 1, 0, 0x80)]
      $0.messagesBefore = [u8(1, 2, 0, 0), u8(0xFF, 7, 3, 1, 2, 3)]
    }
    #expect(pairs(picture) == found)
  }

  @Test func findsEveryMessageOfAUnitAndEveryUnitOfAPicture() {
    let other = CaptionedPicture([(0, 0xEF, 0x80)])
    let picture = hello.with {
      $0.unitsBefore = [other.captionUnit]
      $0.messagesBefore = [other.message]
    }
    #expect(pairs(picture) == [[0, 0xEF, 0x80], [0, 0xEF, 0x80]] + found)
  }

  @Test func removesEmulationPrevention() {
    let message = u8(5, 20) + zeros(20)
    let picture = hello.with { $0.messagesBefore = [message, u8(5, 3, 0, 0, 3)] }
    #expect(picture.captionUnit.count == hello.captionUnit.count + message.count + 5 + 10)
    #expect(pairs(picture) == found)
  }

  @Test func readsDirecTVAndSkipsOtherData() {
    #expect(pairs(hello.with { $0.isDirectTV = true }) == found)
    let picture = hello.with {
      // Active format description, HDR10+, unregistered data.
      $0.messagesBefore = [
        CaptionedPicture.message(u8(0xB5, 0, 0x31) + code("DTG1") + u8(0x41, 0xF8)),
        CaptionedPicture.message(u8(0xB5, 0, 0x3C, 0, 1, 4, 1)), CaptionedPicture.message(u8(0x26, 0, 4)),
        u8(5, 17) + [UInt8](repeating: 7, count: 17),
      ]
    }
    #expect(pairs(picture) == found)
  }

  /// The base layer of stereo video contains the captions, and another layer repeats them.
  @Test func skipsOtherLayersOfHEVC() {
    let picture = hello.with { $0.isHEVC = true }
    var repeated = picture.captionUnit
    repeated[1] = 0x09
    #expect(pairs(picture.with { $0.unitsBefore = [repeated] }) == found)
  }

  /// A sample may contain two fields, and some writers append captions.
  @Test func findsCaptionsAfterSlices() {
    let second = CaptionedPicture([(1, 0xEF, 0x80)])
    #expect(search(hello.bytes + second.bytes).triples.count == 4)
    #expect(search(hello.bytes + u32(second.captionUnit.count) + second.captionUnit).triples.count == 4)
    // Padding is not damage.
    let padded = search(hello.bytes + zeros(5))
    #expect(padded.triples.count == 3 && padded.damagedCount == 0)
  }

  @Test func readsOnlyTheBeginningOfASample() throws {
    let sample = hello.with { $0.sliceByteCount = 100_000 }.bytes
    var captions = PictureCaptions(.init(lengthByteCount: 4, isHEVC: false))
    #expect(captions.search(Bytes(Array(sample.prefix(200))), ofByteCount: UInt64(sample.count)) == nil)
    #expect(captions.triples.count == 3)
  }

  @Test(arguments: [1, 5, 40, 200, 1_020, 1_024, 1_030, 3_000])
  func requestsMoreBytesIfCaptionsFollowLater(_ firstByteCount: Int) throws {
    let sample = hello.with {
      $0.unitsBefore = [u8(0x67) + [UInt8](repeating: 9, count: 995), u8(6, 5, 0xFF, 0xFF, 0) + zeros(510) + u8(0x80)]
      $0.sliceByteCount = 10_000
    }.bytes
    var captions = PictureCaptions(.init(lengthByteCount: 4, isHEVC: false))
    var (offset, count) = (0, 0)
    var next = captions.search(Bytes(Array(sample.prefix(firstByteCount))), ofByteCount: UInt64(sample.count))
    while let range = next {
      let start = Int(range.offset)
      #expect(start > offset || range.byteCount > count)
      #expect(range.byteCount < 3_000)
      (offset, count) = (start, range.byteCount)
      let bytes = Array(sample[start..<start + range.byteCount])
      next = captions.search(Bytes(bytes), in: range, ofByteCount: UInt64(sample.count))
    }
    #expect(captions.triples.count == 3 && captions.damagedCount == 0)
  }

  // MARK: - Damage

  @Test func countsDamagedSizesAndSkipsTheirCaptions() {
    let claims = CaptionedPicture([(0, 0x94, 0x20)]).with { $0.claimedCount = 31 }
    let chain = u8(6) + [UInt8](repeating: 0xFF, count: 60)
    let long = u8(6, 4, 200, 0xB5, 0, 0x31, 0x80)
    for unit in [claims.captionUnit, chain, long] {
      let captions = search(hello.with { $0.unitsBefore = [unit] }.bytes)
      #expect(captions.damagedCount == 1)
      // The units after it are intact.
      #expect(captions.triples.count == 3)
    }
    let empty = search(zeros(4) + hello.bytes)
    #expect(empty.damagedCount == 1 && empty.triples.isEmpty)
    let past = search(u32(0xFFFF_FFFF) + hello.captionUnit)
    #expect(past.damagedCount == 1 && past.triples.isEmpty)
    let nested = search(hello.with { $0.unitsBefore = [u8(6, 4, 2, 0xB5, 0, 0, 3), u8(6, 0, 0, 3, 0, 0, 3)] }.bytes)
    #expect(nested.damagedCount == 0 && nested.triples.count == 3)
  }

  @Test(arguments: [false, true]) func damagedBytesNeverTrap(_ isHEVC: Bool) {
    let whole = hello.with { $0.isHEVC = isHEVC }.bytes
    for count in 0...whole.count { _ = search(Array(whole.prefix(count)), isHEVC: isHEVC) }
    for index in whole.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = whole
        changed[index] = value
        for lengthByteCount in 1...4 {
          #expect(search(changed, lengthByteCount: lengthByteCount, isHEVC: isHEVC).triples.count <= 31)
        }
      }
    }
  }

  // MARK: - Services

  private func services(_ triples: [CaptionedPicture.Triple]) -> CaptionServices {
    var services = CaptionServices()
    for triple in search(CaptionedPicture(triples).bytes).triples { services.receive(triple) }
    services.finish()
    return services
  }

  @Test func listsChannelsByTheControlCodesBeforeText() {
    #expect(services([(0, 0x94, 0x20), (0, 0xC8, 0x49)]).names == ["CC1"])
    // A control code alone shows nothing.
    #expect(services([(0, 0x1C, 0x20)]).names == [])
    let several = services([(1, 0x15, 0x20), (1, 0x48, 0x49), (0, 0x1C, 0x20), (0, 0x48, 0x49)])
    #expect(several.names == ["CC2", "CC3"])
    // Pairs without data and extended data are not captions.
    #expect(services([(0, 0x80, 0x80), (1, 1, 3), (1, 0x48, 0x49)]).names == [])
  }

  @Test func listsTextServicesApartFromCaptions() {
    let mixed: [CaptionedPicture.Triple] = [
      (0, 0x14, 0x2A), (0, 0x48, 0x49), (0, 0x14, 0x2D), (0, 0x48, 0x49), (1, 0x1D, 0x2B), (1, 0x48, 0x49),
    ]
    #expect(services(mixed).names == [])
    #expect(services(mixed).allNames == ["T1", "T4"])
    #expect(services(mixed + [(0, 0x14, 0x20), (0, 0x48, 0x49)]).allNames == ["CC1", "T1", "T4"])
  }

  @Test func listsServicesOfPackets() {
    // A packet of four bytes: the header, and a block of service 1 with two bytes.
    #expect(services([(3, 0x02, 0x22), (2, 0x41, 0x42)]).names == ["SERVICE1"])
    #expect(services([(3, 0x03, 0xE2), (2, 0x09, 0x41), (2, 0x42, 0)]).digitalNumbers == [9])
  }
}

import Testing

@testable import movtool

struct QuantityTests {
  @Test(
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1099, "1.0 kB"), (9_999, "9.9 kB"),
      (10_000, "10 kB"), (999_999, "999 kB"), (1_000_000, "1.0 MB"), (23_456_789_012, "23 GB"),
      (UInt64.max, "18 EB"),
    ] as [(UInt64, String)])
  func bytesAreShownInTheLargestUnit(count: UInt64, text: String) {
    #expect(Quantity.bytes(count) == text)
  }

  @Test(
    arguments: [
      (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min"), (7322, "2 h 2 min"),
    ] as [(UInt64, String)])
  func timeIsShownInTwoUnits(seconds: UInt64, text: String) {
    #expect(Quantity.seconds(seconds) == text)
  }
}

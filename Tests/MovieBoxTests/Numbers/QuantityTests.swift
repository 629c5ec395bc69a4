import MovieBox
import Testing

struct QuantityTests {
  @Test(
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1099, "1.0 kB"), (9_999, "9.9 kB"),
      (10_000, "10 kB"), (999_999, "999 kB"), (1_000_000, "1.0 MB"), (23_456_789_012, "23 GB"),
      (UInt64.max, "18 EB"),
    ] as [(UInt64, String)])
  func formatsBytesInTheLargestUnit(count: UInt64, text: String) {
    #expect(Quantity.bytes(count) == text)
  }

  @Test(
    arguments: [
      (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min"), (7322, "2 h 2 min"),
    ] as [(UInt64, String)])
  func formatsTimeInTwoUnits(seconds: UInt64, text: String) {
    #expect(Quantity.seconds(seconds) == text)
  }

  @Test(
    arguments: [
      (0, 600, "0.000 s"), (599, 600, "0.998 s"), (36_000, 600, "1:00.000"), (125_250, 1000, "2:05.250"),
      (3_725_120, 1000, "1:02:05.120"), (1, 0, nil), (.max, 1, nil), (.max, .max, "1193046:28:17.000"),
    ] as [(UInt64, UInt32, String?)])
  func formatsDurationsToTheMillisecond(ticks: UInt64, timeScale: UInt32, text: String?) {
    #expect(Quantity.duration(ticks, timeScale: timeScale) == text)
  }

  @Test(
    arguments: [
      (0, "not set"), (1, "1904-01-01 00:00:01 UTC"), (5_097_600, "1904-02-29 00:00:00 UTC"),
      (2_082_844_800, "1970-01-01 00:00:00 UTC"), (3_034_627_199, "2000-02-28 23:59:59 UTC"),
      (3_034_627_200, "2000-02-29 00:00:00 UTC"), (4_294_967_295, "2040-02-06 06:28:15 UTC"),
      (.max, "18446744073709551615 s after the start of 1904"),
    ] as [(UInt64, String)])
  func formatsDates(seconds: UInt64, text: String) {
    #expect(Quantity.date(secondsSince1904: seconds) == text)
  }
}

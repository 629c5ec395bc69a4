import MovieBox
import Testing

/// Arithmetic on times of a file is clamped to the range of integers.
struct ArithmeticTests {
  @Test(
    arguments: [
      (5, 3, 2), (.max, -1, .max), (.min, 1, .min), (0, .min, .max), (.max, .min, .max), (.min, .max, .min),
      (-1, .min, .max),
    ] as [(Int64, Int64, Int64)])
  func clampsDifferences(_ one: Int64, _ other: Int64, _ difference: Int64) {
    #expect(one.subtractingClamped(other) == difference)
  }
}

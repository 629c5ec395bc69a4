extension WrittenValue {
  /// The factor for times that a text spells, `1.001`, or the ratio of two, `25/23.976`; or `nil` if it spells none, or
  /// one below 0.01 or above 100.
  public static func scale(_ text: String) -> CueTiming.Scale? {
    let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map {
      DecimalRatio(String($0))
    }
    guard let first = halves[0], let second = halves.count == 2 ? halves[1] : DecimalRatio("1") else { return nil }
    let (numerator, over) = first.numerator.multipliedReportingOverflow(by: second.denominator)
    let (denominator, under) = first.denominator.multipliedReportingOverflow(by: second.numerator)
    guard !over, !under, numerator > 0, denominator > 0,
      (numerator - 1) / 100 < denominator, (denominator - 1) / 100 < numerator
    else { return nil }
    return CueTiming.Scale(numerator, over: denominator)
  }
}

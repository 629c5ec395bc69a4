// Arithmetic on numbers from files: a result that does not fit is clamped, or `nil`, and never traps.

extension UInt64 {
  /// The sum, or the largest value where the sum would be larger.
  @inlinable @inline(__always)
  package func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The position so many bytes away; `nil` where that is none.
  func moved(by distance: Int32) -> UInt64? {
    let (sum, overflow) =
      distance < 0
      ? subtractingReportingOverflow(UInt64(distance.magnitude))
      : addingReportingOverflow(UInt64(distance.magnitude))
    return overflow ? nil : sum
  }

  /// `self × multiplier ÷ divisor`, rounded down; `nil` when it does not fit, or the divisor is 0.
  ///
  /// Times pass from one scale to another here and nowhere else.
  package func scaled(by multiplier: UInt64, over divisor: UInt64) -> UInt64? {
    let product = multipliedFullWidth(by: multiplier)
    if product.high == 0, divisor > 0 { return product.low / divisor }  // A third of the cost.
    guard divisor > product.high else { return nil }  // Also refuses 0.
    return divisor.dividingFullWidth((product.high, product.low)).quotient
  }

  /// `self × multiplier ÷ divisor`, rounded to the nearest, halves up; `nil` when it does not fit, or the divisor is 0.
  package func scaledToNearest(by multiplier: UInt64, over divisor: UInt64) -> UInt64? {
    let product = multipliedFullWidth(by: multiplier)
    guard divisor > product.high else { return nil }
    let (quotient, remainder) = divisor.dividingFullWidth((product.high, product.low))
    guard remainder >= divisor &- remainder else { return quotient }  // It is less than the divisor.
    let (sum, overflow) = quotient.addingReportingOverflow(1)
    return overflow ? nil : sum
  }

  /// `self × multiplier ÷ divisor`, rounded up; `nil` when it does not fit, or the divisor is 0.
  package func scaledUp(by multiplier: UInt64, over divisor: UInt64) -> UInt64? {
    guard let quotient = scaled(by: multiplier, over: divisor) else { return nil }
    let isExact = quotient.multipliedFullWidth(by: divisor) == multipliedFullWidth(by: multiplier)
    return isExact ? quotient : quotient.addingClamped(1)
  }
}

extension Int64 {
  /// The sum, or the bound that it would pass.
  @inlinable @inline(__always)
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the bound that it would pass.
  package func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}

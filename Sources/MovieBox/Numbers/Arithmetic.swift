// Arithmetic on untrusted numbers from files. No operation traps: a result that does not fit is clamped or `nil`.

extension UInt64 {
  /// Returns the sum. It saturates at `UInt64.max`.
  @inlinable @inline(__always)
  package func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Returns the offset plus `distance`, or `nil` if the sum overflows.
  func moved(by distance: Int32) -> UInt64? {
    let (sum, overflow) =
      distance < 0
      ? subtractingReportingOverflow(UInt64(distance.magnitude))
      : addingReportingOverflow(UInt64(distance.magnitude))
    return overflow ? nil : sum
  }

  /// Returns `self × multiplier ÷ divisor`, rounded down, or `nil` if the result overflows or the divisor is 0.
  ///
  /// All conversions between time scales use this function or one of its rounding variants.
  package func scaled(by multiplier: UInt64, over divisor: UInt64) -> UInt64? {
    let product = multipliedFullWidth(by: multiplier)
    // If the product fits in 64 bits, the result takes a third of the time that the general case takes.
    if product.high == 0, divisor > 0 { return product.low / divisor }
    guard divisor > product.high else { return nil }  // The condition also rejects 0.
    return divisor.dividingFullWidth((product.high, product.low)).quotient
  }

  /// Returns `self × multiplier ÷ divisor`, rounded to the nearest integer, or `nil` if the result overflows or the
  /// divisor is 0. Halves are rounded up.
  package func scaledToNearest(by multiplier: UInt64, over divisor: UInt64) -> UInt64? {
    let product = multipliedFullWidth(by: multiplier)
    guard divisor > product.high else { return nil }
    let (quotient, remainder) = divisor.dividingFullWidth((product.high, product.low))
    guard remainder >= divisor &- remainder else { return quotient }  // The remainder is below the divisor.
    let (sum, overflow) = quotient.addingReportingOverflow(1)
    return overflow ? nil : sum
  }

  /// Returns `self × multiplier ÷ divisor`, rounded up, or `nil` if the result overflows or the divisor is 0.
  package func scaledUp(by multiplier: UInt64, over divisor: UInt64) -> UInt64? {
    guard let quotient = scaled(by: multiplier, over: divisor) else { return nil }
    let isExact = quotient.multipliedFullWidth(by: divisor) == multipliedFullWidth(by: multiplier)
    return isExact ? quotient : quotient.addingClamped(1)
  }
}

extension Int64 {
  /// Returns the sum. It saturates at the bounds of `Int64`.
  @inlinable @inline(__always)
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference. It saturates at the bounds of `Int64`.
  package func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}

// Arithmetic on untrusted numbers from files. If a result does not fit, it is clamped or `nil`, so no operation
// traps.

extension UInt64 {
  /// Returns the sum, which saturates at `UInt64.max`.
  @inlinable @inline(__always)
  package func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Returns the offset moved by `distance`, or `nil` on overflow.
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
    // This case takes a third of the time of the general case.
    if product.high == 0, divisor > 0 { return product.low / divisor }
    guard divisor > product.high else { return nil }  // The condition also rejects 0.
    return divisor.dividingFullWidth((product.high, product.low)).quotient
  }

  /// Returns `self × multiplier ÷ divisor`, rounded to the nearest integer with halves up, or `nil` if the result
  /// overflows or the divisor is 0.
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
  /// Returns the sum, which saturates at the bounds of `Int64`.
  @inlinable @inline(__always)
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, which saturates at the bounds of `Int64`.
  package func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}

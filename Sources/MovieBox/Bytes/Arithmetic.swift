extension UInt64 {
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

extension RandomAccessCollection {
  /// The index of the first element that `belongsInSecondPart` holds for; the end where it holds for none.
  ///
  /// Where it holds for an element, it must hold for all after it. Costs O(log n) calls.
  @inlinable package func partitioningIndex(where belongsInSecondPart: (Element) -> Bool) -> Index {
    var start = startIndex
    var count = self.count
    while count > 0 {
      let middle = index(start, offsetBy: count / 2)
      if belongsInSecondPart(self[middle]) {
        count /= 2
      } else {
        start = index(after: middle)
        count -= count / 2 + 1
      }
    }
    return start
  }
}

extension Sequence where Element: Hashable {
  /// The elements in their order, each the first time alone.
  package var withoutRepetition: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

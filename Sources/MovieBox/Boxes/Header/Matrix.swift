/// A 3 × 3 matrix that transforms the coordinates of a track or movie (QTFF "Matrices").
///
/// A point (p, q) maps to (a·p + c·q + x, b·p + d·q + y). The fields are in file order.
package struct Matrix: Hashable, Sendable, BitwiseCopyable {
  /// The horizontal scale, as a 16.16 number.
  package var a: Int32
  /// The factor by which the horizontal position is added to the vertical position, as a 16.16 number.
  package var b: Int32
  /// The horizontal perspective, as a 2.30 number. It is usually 0.
  package var u: Int32
  /// The factor by which the vertical position is added to the horizontal position, as a 16.16 number.
  package var c: Int32
  /// The vertical scale, as a 16.16 number.
  package var d: Int32
  /// The vertical perspective, as a 2.30 number. It is usually 0.
  package var v: Int32
  /// The translation to the right, as a 16.16 number.
  package var x: Int32
  /// The translation downwards, as a 16.16 number.
  package var y: Int32
  /// The divisor, as a 2.30 number. 0x40000000 represents 1.
  package var w: Int32

  /// The identity matrix.
  package static let identity = translation(x: 0, y: 0)

  /// Returns a matrix for a translation by `x` to the right and by `y` downwards, as 16.16 numbers.
  package static func translation(x: Int32, y: Int32) -> Matrix {
    Matrix(a: 0x1_0000, b: 0, u: 0, c: 0, d: 0x1_0000, v: 0, x: x, y: y, w: 0x4000_0000)
  }

  /// Returns the size of the bounding box of a transformed rectangle. All sizes are 16.16 numbers.
  ///
  /// A quarter turn exchanges the width and height. Fractions of 1/65536 are rounded down. A side that does not fit in
  /// 32 bits becomes `UInt32.max`. Perspective (`u`, `v`) is ignored, and a `w` of zero is treated as one. The size is
  /// zero if the matrix is zero.
  package func transformedSize(width: UInt32, height: UInt32) -> (width: UInt32, height: UInt32) {
    // The matrix transforms two sides of the rectangle, a horizontal and a vertical side, to two vectors. The width of
    // the bounding box is the sum of the absolute x components of both vectors. The height is the sum of their absolute
    // y components.
    (extent(a, width, c, height), extent(b, width, d, height))
  }

  private func extent(_ widthFactor: Int32, _ width: UInt32, _ heightFactor: Int32, _ height: UInt32) -> UInt32 {
    // Each product is at most 2^31 (2^32 - 1), so the sum of both products is below 2^64.
    let sum = UInt64(widthFactor.magnitude) * UInt64(width) + UInt64(heightFactor.magnitude) * UInt64(height)
    // The result is sum / 2^16 / (w / 2^30), because `w` is a 2.30 number.
    let divisor = w == 0 ? 1 << 30 : UInt64(w.magnitude)
    let dividend = sum.multipliedFullWidth(by: 1 << 14)
    guard dividend.high < divisor else { return .max }
    return UInt32(clamping: divisor.dividingFullWidth(dividend).quotient)
  }
}

extension ByteReader {
  package mutating func readMatrix() throws(MovieError) -> Matrix {
    Matrix(
      a: try read(), b: try read(), u: try read(),
      c: try read(), d: try read(), v: try read(),
      x: try read(), y: try read(), w: try read())
  }
}

extension ByteWriter {
  package mutating func write(_ matrix: Matrix) {
    for number in [
      matrix.a, matrix.b, matrix.u, matrix.c, matrix.d, matrix.v, matrix.x, matrix.y, matrix.w,
    ] {
      write(number)
    }
  }
}

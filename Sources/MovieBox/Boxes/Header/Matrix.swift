/// A 3 × 3 matrix that maps a track or a movie to where it is shown (QTFF "Matrices").
///
/// A point (p, q) maps to (a·p + c·q + x, b·p + d·q + y). The fields stand in the order of the file.
package struct Matrix: Hashable, Sendable, BitwiseCopyable {
  /// Horizontal scale, 16.16.
  package var a: Int32
  /// The part of the horizontal position that is added to the vertical one, 16.16.
  package var b: Int32
  /// Perspective, 2.30; 0.
  package var u: Int32
  /// The part of the vertical position that is added to the horizontal one, 16.16.
  package var c: Int32
  /// Vertical scale, 16.16.
  package var d: Int32
  /// Perspective, 2.30; 0.
  package var v: Int32
  /// The translation to the right, 16.16.
  package var x: Int32
  /// The translation downwards, 16.16.
  package var y: Int32
  /// The divisor, 2.30; one is 0x40000000.
  package var w: Int32

  /// The matrix that changes nothing.
  package static let identity = translation(x: 0, y: 0)

  /// The matrix that moves by `x` to the right and `y` downwards, in 16.16.
  package static func translation(x: Int32, y: Int32) -> Matrix {
    Matrix(a: 0x1_0000, b: 0, u: 0, c: 0, d: 0x1_0000, v: 0, x: x, y: y, w: 0x4000_0000)
  }

  /// The size of the upright rectangle around a rectangle of this size after the matrix; all in 16.16.
  ///
  /// A quarter turn exchanges width and height. Fractions of 1/65536 are rounded down, and a side that does not fit is
  /// the largest that does. Perspective (`u`, `v`) is not looked at, and a `w` of zero counts as one. A matrix of zeros
  /// gives zero.
  package func transformedSize(width: UInt32, height: UInt32) -> (width: UInt32, height: UInt32) {
    // The sides of the rectangle become two vectors, and the extent of their sum is the sum of their extents.
    (extent(a, width, c, height), extent(b, width, d, height))
  }

  private func extent(_ p: Int32, _ width: UInt32, _ q: Int32, _ height: UInt32) -> UInt32 {
    // Each product is at most 2^31 (2^32 - 1), so two of them stay below 2^64.
    let sum = UInt64(p.magnitude) * UInt64(width) + UInt64(q.magnitude) * UInt64(height)
    // Some writers (JCodec) store all numbers divided by 65536, `w` too: sum / 2^16 / (w / 2^30).
    let divisor = w == 0 ? 1 << 30 : UInt64(w.magnitude)
    let dividend = sum.multipliedFullWidth(by: 1 << 14)
    guard dividend.high < divisor else { return .max }
    return UInt32(clamping: divisor.dividingFullWidth(dividend).quotient)
  }
}

extension ByteReader {
  /// Reads the nine numbers of a matrix.
  package mutating func readMatrix() throws(MovieError) -> Matrix {
    Matrix(
      a: try read(), b: try read(), u: try read(),
      c: try read(), d: try read(), v: try read(),
      x: try read(), y: try read(), w: try read())
  }
}

extension ByteWriter {
  /// Writes the nine numbers of a matrix.
  package mutating func write(_ matrix: Matrix) {
    for number in [
      matrix.a, matrix.b, matrix.u, matrix.c, matrix.d, matrix.v, matrix.x, matrix.y, matrix.w,
    ] {
      write(number)
    }
  }
}

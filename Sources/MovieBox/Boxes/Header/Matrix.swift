/// A 3 × 3 matrix that transforms the coordinates of a track or movie (QTFF "Matrices").
///
/// A point (p, q) maps to (a·p + c·q + x, b·p + d·q + y). The fields are in file order.
package struct Matrix: Hashable, Sendable, BitwiseCopyable {
  /// The horizontal scale, 16.16.
  package var a: Int32
  /// The share of the horizontal position in the vertical position, 16.16.
  package var b: Int32
  /// Perspective, 2.30; usually 0.
  package var u: Int32
  /// The share of the vertical position in the horizontal position, 16.16.
  package var c: Int32
  /// The vertical scale, 16.16.
  package var d: Int32
  /// Perspective, 2.30; usually 0.
  package var v: Int32
  /// The translation to the right, 16.16.
  package var x: Int32
  /// The translation downwards, 16.16.
  package var y: Int32
  /// The divisor, 2.30; 0x40000000 is one.
  package var w: Int32

  /// The identity matrix.
  package static let identity = translation(x: 0, y: 0)

  /// Returns the matrix that moves by `x` to the right and by `y` downwards, in 16.16.
  package static func translation(x: Int32, y: Int32) -> Matrix {
    Matrix(a: 0x1_0000, b: 0, u: 0, c: 0, d: 0x1_0000, v: 0, x: x, y: y, w: 0x4000_0000)
  }

  /// Returns the size of the bounding box of a transformed rectangle; all sizes are 16.16.
  ///
  /// A quarter turn exchanges width and height. Fractions of 1/65536 are rounded down, and a side that is too large
  /// becomes the largest value. Perspective (`u`, `v`) is ignored, and a `w` of zero counts as one. A zero matrix
  /// returns a size of zero.
  package func transformedSize(width: UInt32, height: UInt32) -> (width: UInt32, height: UInt32) {
    // The sides of the rectangle become two vectors. The extent of the bounding box is the sum of their extents.
    (extent(a, width, c, height), extent(b, width, d, height))
  }

  private func extent(_ p: Int32, _ width: UInt32, _ q: Int32, _ height: UInt32) -> UInt32 {
    // Each product is at most 2^31 (2^32 - 1), so two of them stay below 2^64.
    let sum = UInt64(p.magnitude) * UInt64(width) + UInt64(q.magnitude) * UInt64(height)
    // JCodec stores all numbers divided by 65536, including `w`: sum / 2^16 / (w / 2^30).
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

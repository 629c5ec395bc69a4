@testable import MovieBox
import Testing

@Suite struct MatrixTests {
  private let one: Int32 = 0x1_0000

  @Test func readsFieldsInFileOrder() throws {
    let bytes = fields(.matrix([1, 2, 3, 4, 5, 6, 7, 8, -9]))
    var reader = ByteReader(bytes)
    let matrix = try reader.readMatrix()
    #expect(matrix == Matrix(a: 1, b: 2, u: 3, c: 4, d: 5, v: 6, x: 7, y: 8, w: -9))
    var writer = ByteWriter()
    writer.write(matrix)
    #expect(writer.bytes == bytes.array)
  }

  @Test func makesIdentityAndTranslationMatrices() {
    #expect(Matrix.identity == Matrix(a: one, b: 0, u: 0, c: 0, d: one, v: 0, x: 0, y: 0, w: 0x4000_0000))
    let moved = Matrix.translation(x: 3, y: -4)
    #expect(moved.x == 3 && moved.y == -4 && moved.a == one && moved.d == one)
  }

  @Test func keepsTheSizeForTheIdentity() {
    let size = Matrix.identity.transformedSize(width: 1920 << 16, height: 1080 << 16)
    #expect(size == (1920 << 16, 1080 << 16))
    #expect(Matrix.identity.transformedSize(width: .max, height: 1) == (.max, 1))
  }

  @Test(arguments: [1, -1] as [Int32])
  func swapsWidthAndHeightForAQuarterTurn(sign: Int32) {
    let turned = Matrix(
      a: 0, b: sign * one, u: 0, c: -sign * one, d: 0, v: 0, x: 1080 << 16, y: 0, w: 0x4000_0000)
    #expect(turned.transformedSize(width: 1920 << 16, height: 1080 << 16) == (1080 << 16, 1920 << 16))
  }

  @Test func keepsTheSizeForAHalfTurnAndAMirror() {
    let turned = Matrix(a: -one, b: 0, u: 0, c: 0, d: -one, v: 0, x: 0, y: 0, w: 0x4000_0000)
    #expect(turned.transformedSize(width: 640 << 16, height: 480 << 16) == (640 << 16, 480 << 16))
    let mirrored = Matrix(a: -one, b: 0, u: 0, c: 0, d: one, v: 0, x: 0, y: 0, w: 0x4000_0000)
    #expect(mirrored.transformedSize(width: 640 << 16, height: 480 << 16) == (640 << 16, 480 << 16))
  }

  @Test func computesTheBoundingBoxOfScalingAndSkew() {
    let scaled = Matrix(a: one / 2, b: 0, u: 0, c: 0, d: 2 * one, v: 0, x: 0, y: 0, w: 0x4000_0000)
    #expect(scaled.transformedSize(width: 100 << 16, height: 50 << 16) == (50 << 16, 100 << 16))
    let skewed = Matrix(a: one, b: 0, u: 0, c: one / 2, d: one, v: 0, x: 0, y: 0, w: 0x4000_0000)
    #expect(skewed.transformedSize(width: 100 << 16, height: 50 << 16) == (125 << 16, 50 << 16))
  }

  @Test func appliesTheDivisor() {
    let small = Matrix(a: 0, b: 1, u: 0, c: -1, d: 0, v: 0, x: 0, y: 0, w: 0x4000)
    #expect(small.transformedSize(width: 1920 << 16, height: 1080 << 16) == (1080 << 16, 1920 << 16))
    var half = Matrix.identity
    half.w = 0x7FFF_FFFF
    #expect(half.transformedSize(width: 100 << 16, height: 60 << 16) == (50 << 16, 30 << 16))
    half.w = 0
    #expect(half.transformedSize(width: 100, height: 60) == (100, 60))
  }

  @Test func handlesTheLargestNumbers() {
    let huge = Matrix(a: .min, b: .max, u: .min, c: .min, d: .max, v: .min, x: .min, y: .max, w: .min)
    #expect(huge.transformedSize(width: .max, height: .max) == (.max, .max))
    let tiny = Matrix(a: .min, b: .max, u: 0, c: .min, d: .max, v: 0, x: 0, y: 0, w: 1)
    #expect(tiny.transformedSize(width: .max, height: .max) == (.max, .max))
    let zero = Matrix(a: 0, b: 0, u: 0, c: 0, d: 0, v: 0, x: 0, y: 0, w: 0)
    #expect(zero.transformedSize(width: .max, height: .max) == (0, 0))
  }
}

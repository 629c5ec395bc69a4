import Subtitles
import Testing

@testable import MovieBox

struct SubtitleGeometryTests {
  @Test(
    arguments: [
      (1_280, 720, 108, 612, 36), (1_920, 1_080, 162, 918, 54), (3_840, 2_160, 324, 1_836, 108),
      (640, 360, 54, 306, 18), (176, 144, 22, 122, 7), (1_080, 1_920, 288, 1_632, 96), (320, 130, 20, 110, 7),
      (10, 10, 2, 8, 1), (1, 1, 1, 0, 1), (100, 5_090, 764, 4_326, 255), (100, 5_089, 763, 4_326, 254),
      (100, 8_000, 1_200, 6_800, 255),
    ] as [(UInt32, UInt32, UInt16, UInt16, UInt8)])
  func placesTheStripAlongTheLowerEdge(width: UInt32, height: UInt32, strip: UInt16, top: UInt16, font: UInt8) {
    let geometry = SubtitleGeometry(pictureWidth: width, pictureHeight: height)
    #expect(geometry.width == UInt16(width))
    #expect(geometry.height == strip)
    #expect(geometry.top == top)
    #expect(geometry.fontSize == font)
    #expect(geometry.textBox == Tx3gTextBox(top: 0, left: 0, bottom: Int16(strip), right: Int16(width)))
  }

  @Test func limitsSidesToTheTextBox() {
    let geometry = SubtitleGeometry(pictureWidth: UInt32.max, pictureHeight: UInt32.max)
    #expect(geometry.width == 32_767)
    #expect(geometry.textBox.right == 32_767)
    #expect(UInt32(geometry.top) + UInt32(geometry.height) == 32_767)
    #expect(SubtitleGeometry(pictureWidth: 0, pictureHeight: 0).height == 1)
  }
}

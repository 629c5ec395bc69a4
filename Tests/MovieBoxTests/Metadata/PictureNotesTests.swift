import MovieBox
import TestSupport
import Testing

/// Removing metadata from pictures.
struct PictureNotesTests {
  private static let secret = text("48.137 N, Ann's phone")

  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker] + u16(payload.count + 2) + payload
  }

  /// Returns a JPEG with two scans, like a progressive one. `hasNotes` adds all metadata of cameras and programs, `extra`
  /// bytes after each segment except scans.
  private static func jpeg(hasNotes: Bool, extra: [UInt8] = []) -> [UInt8] {
    func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] { Self.segment(marker, payload) + extra }
    func note(_ marker: UInt8, _ name: String) -> [UInt8] {
      hasNotes ? segment(marker, text(name) + [0] + secret) : []
    }
    let scan = Self.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [1, 0xFF, 0, 2, 0xFF, 0xD0, 3, 0xFF, 0, 0xFF, 0xFF, 0xD7, 4]
    return [0xFF, 0xD8] + segment(0xE0, text("JFIF") + [0, 1, 2]) + note(0xE0, "JFXX") + note(0xE1, "Exif")
      + note(0xE1, "http://ns.adobe.com/xap/1.0/") + segment(0xE2, text("ICC_PROFILE") + [0, 1, 1, 7])
      + note(0xE2, "MPF") + note(0xED, "Photoshop 3.0") + segment(0xEE, text("Adobe") + zeros(7)) + note(0xEF, "x")
      + note(0xFE, "comment") + segment(0xDB, zeros(65)) + segment(0xC2, [8] + u16(6, 8) + [1, 1, 0x11, 0]) + scan
      + note(0xFE, "between") + segment(0xC4, zeros(17)) + scan + [0xFF, 0xD9]
      + (hasNotes ? atom("ftyp") { secret } : [])
  }

  private static func png(hasNotes: Bool) -> [UInt8] {
    func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] { u32(data.count) + text(type) + data + u32(0x1234) }
    func note(_ type: String) -> [UInt8] { hasNotes ? chunk(type, secret) : [] }
    return [0x89] + text("PNG\r\n\u{1A}\n") + chunk("IHDR", u32(8, 6) + [8, 2, 0, 0, 0]) + note("eXIf")
      + chunk("gAMA", u32(45_455)) + note("tEXt") + chunk("iCCP", [1, 2]) + note("iTXt") + note("tIME")
      + chunk("tRNS", [0, 0, 0, 0, 0, 0]) + chunk("IDAT", [1, 2, 3]) + note("zTXt") + chunk("IDAT", [4]) + note("vpAg")
      + chunk("IEND", []) + (hasNotes ? secret : [])
  }

  @Test func removesMetadataAndKeepsThePicture() {
    for (noted, plain) in [
      (Self.jpeg(hasNotes: true), Self.jpeg(hasNotes: false)), (Self.png(hasNotes: true), Self.png(hasNotes: false)),
    ] {
      #expect(noted.firstRange(of: Self.secret) != nil)
      #expect(PictureFormat.removingPrivateData(Bytes(noted))?.array == plain)
      #expect(PictureFormat.removingPrivateData(Bytes(plain))?.array == plain)
    }
    for other in [text("GIF89a") + Self.secret, text("BM") + Self.secret] {
      #expect(PictureFormat.removingPrivateData(Bytes(other))?.array == other)
    }
  }

  /// Decoders skip to the next marker. 0xFF before 0 or a reserved byte begins no segment.
  @Test(arguments: [zeros(2), [1, 2, 3], [0xFF, 0, 9], [0xFF, 2], [0xFF, 0xFF], [7, 0xFF]])
  func skipsBytesBetweenSegments(_ extra: [UInt8]) {
    for hasNotes in [false, true] {
      let picture = Self.jpeg(hasNotes: hasNotes, extra: extra)
      #expect(PictureFormat.removingPrivateData(Bytes(picture))?.array == Self.jpeg(hasNotes: false))
    }
  }

  @Test func rejectsAPictureWithoutAnImage() {
    var longSegment = Self.jpeg(hasNotes: false)
    longSegment.insert(contentsOf: [0xFF, 0xDB, 0xFF, 0xFF] + Self.segment(0xE1, Self.secret), at: 2)
    var longChunk = Self.png(hasNotes: false)
    longChunk.insert(contentsOf: u32(0x7FFF_FFFF) + text("PLTE") + Self.secret, at: 33)
    let webP: [UInt8] = text("RIFF") + zeros(4) + text("WEBP") + Self.secret
    let shortSegment: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1, 0, 1] + Self.secret
    let noSegment: [UInt8] = [0xFF, 0xD8, 0xFF] + Self.secret
    let emptyScan: [UInt8] = [0xFF, 0xD8] + Self.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0xFF, 0xD9]
    let wrong: [[UInt8]] = [
      [], Self.secret, webP, jpegPicture(8, 6), pngPicture(8, 6), longSegment, longChunk, shortSegment, noSegment,
      emptyScan,
    ]
    for picture in wrong { #expect(PictureFormat.removingPrivateData(Bytes(picture)) == nil, "\(picture)") }
  }

  /// A truncated picture contains no additional bytes and equals the start of the whole.
  @Test func removesMetadataFromTruncatedPictures() throws {
    for picture in [Self.jpeg(hasNotes: true), Self.png(hasNotes: true)] {
      let whole = try #require(PictureFormat.removingPrivateData(Bytes(picture))).array
      var cuts = 0
      for count in 8..<picture.count {
        guard let cut = PictureFormat.removingPrivateData(Bytes(Array(picture.prefix(count))))?.array else { continue }
        cuts += 1
        #expect(cut.firstRange(of: Self.secret) == nil)
        #expect(whole.starts(with: cut), "\(count)")
      }
      #expect(cuts > 60)  // Counted from the end of the first scan data.
    }
  }
}

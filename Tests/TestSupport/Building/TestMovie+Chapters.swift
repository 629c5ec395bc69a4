/// Movies with chapters.
extension TestMovie {
  /// Returns two seconds of audio (1) with the tracks of an enhanced podcast: titles (2), links (3) and pictures (4). As in
  /// files of GarageBand and iTunes, atoms request preloading.
  package static func podcast(_ dialect: Dialect = .iso, linksAreTimedText: Bool = false) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.sound, id: 1).with {
        $0.language = .packed("eng")
        $0.references = [TestReference("chap", 2, 3, 4)]
      },
      TestTrack(.text, id: 2).with {
        $0.language = .packed("eng")
        ($0.isEnabled, $0.layer, $0.atomsAfterHeader) = (false, -1, preload)
        $0.samples = [.chapter("Hello", duration: 500), .chapter("Interview", duration: 1500)]
      },
      TestTrack(.text, id: 3).with {
        ($0.layer, $0.atomsAfterHeader) = (-2, preload)  // Enabled, as Apple's ChapterTool writes it.
        $0.samples = [.link("http://a.example/1", duration: 500), .link("http://a.example/2", duration: 1500)]
        if linksAreTimedText { $0.sampleEntries = [SampleEntry.timedText()] }
      },
      TestTrack(.video, id: 4).with {
        ($0.isEnabled, $0.layer, $0.atomsAfterHeader) = (false, 1, preload)
        $0.sampleEntries = [SampleEntry.video("jpeg", width: 8, height: 6)]
        $0.samples = [
          TestSample(content: jpegPicture(8, 6) + text("one"), duration: 150),
          TestSample(content: jpegPicture(8, 6) + text("two"), duration: 450),
        ]
        $0.timeScale = 300
      },
    ]).with {
      $0.dialect = dialect
      if dialect == .iso { $0.brands = ["M4A ", "M4A ", "mp42", "isom"] }
    }
  }

  /// A start of all ones, no duration, always preloaded, no hints (QTFF "Track Load Settings Atoms").
  private static let preload = atom("load") { u32(-1, 0, 1, 0) }
}

extension TestSample {
  /// Returns a sample of QuickTime text with these bytes, followed by `extra`.
  package static func chapter(_ bytes: [UInt8], extra: [UInt8] = [], duration: Int) -> TestSample {
    TestSample(content: u16(bytes.count) + bytes + extra, duration: duration)
  }

  /// Returns a sample of QuickTime text, declared as UTF-8.
  package static func chapter(_ title: String, duration: Int) -> TestSample {
    chapter(Array(title.utf8), extra: atom("encd") { u32(0x100) }, duration: duration)
  }

  /// Returns a sample of text with a URL.
  package static func link(_ url: String, duration: Int) -> TestSample {
    let href = atom("href") { u16(0, 4) + pascalString(url) + u8(0) }
    return chapter(Array("More".utf8), extra: href, duration: duration)
  }
}

/// Returns a JPEG file whose header declares this size.
package func jpegPicture(_ width: Int, _ height: Int) -> [UInt8] {
  u8(0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8) + u16(height, width) + u8(1, 1, 0x11, 0, 0xFF, 0xD9)
}

/// Returns a JPEG file with image data, and with notes in an EXIF segment.
package func jpegPhoto(saying notes: [UInt8] = []) -> [UInt8] {
  let picture = jpegPicture(8, 6)
  let exif = notes.isEmpty ? [] : u8(0xFF, 0xE1) + u16(notes.count + 2) + notes
  let scan = u8(0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3)
  return picture.prefix(2) + exif + picture.dropFirst(2).dropLast(2) + scan + picture.suffix(2)
}

/// Returns a PNG file whose header declares this size.
package func pngPicture(_ width: Int, _ height: Int) -> [UInt8] {
  u8(0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A) + u32(13) + code("IHDR") + u32(width, height) + u8(8, 2, 0, 0, 0)
}

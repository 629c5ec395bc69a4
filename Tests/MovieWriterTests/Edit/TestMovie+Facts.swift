import TestSupport

/// Movies with metadata.
extension TestMovie {
  static func data(_ type: Int, _ bytes: [UInt8], locale: [UInt8] = zeros(4)) -> [UInt8] {
    atom("data") { u32(type) + locale + bytes }
  }

  static func handler(_ type: String) -> [UInt8] {
    fullAtom("hdlr") { zeros(4) + code(type) + zeros(12) + [0] }
  }

  /// Returns QuickTime metadata of these keys, each with a text.
  static func keyed(_ items: [(key: String, text: String)], space: Int = 40) -> [UInt8] {
    atom("meta") {
      handler("mdta")
      fullAtom("keys") {
        u32(items.count)
        items.flatMap { item in u32(item.key.utf8.count + 8) + code("mdta") + text(item.key) }
      }
      atom("ilst") {
        items.enumerated().flatMap { number, item in atom(numbered: number + 1) { data(1, text(item.text)) } }
      }
      atom("free") { zeros(space) }
    }
  }

  static func iTunes(_ items: [UInt8], space: [UInt8] = zeros(20), isBefore: Bool = false) -> [UInt8] {
    fullAtom("meta") {
      handler("mdir")
      if isBefore { atom("free") { space } }
      atom("ilst") { items }
      if !isBefore { atom("free") { space } }
    }
  }

  /// Returns a fast-start movie with free space inside `meta`, as iTunes writes it next to the item list, and Apple's phones
  /// next to the keys.
  static func withSpace(_ space: [UInt8], besideKeys: Bool = false, isBefore: Bool = false) -> TestMovie {
    TestMovie.simple.with {
      $0.layout = .movieFirst
      if besideKeys {
        $0.movieAtoms = keyed([("com.apple.quicktime.title", "Old"), ("com.example.id", "7")], space: space.count)
      } else {
        let items = atom("©nam") { data(1, text("Old")) } + atom("tmpo") { data(21, u16(120)) }
        ($0.dialect, $0.brands) = (.iso, ["M4A ", "M4A ", "isom"])
        $0.userData = iTunes(items, space: space, isBefore: isBefore)
      }
    }
  }

  /// A QuickTime movie with its title in three vocabularies, and other items.
  static var stating: TestMovie {
    TestMovie.simple.with {
      $0.movieAtoms = keyed([("com.apple.quicktime.title", "Old"), ("com.example.id", "7")])
      $0.userData = TestSupport.movie {
        atom("©nam") { u16(3, 0x15C7) + text("Old") }
        atom("©cmt") { u16(2, 0x0000) + [0x8C, 0x21] + u16(1, 0x10B5) + text("x") }
        atom("FIRM") { [1, 2, 3] }
        iTunes(
          TestSupport.movie {
            atom("©nam") { data(1, text("Old")) }
            atom("©ART") { data(1, text("A")) + data(1, text("B")) }
            atom("trkn") { data(0, u16(0, 3, 12, 0)) }
            atom("tmpo") { data(21, u16(120)) }
            atom("----") {
              fullAtom("mean") { text("com.apple.iTunes") } + fullAtom("name") { text("ISRC") } + data(1, text("DE1"))
            }
          })
      }
    }
  }

  /// A movie with ID3 frames, Windows items and an XMP packet.
  static var statingInPackets: TestMovie {
    func frame(_ type: String, _ value: String) -> [UInt8] {
      code(type) + u32(value.utf8.count + 1) + u16(0) + [3] + text(value)
    }
    let frames = frame("TIT2", "T") + frame("TPE1", "Artist") + frame("TALB", "A")
    func windows(_ name: String, _ values: [[UInt8]]) -> [UInt8] {
      let all = values.flatMap { u32($0.count + 6) + u16(0x48) + $0 }
      return u32(12 + name.utf8.count + all.count) + u32(name.utf8.count) + text(name) + u32(values.count) + all
    }
    return TestMovie.simple.with {
      $0.movieAtoms = fullAtom("meta") {
        handler("ID32")
        fullAtom("ID32") { u16(0x15C7) + text("ID3") + [4, 0, 0] + u32(frames.count + 10) + frames + zeros(10) }
      }
      $0.userData =
        atom("Xtra") { windows("WM/A", [[1], [2, 3]]) + windows("WM/B", [[4]]) } + atom("XMP_") { text("<x/>") }
    }
  }

  /// An MP4 file with 3GPP items, some in unusual forms.
  static var statingAsISO: TestMovie {
    TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"])
      $0.userData = TestSupport.movie {
        atom("loci") {
          zeros(4) + u16(0x15C7) + text("Home") + [0, 1] + u32(0, 0, 0) + text("mars") + [0] + text("notes") + [0]
        }
        atom("titl") { zeros(4) + u16(0x55C4) + [0xFE, 0xFF, 0, 0x41, 0, 0] }
        atom("kywd") { zeros(4) + u16(0x15C7) + [2, 4] + text("one") + [0, 3] + text("to") + [0] }
        atom("albm") { zeros(4) + u16(0x15C7) + text("Album") + [0, 7] }
        atom("yrrc") { zeros(4) + u16(1999) }
        atom("rtng") { zeros(4) + text("MPAA") + text("PG13") + u16(0x15C7) + text("PG") + [0] }
        atom("urat") { zeros(7) + [80] }
        atom("date") { text("2026-01-09T18:32:07Z") }
        atom("thmb") { zeros(4) + code("jpeg") + [0xFF, 0xD8, 0xFF, 0xE0] }
      }
    }
  }
}

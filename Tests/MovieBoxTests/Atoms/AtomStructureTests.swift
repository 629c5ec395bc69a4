import MovieBox
import TestSupport
import Testing

struct AtomStructureTests {
  private func media(_ handler: String, _ entry: [UInt8]) throws -> AtomTree {
    try AtomTree(
      atom("mdia") {
        fullAtom("hdlr") {
          u32(0)
          code(handler)
          zeros(13)
        }
        atom("minf") {
          atom("stbl") {
            fullAtom("stsd") {
              u32(1)
              entry
            }
          }
        }
      })
  }

  private func inside(_ handler: String, _ entry: [UInt8]) throws -> [String] {
    let tree = try media(handler, entry)
    #expect(tree.defects == [])
    #expect(tree.reassembled == tree.bytes.array)
    return tree.paths.filter { $0.hasPrefix("mdia/minf/stbl/stsd/") }.map { String($0.dropFirst(20)) }
  }

  private let extensions = atom("XXXX") { u8(1) } + atom("wave") { atom("frma") { code("mp4a") } }

  @Test func findsAtomsInSoundEntriesOfEveryVersion() throws {
    func entry(_ version: Int, fields: Int, _ rest: [UInt8]) -> [UInt8] {
      atom("mp4a") {
        zeros(6)
        u16(1, version)
        zeros(fields - 2)
        rest
      }
    }
    let expected = ["mp4a", "mp4a/XXXX", "mp4a/wave", "mp4a/wave/frma"]
    for (version, fields) in [(0, 20), (1, 36), (2, 56)] {
      #expect(try inside("soun", entry(version, fields: fields, extensions)) == expected)
      #expect(try inside("soun", entry(version, fields: fields, [])) == ["mp4a"])
    }
    // Version 1 in an ISO file has no extra fields.
    #expect(try inside("soun", entry(1, fields: 20, extensions)) == expected)
    #expect(try inside("soun", entry(1, fields: 20, [])) == ["mp4a"])
    #expect(try inside("soun", entry(3, fields: 20, extensions)) == ["mp4a"])
    #expect(try inside("soun", entry(0, fields: 20, zeros(4))) == ["mp4a"])
  }

  @Test func findsAtomsInVideoEntries() throws {
    let entry = SampleEntry.video(width: 64, height: 36, extensions: atom("pasp") { u32(1, 1) } + zeros(4))
    #expect(try inside("vide", entry) == ["avc1", "avc1/pasp"])
    #expect(try inside("XXXX", entry) == ["avc1"])
  }

  @Test func readsColorTablesByDepthAndID() throws {
    func entry(_ depth: Int, id: Int = 0, last: Int = 1, _ rest: [UInt8]) -> [UInt8] {
      atom("raw ") {
        zeros(6)
        u16(1)
        zeros(66)
        u16(depth, id)
        u32(0)
        u16(0x8000, last)
        rest
      }
    }
    let colors = zeros(16)
    let child = atom("pasp") { u32(1, 1) }
    for depth in [1, 2, 4, 8, 33, 34, 36, 40] {
      #expect(try inside("vide", entry(depth, colors)) == ["raw "])
      #expect(try inside("vide", entry(depth, colors + child)) == ["raw ", "raw /pasp"])
    }
    // Without a color table, or with a truncated one, the remaining bytes cannot be read as atoms.
    #expect(try inside("vide", entry(24, colors)) == ["raw "])
    #expect(try inside("vide", entry(8, id: -1, colors)) == ["raw "])
    #expect(try inside("vide", entry(8, last: 2, colors)) == ["raw "])
    // An entry with a depth of 8 and atoms but no table, although its table ID is 0.
    let video = SampleEntry.video(width: 64, height: 36, depth: 8, extensions: child)
    let withoutTable = Array(video.prefix(84)) + u16(0) + video.dropFirst(86)
    #expect(try inside("vide", withoutTable) == ["avc1", "avc1/pasp"])
  }

  @Test func ignoresVendorFields() throws {
    // Canon's raw video: version and similar fields, then a size and a name.
    let entry = SampleEntry.video("CRAW", width: 64, height: 36, extensions: u16(3, 0) + u32(12) + code("JPEG"))
    #expect(try inside("vide", entry) == ["CRAW"])
    #expect(
      try media("vide", SampleEntry.video(width: 64, height: 36, extensions: atom("avcC", claiming: 99))).defects.count
        == 1)
    #expect(
      try inside("vide", SampleEntry.video(width: 64, height: 36) + atom("ctab") { zeros(16) }) == ["avc1", "ctab"])
  }

  @Test func findsAtomsInTextEntriesForAnyHandler() throws {
    for handler in ["sbtl", "text", "subt"] {
      #expect(try inside(handler, SampleEntry.timedText()) == ["tx3g", "tx3g/ftab"])
    }
    #expect(try inside("text", SampleEntry.text()) == ["text"])
    #expect(
      try inside("tmcd", SampleEntry.timecode(timeScale: 600, frameDuration: 25, framesPerSecond: 24)) == ["tmcd"])
  }

  @Test func reportsAnEntryTooShortForItsFields() throws {
    let tree = try media("vide", atom("avc1") { zeros(77) })
    #expect(tree.paths.last == "mdia/minf/stbl/stsd/avc1")
    #expect(tree.defects.map(\.reason) == ["needs 78 bytes before its first child, but has only 77"])
    #expect(try media("vide", atom("avc1") { zeros(78) }).defects == [])
  }

  @Test func readsMetadataInBothDialects() throws {
    let content = movie {
      fullAtom("hdlr") { zeros(17) }
      atom("ilst") { atom("©nam") { atom("data") { zeros(8) } } }
    }
    for bytes in [atom("meta") { content }, fullAtom("meta") { content }] {
      let tree = try AtomTree(bytes)
      #expect(tree.paths == ["meta", "meta/hdlr", "meta/ilst", "meta/ilst/©nam", "meta/ilst/©nam/data"])
      #expect(tree.reassembled == bytes)
    }
    // Without a leading `hdlr`, only zeros can be version and flags.
    #expect(try AtomTree(fullAtom("meta") { atom("ilst") }).paths == ["meta", "meta/ilst"])
    #expect(try AtomTree(atom("meta") { text("something") }).paths == ["meta"])
    #expect(try AtomTree(atom("meta")).paths == ["meta"])
  }

  @Test func readsMetadataKeysOfAnyName() throws {
    let tree = try AtomTree(mdtaMetadata([("com.example.moov", "a"), ("com.example.trak", "b")]))
    #expect(tree.paths.filter { $0.hasSuffix("/data") } == ["meta/ilst/0x00000001/data", "meta/ilst/0x00000002/data"])
    #expect(tree.child(of: 0, "keys").map { tree[$0].isContainer } == false)
  }

  @Test func readsReferencesOfAnyTypeAsTrackIDs() throws {
    // If 8 and 9 were read as an atom's size and type, there would be a defect.
    let tree = try AtomTree(
      atom("moov") {
        atom("trak") {
          atom("tref") {
            atom("tmcd") { u32(8, 9) }
            atom("meta") { u32(3, 4) }
          }
        }
      })
    #expect(tree.defects == [])
    #expect(tree.paths.suffix(2) == ["moov/trak/tref/tmcd", "moov/trak/tref/meta"])
  }

  @Test func findsAtomsInTimeCodeMediaInformation() throws {
    let tree = try AtomTree(atom("minf") { atom("gmhd") { atom("tmcd") { atom("tcmi") } } })
    #expect(tree.paths.last == "minf/gmhd/tmcd/tcmi")
  }

  @Test func readsUnknownAtomsAsLeaves() throws {
    let bytes = TestMovie.torture.bytes()
    let movie = try Movie(of: MemorySource(Bytes(bytes)))
    for path in ["moov/XMOV", "moov/udta/ZZZZ", "moov/trak[1]/XTRK", "moov/trak[1]/mdia/minf/stbl/XSTB"] {
      let index = try #require(movie.tree.index(at: path))
      #expect(!movie.tree[index].isContainer)
    }
    #expect(movie.layout.first("XTOP") != nil)
  }
}

import TestSupport

extension HostileMovie {
  private static func built(_ change: (inout TestMovie) -> Void) -> [UInt8] { FuzzSeeds.small.with(change).bytes() }

  static func strings() throws -> [(name: String, bytes: [UInt8])] {
    func userData(_ bytes: [UInt8]) -> [UInt8] { built { $0.tracks[0].userData = bytes } }
    return [
      ("handler", built { $0.tracks[0].handlerName = text("without an end") }),
      ("Pascal string", built { $0.tracks[0].handlerName = u8(255) + text("short") }),
      ("no handler name", built { $0.tracks[0].handlerName = [] }),
      ("elng", built { $0.tracks[0].mediaAtoms = fullAtom("elng") { text("en-US") } }),
      ("empty elng", built { $0.tracks[0].mediaAtoms = atom("elng") }),
      ("tagc", userData(atom("tagc") { [] })), ("name", userData(atom("name") { text("x") })),
      ("kind", userData(fullAtom("kind") { text("urn:mpeg:dash:role:2011") })),
      ("titl", userData(fullAtom("titl") { u16(0x55C4) + text("x") })),
      ("©nam", userData(atom("©nam") { u16(0xFFFF, 0x55C4) + text("x") })),
      ("url", built { $0.tracks[0].dataReferences = [fullAtom("url ") { text("file:///x") }] }),
      ("alias", built { $0.tracks[0].dataReferences = [fullAtom("alis") { zeros(10) }] }),
    ]
  }

  static func kinds() throws -> [(name: String, bytes: [UInt8])] {
    let types = [
      "mdia": "moov/trak#1/mdia", "stsz": table("stsz"), "mvhd": "moov/mvhd", "dinf": "moov/trak#1/mdia/minf/dinf",
    ]
    return try types.sorted { $0.key < $1.key }.flatMap { name, path in
      try ["moov", "trak", "stco", "meta", "udta", "cmov", "stsd"].map { type in
        ("\(name) as \(type)", try small.patched(path, -4, code(type)))
      }
    } + [
      ("sound as subtitles", try small.patched("moov/trak#2/mdia/hdlr", 8, code("sbtl"))),
      ("pictures as sound", try small.patched("moov/trak#1/mdia/hdlr", 8, code("soun"))),
      ("pictures as timed text", try stbl("stsd", 12, code("tx3g"))),
      ("two movie headers", built { $0.movieAtoms = fullAtom("mvhd") { zeros(96) } }),
      ("a movie in a movie", built { $0.movieAtoms = atom("moov") { fullAtom("mvhd") { zeros(96) } } }),
      ("a second table", built { $0.tracks[0].sampleTableAtoms = fullAtom("stsz") { u32(0, 0) } }),
    ]
  }

  static func descriptions() -> [(name: String, bytes: [UInt8])] {
    let formats = ["avc1", "hvc1", "mp4a", "tx3g", "text", "wvtt", "tmcd", "encv", "enca", "c608"]
    let cut = formats.flatMap { format in
      [8, 9, 16, 20].map { count in
        let entry = atom(format) { zeros(6) + u16(1) + zeros(count - 8) }
        return ("\(format) of \(count) bytes", built { $0.tracks[0].sampleEntries = [entry] })
      }
    }
    let extensions: [(String, [UInt8])] = [
      ("avcC", atom("avcC") { u8(1, 100, 0, 40, 0xFF, 0xFF) + u16(0xFFFF) }), ("empty avcC", atom("avcC")),
      ("hvcC", atom("hvcC") { zeros(22) + u8(255) }), ("esds", fullAtom("esds") { u8(3, 0xFF, 0xFF, 0xFF, 0x7F, 0) }),
      ("sinf", atom("sinf") { atom("schi") { fullAtom("tenc") } }), ("colr", atom("colr") { text("nclx") }),
    ]
    return cut
      + extensions.map { name, bytes in
        (name, built { $0.tracks[0].sampleEntries = [SampleEntry.video(width: 8, height: 8, extensions: bytes)] })
      } + [
        (
          "ftab",
          built {
            $0.tracks[0].sampleEntries = [atom("tx3g") { zeros(6) + u16(1) + zeros(30) + atom("ftab") { u16(0xFFFF) } }]
          }
        ),
        ("no description", built { $0.tracks[0].sampleEntries = [] }),
        (
          "no channels",
          built {
            $0.tracks[1].sampleEntries = [SampleEntry.soundVersion1("ima4", rate: 8000, packet: (0, 0, 0))]
            $0.tracks[1].samplesPerPacket = 2
          }
        ),
      ]
  }

  static func numbers() throws -> [(name: String, bytes: [UInt8])] {
    let edits = [TestEdit(duration: -1, mediaTime: 0), TestEdit(duration: 1, mediaTime: 0x7FFF_FFFF, rate: 0)]
    return [
      ("no movie time scale", try small.patched("moov/mvhd", 12, u32(0))),
      ("no media time scale", try small.patched("moov/trak#1/mdia/mdhd", 12, u32(0))),
      ("movie without end", try small.patched("moov/mvhd", 16, u32(-1))),
      ("track IDs alike", try small.patched("moov/trak#1/tkhd", 12, u32(2))),
      ("no track ID", try small.patched("moov/trak#1/tkhd", 12, u32(0))),
      ("largest track ID", try small.patched("moov/trak#1/tkhd", 12, u32(-1))),
      ("no next track ID", try small.patched("moov/mvhd", 92, u32(0))),
      ("no matrix", try small.patched("moov/trak#1/tkhd", 40, zeros(36))),
      ("no picture", try small.patched("moov/trak#1/tkhd", 76, zeros(8))),
      ("largest picture", try small.patched("moov/trak#1/tkhd", 76, u32(-1, -1))),
      ("chunks from 0", try stbl("stsc", 8, u32(0))), ("chunks from the last", try stbl("stsc", 8, u32(-1))),
      ("description 0", try stbl("stsc", 16, u32(0))), ("description 4 billion", try stbl("stsc", 16, u32(-1))),
      ("sync sample 0", try stbl("stss", 8, u32(0))), ("sync sample 4 billion", try stbl("stss", 8, u32(-1))),
      ("chunk in the header", try stbl("stco", 8, u32(0))),
      ("chunk past the end", try stbl("stco", 8, u32(small.count))),
      ("chunk in the movie atom", try stbl("stco", 8, u32(small.count - 50))),
      ("edits", built { $0.tracks[0].edits = edits }),
      ("no edits", built { $0.tracks[0].trackAtoms = atom("edts") { fullAtom("elst") { u32(-1) } } }),
      (
        "references to itself",
        built { $0.tracks[0].references = [TestReference("chap", 1), TestReference("folw", 0, .max)] }
      ),
      ("short reference", built { $0.tracks[0].trackAtoms = atom("tref") { atom("chap") { u8(0, 0, 1) } } }),
      ("unknown version", try small.patched("moov/mvhd", 0, u8(9))),
    ]
  }

  static func fragments() throws -> [(name: String, bytes: [UInt8])] {
    func fragmented(_ change: (inout TestFragment.Track) -> Void, extends: [Int] = [1, 0, 0, 0], atoms: [UInt8] = [])
      -> [UInt8]
    {
      let part = TestFragment.Track(id: 1, decodeTime: 0, runs: [.init(.pictures(3, around: 12, duration: 50))]).with(
        change)
      var fragment = TestFragment([part])
      fragment.atoms = atoms
      return FuzzSeeds.small.initial.with { $0.dialect = .iso }.bytes(fragments: [fragment], extends: [1: extends])
    }
    return [
      ("run of 4 billion", fragmented { $0.runs[0].claimedCount = -1 }),
      (
        "run of 4 billion without fields",
        fragmented(
          {
            ($0.runs[0].fields, $0.runs[0].claimedCount) = ([], -1)
          }, extends: [1, 1, 0, 0])
      ),
      ("run that wraps", fragmented { $0.runs[0].claimedCount = 0x1000_0001 }),
      ("data before the file", fragmented { $0.runs[0].claimedOffset = Int(Int32.min) }),
      ("data past the file", fragmented { $0.runs[0].claimedOffset = Int(Int32.max) }),
      ("base at the end of all", fragmented { $0.base = .position(1 << 62) }),
      ("another track", fragmented { $0.id = 99 }), ("no track", fragmented { $0.id = 0 }),
      ("last time of all", fragmented { $0.decodeTime = .max }),
      ("description 4 billion", fragmented { $0.description = -1 }),
      ("sizes of 4 GiB", fragmented { ($0.runs[0].fields, $0.size) = ([], -1) }),
      (
        "auxiliary information",
        fragmented { $0.atoms = fullAtom("saiz") { u8(255) + u32(-1) } + fullAtom("saio") { u32(-1) } }
      ),
      ("senc", fragmented { $0.atoms = fullAtom("senc", flags: 2) { u32(-1) } }),
      (
        "groups",
        fragmented {
          $0.atoms =
            fullAtom("sbgp") { code("roll") + u32(1, -1, 0x1FFFF) }
            + fullAtom("sgpd", version: 1) { code("roll") + u32(0, -1) }
        }
      ),
      ("fragments in fragments", fragmented({ _ in }, atoms: atom("moof") { atom("moof") { atom("traf") } })),
      (
        "random access",
        fragmented { _ in } + atom("mfra") { fullAtom("tfra", version: 1) { u32(1, 0x3F, -1) } }
          + fullAtom("mfro") { u32(-1) }
      ),
      ("segment index", fragmented { _ in } + fullAtom("sidx") { u32(1, 0, 0, -1) + u16(0, 0xFFFF) }),
      ("cut in the fragment", Array(fragmented { _ in }.dropLast(60))),
    ]
  }
}

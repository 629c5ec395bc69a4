import MovieBox
import TestSupport
import Testing

struct MediaLocationTests {
  /// Returns the location in a data reference.
  private func location(_ entry: [UInt8]) throws -> MediaLocation {
    let dref = try DataReference(payload: Bytes(u32(0, 1) + entry))
    return try #require(dref.entries.first).location
  }

  @Test(arguments: [
    ("media.mov", MediaLocation.inMovieFolder(["media.mov"])),
    ("./media.mov", .inMovieFolder(["media.mov"])),
    ("parts/one/media.mov", .inMovieFolder(["parts", "one", "media.mov"])),
    ("parts//media.mov", .inMovieFolder(["parts", "media.mov"])),
    ("a%20film%C3%A9.mov", .inMovieFolder(["a filmé.mov"])),
    ("100%.mov", .inMovieFolder(["100%.mov"])),
    ("100%2.mov", .inMovieFolder(["100%2.mov"])),
    ("../media.mov", .elsewhere("../media.mov")),
    ("parts/../media.mov", .elsewhere("parts/../media.mov")),
    ("%2E%2E/media.mov", .elsewhere("../media.mov")),
    ("..%2Fmedia.mov", .elsewhere("../media.mov")),
    ("parts%2Fmedia.mov", .elsewhere("parts/media.mov")),
    ("/media.mov", .absolute("/media.mov")),
    ("/a%20b.mov", .absolute("/a b.mov")),
    ("file:///films/media.mov", .absolute("/films/media.mov")),
    ("FILE://localhost/films/media.mov", .absolute("/films/media.mov")),
    ("file:/films/media.mov", .absolute("/films/media.mov")),
    ("file://server/films/media.mov", .elsewhere("file://server/films/media.mov")),
    ("file:media.mov", .elsewhere("file:media.mov")),
    ("http://example.org/media.mov", .elsewhere("http://example.org/media.mov")),
    ("rtsp://example.org/media.mov", .elsewhere("rtsp://example.org/media.mov")),
    ("//example.org/media.mov", .elsewhere("//example.org/media.mov")),
    ("c:\\films\\media.mov", .elsewhere("c:\\films\\media.mov")),
    ("", .unknown), (".", .unknown), ("a%00b.mov", .unknown),
  ])
  func resolvesURLs(url: String, location: MediaLocation) throws {
    #expect(try self.location(urlReference(url)) == location)
  }

  @Test func ignoresInvalidURLs() throws {
    #expect(try location(fullAtom("url ") { u8(0xFF, 0xFE, 0x41, 0) }) == .unknown)
    #expect(try location(fullAtom("url ")) == .unknown)
    // A URL without its NUL.
    #expect(try location(fullAtom("url ") { text("media.mov") }) == .inMovieFolder(["media.mov"]))
  }

  @Test func resolvesAnAliasInTheSameFolder() throws {
    #expect(
      try location(aliasReference("media.mov", levels: (1, 1), path: "Disk:films:media.mov"))
        == .inMovieFolder(["media.mov"]))
    #expect(try location(aliasReference("media.mov", levels: (1, 1))) == .inMovieFolder(["media.mov"]))
  }

  @Test func resolvesAnAliasInASubfolder() throws {
    #expect(
      try location(aliasReference("media.mov", levels: (1, 3), path: "Disk:films:a:b:media.mov"))
        == .inMovieFolder(["a", "b", "media.mov"]))
    #expect(
      try location(
        aliasReference("media.mov", levels: (1, 2), path: "Disk:x:y", posixPath: "/films/parts/media.mov"))
        == .inMovieFolder(["parts", "media.mov"]))
    // The path is shorter than the levels require, or is missing.
    #expect(try location(aliasReference("media.mov", levels: (1, 3), path: "Disk:media.mov")) == .unknown)
    #expect(try location(aliasReference("media.mov", levels: (1, 2))) == .unknown)
  }

  @Test func rejectsAnAliasOutsideTheFolder() throws {
    #expect(
      try location(aliasReference("media.mov", levels: (2, 2), path: "Disk:other:media.mov"))
        == .elsewhere("../other/media.mov"))
    #expect(
      try location(aliasReference("media.mov", levels: (3, 1))) == .elsewhere("../../media.mov"))
    #expect(
      try location(aliasReference("media.mov", levels: (1, 2), path: "Disk:..:media.mov"))
        == .elsewhere("../media.mov"))
  }

  @Test func resolvesAnAliasWithoutLevelsBesideTheMovie() throws {
    #expect(
      try location(aliasReference("media.mov", path: "Disk:films:media.mov", posixPath: "/films/media.mov"))
        == .inMovieFolder(["media.mov"]))
    #expect(
      try location(aliasReference("long na#1234.mov", unicodeName: "long name é 🎬.mov"))
        == .inMovieFolder(["long name é 🎬.mov"]))
  }

  @Test func convertsClassicMacintoshNames() throws {
    // MacRoman é. A slash in a classic name is a colon in modern systems.
    #expect(try location(aliasReference("caf\u{8E} 1/2.mov")) == .inMovieFolder(["café 1:2.mov"]))
  }

  @Test func ignoresTruncatedAndOtherAliases() throws {
    let whole = aliasReference("media.mov", levels: (1, 1))
    #expect(try location(whole) == .inMovieFolder(["media.mov"]))
    for count in [12, 20, 100, 12 + 133] {
      #expect(try location(u32(count) + whole[4..<count]) == .unknown, "\(count) bytes")
    }
    #expect(try location(u32(12 + 134) + whole[4..<12 + 134]) == .inMovieFolder(["media.mov"]))
    for (place, value) in [(7, 3), (9, 1), (50, 0)] as [(Int, UInt8)] {  // Version 3, a folder, no name.
      var other = whole
      other[12 + place] = value
      #expect(try location(other) == .unknown, "byte \(place)")
    }
    // A field with a false length ends the list of fields.
    var lying = aliasReference("media.mov", levels: (1, 2), path: "Disk:parts:media.mov")
    lying.replaceSubrange(12 + 152..<12 + 154, with: [0xFF, 0xFF])
    #expect(try location(lying) == .unknown)
  }

  @Test func readsOtherReferences() throws {
    #expect(try location(fullAtom("url ", flags: 1)) == .sameFile)
    #expect(try location(fullAtom("alis", flags: 1) { zeros(150) }) == .sameFile)
    #expect(try location(fullAtom("rsrc") { zeros(160) }) == .resourceFork)
    #expect(try location(fullAtom("urn ") { cString("urn:media") }) == .unknown)
    #expect(try location(fullAtom("what")) == .unknown)
  }
}

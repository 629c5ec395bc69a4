import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// ID3 frames and Windows items, many of which share an atom.
struct MetadataPacketTests {
  private static func frame(_ type: String, _ payload: [UInt8], flags: UInt16 = 0) -> [UInt8] {
    code(type) + u32(payload.count) + u16(Int(flags)) + payload
  }

  /// Returns a movie with a tag of these frames, followed by zeros.
  private static func movie(_ frames: [UInt8], padding: Int = 40, version: UInt8 = 4) -> TestMovie {
    TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"])
      $0.movieAtoms = fullAtom("meta") {
        TestMovie.handler("ID32")
        fullAtom("ID32") {
          let size = frames.count + padding
          u16(0x55C4) + text("ID3") + [version, 0, 0, 0, 0, UInt8(size >> 7), UInt8(size & 0x7F)] + frames
            + zeros(padding)
        }
      }
    }
  }

  private static let allowed = AllowedChanges().with {
    let paths: Set<String> = ["moov/meta/ID32", "moov/udta/Xtra", "moov/udta", "moov/meta"]
    ($0.changedAtoms, $0.addedAtoms, $0.removedAtoms) = (paths, paths, paths)
  }

  private func input(_ identifier: String, _ text: String, language: String? = nil, type: UInt32? = nil) throws
    -> MetadataInput
  {
    var input = try #require(MetadataInput(identifier, text, language: language.flatMap { LanguageTag($0) }))
    input.typeCode = type
    return input
  }

  /// Returns the movie's tag after a change, in a new file and in place.
  private func tag(_ movie: TestMovie, _ change: (inout MovieEdit) throws -> Void) throws -> [UInt8] {
    let edited = try movie.edited(allowing: Self.allowed, change)
    let tags = try edited.map { edited in
      let tree = edited.tree
      let atom = try #require((tree.root..<tree[tree.root].subtreeEnd).first { tree[$0].type == "ID32" })
      return tree.payload(of: atom).dropFirst(6).array
    }
    #expect(tags[0] == tags[1])
    return tags[0]
  }

  @Test func changesOneFrameOfATag() throws {
    let first = Self.frame("TIT2", [3] + text("Old"), flags: 0x4000)
    // A compressed frame, private data, and a frame in UTF-16.
    let others =
      Self.frame("TALB", [9, 9, 9], flags: 0x0008) + Self.frame("PRIV", text("owner") + [0, 1, 2, 3])
      + Self.frame("TPE1", [1, 0xFE, 0xFF, 0, 0x41])
    let movie = Self.movie(first + others)
    let title = try input("id3/TIT2", "Längerer Titel")
    let old = try tag(movie) { _ in }
    let new = try tag(movie) { try $0.setMetadata(title) }
    // The frame stays in UTF-8, and the tag keeps its size by using the zeros at its end.
    let changed = Self.frame("TIT2", [3] + text("Längerer Titel"), flags: 0x4000)
    let head: [UInt8] = Array(old.prefix(10))
    #expect(new == head + changed + others + zeros(40 - (changed.count - first.count)))
    // A longer frame enlarges the tag.
    let long = try input("id3/TPE1", String(repeating: "A", count: 200))
    let longer = try tag(movie) { try $0.setMetadata(long) }
    #expect(longer.count == 10 + first.count + others.count - 5 + 3 + 400)
    #expect(Array(longer[6..<10]) == [0, 0, UInt8((longer.count - 10) >> 7), UInt8((longer.count - 10) & 0x7F)])
  }

  @Test(arguments: [3, 4] as [UInt8])
  func writesFramesThatMutagenReads(_ version: UInt8) throws {
    let comment = Self.frame("COMM", [0] + text("eng") + text("iTunNORM") + [0] + text("0001"))
    let own = Self.frame("TXXX", [0] + text("key") + [0] + text("old"))
    let movie = Self.movie(Self.frame("TIT2", [0] + text("Old")) + comment + own, version: version)
    let facts = try [
      input("id3/TIT2", "Grüße ☃"), input("common/comment", "Bemerkung"), input("id3/TXXX", "new ☃"),
      input("id3/WOAR", "https://example.org/"), input("id3/TPE2", "Band"), input("id3/USLT", "la", language: "de"),
    ]
    let picture = try MetadataInput(#require(MetadataIdentifier("id3/APIC")), .data(Bytes([0xFF, 0xD8, 0xFF, 1, 2])))
    let bytes = try tag(movie) { edit in
      for fact in facts where fact.identifier.space != .common { try edit.setMetadata(fact) }
      try edit.addMetadata(input("id3/COMM", "Bemerkung"))
      try edit.setMetadata(picture)
    }
    let folder = try TemporaryFolder()
    let file = try folder.write(bytes, as: "tag.mp3")
    let script = """
      import sys, mutagen.id3
      tags = mutagen.id3.ID3(sys.argv[1], translate=False)
      for key in sorted(tags):
        print(key, tags[key].data.hex() if key.startswith("APIC") else tags[key])
      """
    let python = try Witness.require("python3")
    guard try python.run(["-c", "import mutagen"]).code == 0 else {
      _ = try Witness.require("mutagen")
      return
    }
    let result = try python.run(["-c", script, file])
    #expect(
      result.outputText.split(separator: "\n") == [
        "APIC: ffd8ff0102", "COMM::XXX Bemerkung", "COMM:iTunNORM:eng 0001", "TIT2 Grüße ☃", "TPE2 Band",
        "TXXX:key new ☃", "USLT::deu la", "WOAR:https://example.org/ https://example.org/",
      ], "\(result.errorText)")
  }

  @Test func keepsCommentsOfPrograms() throws {
    let noted = Self.frame("COMM", [0] + text("eng") + text("iTunNORM") + [0] + text("0001"))
    let plain = Self.frame("COMM", [0] + text("eng") + [0] + text("Old"))
    let comment = try input("common/comment", "New", language: "en")
    let new = try tag(Self.movie(noted + plain).with { $0.userData = TestMovie.iTunes([]) }) {
      try $0.setMetadata(comment, isExact: false)
    }
    #expect(Array(new[10..<10 + noted.count]) == noted)
    let changed = Self.frame("COMM", [0] + text("eng") + [0] + text("New"))
    #expect(Array(new[(10 + noted.count)...].prefix(changed.count)) == changed)
  }

  @Test func distinguishesFramesByDescription() throws {
    func own(_ name: String) -> [UInt8] { Self.frame("TXXX", [0] + text(name) + [0] + text("old")) }
    var edit = try MovieEdit(of: Self.movie(own("a") + own("b")).source)
    let fact = try input("id3/TXXX", "new")
    let error = #expect(throws: MovieError.self) { try edit.setMetadata(fact) }
    #expect(error?.reason.contains("import") == true && edit.isEmpty)
    // A new frame has no description yet.
    var other = try MovieEdit(of: Self.movie(Self.frame("TIT2", [0, 65])).source)
    #expect(throws: MovieError.self) { try other.setMetadata(fact) }
  }

  @Test func createsATagWithoutAnExistingOne() throws {
    let movie = TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["3gp5", "3gp5"]) }
    let title = try input("id3/TIT2", "Neu", language: "de")
    let bytes = try tag(movie) { try $0.setMetadata(title) }
    #expect(bytes == text("ID3") + [4, 0, 0, 0, 0, 0, 14] + code("TIT2") + u32(4) + u16(0) + [0] + text("Neu"))
    var edit = try MovieEdit(of: movie.with { $0.movieAtoms = TestMovie.keyed([("com.example.id", "7")]) }.source)
    #expect(throws: MovieError.self) { try edit.setMetadata(title) }
  }

  @Test func changesWindowsItemsIndividually() throws {
    func item(_ name: String, _ values: [(Int, [UInt8])]) -> [UInt8] {
      let all = values.flatMap { u32($1.count + 6) + u16($0) + $1 }
      return u32(12 + name.utf8.count + all.count) + u32(name.utf8.count) + text(name) + u32(values.count) + all
    }
    func utf16(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + [0, 0] }
    let rating = item("WM/SharedUserRating", [(0x13, [50] + zeros(7))])
    let others = item("WM/Other", [(0x99, [1, 2, 3]), (8, utf16("x"))])
    let identifier = item("WM/MediaClassPrimaryID", [(0x48, Array(1...16))])
    let movie = TestMovie.simple.with { $0.userData = atom("Xtra") { rating + others + identifier } }
    let facts = try [
      input("xtra/WM/SharedUserRating", "75"), input("xtra/WM/Category", "Grün"),
      input("xtra/WM/MediaClassPrimaryID", "d1607dbc-e323-4be2-86a1-48a42a28441e"),
      input("xtra/WM/EncodingTime", "1970-01-02T01:00:00+01:00", type: 21),
    ]
    for edited in try movie.edited(
      allowing: Self.allowed, { edit in for fact in facts { try edit.setMetadata(fact) } })
    {
      let tree = edited.tree
      let xtra = try #require((tree.root..<tree[tree.root].subtreeEnd).first { tree[$0].type == "Xtra" })
      let guid: [UInt8] = [
        0xBC, 0x7D, 0x60, 0xD1, 0x23, 0xE3, 0xE2, 0x4B, 0x86, 0xA1, 0x48, 0xA4, 0x2A, 0x28, 0x44, 0x1E,
      ]
      let time = UInt64((11_644_473_600 + 86_400) * 10_000_000)
      #expect(
        tree.payload(of: xtra).array == item("WM/SharedUserRating", [(0x13, [75] + zeros(7))]) + others
          + item("WM/MediaClassPrimaryID", [(0x48, guid)]) + item("WM/Category", [(8, utf16("Grün"))])
          + item("WM/EncodingTime", [(0x15, u64(time).reversed())]))
      #expect(edited.metadata.first { $0.identifier.key == "WM/EncodingTime" }?.dateValue?.day == 2)
      #expect(
        edited.metadata.first { $0.identifier.key == "WM/MediaClassPrimaryID" }?.stringValue
          == "D1607DBC-E323-4BE2-86A1-48A42A28441E")
    }
    var edit = try MovieEdit(of: movie.source)
    for (name, value) in [("WM/SharedUserRating", "many"), ("WM/MediaClassPrimaryID", "1234")] {
      let fact = try input("xtra/" + name, value)
      #expect(throws: MovieError.self) { try edit.setMetadata(fact) }
    }
  }
}

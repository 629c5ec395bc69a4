import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

/// Free space that a rewrite leaves for later edits of metadata.
struct MetadataRoomTests {
  /// Returns a fast-start movie whose movie atom is larger than the space that a rewrite leaves after it.
  private static func movie(_ change: (inout TestMovie) -> Void = { _ in }) -> TestMovie {
    TestMovie.simple.with {
      $0.layout = .movieFirst
      ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"])
      $0.tracks[0].trackAtoms = atom("XYZW") { [UInt8](repeating: 0x5A, count: 300_000) }
      change(&$0)
    }
  }

  private func set(
    _ title: String, _ fact: String = "common/title", in path: String, padding: UInt32? = nil
  ) throws -> MovieFileWriter {
    let source = try FileSource(path: path)
    var edit = try MovieEdit(of: source)
    try edit.setMetadata(#require(MetadataInput(fact, title)))
    var layout = OutputLayout()
    layout.paddingByteCount = padding
    let writer = try MovieFileWriter(edit, to: .sourceFile(path), layout)
    try writer.write()
    return writer
  }

  /// Returns the sizes of free space inside the movie atom, by path.
  private func spaces(_ path: String) throws -> [String: Int] {
    let tree = try Movie(of: FileSource(path: path)).tree
    let spaces = (0..<tree[tree.root].subtreeEnd).filter { FreeSpace.isSpace($0, in: tree) }
    return Dictionary(spaces.map { (tree.path(of: $0), tree[$0].byteCount) }) { $0 + $1 }
  }

  @Test(
    arguments: [
      ("common/title", nil, ["moov/udta/meta/free": 1024]),
      ("common/title", TestMovie.iTunes(atom("tmpo") { TestMovie.data(21, u16(120)) }), ["moov/udta/meta/free": 1024]),
      ("mdta/com.example.id", nil, ["moov/meta/free": 1024]),
      ("uiso/titl", atom("auth") { zeros(4) + u16(0x55C4) + text("A") + [0] }, ["moov/free": 1024]),
    ] as [(String, [UInt8]?, [String: Int])])
  func rewritesOnlyForTheFirstOfThreeEdits(_ fact: String, _ userData: [UInt8]?, _ expected: [String: Int]) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.movie { $0.userData = userData }.bytes(), as: "film.mp4")
    let first = try set("One", fact, in: path)
    #expect(first.strategy != .inPlace)
    #expect(try spaces(path) == expected)
    for title in ["Two of them", "3", "The fourth, which is longer than the others are"] {
      let writer = try set(title, fact, in: path)
      #expect(writer.strategy == .inPlace && writer.byteCountToWrite < 1200)
      #expect(try Movie(of: FileSource(path: path)).metadata.contains { $0.stringValue == title })
    }
  }

  @Test func placesSmallPaddingBesideTheMetadata() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.movie().bytes(), as: "film.mp4")
    _ = try set("One", in: path, padding: 64 << 10)
    #expect(try spaces(path) == ["moov/udta/meta/free": 64 << 10])
    let long = try set(String(repeating: "long ", count: 1000), in: path)
    #expect(long.strategy == .inPlace && long.byteCountToWrite < 12_000)
    // Padding for a whole movie atom is placed after it.
    let other = try folder.write(Self.movie().bytes(), as: "other.mp4")
    _ = try set("One", in: other, padding: 1 << 20)
    #expect(
      try Movie(of: FileSource(path: other)).layout.atoms.contains { $0.type == "free" && $0.range.count == 1 << 20 })
  }

  @Test func addsNoSpaceToNewFilesAndEditsInPlace() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.movie().bytes(), as: "film.mp4")
    _ = try set("One", in: path, padding: 0)
    #expect(try spaces(path) == [:])
    let last = try folder.write(Self.movie { $0.layout = .movieLast }.bytes(), as: "last.mp4")
    #expect(try set("One", in: last).strategy == .inPlace)
    let source = try FileSource(path: path)
    var edit = try MovieEdit(of: source)
    try edit.setMetadata(#require(MetadataInput("common/title", "Two")))
    let new = folder.path + "/new.mp4"
    try MovieFileWriter(edit, to: .newFile(new, overwrites: false, synchronizes: false)).write()
    #expect(try spaces(new) == [:])
  }

  @Test func replacesSmallFreeSpaceAndKeepsOtherData() throws {
    let folder = try TemporaryFolder()
    let tempo = atom("tmpo") { TestMovie.data(21, u16(120)) }
    for (space, isKept) in [(zeros(20), false), ([7] + zeros(19), true)] {
      let path = try folder.write(
        Self.movie { $0.userData = TestMovie.iTunes(tempo, space: space) }.bytes(), as: "f.mp4")
      _ = try set(String(repeating: "x", count: 80), in: path)
      #expect(try spaces(path).values.reduce(0, +) == (isKept ? 1024 + 28 : 1024))
    }
  }

  @Test func detectsUnrequestedSpace() throws {
    let movie = Self.movie { $0.userData = TestMovie.iTunes(atom("tmpo") { TestMovie.data(21, u16(120)) }) }
    let old = try Movie(of: movie.source).tree
    var edits = AtomEdits()
    MetadataRoom(2000).add(to: &edits, in: old, from: old)
    var writer = ByteWriter()
    edits.draft(of: old).write(to: &writer)
    func check(_ bytes: [UInt8], _ room: MetadataRoom?) throws {
      let policy = room.map { AtomChangePolicy.room($0) } ?? AtomChangePolicy()
      try policy.check(.init(old), .init(AtomTree(Bytes(bytes), at: 0)))
    }
    #expect(throws: Never.self) { try check(writer.bytes, MetadataRoom(2000)) }
    #expect(throws: MovieError.self) { try check(writer.bytes, nil) }
    #expect(throws: MovieError.self) { try check(writer.bytes, MetadataRoom(2001)) }
    var used = writer.bytes
    used[used.count - 1] = 1
    #expect(throws: MovieError.self) { try check(used, MetadataRoom(2000)) }
  }
}

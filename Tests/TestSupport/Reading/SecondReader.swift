/// A reader of movies that shares nothing with the libraries: an independent witness of what is in a file.
///
/// It reads whole movies, fragmented ones too, expands every table plainly, and believes that memory is large.
///
///     let reader = try SecondReader(path: "film.mov")
///     for track in reader.tracks { print(track.id, track.handler, track.samples.count) }
package struct SecondReader: Sendable {
  /// Where the bytes are.
  package let store: ByteStore
  /// The file as an atom without a header.
  package let root: ReadAtom
  /// The tracks of the first `moov`, in its order; none when there is no `moov`.
  package let tracks: [ReadTrack]

  /// Throws when the bytes cannot be read or a track makes no sense.
  package init(_ store: ByteStore) throws {
    self.store = store
    root = try AtomScanner(store: store).file()
    let traks = root.child("moov")?.children.filter { $0.type == "trak" } ?? []
    let tracks = try traks.map { try ReadTrack($0, store) }
    self.tracks = try FragmentExpansion(store: store, root: root).added(to: tracks)
  }

  package init(_ bytes: [UInt8]) throws {
    try self.init(ByteStore(bytes))
  }

  package init(path: String) throws {
    try self.init(ByteStore(path: path))
  }

  /// An open file, which stays open.
  package init(descriptor: Int32) throws {
    try self.init(ByteStore(descriptor: descriptor))
  }

  /// The atoms at the top level, in order.
  package var topLevel: [ReadAtom] { root.children }
  /// The bytes after the last atom that are not an atom.
  package var trailingBytes: [UInt8] {
    get throws { try store.read(root.tail.lowerBound, root.tail.count) }
  }
  /// Every atom at every depth, as they come in the file.
  package var atoms: [ReadAtom] { Array(root.flattened.dropFirst()) }

  /// The first atom with a path such as `moov/trak#2/mdia/mdhd`.
  package func atom(_ path: String) -> ReadAtom? {
    atoms.first { $0.path == path }
  }

  /// All bytes of an atom, header included.
  package func bytes(of atom: ReadAtom) throws -> [UInt8] {
    try store.read(atom.offset, Int(atom.byteCount))
  }

  /// The bytes of an atom after its header.
  package func content(of atom: ReadAtom) throws -> [UInt8] {
    try store.read(atom.contentOffset, Int(atom.byteCount) - atom.headerByteCount)
  }

  /// Whether samples lie in fragments, or may.
  package var isFragmented: Bool {
    root.child("moof") != nil || root.child("moov")?.child("mvex") != nil
  }

  /// The track with an ID.
  package func track(_ id: UInt32) -> ReadTrack? {
    tracks.first { $0.id == id }
  }

  /// The bytes of a sample.
  package func bytes(of sample: ReadSample) throws -> [UInt8] {
    try store.read(sample.offset, sample.byteCount)
  }
}

/// A reader of movies that shares no code with the libraries: an independent witness of a file's contents.
///
/// It reads whole movies, including fragmented ones, and expands every table without regard to memory.
///
///     let reader = try SecondReader(path: "film.mov")
///     for track in reader.tracks { print(track.id, track.handler, track.samples.count) }
package struct SecondReader: Sendable {
  /// The bytes of the file.
  package let store: ByteStore
  /// The file as an atom without a header.
  package let root: ReadAtom
  /// The tracks of the first `moov` in order; empty if there is no `moov`.
  package let tracks: [ReadTrack]

  /// Throws if the bytes cannot be read or a track is inconsistent.
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

  /// Uses an open file without closing it.
  package init(descriptor: Int32) throws {
    try self.init(ByteStore(descriptor: descriptor))
  }

  /// The top-level atoms, in order.
  package var topLevel: [ReadAtom] { root.children }
  /// The bytes after the last atom that do not form an atom.
  package var trailingBytes: [UInt8] {
    get throws { try store.read(root.tail.lowerBound, root.tail.count) }
  }
  /// All atoms at every depth, in file order.
  package var atoms: [ReadAtom] { Array(root.flattened.dropFirst()) }

  /// Returns the first atom at a path such as `moov/trak#2/mdia/mdhd`.
  package func atom(_ path: String) -> ReadAtom? {
    atoms.first { $0.path == path }
  }

  /// Returns the bytes of an atom, including the header.
  package func bytes(of atom: ReadAtom) throws -> [UInt8] {
    try store.read(atom.offset, Int(atom.byteCount))
  }

  /// Returns the bytes of an atom after its header.
  package func content(of atom: ReadAtom) throws -> [UInt8] {
    try store.read(atom.contentOffset, Int(atom.byteCount) - atom.headerByteCount)
  }

  /// Whether the movie has fragments, or declares that it may have some.
  package var isFragmented: Bool {
    root.child("moof") != nil || root.child("moov")?.child("mvex") != nil
  }

  /// Returns the track with an ID.
  package func track(_ id: UInt32) -> ReadTrack? {
    tracks.first { $0.id == id }
  }

  /// Returns the bytes of a sample.
  package func bytes(of sample: ReadSample) throws -> [UInt8] {
    try store.read(sample.offset, sample.byteCount)
  }
}

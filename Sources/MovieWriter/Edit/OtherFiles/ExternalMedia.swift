import MovieBox

/// The media that an edit copies from files other than the movie's own file.
struct MediaOfOtherFiles: Sendable {
  /// The files, in the order in which they follow the movie's own file in the joined source.
  var files: [OtherFile] = []
  /// The media in other files that becomes part of the movie, by the ID of the kept track that refers to it.
  var external: [UInt32: ExternalMedia] = [:]
}

/// A data reference of a track to another file that contains samples of the track.
struct ExternalReference: Hashable, Sendable {
  /// The ID of the track.
  let trackID: UInt32
  /// The index of the reference in `dref`, from 0.
  let index: Int
  /// The entry of `dref`.
  let entry: DataReference.Entry
  /// The path of the entry's atom, for error messages.
  let path: String
  /// The file offset of the entry's atom.
  let offset: UInt64
}

/// A file that contains samples. The caller opened it because a data reference refers to it.
struct ExternalFile: Sendable {
  /// The name that identifies the file. Two references with the same name refer to one file.
  let name: String
  /// The bytes of the file.
  let source: any RandomAccessSource
}

/// The location of a track's media that an edit copies from other files.
struct ExternalMedia: Hashable, Sendable {
  /// The number of the file in the joined source, by the index of the reference in `dref`. References without samples
  /// are omitted.
  var parts: [Int: Int] = [:]
}

/// The files that contain the chunks of one track, by their numbers in a joined source. File 0 is the movie's own file.
struct ChunkOrigins {
  /// The file with the samples of each sample description, or `nil` for a file that is not in the source.
  private let parts: [Int?]
  /// The file with the chunks that have no valid sample description.
  private let defaultPart: Int

  /// Creates the origins of a track's chunks, before or after the edit.
  ///
  /// - Parameter external: the media that is copied from other files, or `nil` if no media is copied.
  init(_ track: Track, _ external: ExternalMedia?) {
    defaultPart = 0
    parts = zip(track.sampleDescriptions.entries, track.externalDescriptions).map { entry, isExternal in
      let reference = Int(entry.dataReferenceIndex) - 1  // Stored indices begin at 1.
      return external?.parts[reference] ?? (isExternal ? nil : 0)
    }
  }

  /// Creates the origins of an imported track whose samples are all in one file.
  init(allIn part: Int) {
    parts = []
    defaultPart = part
  }

  /// Returns the number of the file with the bytes of a chunk, or `nil` if the file is not in the source.
  func part(of chunk: Chunk) -> Int? { part(ofDescription: Int(chunk.sampleDescriptionIndex) - 1) }

  /// Returns the number of the file with the samples of a sample description, or `nil` if the file is not in the
  /// source. Indices of descriptions count from 0.
  func part(ofDescription description: Int) -> Int? {
    parts.indices.contains(description) ? parts[description] : defaultPart
  }

  /// The numbers of the files other than the movie's own file.
  var otherParts: Set<Int> { Set(parts.compactMap { $0 }).subtracting([0]) }
}

extension ChunkOrigins {
  /// Returns the offset in a source at which each of these files begins.
  func bases(in source: SourceIdentity) -> ChunkBases {
    ChunkBases(
      offsetsByDescription: parts.map { $0.flatMap { source.range(ofPart: $0)?.offset } },
      other: source.range(ofPart: defaultPart)?.offset)
  }
}

/// The offset, in a joined source, of the file that contains each chunk of one track.
struct ChunkBases {
  fileprivate let offsetsByDescription: [UInt64?]
  fileprivate let other: UInt64?

  /// The offset of the file that contains all chunks, or `nil` if the chunks are in several files or in a file outside
  /// the source.
  var common: UInt64? { offsetsByDescription.allSatisfy { $0 == other } ? other : nil }

  /// The offset of the file that contains a chunk, or `nil` if the file is outside the source.
  subscript(chunk: Chunk) -> UInt64? {
    let description = Int(chunk.sampleDescriptionIndex) - 1  // Stored indices begin at 1.
    return offsetsByDescription.indices.contains(description) ? offsetsByDescription[description] : other
  }
}

extension Movie {
  /// Returns the data references of a track to other files that contain samples.
  func externalReferences(of track: Track) -> [ExternalReference] {
    guard let entries = track.dataReferences?.entries, track.hasExternalMedia,
      let dref = tree.descendant(of: track.atom, "mdia", "minf", "dinf", "dref")
    else { return [] }
    let locator = ChunkLocator(track)
    var descriptions: Set<UInt32> = []
    for chunk in track.samples.chunks where chunk.byteCount > 0 && locator.isExternal(chunk) {
      descriptions.insert(chunk.sampleDescriptionIndex)
    }
    let usedReferences = Set(
      descriptions.map { Int(track.sampleDescriptions.entries[Int($0) - 1].dataReferenceIndex) - 1 })
    let atoms = Array(tree.children(of: dref))
    return usedReferences.sorted().map { index in
      let atom = atoms.indices.contains(index) ? atoms[index] : dref
      return ExternalReference(
        trackID: track.id, index: index, entry: entries[index], path: tree.path(of: atom),
        offset: tree.range(of: atom).offset)
    }
  }

  /// Returns the data references of a track with their atoms.
  func dataReferenceAtoms(of track: Track) throws(MovieError) -> [(DataReference.Entry, Int)] {
    guard let entries = track.dataReferences?.entries,
      let dref = tree.descendant(of: track.atom, "mdia", "minf", "dinf", "dref")
    else { return [] }
    let atoms = Array(tree.children(of: dref))
    guard atoms.count == entries.count else {
      throw tree.error(.malformed, at: dref, "has \(entries.count) references and \(atoms.count) atoms")
    }
    return Array(zip(entries, atoms))
  }
}

extension Track {
  /// Returns the number of sample bytes that are copied from other files.
  func externalByteCount(_ external: ExternalMedia) -> UInt64 {
    let origins = ChunkOrigins(self, external)
    let locator = ChunkLocator(self)
    return samples.chunks.reduce(0) { sum, chunk in
      origins.part(of: chunk) ?? 0 == 0 ? sum : sum.addingClamped(locator.byteRange(of: chunk)?.count ?? 0)
    }
  }
}

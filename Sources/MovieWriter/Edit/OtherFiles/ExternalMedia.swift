package import MovieBox

/// A data reference of a track that leads to another file, where samples of the track lie.
package struct ExternalReference: Hashable, Sendable {
  /// The track.
  package let trackID: UInt32
  /// The reference's place in `dref`, counted from 0.
  package let index: Int
  /// What it says.
  package let entry: DataReference.Entry
  /// The path of its atom in the movie, for errors.
  package let path: String
  /// Where the atom begins in the file.
  package let offset: UInt64
}

/// A file that samples lie in, opened by whoever followed a reference to it.
package struct ExternalFile: Sendable {
  /// The name that distinguishes it from others: files of one name are one file.
  package let name: String
  /// Its bytes.
  package let source: any RandomAccessSource

  /// A file of this name.
  package init(name: String, source: any RandomAccessSource) {
    self.name = name
    self.source = source
  }
}

/// Where the media of a track lies that is taken along from other files.
struct ExternalMedia: Hashable, Sendable {
  /// The part of the source, by the place of the reference in `dref`; references that no sample uses have none.
  var parts: [Int: Int] = [:]
}

/// Tells for the chunks of one track in which part of a source they lie.
struct ChunkOrigins {
  /// By sample description; `nil` for another file that is not taken along.
  private let parts: [Int?]
  /// For chunks whose description is missing.
  private let other: Int

  /// The origins of a track whose media in other files is at `external`; without it that stays where it is. The track
  /// is as it was, or as it will be, with references that no longer lead to the other files.
  init(_ track: Track, _ external: ExternalMedia?) {
    other = 0
    parts = zip(track.sampleDescriptions.entries, track.externalDescriptions).map { entry, isExternal in
      let reference = Int(entry.dataReferenceIndex) - 1  // Stored from 1.
      return external?.parts[reference] ?? (isExternal ? nil : 0)
    }
  }

  /// The origins of a track that is from another movie, with all its samples in one part.
  init(allIn part: Int) {
    parts = []
    other = part
  }

  /// The part with the bytes of a chunk, 0 for the movie's own file; `nil` where no part has them.
  func part(of chunk: Chunk) -> Int? { part(ofDescription: Int(chunk.sampleDescriptionIndex) - 1) }

  /// The same by the number of a sample description, counted from 0.
  func part(ofDescription description: Int) -> Int? {
    parts.indices.contains(description) ? parts[description] : other
  }

  /// The parts of other files.
  var others: Set<Int> { Set(parts.compactMap { $0 }).subtracting([0]) }
}

extension ChunkOrigins {
  /// The same with the place at which each part begins in a source.
  func bases(in source: SourceIdentity) -> ChunkBases {
    ChunkBases(
      byDescription: parts.map { $0.flatMap { source.range(ofPart: $0)?.offset } },
      other: source.range(ofPart: other)?.offset)
  }
}

/// Tells for the chunks of one track where their file begins in a joined source.
struct ChunkBases {
  fileprivate let byDescription: [UInt64?]
  fileprivate let other: UInt64?

  /// Where the file of all chunks begins; `nil` where they lie in several, or in one that is not a part of the source.
  var common: UInt64? { byDescription.allSatisfy { $0 == other } ? other : nil }

  /// Where the file of a chunk begins; `nil` for another file that is not a part of the source.
  subscript(chunk: Chunk) -> UInt64? {
    let description = Int(chunk.sampleDescriptionIndex) - 1  // Stored from 1.
    return byDescription.indices.contains(description) ? byDescription[description] : other
  }
}

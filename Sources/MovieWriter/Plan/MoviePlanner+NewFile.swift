import MovieBox

extension MoviePlanner {
  /// A part of the new file.
  private enum Part {
    case kept(FileLayout.TopLevelAtom)
    case movie
    case newMedia
    case bytes(ByteRange)
  }

  /// The plan of a new file: every atom in its old order and place, `moov` before all others but `ftyp` when
  /// `fastStart` says so and media stands before it. New samples lie in one run next to `moov`, on its far side from the end of the file.
  func newFilePlan(fastStart: Bool) throws -> RemuxPlan {
    let media = try mediaAtom()
    let parts = parts(fastStart: fastStart)
    var wideTracks: Set<Int> = []
    while true {
      var writer = ByteWriter()
      let range = try writeMovie(to: &writer, wideTracks: wideTracks)
      var buffer = writer.take()
      let skeleton = try plan(parts, movie: .zeros(UInt64(range.count)), media: .zeros(UInt64(media.count)))
      let mediaOffset = skeleton.newMediaOffset &+ UInt64(Self.mediaHeaderByteCount)
      let tooNarrow = try relocate(&buffer, range, by: skeleton.plan, newMediaOffset: mediaOffset)
      if tooNarrow.isEmpty {
        return try plan(parts, movie: .generated(Bytes(buffer)), media: .generated(Bytes(media)), moved: skeleton.plan)
          .plan
      }
      guard !tooNarrow.isSubset(of: wideTracks) else {
        throw MovieError(.unsupported, in: "moov", "a table of 32-bit positions cannot be widened")
      }
      wideTracks.formUnion(tooNarrow)
    }
  }

  private func parts(fastStart: Bool) -> [Part] {
    let movieRange = movie.movieAtom.range
    let moves = fastStart && hasMediaBeforeMovie
    var parts: [Part] = []
    for atom in layout.atoms where !revision.leavesOut(atom) {
      if atom.range == movieRange {
        if !moves { parts.append(.movie) }
      } else {
        parts.append(.kept(atom))
      }
    }
    if let trailing = layout.trailing { parts.append(.bytes(trailing)) }
    if moves {
      var position = 0
      if case .kept(let first)? = parts.first, first.type == "ftyp" { position = 1 }
      parts.insert(.movie, at: position)
    }
    guard !revision.newMedia.isEmpty else { return parts }
    let moviePosition = parts.firstIndex { if case .movie = $0 { true } else { false } } ?? parts.startIndex
    let mediaFollows = parts[moviePosition...].contains {
      if case .kept(let atom) = $0 { atom.type == "mdat" } else { false }
    }
    parts.insert(.newMedia, at: mediaFollows ? moviePosition + 1 : moviePosition)
    return parts
  }

  /// Whether the movie header must move to come before the media; where it does already, the order stays.
  private var hasMediaBeforeMovie: Bool {
    let start = movie.movieAtom.range.offset
    if layout.atoms.contains(where: { $0.type == "mdat" && $0.range.offset < start }) { return true }
    return movie.tracks.contains { track in
      guard track.samples.chunkOffsets.contains(where: { $0 < start }) else { return false }  // Quicker than chunks.
      let locator = ChunkLocator(track)
      return track.samples.chunks.contains { $0.byteCount > 0 && $0.offset < start && !locator.isExternal($0) }
    }
  }

  /// The plan of the parts; `moved` is the plan by which positions in file-level atoms are moved, in a second round.
  private func plan(
    _ parts: [Part], movie: RemuxPlan.Content, media: RemuxPlan.Content, moved: RemuxPlan? = nil
  ) throws -> (plan: RemuxPlan, newMediaOffset: UInt64) {
    var contents: [RemuxPlan.Content] = []
    var newMediaOffset: UInt64 = 0
    for part in parts {
      switch part {
      case .movie: contents.append(movie)
      case .newMedia:
        newMediaOffset = contents.reduce(0) { $0 &+ $1.byteCount }  // The plan checks the sum.
        contents.append(media)
      case .bytes(let range): contents.append(.source(range))
      case .kept(let atom):
        if let moved, let bytes = try relocatedFileMetadata(atom, by: moved) {
          contents.append(.generated(Bytes(bytes)))
        } else if atom.sizeField == .toEndOfFile {
          contents.append(.generated(Bytes(Self.header(of: atom))))
          contents.append(.source(atom.payloadRange))
        } else {
          contents.append(.source(atom.range))
        }
      }
    }
    return (try RemuxPlan(of: layout.identity, contents), newMediaOffset)
  }

  /// The header, with its real size, of an atom that ends where the file does.
  private static func header(of atom: FileLayout.TopLevelAtom) -> [UInt8] {
    var writer = ByteWriter()
    if let size = UInt32(exactly: atom.range.count) {
      writer.write(size)
      writer.write(atom.type)
    } else {
      writer.write(UInt32(1))
      writer.write(atom.type)
      writer.write(atom.payloadRange.count &+ 16)  // A size that the file has, and 16.
    }
    return writer.bytes
  }
}

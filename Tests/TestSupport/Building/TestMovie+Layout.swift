extension TestMovie {
  /// Lays the file out in two passes: the first determines all positions, the second writes them.
  package func build() -> BuiltMovie {
    let media = media()
    let shares = mediaShares().map { blocks in blocks.map { ($0, media[$0] ?? []) } }
    var places = MediaPlaces()
    lay(shares, &places, into: nil)
    var built = BuiltMovie()
    var again = places
    lay(shares, &again, into: { built.append($0) }, { built.skip($0) })
    for track in tracks {
      built.chunkOffsets[track.id] = track.chunks.indices.map {
        track.externalOffset(ofChunk: $0) ?? places[.chunk(track: track.id, index: $0)]
      }
    }
    return built
  }

  /// Makes a pass over the pieces with the positions known so far. The sizes of atoms do not depend on positions.
  private func lay(
    _ shares: [[(MediaBlock, [UInt8])]], _ places: inout MediaPlaces, into write: (([UInt8]) -> Void)?,
    _ skip: (UInt64) -> Void = { _ in }
  ) {
    let known = places
    var position: UInt64 = 0
    var share = 0
    func put(_ bytes: [UInt8]) {
      write?(bytes)
      position += UInt64(bytes.count)
    }
    for piece in layout {
      switch piece {
      case .fileType: put(ftyp())
      case .wide: put(atom("wide"))
      case .free(let byteCount): put(atom("free") { zeros(byteCount - 8) })
      case .movie(let form): put(moov(form, known))
      case .itemTable:
        put(itemMeta(dialect, position: known[.fileItem], byteCount: fileItem?.count ?? 0, usesBase: false))
      case .bytes(let bytes): put(bytes)
      case .hole(let byteCount):
        put(atomHeader(code("free"), payloadByteCount: byteCount, claiming: nil, .extended))
        skip(byteCount)
        position += byteCount
      case .mediaHole(let byteCount):
        put(atomHeader(code("mdat"), payloadByteCount: byteCount, claiming: nil, .extended))
        skip(byteCount)
        position += byteCount
      case .media(let form):
        let blocks = shares[share]
        put(
          atomHeader(code("mdat"), payloadByteCount: blocks.reduce(0) { $0 + UInt64($1.1.count) }, claiming: nil, form))
        for (block, bytes) in blocks {
          places.positions[block] = position
          put(bytes)
        }
        share += 1
      }
    }
  }

  /// Returns the blocks of each `mdat`, with chunks ordered by their start time.
  private func mediaShares() -> [[MediaBlock]] {
    var timed: [(microseconds: Int, block: MediaBlock)] = []
    for track in tracks {
      var ticks = 0
      for (index, chunk) in track.chunks.enumerated() {
        if track.externalOffset(ofChunk: index) == nil {
          timed.append(
            (storesTrackAfterTrack ? 0 : ticks * 1_000_000 / track.timeScale, .chunk(track: track.id, index: index)))
        }
        ticks += track.samples[chunk].reduce(0) { $0 + $1.duration }
      }
    }
    // The sort is stable: simultaneous chunks keep the order of their tracks.
    var blocks = timed.enumerated().sorted {
      ($0.element.microseconds, $0.offset) < ($1.element.microseconds, $1.offset)
    }
    .map(\.element.block)
    blocks += tracks.filter { $0.auxiliaryByteCount > 0 }.map { .auxiliary(track: $0.id) }
    blocks += tracks.filter { $0.item != nil }.map { .trackItem(track: $0.id) }
    if movieItem != nil { blocks.append(.movieItem) }
    if fileItem != nil { blocks.append(.fileItem) }

    let count = layout.count { if case .media = $0 { true } else { false } }
    precondition(count > 0 || blocks.isEmpty, "the layout has no place for the media")
    let bounds = (0...max(count, 1)).map { blocks.count * $0 / max(count, 1) }
    return (0..<count).map { Array(blocks[bounds[$0]..<bounds[$0 + 1]]) }
  }

  /// Returns the bytes of every block.
  private func media() -> [MediaBlock: [UInt8]] {
    var media: [MediaBlock: [UInt8]] = [.movieItem: movieItem ?? [], .fileItem: fileItem ?? []]
    for track in tracks {
      for (index, chunk) in track.chunks.enumerated() {
        media[.chunk(track: track.id, index: index)] = chunk.flatMap { track.bytes(ofSample: $0) }
      }
      media[.trackItem(track: track.id)] = track.item ?? []
      media[.auxiliary(track: track.id)] = track.samples.indices.flatMap {
        TestSample.pattern(track: track.id, number: $0 + 1_000_001, byteCount: track.auxiliaryByteCount)
      }
    }
    return media
  }
}

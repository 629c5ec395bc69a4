import MovieBox

// The changes that a conversion between QuickTime movies and ISO files may make (QTFF "Movie Atoms", "Track Atoms";
// ISO/IEC 14496-12, 8). ConvertedTrackComparison compares the descriptions of tracks, and ConvertedMetadataComparison
// compares the metadata.
extension AtomChangePolicy {
  /// Returns the changes of a conversion to another type of movie.
  ///
  /// - Parameters:
  ///   - keptTracks: the tracks that the edit keeps. Other tracks are not compared.
  ///   - leftOut: the contents that the conversion reports as dropped.
  static func conversion(
    from old: Movie, to new: Movie, _ type: MovieType, keeping keptTracks: Set<UInt32>, _ leftOut: DroppedContents
  ) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    policy.allow(.frame { isMetadataVersionChange($0, $1, $2, type) }, at: .ending("meta"), in: .anywhere)
    if !type.isQuickTime {
      let end: Allowance = .frame { old, new, isBeforeChildren in
        !isBeforeChildren && old.tree.tail(of: old.index).isZero && new.tree.tail(of: new.index).isEmpty
      }
      policy.allow(end, at: .ending("udta"), in: .anywhere)
      if !isUserDataReadable(old.tree), isUserDataReadable(new.tree) { policy.allow(.move, at: ["udta"], in: .movie) }
      for atom in ["clip", "ctab", "prfl", "rmra", "matt"] as [FourCC] where leftOut.contains(atom, ofTrack: nil) {
        policy.allow(.removal(), at: [atom], in: .movie)
      }
      let header = PayloadChange.anyPayload { atom in
        var header = old.header
        header.predefined = Bytes([UInt8](repeating: 0, count: 24))
        let loses = old.header.predefined.prefix(20).contains { $0 != 0 }
        return header == new.header && (!loses || leftOut.contains("mvhd", ofTrack: nil))
      }
      policy.allow(.change(header), at: ["mvhd"], in: .movie)
    } else {
      policy.allow(.removal(), at: ["udta", "chpl"], in: .movie)  // ConversionCheck compares the chapters.
    }
    if !old.tracks.contains(where: { keptTracks.contains($0.id) && $0.mediaType.rawValue == "hint" }) {
      policy.allow(.removal(), at: ["udta", "hnti"], in: .movie)
    }
    for track in old.tracks {
      if !keptTracks.contains(track.id) {
        policy.allow(.any(), at: ["trak"], in: .track(track.id))
      } else if let converted = new.track(track.id) {
        policy.join(conversion(of: track, in: old, to: converted, in: new, type, leftOut))
      }
    }
    return policy
  }

  /// Returns the changes of one track when its movie is converted to another type.
  private static func conversion(
    of old: Track, in oldMovie: Movie, to new: Track, in newMovie: Movie, _ type: MovieType, _ leftOut: DroppedContents
  ) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    let scope = Scope.track(old.id)
    let isTextRewritten = ConvertedTrackComparison.isTextRewritten(old, new)
    // Sample descriptions and random access tables may change freely, because ConvertedTrackComparison compares them by
    // their meaning.
    policy.allow(.change(.anyPayload(isWhole: true)), at: .sampleTable("stsd"), in: scope)
    policy.allow(.any(), at: .sampleTable("stps"), in: scope)
    policy.allow(
      .any { RandomAccessComparison.isTable($0.index, in: $0.tree) }, at: ["trak", "mdia", "minf", "stbl"],
      ["sbgp", "sgpd"], in: scope)
    if isTextRewritten {
      policy.allow(.change(.anyPayload()), at: ["trak", "mdia", "minf", "stbl"], ["stsz", "stco", "co64"], in: scope)
      policy.allow(.removal(), at: ["trak", "mdia", "minf", "stbl"], ["stsz", "stz2"], in: scope)
      policy.allow(.addition(), at: ["trak", "mdia", "minf", "stbl"], ["stsz", "stz2"], in: scope)
    } else if old.mediaType == .audio {
      policy.allow(.change(.anyPayload()), at: .sampleTable("stsz"), in: scope)
    }
    // The data references point to the movie file. References of rewritten text point to another file, until the edit
    // copies the text into the movie.
    let references = PayloadChange.fields(DataReference.self, "the location of the media", isWhole: true) {
      references, _, _ in
      for index in references.entries.indices {
        references.entries[index] = DataReference.Entry(
          type: type.isQuickTime && !isTextRewritten ? "alis" : "url ", flags: isTextRewritten ? 0 : 1,
          data: isTextRewritten ? Bytes([0]) : Bytes())
      }
    }
    policy.allow(.change(references), at: ["trak", "mdia", "minf", "dinf", "dref"], in: scope)
    // Without a sync sample table, all samples are sync samples. This is correct for text.
    if old.mediaType.isText { policy.allow(.removal(), at: .sampleTable("stss"), in: scope) }
    // Whether a track may contain `gmhd` or `nmhd`. Only tracks of text, captions and metadata may. ConversionCheck
    // compares these headers.
    func hasPlainHeader(_ track: Track) -> Bool {
      let media = track.mediaType.rawValue
      return (["text", "sbtl", "clcp", "meta"] as Set<FourCC>).contains(media) || type.isQuickTime && media == "tmcd"
    }
    if hasPlainHeader(old) { policy.allow(.removal(), at: ["trak", "mdia", "minf"], ["gmhd", "nmhd"], in: scope) }
    if hasPlainHeader(new) { policy.allow(.addition(), at: ["trak", "mdia", "minf"], ["gmhd", "nmhd"], in: scope) }
    // The handler may change its form. ConvertedTrackComparison compares its media type and name.
    policy.allow(
      .change(
        .anyPayload { atom throws(MovieError) in
          isHandler(try atom.new.decode(HandlerReference.self, at: atom.newIndex), of: type)
        }),
      at: ["trak", "mdia", "hdlr"], in: scope)
    let offsets = PayloadChange { atom in Bytes([type.isQuickTime ? 0 : 1] + atom.payload.dropFirst(1).array) }
    policy.allow(.change(offsets), at: .sampleTable("ctts"), in: scope)
    policy.allow(.change(.anyPayload(if: followsEncryptionMoves)), at: .sampleTable("saio"), in: scope)
    let handler = HandlerReference(componentType: "dhlr", handlerType: "alis", nameBytes: Bytes([0])).payloadBytes
    guard !type.isQuickTime else {
      policy.allow(.addition { $0.payload.array == handler }, at: ["trak", "mdia", "minf", "hdlr"], in: scope)
      return policy
    }
    policy.allow(.removal(), at: ["trak", "mdia", "minf", "hdlr"], in: scope)  // It does not describe the track.
    policy.allow(.addition(), at: ["trak", "mdia", "elng"], in: scope)  // ConvertedTrackComparison compares it.
    for atom in ["tapt", "clip", "matt", "load", "imap", "prfl"] as [FourCC]
    where leftOut.contains(atom, ofTrack: old.id) || atom == "tapt" {
      let isListed = leftOut.contains(atom, ofTrack: old.id)
      policy.allow(.removal { isListed || hasOnlyTrackSizes($0, old) }, at: ["trak", atom], in: scope)
    }
    let header = PayloadChange.fields(TrackHeader.self) { header, _, _ in
      if oldMovie.dialect == .quickTime { header.flags &= ~0x8 }  // ISO files use this bit differently.
    }
    policy.allow(.change(header), at: ["trak", "tkhd"], in: scope)
    let media = PayloadChange.fields(MediaHeader.self) { header, new, _ in
      (header.languageCode, header.quality) = (new.languageCode, 0)  // ConvertedTrackComparison compares the language.
    }
    policy.allow(.change(media), at: ["trak", "mdia", "mdhd"], in: scope)
    return policy
  }

  /// Whether all apertures in `tapt` have the size that the track header declares.
  private static func hasOnlyTrackSizes(_ tapt: AtomContext, _ track: Track) -> Bool {
    let apertures = tapt.tree.children(of: tapt.index).map { tapt.tree.payload(of: $0) }
    return !apertures.isEmpty
      && apertures.allSatisfy {
        $0.load(at: 4, as: UInt32.self) == track.header.width && $0.load(at: 8, as: UInt32.self) == track.header.height
      }
  }

  /// Whether a handler has the component type and the form of name that the movie type requires.
  private static func isHandler(_ handler: HandlerReference, of type: MovieType) -> Bool {
    let plainHandler = HandlerReference(
      componentType: type.isQuickTime ? "mhlr" : FourCC(rawValue: 0), handlerType: handler.handlerType,
      nameBytes: handler.nameBytes)
    let name = handler.nameBytes
    let hasForm =
      type.isQuickTime
      ? name.first.map { Int($0) == name.count - 1 } : name.firstIndex(of: 0).map { $0 == name.count - 1 }
    return plainHandler.payloadBytes == handler.payloadBytes && hasForm == true
  }

  /// Whether all positions are correct after the conversion. A position in the movie atom must have moved with the
  /// encryption atom that contains it. All other positions must be unchanged.
  private static func followsEncryptionMoves(_ atom: ChangedAtom) throws(MovieError) -> Bool {
    let before = try atom.old.decode(AuxiliaryInformationOffsets.self, at: atom.oldIndex)
    let after = try atom.new.decode(AuxiliaryInformationOffsets.self, at: atom.newIndex)
    let moves = try EncryptionMoves(from: atom.old, to: atom.new)
    return before.kind == after.kind && before.isWide == after.isWide && before.count == after.count
      && zip(before, after).allSatisfy { (moves.newPosition(of: $0) ?? $0) == $1 }
      && before.payload.count == after.payload.count
  }

  // MARK: - Metadata

  /// Whether only the version and flags of `meta` were added or removed. All ISO files contain them. In QuickTime
  /// movies, only the `meta` of an iTunes item list contains them.
  private static func isMetadataVersionChange(
    _ old: AtomContext, _ new: AtomContext, _ isBeforeChildren: Bool, _ type: MovieType
  ) -> Bool {
    func head(_ place: AtomContext) -> Bytes {
      place.tree.head(of: place.index).dropFirst(place.tree[place.index].headerByteCount)
    }
    let zeros: [UInt8] = [0, 0, 0, 0]
    return isBeforeChildren
      && (type.isQuickTime
        ? head(new).isEmpty && head(old).array == zeros : head(old).isEmpty && head(new).array == zeros)
  }

  /// Whether mutagen, AtomicParsley and FFmpeg find the movie's user data. Mutagen and AtomicParsley skip everything
  /// after a QuickTime `meta`, so user data must precede it. FFmpeg drops the audio priming unless a track precedes the
  /// user data, so a track should precede it.
  private static func isUserDataReadable(_ tree: AtomTree) -> Bool {
    let atoms = Array(tree.children(of: tree.root))
    func firstPlace(_ isWanted: (Int) -> Bool) -> Int { atoms.firstIndex(where: isWanted) ?? atoms.count }
    let track = firstPlace { tree[$0].type == "trak" }
    let firstPlainAtom = firstPlace { atom in
      (atom..<tree[atom].subtreeEnd).contains { tree[$0].type == "meta" && tree[$0].childPrefixByteCount == 0 }
    }
    return atoms.indices.allSatisfy { place in
      tree[atoms[place]].type != "udta"
        || place < firstPlainAtom && (track < place || track >= firstPlainAtom || track == atoms.count)
    }
  }
}

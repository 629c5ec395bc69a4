import MovieBox

/// The data that a player needs before the fragments of a track: brands, and a movie atom with one track without
/// samples.
///
/// It is generated from the parsed track instead of copied, so that it always has the same form: track ID 1, the time
/// scale of the track as the time scale of the movie, no edit list, and empty sample tables.
enum InitializationSegment {
  /// The ID of the track in every written file.
  static let trackID: UInt32 = 1

  /// Returns the initialization segment of a track, with the movie's sample descriptions. `sampleGroups` are the group
  /// descriptions (`sgpd`) that fragments refer to.
  static func bytes(of track: Track, in movie: Movie, sampleGroups: [Bytes]) -> [UInt8] {
    let scale = track.mediaHeader.timeScale
    let code = track.language.map { LanguageCode.packed(for: $0) } ?? LanguageCode.undetermined
    var writer = ByteWriter()
    writer.atom("ftyp") {
      // `hlsf` is the brand of files for HTTP Live Streaming.
      FileType(majorBrand: "iso6", minorVersion: 1, compatibleBrands: ["iso6", "isom", "hlsf"]).write(to: &$0)
    }
    writer.atom("moov") { writer in
      writer.atom("mvhd") {
        MovieHeader(timeScale: scale, duration: 0, nextTrackID: trackID + 1).write(to: &$0)
      }
      writer.atom("trak") { writer in
        var header = TrackHeader(
          flags: 0x7, trackID: trackID, duration: 0, volume: track.header.volume, matrix: track.header.matrix,
          width: track.header.width, height: track.header.height)
        header.layer = track.header.layer
        writer.atom("tkhd") { header.write(to: &$0) }
        writer.atom("mdia") { writer in
          writer.atom("mdhd") {
            MediaHeader(timeScale: scale, duration: 0, languageCode: code).write(to: &$0)
          }
          if let language = track.language, language.needsExtendedTag {
            writer.atom("elng") { ExtendedLanguage(tag: language.description).write(to: &$0) }
          }
          writer.atom("hdlr") {
            HandlerReference(
              componentType: FourCC(rawValue: 0), handlerType: track.mediaType.rawValue, nameBytes: Bytes([0])
            ).write(to: &$0)
          }
          writer.atom("minf") { writeMediaInformation(of: track, in: movie, sampleGroups, to: &$0) }
        }
      }
      writer.atom("mvex") { writer in
        writer.atom("trex") { TrackExtends(trackID: trackID).write(to: &$0) }
      }
    }
    return writer.take()
  }

  private static func writeMediaInformation(
    of track: Track, in movie: Movie, _ sampleGroups: [Bytes], to writer: inout ByteWriter
  ) {
    if track.mediaType == .video {
      writer.atom("vmhd") { VideoMediaHeader().write(to: &$0) }
    } else {
      writer.atom("smhd") { SoundMediaHeader().write(to: &$0) }
    }
    writer.atom("dinf") { writer in
      writer.atom("dref") { DataReference.selfContained.write(to: &$0) }
    }
    writer.atom("stbl") { writer in
      writer.atom("stsd") { writer in
        let entries = StreamedDescriptions(track, in: movie)
        // Version 1 announces sound descriptions of version 1 (ISO/IEC 14496-12 12.2.3).
        writer.write(FullAtomHeader(version: entries.needsVersion1 ? 1 : track.sampleDescriptions.version))
        writer.write(UInt32(clamping: entries.atoms.count))
        for entry in entries.atoms { writer.write(entry) }
      }
      for type in ["stts", "stsc", "stco"] as [FourCC] {
        writer.atom(type) { $0.writeZeros(8) }
      }
      writer.atom("stsz") { $0.writeZeros(12) }
      for group in sampleGroups { writer.write(group) }
    }
  }
}

/// The sample descriptions of a track in the form of ISO/IEC 14496-12.
///
/// The bytes of the movie are copied with three changes. The index of the data reference is always 1. QuickTime sound
/// descriptions of versions 1 and 2 are converted to the ISO form. The zeros that terminate a list of atoms in
/// QuickTime are removed, because they confuse other readers.
private struct StreamedDescriptions {
  let atoms: [Bytes]
  /// Whether `stsd` needs version 1. High sample rates require it.
  let needsVersion1: Bool

  init(_ track: Track, in movie: Movie) {
    let tree = movie.tree
    var needsVersion1 = false
    let channelCount = movie.channelCount(of: track)
    atoms = tree.sampleDescriptions(ofTrack: track.atom).map { index in
      if track.mediaType == .audio, let sound = Self.sound(index, of: tree, channelCount) {
        if sound.version == 1 { needsVersion1 = true }
        return Self.bytes(of: sound, index, tree)
      }
      let (tail, payload) = (tree.tail(of: index), tree.payload(of: index))
      let hasTerminator = tail.count > 0 && tail.count < 8 && tail.isZero
      guard hasTerminator || payload.load(at: 6, as: UInt16.self) != 1 else { return tree.bytes(of: index) }
      var writer = ByteWriter()
      writer.atom(tree[index].type) { writer in
        Self.writeHead(of: payload, to: &writer)
        let rest = payload.dropFirst(8)
        writer.write(hasTerminator ? rest.slice(at: 0, count: rest.count - tail.count) ?? rest : rest)
      }
      return Bytes(writer.take())
    }
    self.needsVersion1 = needsVersion1
  }

  /// Writes the fields that all descriptions begin with (ISO/IEC 14496-12 8.5.2.2). The index of the data reference is
  /// 1.
  private static func writeHead(of payload: Bytes, to writer: inout ByteWriter) {
    writer.write(payload.slice(at: 0, count: 6) ?? Bytes())
    writer.write(UInt16(1))
  }

  /// Returns a QuickTime sound description of version 1 or 2 in its ISO form, or `nil` if it already has that form.
  private static func sound(_ index: Int, of tree: AtomTree, _ channelCount: UInt32?) -> SoundDescription? {
    let sound: SoundDescription
    do throws(MovieError) {
      sound = try SoundDescription(body: tree.payload(of: index).dropFirst(8))
    } catch {
      return nil
    }
    guard sound.extra != .none else { return nil }
    let atoms = sound.atomsWithoutWave(of: tree[index].type)
    // Atoms of the decoder configuration. Other atoms are specific to QuickTime.
    let needed: [FourCC] = ["esds", "dac3", "dec3", "alac", "dfLa", "dOps"]
    return sound.isoDescription(
      of: tree[index].type, channelCount: UInt16(clamping: channelCount ?? sound.channelCount),
      atoms: needed.compactMap { type in atoms.first { $0.type == type } })
  }

  private static func bytes(of sound: SoundDescription, _ index: Int, _ tree: AtomTree) -> Bytes {
    var writer = ByteWriter()
    writer.atom(tree[index].type) { writer in
      writeHead(of: tree.payload(of: index), to: &writer)
      sound.write(to: &writer)
    }
    return Bytes(writer.take())
  }
}

extension FileSource {
  /// Whether the type of the first atom is typical of segments in fragmented MP4.
  func beginsAsFragmentedMP4() throws -> Bool {
    let head = try read(ByteRange(0..<min(8, identity().byteCount)))
    guard let type = head.load(at: 4, as: UInt32.self) else { return false }
    return ["ftyp", "styp", "moov", "moof", "sidx"].contains(FourCC(rawValue: type))
  }
}

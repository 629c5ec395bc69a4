import MovieBox

/// Converts a video description to the form of another type of movie.
///
/// QuickTime has a format for each codec, while MP4 describes JPEG, PNG, MPEG-1 and MPEG-2 video as `mp4v` with an
/// object type in `esds`. Some fields and atoms exist only in QuickTime. The samples never change.
struct VideoDescriptionConverter {
  let trackID: UInt32
  let entry: SampleEntry
  let video: VideoDescription
  /// The facts that only the samples contain.
  let sampleFacts: SampleFacts

  struct ConvertedDescription {
    var entry: SampleEntry
    /// The notices about the conversion.
    let notices: [EditNotice]
    /// The dropped atoms.
    let losses: [ConversionLoss]
    /// The names of the fields that were cleared, or `nil` if no field was cleared.
    var clearedFields: String?
  }

  /// Returns the description in the form of a movie type, or `nil` if it does not change.
  func converted(to type: MovieType, isChapterImage: Bool) -> ConvertedDescription? {
    // Bytes that are not atoms may be a color table or private data of a manufacturer. Such a description is copied
    // unchanged.
    let list = SampleEntryAtoms(video.tail)
    guard list.rest.isEmpty else { return nil }
    var (notices, losses): ([EditNotice], [ConversionLoss]) = ([], [])
    var format = entry.format
    var atoms = list.atoms.flatMap { atom -> [SampleEntryAtoms.Atom] in
      switch atom.type {
      case "gama" where !type.isQuickTime:
        losses.append(.quickTimeAtomDropped("gamma", "gama", track: trackID))
        return []
      case "colr": return [Self.color(atom, for: type)]
      default: return [atom]
      }
    }
    if type == .mp4 || type.isQuickTime || !isChapterImage,
      let (newFormat, newAtoms) = numbered(format, atoms, for: type)
    {
      notices.append(.formatRenamed(from: format, to: newFormat, track: trackID))
      (format, atoms) = (newFormat, newAtoms)
    }
    if type == .threeGPP, format == "h263", let configured = configuredH263(atoms) {
      notices.append(.formatRenamed(from: format, to: "s263", track: trackID))
      (format, atoms) = ("s263", configured)
    }
    var newVideo = video
    newVideo.tail = SoundDescriptionConverter.bytes(of: atoms)
    if !type.isQuickTime {
      // In ISO files, the fields for version, vendor and quality are reserved (ISO/IEC 14496-12 12.1.3).
      (newVideo.version, newVideo.revision, newVideo.vendor) = (0, 0, FourCC(rawValue: 0))
      (newVideo.temporalQuality, newVideo.spatialQuality, newVideo.dataSize) = (0, 0, 0)
    }
    guard newVideo != video || format != entry.format else { return nil }
    var writer = ByteWriter()
    newVideo.write(to: &writer)
    var converted = ConvertedDescription(entry: entry, notices: notices, losses: losses)
    converted.entry.format = format
    converted.entry.body = Bytes(writer.bytes)
    if !type.isQuickTime { converted.clearedFields = usedQuickTimeFields }
    return converted
  }

  /// The names of the QuickTime fields that are not zero, or `nil` if all fields are zero.
  private var usedQuickTimeFields: String? {
    let fields = [
      ("version", video.version != 0 || video.revision != 0), ("vendor", video.vendor.rawValue != 0),
      ("quality", video.temporalQuality != 0 || video.spatialQuality != 0), ("data size", video.dataSize != 0),
    ]
    let names = fields.filter { $0.1 }.map { $0.0 }
    return names.isEmpty ? nil : "\(names.joined(separator: ", ")) of the compressor (stsd)"
  }

  /// Returns a color atom in the form of a movie type, or the atom itself if it does not change.
  ///
  /// Both forms contain the same three numbers. Only the ISO form declares whether the colors have full range.
  /// Therefore, a full-range atom keeps the ISO form. Newer readers of QuickTime movies support the ISO form.
  private static func color(_ atom: SampleEntryAtoms.Atom, for type: MovieType) -> SampleEntryAtoms.Atom {
    let form = atom.payload.load(at: 0, as: UInt32.self).map { FourCC(rawValue: $0) }
    guard let numbers = atom.payload.slice(at: 4, count: 6) else { return atom }
    if form == "nclc", !type.isQuickTime {
      return SampleEntryAtoms.Atom("colr", Bytes(Array("nclx".utf8) + numbers.array + [0]))
    }
    if form == "nclx", type.isQuickTime, atom.payload.load(at: 10, as: UInt8.self) == 0 {
      return SampleEntryAtoms.Atom("colr", Bytes(Array("nclc".utf8) + numbers.array))
    }
    return atom
  }

  /// Returns the atoms of an H.263 description in a 3GP file, or `nil` if no level allows the pictures.
  private func configuredH263(_ atoms: [SampleEntryAtoms.Atom]) -> [SampleEntryAtoms.Atom]? {
    if atoms.contains(where: { $0.type == "d263" }) { return atoms }  // ffmpeg also writes `d263` to QuickTime movies.
    guard let level = sampleFacts.h263Level else { return nil }
    return [H263Pictures.configuration(level: level, vendor: video.vendor)] + atoms
  }

  /// Returns the new format and atoms of video that QuickTime identifies by a format and MPEG-4 by an object type, or
  /// `nil` if they do not change.
  private func numbered(
    _ format: FourCC, _ atoms: [SampleEntryAtoms.Atom], for type: MovieType
  ) -> (FourCC, [SampleEntryAtoms.Atom])? {
    if type.isQuickTime {
      guard format == "mp4v", let esds = atoms.first(where: { $0.type == "esds" }) else { return nil }
      let formats: [ElementaryStream.PlainObjectType: FourCC] = [.jpeg: "jpeg", .png: "png "]
      guard let number = ElementaryStream.plainObjectType(of: esds.payload) else { return nil }
      var name = formats[number]
      // MPEG-1 and MPEG-2 video with a decoder configuration remains `mp4v`. Players of QuickTime movies also support
      // `mp4v`.
      if number.isMPEGPictures, ElementaryStream(payload: esds.payload)?.decoderConfiguration == nil {
        name = number == .mpeg1Pictures ? "m1v1" : "m2v1"
      }
      guard let name else { return nil }
      return (name, atoms.filter { $0.type != "esds" })
    }
    let types: [FourCC: ElementaryStream.PlainObjectType] = ["jpeg": .jpeg, "png ": .png]
    guard let number = types[format] ?? sampleFacts.mpegPictures else { return nil }
    return ("mp4v", [ElementaryStream.atom(number)] + atoms)
  }
}

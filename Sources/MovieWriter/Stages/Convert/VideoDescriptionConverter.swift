import MovieBox

/// Describes pictures as another type of movie has it.
struct VideoDescriptionConverter {
  /// What happened, for the end of a sentence that begins with the track.
  struct Change {
    let message: String
    /// Whether the type has no place for something.
    var isLoss = false
  }

  let entry: SampleEntry
  let video: VideoDescription
  /// What only the samples declare.
  let sampleFacts: SampleFacts

  /// A description of the new type.
  struct Converted {
    var entry: SampleEntry
    /// What happened.
    let changes: [Change]
    /// The fields that are zero now, for people; `nil` where none was another number.
    var clearedFields: String?
  }

  /// The description in a file of the type, and what happened; `nil` where it stays as it is.
  func converted(to type: MovieType, isChapterImage: Bool) -> Converted? {
    // After the fields may be a table of colors, and whatever a vendor likes: then nothing is touched.
    let list = SampleEntryAtoms(video.tail)
    guard list.rest.isEmpty else { return nil }
    var changes: [Change] = []
    var format = entry.format
    var atoms = list.atoms.flatMap { atom -> [SampleEntryAtoms.Atom] in
      switch atom.type {
      case "gama" where !type.isQuickTime:
        changes.append(Change(message: "has its gamma (gama) left out, which only QuickTime knows", isLoss: true))
        return []
      case "colr": return [Self.color(atom, for: type)]
      default: return [atom]
      }
    }
    if type == .mp4 || type.isQuickTime || !isChapterImage,
      let (newFormat, newAtoms) = numbered(format, atoms, for: type)
    {
      changes.append(Change(message: "is described as \(newFormat) instead of \(format)"))
      (format, atoms) = (newFormat, newAtoms)
    }
    if type == .threeGPP, format == "h263", let configured = configuredH263(atoms) {
      changes.append(Change(message: "is described as s263 instead of h263"))
      (format, atoms) = ("s263", configured)
    }
    var new = video
    new.tail = SoundDescriptionConverter.bytes(of: atoms)
    if !type.isQuickTime {
      // Reserved there (ISO/IEC 14496-12 12.1.3).
      (new.version, new.revision, new.vendor) = (0, 0, FourCC(rawValue: 0))
      (new.temporalQuality, new.spatialQuality, new.dataSize) = (0, 0, 0)
    }
    guard new != video || format != entry.format else { return nil }
    var writer = ByteWriter()
    new.write(to: &writer)
    var converted = Converted(entry: entry, changes: changes)
    converted.entry.format = format
    converted.entry.body = Bytes(writer.bytes)
    if !type.isQuickTime { converted.clearedFields = ownFields }
    return converted
  }

  /// The fields that QuickTime alone has, where they say something.
  private var ownFields: String? {
    let fields = [
      ("version", video.version != 0 || video.revision != 0), ("vendor", video.vendor.rawValue != 0),
      ("quality", video.temporalQuality != 0 || video.spatialQuality != 0), ("data size", video.dataSize != 0),
    ]
    let names = fields.filter { $0.1 }.map { $0.0 }
    return names.isEmpty ? nil : "\(names.joined(separator: ", ")) of the compressor (stsd)"
  }

  /// Three numbers name the colors in both; ISO files say besides whether they take the full range. QuickTime cannot
  /// say that they do: then the form of ISO stays, which its newer readers know.
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

  /// The atoms of a description of H.263 in a 3GP file, or `nil` if no level describes the pictures.
  private func configuredH263(_ atoms: [SampleEntryAtoms.Atom]) -> [SampleEntryAtoms.Atom]? {
    if atoms.contains(where: { $0.type == "d263" }) { return atoms }  // As ffmpeg writes QuickTime movies.
    guard let level = sampleFacts.h263Level else { return nil }
    return [H263Pictures.configuration(level: level, vendor: video.vendor)] + atoms
  }

  /// Pictures that MPEG-4 knows by a number, and QuickTime by a name.
  private func numbered(
    _ format: FourCC, _ atoms: [SampleEntryAtoms.Atom], for type: MovieType
  ) -> (FourCC, [SampleEntryAtoms.Atom])? {
    if type.isQuickTime {
      guard format == "mp4v", let esds = atoms.first(where: { $0.type == "esds" }) else { return nil }
      let formats: [ElementaryStream.PlainObjectType: FourCC] = [.jpeg: "jpeg", .png: "png "]
      guard let number = ElementaryStream.plainObjectType(of: esds.payload) else { return nil }
      var name = formats[number]
      // One with a configuration of its own stays what it is: players of QuickTime movies know that too.
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

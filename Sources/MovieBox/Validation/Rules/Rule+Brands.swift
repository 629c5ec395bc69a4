// Rules about brands (`ftyp`), and about atoms whose format the brands do not permit.

extension Rule {
  static let brandRules = [
    brandNotFirst, movWithoutQuickTime, quickTimeNotCompatible, missingISOBrand, quickTimeHandler, isoHandler,
    metadataForm,
    soundInWave,
  ]

  private static let brandNotFirst = Rule(
    "brand.not-first", .note, clause: "QTFF, \"File Type Compatibility Atom\"; ISO/IEC 14496-12, 4.3",
    effect: "Players that only check the first bytes do not recognize the file.", fix: [.makeAgain]
  ) { examination, report in
    let layout = examination.movie.layout
    guard let brands = layout.first("ftyp"), let first = layout.atoms.first, first.type != "ftyp" else { return }
    report.add(
      MovieError(
        .malformed, at: brands.range.offset, in: "ftyp",
        "is after \(first.type), but must be the first atom"))
  }

  private static let movWithoutQuickTime = Rule(
    "brand.mov-without-qt", .error, for: [.apple], clause: "QTFF, \"File Type Compatibility Atom\"",
    effect: "QuickTime Player does not open the file.",
    fix: [.manual("rename the file to .mp4 or .m4v"), .step(.convert(.quickTime))]
  ) { examination, report in
    guard let name = examination.fileName, name.lowercased().hasSuffix(".mov"), let brands = examination.movie.fileType,
      !brands.isQuickTime, let atom = examination.movie.layout.first("ftyp")
    else { return }
    let reason = "the file name ends with .mov, but \"qt  \" is not among its brands (\(brands.majorBrand))"
    report.add(MovieError(.malformed, at: atom.range.offset, in: "ftyp", reason))
  }

  private static let quickTimeNotCompatible = Rule(
    "brand.qt-not-compatible", .warning, for: [.apple], clause: "QTFF, \"File Type Compatibility Atom\"",
    effect: "Players that check the compatible brands reject the file.", fix: [.makeAgain]
  ) { examination, report in
    guard let brands = examination.movie.fileType, brands.majorBrand == "qt  ",
      !brands.compatibleBrands.contains("qt  "), let atom = examination.movie.layout.first("ftyp")
    else { return }
    let reason = "the major brand \"qt  \" is not among the compatible brands"
    report.add(MovieError(.malformed, at: atom.range.offset, in: "ftyp", reason))
  }

  private static let missingISOBrand = Rule(
    "brand.not-iso", .warning, for: [.iso], clause: "ISO/IEC 14496-12, 4.3",
    effect: "MP4 players may reject the file.", fix: [.step(.convert(.mp4))]
  ) { examination, report in
    guard let brands = examination.movie.fileType else {
      // A file without brands is read as MP4 (4.3.1), unless its handlers show that it is a QuickTime file.
      guard let track = examination.tracks.first(where: { $0.handler?.componentType == "mhlr" }) else { return }
      report.add(
        examination.atom(track, "mdia", "hdlr"), "the file has no brands (ftyp), but QuickTime handlers (mhlr)")
      return
    }
    guard ([brands.majorBrand] + brands.compatibleBrands).allSatisfy({ $0 == "qt  " || $0.rawValue == 0 }) else {
      return
    }
    let position = examination.movie.layout.first("ftyp")?.range.offset
    report.add(MovieError(.malformed, at: position, in: "ftyp", "the only brand of the file is \"qt  \""))
  }

  private static let quickTimeHandler = Rule(
    "brand.quicktime-handler", .note, for: [.iso], clause: "ISO/IEC 14496-12, 8.4.3",
    effect: "None in most players; the file mixes the rules of QuickTime and MP4.",
    fix: [.step(.convert(.mp4), "or convert to the file's own type")]
  ) { examination, report in
    for track in examination.tracks where examination.movie.dialect == .iso {
      guard let handler = track.handler, handler.componentType.rawValue != 0 else { continue }
      report.add(examination.atom(track, "mdia", "hdlr"), "has the component type \(handler.componentType), not 0")
    }
  }

  private static let isoHandler = Rule(
    "brand.iso-handler", .note, for: [.apple], clause: "QTFF, \"Handler Reference Atoms\"",
    effect: "None in today's players; the file mixes the rules of QuickTime and MP4.",
    fix: [.fixAutomatically, .makeAgain], automatically: .writeQuickTimeHandler
  ) { examination, report in
    for track in examination.tracks where examination.movie.dialect == .quickTime {
      guard let handler = track.handler, handler.componentType != "mhlr" else { continue }
      report.add(examination.atom(track, "mdia", "hdlr"), "has the component type \(handler.componentType), not mhlr")
    }
  }

  private static let metadataForm = Rule(
    "brand.metadata-form", .note, for: [.iso], clause: "QTFF, \"Metadata\"; ISO/IEC 14496-12, 8.11.1",
    effect: "Players that expect version and flags do not show the title, location or date.",
    fix: [.step(.convert(.mp4))]
  ) { examination, report in
    guard examination.movie.dialect == .iso else { return }
    let tree = examination.tree
    for parent in [tree.root] + examination.tracks.map(\.atom) {
      for meta in tree.children(of: parent, "meta")
      where tree[meta].childPrefixByteCount == 0 && tree[meta].byteCount > 8 {
        // Skip QuickTime metadata (`mdta`). Phones write it without version and flags into MP4 files, and readers
        // expect this form.
        if tree.handlerType(in: meta) == "mdta" { continue }
        report.add(meta, "has the form of QuickTime files, without version and flags")
      }
    }
  }

  /// HandBrake's issue 1555 describes QuickTime sound descriptions in files with ISO brands.
  private static let soundInWave = Rule(
    "brand.sound-in-wave", .warning, for: [.iso],
    clause: "QTFF, \"Sound Description Extensions\"; ISO/IEC 14496-14, 3.1.2",
    effect: "Players that rely on the brand find no decoder configuration and play no sound.",
    fix: [.step(.convert(.mp4))]
  ) { examination, report in
    guard examination.movie.dialect == .iso else { return }
    for track in examination.tracks where track.mediaType == .audio {
      for entry in track.sampleDescriptions.entries {
        let sound: SoundDescription
        do throws(MovieError) {
          sound = try SoundDescription(body: entry.body)
        } catch {
          continue  // The rule `description.unreadable` reports the entry.
        }
        let atoms = SampleEntryAtoms(sound.tail)
        guard let wave = atoms["wave"].map({ SampleEntryAtoms($0) }), atoms["esds"] == nil, wave["esds"] != nil else {
          continue
        }
        report.add(
          examination.atom(track, "mdia", "minf", "stbl", "stsd"),
          "\(entry.format) contains its configuration (esds) in wave, as in QuickTime movies")
      }
    }
  }
}

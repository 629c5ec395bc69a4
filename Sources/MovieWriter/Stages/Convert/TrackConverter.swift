import MovieBox

/// Rewrites the atoms of one track for another type of movie.
struct TrackConverter {
  let movie: Movie
  let track: Track
  let type: MovieType
  /// Whether other tracks have it as a list of chapters, titles or images.
  let isChapterList: Bool
  /// What only the samples of the track declare.
  let sampleFacts: SampleFacts
  /// What a person should know.
  private(set) var notes: [EditNotice] = []
  /// The fields of QuickTime that are zero now and were not, for people.
  private(set) var clearedFields: [String] = []
  /// Why the type does not hold the track; `nil` where it does.
  private(set) var refusal: MovieError?
  /// What writes samples of text in another format, by sample description; empty where all stay.
  private(set) var recoders: [TextSampleRecoder] = []
  /// The formats of the samples then.
  private var formats: [FourCC] = []

  var tree: AtomTree { movie.tree }
  var fromQuickTime: Bool { movie.dialect == .quickTime }

  init(_ track: Track, of movie: Movie, to type: MovieType, sampleFacts: SampleFacts) {
    (self.track, self.movie, self.type, self.sampleFacts) = (track, movie, type, sampleFacts)
    isChapterList = movie.chapterTrackIDs.contains(track.id)
  }

  /// Rewrites the track.
  mutating func convert(into edits: inout AtomEdits) throws(MovieError) {
    guard let mdia = tree.child(of: track.atom, "mdia"), let minf = tree.child(of: mdia, "minf"),
      let stbl = tree.child(of: minf, "stbl")
    else { return }
    if track.hasExternalMedia {
      refuse("has its media in another file: take it in first (remux --self-contained)")
      return
    }
    let isOther = track.mediaType != .video && track.mediaType != .audio
    if isOther,
      let reason = type.objection(to: track.formats.first ?? "    ", of: track.mediaType, isChapterImage: false)
    {
      refuse(reason)
      return
    }
    try convertDescriptions(in: stbl, &edits)
    guard refusal == nil else { return }
    convertTrackAtoms(&edits)
    convertMediaHeader(mdia, &edits)
    convertHandlers(mdia, minf, &edits)
    convertMediaInformation(minf, &edits)
    try convertTables(in: stbl, &edits)
  }

  private mutating func refuse(_ reason: String) {
    refusal = refusal ?? tree.error(.unsupported, at: track.atom, "track \(track.id) \(reason)")
  }

  mutating func note(_ kind: EditNotice.Kind, atom: FourCC? = nil, _ what: String) {
    let note = EditNotice(
      kind, trackID: track.id, atom: atom, isWarning: kind != .converted, "track \(track.id) \(what)")
    if !notes.contains(note) { notes.append(note) }  // Several descriptions may become another one.
  }

  private mutating func noteCleared(_ field: String) {
    if !clearedFields.contains(field) { clearedFields.append(field) }
  }

  // MARK: - Headers

  /// What a track has in QuickTime movies alone (QTFF "Track Atoms"), and the flag of posters, which means another thing
  /// in ISO files.
  private mutating func convertTrackAtoms(_ edits: inout AtomEdits) {
    for atom in tree.children(of: track.atom) where ["udta", "meta"].contains(tree[atom].type) {
      let new = tree[atom].type == "udta" ? tree.userData(atom, for: type) : tree.metadata(atom, for: type)
      if let new { edits.replace(atom, with: new) }
    }
    guard !type.isQuickTime else { return }
    for atom in tree.children(of: track.atom) {
      switch tree[atom].type {
      case "tkhd" where fromQuickTime && track.header.flags & 0x8 != 0:
        var header = track.header
        header.flags &= ~0x8
        noteCleared("flag of the poster (tkhd)")
        edits.replace(atom, with: header.atom("tkhd"))
      case "tapt":
        edits.remove(atom)
        guard !isApertureOfTrack(atom) else { break }
        note(.leftOut, atom: "tapt", "has its apertures (tapt) left out, which only QuickTime knows")
      case let type:
        guard let what = QuickTimeAtoms.inTrack(type) else { break }
        edits.remove(atom)
        note(.leftOut, atom: type, "has its \(what) (\(type)) left out, which only QuickTime knows")
      }
    }
  }

  /// Whether all apertures say what the track header says.
  private func isApertureOfTrack(_ tapt: Int) -> Bool {
    tree.children(of: tapt).allSatisfy { atom in
      tree.payload(of: atom).load(at: 4, as: UInt32.self) == track.header.width
        && tree.payload(of: atom).load(at: 8, as: UInt32.self) == track.header.height
    }
  }

  /// Languages in three letters, and the whole tag where these say less.
  private mutating func convertMediaHeader(_ mdia: Int, _ edits: inout AtomEdits) {
    guard !type.isQuickTime, let mdhd = tree.child(of: mdia, "mdhd") else { return }
    var header = track.mediaHeader
    header.quality = 0
    if track.mediaHeader.quality != 0 { noteCleared("quality (mdhd)") }
    if header.languageCode < LanguageCode.firstPacked || header.languageCode == LanguageCode.unspecifiedMacintosh {
      let tag = LanguageCode.macintosh(header.languageCode)
      header.languageCode = tag.map { LanguageCode.packed(for: $0) } ?? LanguageCode.undetermined
      if let tag, tag.needsExtendedTag, track.extendedLanguage == nil {
        edits.insert(
          ExtendedLanguage(tag: tag.description).atom("elng"), into: mdia,
          before: tree.children(of: mdia).first { $0 > mdhd })
      }
    }
    if header != track.mediaHeader { edits.replace(mdhd, with: header.atom("mdhd")) }
  }

  /// The handler that the media has then. Players list timed text as subtitles by the handler `sbtl` alone; 3GPP has
  /// `text` for all (3GPP TS 26.245, 5.2).
  private var handlerType: FourCC {
    let old = track.mediaType.rawValue
    guard old == "text" || old == "sbtl" || !recoders.isEmpty, !formats.isEmpty else { return old }
    if isChapterList { return formats.allSatisfy { $0 == "tx3g" || $0 == "text" } ? "text" : old }
    guard formats.allSatisfy({ $0 == "tx3g" }) else { return old }
    if type.isMobile { return "text" }
    return fromQuickTime || type.isQuickTime || movie.type.isMobile ? "sbtl" : old
  }

  private mutating func convertHandlers(_ mdia: Int, _ minf: Int, _ edits: inout AtomEdits) {
    guard let handler = track.handler, let hdlr = tree.child(of: mdia, "hdlr") else { return }
    // A Pascal string has 255 bytes at most, a C string no NUL.
    let fit = type.isQuickTime ? handler.name.cut(toUTF8Count: 255) : String(handler.name.prefix { $0 != "\0" })
    // Some ISO files have QuickTime's form of it.
    let isInForm =
      type.isQuickTime == fromQuickTime && (type.isQuickTime || handler.componentType == FourCC(rawValue: 0))
    if fit != handler.name, !isInForm {
      note(.leftOut, atom: "hdlr", "has the end of the name of its handler left out, which does not fit \(type.name)")
    }
    let name = type.isQuickTime ? [UInt8(clamping: fit.utf8.count)] + Array(fit.utf8) : Array(fit.utf8) + [0]
    let new = HandlerReference(
      componentType: type.isQuickTime ? "mhlr" : FourCC(rawValue: 0), handlerType: handlerType, nameBytes: Bytes(name))
    if !isInForm || new.handlerType != handler.handlerType { edits.replace(hdlr, with: new.atom("hdlr")) }
    if new.handlerType != handler.handlerType {
      let what = "has the handler \(new.handlerType) instead of \(handler.handlerType)"
      let isLost = type.isMobile && !isChapterList && handler.handlerType == "sbtl"
      note(
        isLost ? .foreignFormat : .converted,
        isLost
          ? "\(what), as \(type.name) has it, and is not in the menus of Apple's players; .mp4 and .m4v keep it there"
          : what)
    }
    let dataHandlers = tree.children(of: minf, "hdlr")
    if !type.isQuickTime {
      for atom in dataHandlers { edits.remove(atom) }
    } else if dataHandlers.isEmpty {
      let dhlr = HandlerReference(componentType: "dhlr", handlerType: "alis", nameBytes: Bytes([0]))
      edits.insert(dhlr.atom("hdlr"), into: minf, before: tree.child(of: minf, "dinf"))
    }
  }

  private mutating func convertMediaInformation(_ minf: Int, _ edits: inout AtomEdits) {
    convertMediaInformationHeader(minf, &edits)
    guard let dref = tree.descendant(of: minf, "dinf", "dref"), var references = track.dataReferences else { return }
    for index in references.entries.indices {
      let isOther = !recoders.isEmpty
      references.entries[index] = DataReference.Entry(
        type: type.isQuickTime && !isOther ? "alis" : "url ", flags: isOther ? 0 : 1,
        // Samples of text that are written again are those of another file to the edit, which takes them in.
        data: isOther ? Bytes([0]) : Bytes())
    }
    if references != track.dataReferences { edits.replace(dref, with: references.atom("dref")) }
  }

  /// The header of media that is neither pictures nor sound. What QuickTime says in that of time code, its font, ISO
  /// files have no other place for: it stays, as cameras write it.
  private mutating func convertMediaInformationHeader(_ minf: Int, _ edits: inout AtomEdits) {
    let media = handlerType
    if type.isQuickTime {
      guard let nmhd = tree.child(of: minf, "nmhd"), media == "tmcd" || PlainMediaHeader.media.contains(media) else {
        return
      }
      edits.replace(nmhd, with: PlainMediaHeader.quickTime(for: media))
    } else if let gmhd = tree.child(of: minf, "gmhd"), PlainMediaHeader.media.contains(track.mediaType.rawValue) {
      edits.replace(gmhd, with: NullMediaHeader().atom("nmhd"))
      // A list of chapters is not drawn.
      if !isChapterList, PlainMediaHeader.hasPresentationSettings(gmhd, in: tree) {
        note(
          .leftOut, atom: "gmhd",
          "has its graphics mode, balance or matrix (gmhd) left out, which only QuickTime knows")
      }
    }
  }

  // MARK: - Sample descriptions

  private mutating func convertDescriptions(in stbl: Int, _ edits: inout AtomEdits) throws(MovieError) {
    guard let stsd = tree.child(of: stbl, "stsd") else { return }
    var descriptions = track.sampleDescriptions
    var recoders: [TextSampleRecoder?] = []
    var frameByteCounts: Set<UInt32> = []
    var needsVersion1 = false
    let hasPackets = track.mediaType == .audio && hasPackets
    for index in descriptions.entries.indices {
      let entry = descriptions.entries[index]
      recoders.append(nil)
      switch track.mediaType {
      case .video:
        descriptions.entries[index] = convertedVideo(entry)
      case .audio:
        guard let converted = convertedSound(entry, hasPackets: hasPackets) else { break }
        descriptions.entries[index] = converted.entry
        if converted.needsVersion1 { needsVersion1 = true }
        if let count = converted.frameByteCount { frameByteCounts.insert(count) }
      default:
        let (new, recoder) = try convertedText(entry)
        descriptions.entries[index] = new
        recoders[index] = recoder
      }
      guard refusal == nil else { return }
    }
    formats = descriptions.entries.map(\.format)
    let all = recoders.compactMap { $0 }
    guard all.isEmpty || all.count == recoders.count else {
      return refuse("has samples of several formats, some of which have to be written in another")
    }
    let references = track.dataReferences?.entries ?? []
    guard
      all.isEmpty || descriptions.entries.allSatisfy({ references.indices.contains(Int($0.dataReferenceIndex) - 1) })
    else { return refuse("has text that has to be written again, and no data reference for it (dref)") }
    self.recoders = all
    if !all.isEmpty {
      let formats = Set(track.formats.map(\.description)).sorted().joined(separator: ", ")
      note(
        .converted,
        "has its text written again, as \(all[0].entry.format) instead of \(formats): "
          + "the text stays, with text faces, colors and font sizes")
      let lost = Set(all.flatMap(\.omittedFromDescription)).sorted()
      if !lost.isEmpty, !isChapterList {
        note(.leftOut, atom: "mdat", "has left out of its text: \(lost.joined(separator: ", "))")
      }
    }
    if !type.isQuickTime, descriptions.tail.allSatisfy({ $0 == 0 }) { descriptions.tail = Bytes() }
    if track.mediaType == .audio {
      descriptions.version = needsVersion1 ? 1 : type.isQuickTime ? 0 : descriptions.version
    }
    if descriptions != track.sampleDescriptions { edits.replace(stsd, with: descriptions.atom("stsd")) }
    try writeFrameSizes(frameByteCounts, in: stbl, &edits)
  }

  private mutating func convertedVideo(_ entry: SampleEntry) -> SampleEntry {
    let converted: VideoDescriptionConverter.Converted?
    do throws(MovieError) {
      let video = try VideoDescription(body: entry.body)
      converted = VideoDescriptionConverter(entry: entry, video: video, sampleFacts: sampleFacts).converted(
        to: type, isChapterImage: isChapterList)
    } catch {
      converted = nil  // Too short: the bytes stay, and readers make of them what they did.
    }
    let new = converted?.entry ?? entry
    let atoms = Self.atoms(of: new)
    let format = MovieType.unencrypted(new.format, atoms)
    if type == .threeGPP, format == "h263" {
      refuse("is in h263, and uses options or a size that no level of the baseline profile has")
    }
    if let reason = type.objection(to: format, of: .video, isChapterImage: isChapterList) { refuse(reason) }
    if format == "mp4v", !isChapterList, let esds = atoms.first(where: { $0.type == "esds" }),
      let reason = type.objection(toStream: esds.payload, of: .video)
    {
      refuse(reason)
    }
    for change in converted?.changes ?? [] { note(change.isLoss ? .leftOut : .converted, change.message) }
    if let fields = converted?.clearedFields { noteCleared(fields) }
    noteUnknown(new)
    return new
  }

  /// The atoms of a description of pictures; none where it cannot be read.
  private static func atoms(of entry: SampleEntry) -> [SampleEntryAtoms.Atom] {
    do throws(MovieError) {
      return SampleEntryAtoms(try VideoDescription(body: entry.body).tail).atoms
    } catch {
      return []
    }
  }

  private mutating func convertedSound(
    _ entry: SampleEntry, hasPackets: Bool
  ) -> SoundDescriptionConverter.Converted? {
    let sound: SoundDescription
    do throws(MovieError) {
      sound = try SoundDescription(body: entry.body)
    } catch {
      if let reason = type.objection(to: entry.format, of: .audio, isChapterImage: false) { refuse(reason) }
      return nil
    }
    let converter = SoundDescriptionConverter(
      entry: entry, sound: sound, timeScale: track.mediaHeader.timeScale,
      sampleDuration: track.samples.timeToSample.first?.duration ?? 1_024, hasPackets: hasPackets)
    do throws(SoundDescriptionConverter.Objection) {
      let converted = try converter.converted(to: type, fromQuickTime: fromQuickTime)
      if let change = converted?.change { note(.converted, change) }
      if let warning = converted?.warning { note(.foreignFormat, warning) }
      if let loss = converted?.loss { note(.leftOut, atom: "stsd", loss) }
      noteUnknown(converted?.entry ?? entry)
      return converted
    } catch {
      refuse(error.reason)
      return nil
    }
  }

  private mutating func noteUnknown(_ entry: SampleEntry) {
    guard type.isQuickTime, !fromQuickTime, MovieType.isUnknownToQuickTime(entry, of: track.mediaType) else { return }
    note(.foreignFormat, "is in \(entry.format), which no player is known to take from a QuickTime movie")
  }

  /// Whether `stsz` says 1 for samples of any size, and the sample description says more. Costs a pass over the chunks.
  private var hasPackets: Bool {
    let locator = ChunkLocator(track)
    return !locator.hasNoPackets
      && track.samples.chunks.contains { $0.sampleCount > 0 && locator.byteRange(of: $0)?.count != $0.byteCount }
  }

  /// ISO files say in `stsz` what a sample of PCM takes.
  private mutating func writeFrameSizes(
    _ byteCounts: Set<UInt32>, in stbl: Int, _ edits: inout AtomEdits
  ) throws(MovieError) {
    guard let byteCount = byteCounts.first else { return }
    guard byteCounts.count == 1, let stsz = tree.child(of: stbl, "stsz") else {
      return refuse("has samples of several sizes, and lists none of them")
    }
    edits.replace(stsz, with: SampleTableAtoms.sampleSizes(byteCount, ofAll: track.samples.sampleCount))
  }

  /// Text has a format for each family: QuickTime text in movies of QuickTime, `tx3g` in ISO files, and in both for
  /// subtitles.
  private mutating func convertedText(_ entry: SampleEntry) throws(MovieError) -> (SampleEntry, TextSampleRecoder?) {
    guard (["text", "sbtl", "subt"] as Set<FourCC>).contains(track.mediaType.rawValue) else {
      noteUnknown(entry)
      return (entry, nil)
    }
    switch entry.format {
    case "text" where entry.holdsTimedText && (!type.isQuickTime || !isChapterList):
      // FFmpeg's: only the name is another.
      var new = entry
      new.format = "tx3g"
      note(.converted, "has its text called tx3g, which it is, instead of text")
      return (new, nil)
    case "text" where !type.isQuickTime && (fromQuickTime || track.mediaType != .text):
      return try recoded(entry, as: .timedText)
    case "tx3g" where type.isQuickTime && isChapterList: return try recoded(entry, as: .quickTimeText)
    case "wvtt" where type.isQuickTime: return try recoded(entry, as: .timedText)
    default:
      noteUnknown(entry)
      return (entry, nil)
    }
  }

  private func recoded(
    _ entry: SampleEntry, as format: TextSampleRecoder.Format
  ) throws(MovieError) -> (SampleEntry, TextSampleRecoder?) {
    let recoder = try TextSampleRecoder(entry, of: track, as: format)
    return (recoder?.entry ?? entry, recoder)
  }
}

import MovieBox

/// Converts the atoms of one track to the form of another type of movie.
///
/// A conversion never changes samples, except text, whose format depends on the type. Everything that the new type can
/// express is translated. Other data is dropped with a notice. If the new type cannot contain the media, the track is
/// rejected.
struct TrackConverter {
  let movie: Movie
  let track: Track
  let type: MovieType
  /// Whether other tracks refer to the track as chapter titles or chapter pictures.
  let isChapterList: Bool
  /// The facts that only the samples contain.
  let sampleFacts: SampleFacts
  /// The notices about the conversion.
  private(set) var notices: [EditNotice] = []
  /// The contents that were dropped because the type cannot store them.
  private(set) var losses: [ConversionLoss] = []
  /// The names of the QuickTime fields that were cleared.
  private(set) var clearedFields: [String] = []
  /// The reason why the type cannot contain the track, or `nil` if it can.
  private(set) var refusal: MovieError?
  /// The recoders of text samples, one for each sample description. Empty if the samples do not change.
  private(set) var recoders: [TextSampleRecoder] = []
  /// The formats of the converted sample descriptions.
  private var formats: [FourCC] = []

  var tree: AtomTree { movie.tree }
  var isFromQuickTime: Bool { movie.dialect == .quickTime }

  init(_ track: Track, of movie: Movie, to type: MovieType, sampleFacts: SampleFacts) {
    (self.track, self.movie, self.type, self.sampleFacts) = (track, movie, type, sampleFacts)
    isChapterList = movie.chapterTrackIDs.contains(track.id)
  }

  mutating func convert(into edits: inout AtomEdits) throws(MovieError) {
    guard let mdia = tree.child(of: track.atom, "mdia"), let minf = tree.child(of: mdia, "minf"),
      let stbl = tree.child(of: minf, "stbl")
    else { return }
    if track.hasExternalMedia {
      refuse("has its media in another file; copy the media into the movie first (remux --self-contained)")
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

  mutating func note(_ notice: EditNotice) {
    if !notices.contains(notice) { notices.append(notice) }  // Several descriptions may change in the same way.
  }

  private mutating func note(_ loss: ConversionLoss) {
    losses.append(loss)
    note(loss.warning)
  }

  private mutating func noteCleared(_ field: String) {
    if !clearedFields.contains(field) { clearedFields.append(field) }
  }

  // MARK: - Headers

  /// Converts user data and metadata. For ISO files, drops the atoms that are allowed only in QuickTime movies (QTFF
  /// "Track Atoms") and clears the poster flag, because ISO files use its bit for another flag.
  private mutating func convertTrackAtoms(_ edits: inout AtomEdits) {
    for atom in tree.children(of: track.atom) where ["udta", "meta"].contains(tree[atom].type) {
      let new = tree[atom].type == "udta" ? tree.userData(atom, for: type) : tree.metadata(atom, for: type)
      if let new { edits.replace(atom, with: new) }
    }
    guard !type.isQuickTime else { return }
    for atom in tree.children(of: track.atom) {
      switch tree[atom].type {
      case "tkhd" where isFromQuickTime && track.header.flags & 0x8 != 0:
        var header = track.header
        header.flags &= ~0x8
        noteCleared("poster flag (tkhd)")
        edits.replace(atom, with: header.atom("tkhd"))
      case "tapt":
        edits.remove(atom)
        guard !hasTrackSize(atom) else { break }
        note(.aperturesDropped(track: track.id))
      case let type:
        guard let name = QuickTimeAtoms.trackAtomName(type) else { break }
        edits.remove(atom)
        note(.quickTimeAtomDropped(name, type, track: track.id))
      }
    }
  }

  /// Returns whether all apertures have the size of the track header.
  private func hasTrackSize(_ tapt: Int) -> Bool {
    tree.children(of: tapt).allSatisfy { atom in
      tree.payload(of: atom).load(at: 4, as: UInt32.self) == track.header.width
        && tree.payload(of: atom).load(at: 8, as: UInt32.self) == track.header.height
    }
  }

  /// Converts a Macintosh language code to ISO 639-2, and adds `elng` if the language needs a longer tag. Clears the
  /// quality.
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

  /// The handler type in the converted file.
  ///
  /// Players offer timed text as subtitles only with the handler `sbtl`, but 3GPP requires `text` (3GPP TS 26.245,
  /// 5.2).
  private var handlerType: FourCC {
    let oldType = track.mediaType.rawValue
    guard oldType == "text" || oldType == "sbtl" || !recoders.isEmpty, !formats.isEmpty else { return oldType }
    if isChapterList { return formats.allSatisfy { $0 == "tx3g" || $0 == "text" } ? "text" : oldType }
    guard formats.allSatisfy({ $0 == "tx3g" }) else { return oldType }
    if type.isMobile { return "text" }
    return isFromQuickTime || type.isQuickTime || movie.type.isMobile ? "sbtl" : oldType
  }

  private mutating func convertHandlers(_ mdia: Int, _ minf: Int, _ edits: inout AtomEdits) {
    guard let handler = track.handler, let hdlr = tree.child(of: mdia, "hdlr") else { return }
    // A Pascal string has at most 255 bytes, and a C string contains no NUL.
    let fittingName = type.isQuickTime ? handler.name.cut(toUTF8Count: 255) : String(handler.name.prefix { $0 != "\0" })
    // Some ISO files have a handler in QuickTime form.
    let isInForm =
      type.isQuickTime == isFromQuickTime && (type.isQuickTime || handler.componentType == FourCC(rawValue: 0))
    if fittingName != handler.name, !isInForm {
      note(.handlerNameShortened(type, track: track.id))
    }
    let name =
      type.isQuickTime
      ? [UInt8(clamping: fittingName.utf8.count)] + Array(fittingName.utf8) : Array(fittingName.utf8) + [0]
    let newHandler = HandlerReference(
      componentType: type.isQuickTime ? "mhlr" : FourCC(rawValue: 0), handlerType: handlerType, nameBytes: Bytes(name))
    if !isInForm || newHandler.handlerType != handler.handlerType { edits.replace(hdlr, with: newHandler.atom("hdlr")) }
    if newHandler.handlerType != handler.handlerType {
      let (from, to) = (handler.handlerType, newHandler.handlerType)
      let hidesSubtitles = type.isMobile && !isChapterList && from == "sbtl"
      note(
        hidesSubtitles
          ? .subtitlesHidden(from: from, to: to, type, track: track.id)
          : .handlerChanged(from: from, to: to, track: track.id))
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
      let isRecoded = !recoders.isEmpty
      references.entries[index] = DataReference.Entry(
        type: type.isQuickTime && !isRecoded ? "alis" : "url ", flags: isRecoded ? 0 : 1,
        // The edit treats re-encoded samples as external media, which it copies into the movie.
        data: isRecoded ? Bytes([0]) : Bytes())
    }
    if references != track.dataReferences { edits.replace(dref, with: references.atom("dref")) }
  }

  /// Converts the media information header of media other than video and audio.
  ///
  /// The `gmhd` of time code contains a font, for which ISO files have no equivalent. The atom is kept, because cameras
  /// also write it to ISO files.
  private mutating func convertMediaInformationHeader(_ minf: Int, _ edits: inout AtomEdits) {
    let media = handlerType
    if type.isQuickTime {
      guard let nmhd = tree.child(of: minf, "nmhd"), media == "tmcd" || PlainMediaHeader.media.contains(media) else {
        return
      }
      edits.replace(nmhd, with: PlainMediaHeader.quickTime(for: media))
    } else if let gmhd = tree.child(of: minf, "gmhd"), PlainMediaHeader.media.contains(track.mediaType.rawValue) {
      edits.replace(gmhd, with: NullMediaHeader().atom("nmhd"))
      // Chapter titles are not drawn, so the loss of their presentation settings is not reported.
      if !isChapterList, PlainMediaHeader.hasPresentationSettings(gmhd, in: tree) {
        note(.textDrawingDropped(track: track.id))
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
    let usedRecoders = recoders.compactMap { $0 }
    guard usedRecoders.isEmpty || usedRecoders.count == recoders.count else {
      return refuse("has text in several formats, and only some of them need re-encoding")
    }
    let references = track.dataReferences?.entries ?? []
    guard
      usedRecoders.isEmpty
        || descriptions.entries.allSatisfy({ references.indices.contains(Int($0.dataReferenceIndex) - 1) })
    else { return refuse("has text that needs re-encoding, but its data reference is missing (dref)") }
    self.recoders = usedRecoders
    if !usedRecoders.isEmpty {
      note(.textRecoded(from: track.formats, to: usedRecoders[0].entry.format, track: track.id))
      let lost = Set(usedRecoders.flatMap(\.omittedFromDescription)).sorted()
      if !lost.isEmpty, !isChapterList { note(.textPropertiesDropped(lost, track: track.id)) }
    }
    if !type.isQuickTime, descriptions.tail.allSatisfy({ $0 == 0 }) { descriptions.tail = Bytes() }
    if track.mediaType == .audio {
      descriptions.version = needsVersion1 ? 1 : type.isQuickTime ? 0 : descriptions.version
    }
    if descriptions != track.sampleDescriptions { edits.replace(stsd, with: descriptions.atom("stsd")) }
    try writeFrameSizes(frameByteCounts, in: stbl, &edits)
  }

  private mutating func convertedVideo(_ entry: SampleEntry) -> SampleEntry {
    let converted: VideoDescriptionConverter.ConvertedDescription?
    do throws(MovieError) {
      let video = try VideoDescription(body: entry.body)
      let converter = VideoDescriptionConverter(
        trackID: track.id, entry: entry, video: video, sampleFacts: sampleFacts)
      converted = converter.converted(to: type, isChapterImage: isChapterList)
    } catch {
      converted = nil  // A description that is too short is copied unchanged.
    }
    let newEntry = converted?.entry ?? entry
    let atoms = Self.atoms(of: newEntry)
    let format = MovieType.unencrypted(newEntry.format, atoms)
    if type == .threeGPP, format == "h263" {
      refuse("is in h263 with options or a picture size that no level of the baseline profile allows")
    }
    if let reason = type.objection(to: format, of: .video, isChapterImage: isChapterList) { refuse(reason) }
    if format == "mp4v", !isChapterList, let esds = atoms.first(where: { $0.type == "esds" }),
      let reason = type.objection(toStream: esds.payload, of: .video)
    {
      refuse(reason)
    }
    for loss in converted?.losses ?? [] { note(loss) }
    for notice in converted?.notices ?? [] { note(notice) }
    if let fields = converted?.clearedFields { noteCleared(fields) }
    noteUnknown(newEntry)
    return newEntry
  }

  /// Returns the atoms of a video description, or an empty array if it cannot be read.
  private static func atoms(of entry: SampleEntry) -> [SampleEntryAtoms.Atom] {
    do throws(MovieError) {
      return SampleEntryAtoms(try VideoDescription(body: entry.body).tail).atoms
    } catch {
      return []
    }
  }

  private mutating func convertedSound(
    _ entry: SampleEntry, hasPackets: Bool
  ) -> SoundDescriptionConverter.ConvertedDescription? {
    let sound: SoundDescription
    do throws(MovieError) {
      sound = try SoundDescription(body: entry.body)
    } catch {
      if let reason = type.objection(to: entry.format, of: .audio, isChapterImage: false) { refuse(reason) }
      return nil
    }
    let converter = SoundDescriptionConverter(
      trackID: track.id, entry: entry, sound: sound, timeScale: track.mediaHeader.timeScale,
      sampleDuration: track.samples.timeToSample.first?.duration ?? 1_024, hasPackets: hasPackets)
    do throws(SoundDescriptionConverter.Objection) {
      let converted = try converter.converted(to: type, isFromQuickTime: isFromQuickTime)
      for notice in converted?.notices ?? [] { note(notice) }
      if let loss = converted?.loss { note(loss) }
      noteUnknown(converted?.entry ?? entry)
      return converted
    } catch {
      refuse(error.reason)
      return nil
    }
  }

  private mutating func noteUnknown(_ entry: SampleEntry) {
    guard type.isQuickTime, !isFromQuickTime, MovieType.isUnknownToQuickTime(entry, of: track.mediaType) else { return }
    note(.unknownInQuickTime(entry.format, track: track.id))
  }

  /// Whether the size 1 in `stsz` represents samples whose size follows from the sample description. Makes a pass over
  /// the chunks.
  private var hasPackets: Bool {
    let locator = ChunkLocator(track)
    return !locator.hasNoLegacyAudioPackets
      && track.samples.chunks.contains { $0.sampleCount > 0 && locator.byteRange(of: $0)?.count != $0.byteCount }
  }

  /// Writes the size of a PCM sample with all its channels to `stsz`, as ISO files require.
  private mutating func writeFrameSizes(
    _ byteCounts: Set<UInt32>, in stbl: Int, _ edits: inout AtomEdits
  ) throws(MovieError) {
    guard let byteCount = byteCounts.first else { return }
    guard byteCounts.count == 1, let stsz = tree.child(of: stbl, "stsz") else {
      return refuse("has sound samples of several sizes, but its table of sizes (stsz) lists none")
    }
    edits.replace(stsz, with: SampleTableAtoms.sampleSizes(byteCount, ofAll: track.samples.sampleCount))
  }

  /// Returns the converted description of text, together with a recoder if the samples need another format.
  ///
  /// QuickTime movies store text as QuickTime text, and ISO files as `tx3g`. Subtitles are stored as `tx3g` in all
  /// files.
  private mutating func convertedText(_ entry: SampleEntry) throws(MovieError) -> (SampleEntry, TextSampleRecoder?) {
    guard (["text", "sbtl", "subt"] as Set<FourCC>).contains(track.mediaType.rawValue) else {
      noteUnknown(entry)
      return (entry, nil)
    }
    switch entry.format {
    case "text" where entry.isTimedText && (!type.isQuickTime || !isChapterList):
      // ffmpeg writes `tx3g` samples with the format `text`, so only the format changes.
      var new = entry
      new.format = "tx3g"
      note(.formatRenamed(from: entry.format, to: new.format, track: track.id))
      return (new, nil)
    case "text" where !type.isQuickTime && (isFromQuickTime || track.mediaType != .text):
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

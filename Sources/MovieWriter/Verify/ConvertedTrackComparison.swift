import MovieBox

/// Compares what is said of a track in two types of movies.
struct ConvertedTrackComparison {
  let old: Track
  let new: Track
  let type: MovieType
  /// The atoms that the edit was asked to change: what these say may be another.
  var changedLabels: Set<FourCC> = []

  /// Whether samples of text were written in another format: then their sizes and places differ.
  static func isTextWrittenAgain(_ old: Track, _ new: Track) -> Bool {
    let text: Set<FourCC> = ["text", "tx3g", "wvtt"]
    return old.formats.contains(where: text.contains) && new.formats.allSatisfy(text.contains)
      && zip(old.sampleDescriptions.entries, new.sampleDescriptions.entries).contains {
        $0.format != $1.format && $0.body != $1.body
      }
  }

  /// What differs and should not, for people; `nil` where nothing does.
  func difference(in oldTree: AtomTree, _ newTree: AtomTree) throws(MovieError) -> String? {
    guard !changedLabels.isDisjoint(with: ["mdhd", "elng"]) || old.language == new.language else {
      return "its language changed"
    }
    guard hasSameHandler else { return "its handler changed" }
    let isTextWrittenAgain = Self.isTextWrittenAgain(old, new)
    // Text that is written again lies in another file until the edit takes it in; then places are compared.
    guard old.dataReferences?.entries.count == new.dataReferences?.entries.count,
      isTextWrittenAgain || new.dataReferences?.entries.allSatisfy(\.isSelfContained) ?? true
    else { return "its media is said to lie elsewhere" }
    let (before, after) = (old.sampleDescriptions.entries, new.sampleDescriptions.entries)
    guard before.count == after.count else { return "it has another number of sample descriptions" }
    for (left, right) in zip(before, after) {
      guard left.dataReferenceIndex == right.dataReferenceIndex else { return "its media is said to lie elsewhere" }
      if left == right { continue }
      let isSame = try isTextWrittenAgain ? hasSamePlace(left, right) : isSameMedia(left, right)
      guard isSame else { return "\(right.format) does not describe what \(left.format) did" }
    }
    // Where the tables are the same, nobody has to list what one entry may claim of millions.
    if hasSameRandomAccess(oldTree, newTree) { return nil }
    guard try randomAccessPoints(old, oldTree) == randomAccessPoints(new, newTree) else {
      return "its partial sync samples changed"
    }
    return nil
  }

  /// Whether text stands where it stood; WebVTT says that in samples.
  private func hasSamePlace(_ left: SampleEntry, _ right: SampleEntry) throws(MovieError) -> Bool {
    if left.format == "wvtt" { return true }
    return try TextMeaning(left) == TextMeaning(right)
  }

  private func isSameMedia(_ left: SampleEntry, _ right: SampleEntry) throws(MovieError) -> Bool {
    switch old.mediaType {
    case .video: try PictureMeaning(left, type) == PictureMeaning(right, type)
    case .audio: try SoundMeaning(left, old.mediaHeader.timeScale) == SoundMeaning(right, new.mediaHeader.timeScale)
    default: left.format == "text" && right.format == "tx3g" && left.body == right.body
    }
  }

  /// The same kind of media under the same name; text may become subtitles, and subtitles text.
  private var hasSameHandler: Bool {
    guard let before = old.handler, let after = new.handler else { return old.handler == nil && new.handler == nil }
    let text: Set<FourCC> = ["text", "sbtl", "subt"]
    return (changedLabels.contains("hdlr") || hasSameName(before.name, after.name))
      && (before.handlerType == after.handlerType
        || text.contains(before.handlerType) && text.contains(after.handlerType))
  }

  /// A name in a Pascal string has 255 bytes at most, one in a C string ends at a NUL.
  private func hasSameName(_ before: String, _ after: String) -> Bool {
    if before == after { return true }
    if !type.isQuickTime { return before.unicodeScalars.prefix { $0.value != 0 }.elementsEqual(after.unicodeScalars) }
    return before.utf8.count > 255 && after.utf8.count > 255 - 64 && before.utf8.starts(with: after.utf8)
  }

  /// Whether the tables that say so are the same byte by byte.
  private func hasSameRandomAccess(_ oldTree: AtomTree, _ newTree: AtomTree) -> Bool {
    guard let before = oldTree.sampleTable(ofTrack: old.atom), let after = newTree.sampleTable(ofTrack: new.atom) else {
      return false
    }
    return (["stps", "sbgp"] as [FourCC]).allSatisfy { type in
      oldTree.children(of: before, type).map { oldTree.payload(of: $0) }
        == newTree.children(of: after, type).map { newTree.payload(of: $0) }
    }
  }

  /// The numbers of the samples that `stps` lists, or groups say so of, but for sync samples.
  private func randomAccessPoints(_ track: Track, _ tree: AtomTree) throws(MovieError) -> [UInt32] {
    guard let stbl = tree.sampleTable(ofTrack: track.atom) else { return [] }
    var numbers: Set<UInt32> = []
    for atom in tree.children(of: stbl, "stps") { numbers.formUnion(try tree.decode(SyncSampleTable.self, at: atom)) }
    for atom in tree.children(of: stbl, "sbgp") {
      let groups = try tree.decode(SampleToGroupTable.self, at: atom)
      guard groups.groupingType == "rap " else { continue }
      var next: UInt64 = 1
      for entry in groups {
        let end = Swift.min(next + UInt64(entry.sampleCount), UInt64(track.samples.sampleCount) + 1)
        if entry.descriptionIndex > 0, next < end { numbers.formUnion((next..<end).map { UInt32(clamping: $0) }) }
        next = Swift.max(next, end)
      }
    }
    guard !numbers.isEmpty else { return [] }
    return numbers.subtracting(track.samples.syncSamples.map { Set($0) } ?? []).sorted()
  }
}

/// Where text stands, whatever its format.
private struct TextMeaning: Equatable {
  let box: Tx3gTextBox
  let justification: Int32

  init(_ entry: SampleEntry) throws(MovieError) {
    if entry.holdsTimedText {
      let text = try Tx3gDescription(payload: entry.body)
      (box, justification) = (text.defaultTextBox, Int32(text.horizontalJustification))
    } else {
      let text = QuickTimeTextDescription(entryBody: entry.body)
      // Of one byte in `tx3g`.
      (box, justification) = (text.defaultTextBox, Int32(Int8(clamping: text.justification)))
    }
  }
}

/// What a description of pictures says, whatever the type of movie.
private struct PictureMeaning: Equatable {
  let codec: FourCC
  let fields: VideoDescription?
  let atoms: [SampleEntryAtoms.Atom]
  /// What cannot be read is compared byte by byte.
  let body: Bytes?

  init(_ entry: SampleEntry, _ type: MovieType) throws(MovieError) {
    var video = try VideoDescription(body: entry.body)
    let list = SampleEntryAtoms(video.tail)
    var codec = entry.format
    var atoms = list.atoms
    // JPEG, PNG, MPEG-1 and MPEG-2 have numbers in MPEG-4, and need no configuration.
    if codec == "mp4v", let esds = atoms.first(where: { $0.type == "esds" }),
      let number = ElementaryStream.plainObjectType(of: esds.payload), !number.isSound,
      !number.isMPEGPictures || ElementaryStream(payload: esds.payload)?.decoderConfiguration == nil
    {
      codec = number == .jpeg ? "jpeg" : number == .png ? "png " : number == .mpeg1Pictures ? "m1v1" : "m2v1"
      atoms.removeAll { $0.type == "esds" }
    }
    // MPEG-2 has many names; which profile it is, only its pictures say.
    if MPEGPictures.isFormat(codec) { codec = MPEGPictures.isMPEG1(codec) ? "m1v1" : "m2v1" }
    if !type.isQuickTime { atoms.removeAll { $0.type == "gama" } }
    self.codec = codec
    self.atoms = atoms.map { atom in
      // Without a word on it, the range is not the full one.
      let form = atom.payload.load(at: 0, as: UInt32.self)
      guard atom.type == "colr", form == FourCC("nclc").rawValue else { return atom }
      return SampleEntryAtoms.Atom(
        "colr", Bytes(Array("nclx".utf8) + (atom.payload.slice(at: 4, count: 6) ?? Bytes()).array + [0]))
    }
    body = list.rest.isEmpty ? nil : entry.body
    // Who made the compressor and how good it was asked to be has no place in ISO files.
    (video.version, video.revision, video.vendor) = (0, 0, FourCC(rawValue: 0))
    (video.temporalQuality, video.spatialQuality, video.dataSize) = (0, 0, 0)
    video.tail = Bytes()
    fields = video
  }
}

/// What a description of sound says, whatever the type of movie.
private struct SoundMeaning: Equatable {
  let codec: FourCC
  let uncompressed: LinearSound?
  let channelCount: UInt32
  let sampleRate: UInt32
  /// The atoms that set the decoder up, and others that both have, by their order.
  let atoms: Set<SampleEntryAtoms.Atom>
  let rest: Bytes

  init(_ entry: SampleEntry, _ timeScale: UInt32) throws(MovieError) {
    let sound = try SoundDescription(body: entry.body)
    uncompressed = LinearSound(entry.format, sound)
    channelCount = sound.channelCount
    let list = SampleEntryAtoms(sound.tail)
    sampleRate = sound.sampleRate(ofMediaTimeScale: timeScale)
    rest = list.rest
    // `wave` holds what ISO files have beside it, the name of the format, and the order of bytes.
    var all: [SampleEntryAtoms.Atom] = []
    for atom in list.atoms {
      guard atom.type == "wave" else {
        all.append(atom)
        continue
      }
      all += SampleEntryAtoms(atom.payload).atoms.filter { !($0.type == entry.format && $0.payload.count <= 4) }
    }
    let isMPEGSound =
      [".mp3", "ms\0\u{55}", ".mp2", "ms\0\u{50}"].contains(entry.format)
      || entry.format == "mp4a"
        && all.contains { $0.type == "esds" && ElementaryStream.plainObjectType(of: $0.payload)?.isSound ?? false }
    // MPEG-4 has a number for MPEG-1's sound, one for MPEG-2's, which has the lower rates, and none for layers.
    let esds = entry.format == "mp4a" ? all.first { $0.type == "esds" } : nil
    let number = esds.flatMap { ElementaryStream.plainObjectType(of: $0.payload) }
    let isMPEG2 = number.map { $0 == .mpeg2Sound } ?? (sampleRate < 32_000)
    codec = uncompressed != nil ? "pcm " : isMPEGSound ? isMPEG2 ? "mpg2" : "mpg1" : entry.format
    let ownWords: Set<FourCC> =
      isMPEGSound ? ["frma", "enda", "srat", "pcmC", "esds"] : ["frma", "enda", "srat", "pcmC"]
    atoms = Set(all.filter { !ownWords.contains($0.type) })
  }
}

import MovieBox

/// Compares the descriptions of a track in two types of movies.
///
/// QuickTime movies and ISO files describe the same media with different sample entries, handlers and random access
/// tables. The comparison translates the old and the new description into a form that does not depend on the type, and
/// compares the two forms.
struct ConvertedTrackComparison {
  let old: Track
  let new: Track
  let type: MovieType

  /// Whether the conversion rewrote the text samples in another format. The sizes and positions of the samples then
  /// differ.
  static func isTextRewritten(_ old: Track, _ new: Track) -> Bool {
    let text: Set<FourCC> = ["text", "tx3g", "wvtt"]
    return old.formats.contains(where: text.contains) && new.formats.allSatisfy(text.contains)
      && zip(old.sampleDescriptions.entries, new.sampleDescriptions.entries).contains {
        $0.format != $1.format && $0.body != $1.body
      }
  }

  /// Returns the first unexpected difference as an error message, or `nil` if there is none.
  func firstDifference(in oldTree: AtomTree, _ newTree: AtomTree) throws(MovieError) -> String? {
    guard old.language == new.language else { return "its language changed" }
    guard hasSameHandler else { return "its handler changed" }
    let isTextRewritten = Self.isTextRewritten(old, new)
    // Rewritten text is in another file until the edit copies it, so its references are not self-contained.
    guard old.dataReferences?.entries.count == new.dataReferences?.entries.count,
      isTextRewritten || new.dataReferences?.entries.allSatisfy(\.isSelfContained) ?? true
    else { return "its data references changed" }
    let (before, after) = (old.sampleDescriptions.entries, new.sampleDescriptions.entries)
    guard before.count == after.count else { return "the number of its sample descriptions changed" }
    guard hasExpectedTable else { return "the list of its sample descriptions changed" }
    for (oldEntry, newEntry) in zip(before, after) {
      guard oldEntry.dataReferenceIndex == newEntry.dataReferenceIndex else { return "its data references changed" }
      if oldEntry == newEntry { continue }
      let isSame = try isTextRewritten ? hasSameTextPosition(oldEntry, newEntry) : isSameMedia(oldEntry, newEntry)
      guard isSame else { return "\(newEntry.format) does not describe the same media as \(oldEntry.format)" }
    }
    return try RandomAccessComparison(old: old, new: new, oldTree: oldTree, newTree: newTree, type: type)
      .firstDifference()
  }

  /// Whether the sample description table has the version that its entries require, and unchanged trailing bytes. ISO
  /// files may drop trailing zeros.
  private var hasExpectedTable: Bool {
    let (before, after) = (old.sampleDescriptions, new.sampleDescriptions)
    let hasEnd = after.tail == before.tail || !type.isQuickTime && after.tail.isEmpty && before.tail.isZero
    guard hasEnd, before.flags == after.flags else { return false }
    guard old.mediaType == .audio, before.entries != after.entries || type.isQuickTime else {
      return before.version == after.version
    }
    let needsVersion1 = after.entries.contains { entry in
      // A sound description of version 1 in the ISO form requires version 1 of `stsd`. QuickTime's version 1 has other
      // fields.
      do throws(MovieError) {
        let sound = try SoundDescription(body: entry.body)
        return sound.version == 1 && sound.extra == .none && SampleEntryAtoms(sound.tail)["srat"] != nil
      } catch {
        return false
      }
    }
    return after.version == (type.isQuickTime ? 0 : needsVersion1 ? 1 : before.version)
  }

  /// Whether two text descriptions declare the same position. WebVTT declares positions in samples.
  private func hasSameTextPosition(_ oldEntry: SampleEntry, _ newEntry: SampleEntry) throws(MovieError) -> Bool {
    if oldEntry.format == "wvtt" { return true }
    return try TextPosition(oldEntry) == TextPosition(newEntry)
  }

  private func isSameMedia(_ oldEntry: SampleEntry, _ newEntry: SampleEntry) throws(MovieError) -> Bool {
    switch old.mediaType {
    case .video:
      return try VideoContents(oldEntry, type)
        == VideoContents(newEntry, type, newConfiguration: newConfiguration(oldEntry, newEntry))
    case .audio:
      guard try SoundDescription(body: newEntry.body).nonAtomBytes.isEmpty else { return false }
      return try SoundContents(oldEntry, old.mediaHeader.timeScale)
        == SoundContents(newEntry, new.mediaHeader.timeScale)
    default: return oldEntry.format == "text" && newEntry.format == "tx3g" && oldEntry.body == newEntry.body
    }
  }

  /// Returns the H.263 configuration that a 3GP file requires for a description, or `nil` for other descriptions.
  private func newConfiguration(_ oldEntry: SampleEntry, _ newEntry: SampleEntry) throws(MovieError) -> SampleEntryAtoms
    .Atom?
  {
    guard oldEntry.format == "h263", newEntry.format == "s263", type == .threeGPP else { return nil }
    let video = try VideoDescription(body: oldEntry.body)
    guard !SampleEntryAtoms(video.tail).atoms.contains(where: { $0.type == "d263" }) else { return nil }
    return old.h263Requirements(video)?.level.map { H263Pictures.configuration(level: $0, vendor: video.vendor) }
  }

  /// Whether the handlers have the same name and media type. Text may become subtitles, and subtitles may become text.
  private var hasSameHandler: Bool {
    guard let before = old.handler, let after = new.handler else { return old.handler == nil && new.handler == nil }
    let text: Set<FourCC> = ["text", "sbtl", "subt"]
    return hasSameName(before.name, after.name)
      && (before.handlerType == after.handlerType
        || text.contains(before.handlerType) && text.contains(after.handlerType))
  }

  /// A Pascal string has at most 255 bytes, and a C string ends at its first NUL.
  private func hasSameName(_ oldName: String, _ newName: String) -> Bool {
    if oldName == newName { return true }
    if !type.isQuickTime {
      return oldName.unicodeScalars.prefix { $0.value != 0 }.elementsEqual(newName.unicodeScalars)
    }
    return oldName.utf8.count > 255 && newName.utf8.count > 255 - 64 && oldName.utf8.starts(with: newName.utf8)
  }
}

/// The position of text on the screen, independent of the format.
private struct TextPosition: Equatable {
  let box: Tx3gTextBox
  let justification: Int32

  init(_ entry: SampleEntry) throws(MovieError) {
    if entry.isTimedText {
      let text = try Tx3gDescription(payload: entry.body)
      (box, justification) = (text.defaultTextBox, Int32(text.horizontalJustification))
    } else {
      let text = QuickTimeTextDescription(entryBody: entry.body)
      // `tx3g` stores the justification in one byte.
      (box, justification) = (text.defaultTextBox, Int32(Int8(clamping: text.justification)))
    }
  }
}

/// The contents of a video description, independent of the type of movie.
private struct VideoContents: Equatable {
  let codec: FourCC
  let fields: VideoDescription?
  let atoms: [SampleEntryAtoms.Atom]
  /// The bytes of the whole entry if it cannot be parsed, or `nil` otherwise.
  let body: Bytes?

  /// - Parameter newConfiguration: an atom that the conversion added and that the comparison ignores.
  init(
    _ entry: SampleEntry, _ type: MovieType, newConfiguration: SampleEntryAtoms.Atom? = nil
  ) throws(MovieError) {
    var video = try VideoDescription(body: entry.body)
    let list = SampleEntryAtoms(video.tail)
    var codec = entry.format
    var atoms = list.atoms
    // MPEG-4 identifies JPEG, PNG, MPEG-1 and MPEG-2 video by object type numbers. These codecs need no decoder
    // configuration.
    if codec == "mp4v", let esds = atoms.first(where: { $0.type == "esds" }),
      let number = ElementaryStream.plainObjectType(of: esds.payload), !number.isSound,
      !number.isMPEGPictures || ElementaryStream(payload: esds.payload)?.decoderConfiguration == nil
    {
      codec = number == .jpeg ? "jpeg" : number == .png ? "png " : number == .mpeg1Pictures ? "m1v1" : "m2v1"
      atoms.removeAll { $0.type == "esds" }
    }
    // MPEG-2 has many format names. Only its pictures declare the profile.
    if MPEGPictures.isFormat(codec) { codec = MPEGPictures.isMPEG1(codec) ? "m1v1" : "m2v1" }
    if !type.isQuickTime { atoms.removeAll { $0.type == "gama" } }
    if codec == "s263", atoms.contains(where: { $0.type == "d263" }) { codec = "h263" }
    if let newConfiguration, let index = atoms.firstIndex(of: newConfiguration) { atoms.remove(at: index) }
    self.codec = codec
    self.atoms = atoms.map { atom in
      // `nclc` does not declare the range, so it is read as the limited range.
      let form = atom.payload.load(at: 0, as: UInt32.self)
      guard atom.type == "colr", form == FourCC("nclc").rawValue else { return atom }
      return SampleEntryAtoms.Atom(
        "colr", Bytes(Array("nclx".utf8) + (atom.payload.slice(at: 4, count: 6) ?? Bytes()).array + [0]))
    }
    body = list.rest.isEmpty ? nil : entry.body
    // ISO files have no fields for the vendor and the requested quality of the compressor.
    (video.version, video.revision, video.vendor) = (0, 0, FourCC(rawValue: 0))
    (video.temporalQuality, video.spatialQuality, video.dataSize) = (0, 0, 0)
    video.tail = Bytes()
    fields = video
  }
}

/// The contents of a sound description, independent of the type of movie.
private struct SoundContents: Equatable {
  let codec: FourCC
  let uncompressedSound: LinearSound?
  let channelCount: UInt32
  let sampleRate: UInt32
  /// The bits per sample of unsigned PCM, or 0 for other sound.
  let unsignedBits: UInt32
  /// The atoms that configure the decoder, and other atoms that both types support. Their order is ignored.
  let atoms: Set<SampleEntryAtoms.Atom>

  init(_ entry: SampleEntry, _ timeScale: UInt32) throws(MovieError) {
    let sound = try SoundDescription(body: entry.body)
    uncompressedSound = LinearSound(entry.format, sound)
    channelCount = sound.channelCount
    let list = SampleEntryAtoms(sound.tail)
    sampleRate = sound.sampleRate(of: entry.format, mediaTimeScale: timeScale)
    let bytewise = sound.bytewiseFormat(entry.format)
    unsignedBits = bytewise == "raw " ? 8 : entry.format == "raw " ? sound.sampleSize : 0
    // `wave` contains the atoms that ISO files store directly, the name of the format, and the byte order.
    var expandedAtoms: [SampleEntryAtoms.Atom] = []
    for atom in list.atoms {
      guard atom.type == "wave" else {
        expandedAtoms.append(atom)
        continue
      }
      expandedAtoms += SampleEntryAtoms(atom.payload).atoms.filter {
        !($0.type == entry.format && $0.payload.count <= 4)
      }
    }
    let isMPEGSound =
      [".mp3", "ms\0\u{55}", ".mp2", "ms\0\u{50}"].contains(entry.format)
      || entry.format == "mp4a"
        && expandedAtoms.contains {
          $0.type == "esds" && ElementaryStream.plainObjectType(of: $0.payload)?.isSound ?? false
        }
    // MPEG-4 has one object type number for MPEG-1 audio, and one for MPEG-2 audio with its lower sample rates. Neither
    // number declares the layer.
    let esds = entry.format == "mp4a" ? expandedAtoms.first { $0.type == "esds" } : nil
    let number = esds.flatMap { ElementaryStream.plainObjectType(of: $0.payload) }
    let isMPEG2 = number.map { $0 == .mpeg2Sound } ?? (sampleRate < 32_000)
    codec = uncompressedSound != nil ? "pcm " : isMPEGSound ? isMPEG2 ? "mpg2" : "mpg1" : bytewise ?? entry.format
    let typeSpecificAtoms: Set<FourCC> =
      isMPEGSound ? ["frma", "enda", "srat", "pcmC", "esds"] : ["frma", "enda", "srat", "pcmC"]
    atoms = Set(expandedAtoms.filter { !typeSpecificAtoms.contains($0.type) })
  }
}

// MARK: - Random access

/// Compares the partial sync samples of a track (`stps`) and its groups of random access points (`rap `) in two types
/// of movies.
///
/// Works on runs and sorted sample numbers, because one group entry may cover millions of samples.
struct RandomAccessComparison {
  let old: Track
  let new: Track
  let oldTree: AtomTree
  let newTree: AtomTree
  let type: MovieType

  /// Returns the first difference that a conversion does not make, as an error message, or `nil` if there is none.
  func firstDifference() throws(MovieError) -> String? {
    guard let before = oldTree.sampleTable(ofTrack: old.atom), let after = newTree.sampleTable(ofTrack: new.atom) else {
      return nil
    }
    func bytes(_ type: FourCC) -> (old: [Bytes], new: [Bytes]) {
      (
        oldTree.children(of: before, type).filter { Self.isTable($0, in: oldTree) }.map { oldTree.bytes(of: $0) },
        newTree.children(of: after, type).filter { Self.isTable($0, in: newTree) }.map { newTree.bytes(of: $0) }
      )
    }
    let (partial, groups, descriptions) = (bytes("stps"), bytes("sbgp"), bytes("sgpd"))
    let keepsGroups = groups.old == groups.new && descriptions.old == descriptions.new
    if keepsGroups, partial.old == partial.new, type.isQuickTime == !partial.old.isEmpty { return nil }
    if type.isQuickTime {
      guard keepsGroups else { return "its groups of random access points changed" }
      guard partial.old.isEmpty else {
        return partial.old == partial.new ? nil : "its partial sync samples changed"
      }
      let known = try RandomAccessGroups(in: before, of: oldTree, sampleCount: old.samples.sampleCount)
      let numbers = try PartialSyncSamples.numbers(inGroups: known, of: old)
      let expected = numbers.isEmpty ? [] : [Bytes(SampleTableAtoms.syncSamples(numbers, as: "stps"))]
      return partial.new == expected ? nil : "its partial sync samples changed"
    }
    guard partial.new.isEmpty else {
      return "the track has partial sync samples (stps); ISO files do not support them"
    }
    if partial.old.isEmpty { return keepsGroups ? nil : "its groups of random access points changed" }
    // Returns whether all atoms after the first are unchanged. The conversion adds samples only to the first group.
    func keepsAllAfterFirst(_ lists: (old: [Bytes], new: [Bytes])) -> Bool {
      lists.old.dropFirst().elementsEqual(lists.new.dropFirst())
    }
    guard keepsAllAfterFirst(groups), keepsAllAfterFirst(descriptions) else {
      return "its groups of random access points after the first changed"
    }
    let isJoined = try isJoined(
      RandomAccessGroups(in: before, of: oldTree, sampleCount: old.samples.sampleCount),
      RandomAccessGroups(in: after, of: newTree, sampleCount: new.samples.sampleCount),
      by: PartialSyncSamples.numbers(in: before, of: oldTree, sampleCount: old.samples.sampleCount))
    return isJoined ? nil : "its partial sync samples changed"
  }

  /// Whether this comparison covers the atom.
  static func isTable(_ index: Int, in tree: AtomTree) -> Bool {
    switch tree[index].type {
    case "stps": true
    case "sbgp", "sgpd":
      tree.payload(of: index).load(at: 4, as: UInt32.self) == RandomAccessGroups.groupingType.rawValue
    default: false
    }
  }

  /// Whether all samples kept their group descriptions, and each listed sample without a description got the
  /// description "random access point, number of leading samples unknown".
  private func isJoined(_ before: RandomAccessGroups, _ after: RandomAccessGroups, by numbers: [UInt32]) -> Bool {
    let (oldRuns, newRuns) = (before.runsOfFirstTable, after.runsOfFirstTable)
    guard before.defaultIndex == after.defaultIndex, oldRuns.count == newRuns.count else { return false }
    if oldRuns == newRuns, before.entries == after.entries {
      return ungroupedNumbers(among: numbers, in: oldRuns).isEmpty
    }
    guard let oldEntries = before.entries, let entries = after.entries, entries.starts(with: oldEntries),
      entries.dropFirst(oldEntries.count).allSatisfy({ $0 == RandomAccessGroups.unknownLead })
    else { return false }
    let leads = Set(entries.indices.filter { entries[$0] == RandomAccessGroups.unknownLead }.map { UInt32($0 + 1) })
    var expectedNumbers = ungroupedNumbers(among: numbers, in: oldRuns)[...]
    var (one, other) = (oldRuns.runs[...], newRuns.runs[...])
    var position = 0
    var (oneLeft, otherLeft) = (one.first?.count ?? 0, other.first?.count ?? 0)
    while let was = one.first, let now = other.first {
      let count = min(oneLeft, otherLeft)
      if was.value != now.value {
        let samples = position + 1...position + count
        guard was.value == 0, leads.contains(now.value), expectedNumbers.count >= count,
          zip(expectedNumbers, samples).allSatisfy({ Int($0) == $1 })
        else { return false }
        expectedNumbers = expectedNumbers.dropFirst(count)
      }
      position += count
      (oneLeft, otherLeft) = (oneLeft - count, otherLeft - count)
      if oneLeft == 0 {
        one.removeFirst()
        oneLeft = one.first?.count ?? 0
      }
      if otherLeft == 0 {
        other.removeFirst()
        otherLeft = other.first?.count ?? 0
      }
    }
    return expectedNumbers.isEmpty
  }

  /// Returns the sample numbers that are not in any group.
  private func ungroupedNumbers(among numbers: [UInt32], in runs: RunLengths<UInt32>) -> [UInt32] {
    var missingNumbers: [UInt32] = []
    var remainingNumbers = numbers[...]
    var end = 0
    for run in runs.runs {
      end += run.count
      while let number = remainingNumbers.first, Int(number) <= end {
        if run.value == 0 { missingNumbers.append(number) }
        remainingNumbers.removeFirst()
      }
    }
    return missingNumbers
  }
}

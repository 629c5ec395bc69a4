import MovieBox

/// Compares what is said of a track in two types of movies.
struct ConvertedTrackComparison {
  let old: Track
  let new: Track
  let type: MovieType

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
    guard old.language == new.language else { return "its language changed" }
    guard hasSameHandler else { return "its handler changed" }
    let isTextWrittenAgain = Self.isTextWrittenAgain(old, new)
    // Text that is written again lies in another file until the edit takes it in; then places are compared.
    guard old.dataReferences?.entries.count == new.dataReferences?.entries.count,
      isTextWrittenAgain || new.dataReferences?.entries.allSatisfy(\.isSelfContained) ?? true
    else { return "its media is said to lie elsewhere" }
    let (before, after) = (old.sampleDescriptions.entries, new.sampleDescriptions.entries)
    guard before.count == after.count else { return "it has another number of sample descriptions" }
    guard hasListForm else { return "the list of its sample descriptions changed" }
    for (left, right) in zip(before, after) {
      guard left.dataReferenceIndex == right.dataReferenceIndex else { return "its media is said to lie elsewhere" }
      if left == right { continue }
      let isSame = try isTextWrittenAgain ? hasSamePlace(left, right) : isSameMedia(left, right)
      guard isSame else { return "\(right.format) does not describe what \(left.format) did" }
    }
    return try RandomAccessComparison(old: old, new: new, oldTree: oldTree, newTree: newTree, type: type).difference()
  }

  /// Whether the sample description table has the version that its entries need and the same trailing bytes; zeros at
  /// the end may be dropped in ISO files.
  private var hasListForm: Bool {
    let (before, after) = (old.sampleDescriptions, new.sampleDescriptions)
    let hasEnd = after.tail == before.tail || !type.isQuickTime && after.tail.isEmpty && before.tail.isZero
    guard hasEnd, before.flags == after.flags else { return false }
    guard old.mediaType == .audio, before.entries != after.entries || type.isQuickTime else {
      return before.version == after.version
    }
    let needsVersion1 = after.entries.contains { entry in
      // Version 1 of ISO files; QuickTime's begins with other fields.
      do throws(MovieError) {
        let sound = try SoundDescription(body: entry.body)
        return sound.version == 1 && sound.extra == .none && SampleEntryAtoms(sound.tail)["srat"] != nil
      } catch {
        return false
      }
    }
    return after.version == (type.isQuickTime ? 0 : needsVersion1 ? 1 : before.version)
  }

  /// Whether text stands where it stood; WebVTT says that in samples.
  private func hasSamePlace(_ left: SampleEntry, _ right: SampleEntry) throws(MovieError) -> Bool {
    if left.format == "wvtt" { return true }
    return try TextMeaning(left) == TextMeaning(right)
  }

  private func isSameMedia(_ left: SampleEntry, _ right: SampleEntry) throws(MovieError) -> Bool {
    switch old.mediaType {
    case .video:
      return try PictureMeaning(left, type)
        == PictureMeaning(right, type, newConfiguration: newConfiguration(left, right))
    case .audio:
      guard try SoundDescription(body: right.body).bytesThatAreNoAtoms.isEmpty else { return false }
      return try SoundMeaning(left, old.mediaHeader.timeScale) == SoundMeaning(right, new.mediaHeader.timeScale)
    default: return left.format == "text" && right.format == "tx3g" && left.body == right.body
    }
  }

  /// The configuration of H.263 that a description in a 3GP file gets, or `nil` for other descriptions.
  private func newConfiguration(_ left: SampleEntry, _ right: SampleEntry) throws(MovieError) -> SampleEntryAtoms.Atom?
  {
    guard left.format == "h263", right.format == "s263", type == .threeGPP else { return nil }
    let video = try VideoDescription(body: left.body)
    guard !SampleEntryAtoms(video.tail).atoms.contains(where: { $0.type == "d263" }) else { return nil }
    return old.h263Demand(video)?.level.map { H263Pictures.configuration(level: $0, vendor: video.vendor) }
  }

  /// The same kind of media under the same name; text may become subtitles, and subtitles text.
  private var hasSameHandler: Bool {
    guard let before = old.handler, let after = new.handler else { return old.handler == nil && new.handler == nil }
    let text: Set<FourCC> = ["text", "sbtl", "subt"]
    return hasSameName(before.name, after.name)
      && (before.handlerType == after.handlerType
        || text.contains(before.handlerType) && text.contains(after.handlerType))
  }

  /// A name in a Pascal string has 255 bytes at most, one in a C string ends at a NUL.
  private func hasSameName(_ before: String, _ after: String) -> Bool {
    if before == after { return true }
    if !type.isQuickTime { return before.unicodeScalars.prefix { $0.value != 0 }.elementsEqual(after.unicodeScalars) }
    return before.utf8.count > 255 && after.utf8.count > 255 - 64 && before.utf8.starts(with: after.utf8)
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

  /// - Parameter newConfiguration: an atom that the conversion adds, and that does not count.
  init(
    _ entry: SampleEntry, _ type: MovieType, newConfiguration: SampleEntryAtoms.Atom? = nil
  ) throws(MovieError) {
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
    if codec == "s263", atoms.contains(where: { $0.type == "d263" }) { codec = "h263" }
    if let newConfiguration, let place = atoms.firstIndex(of: newConfiguration) { atoms.remove(at: place) }
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
  /// The bits of a sample of unsigned PCM; 0 for other sound.
  let unsignedBits: UInt32
  /// The atoms that set the decoder up, and others that both have, by their order.
  let atoms: Set<SampleEntryAtoms.Atom>

  init(_ entry: SampleEntry, _ timeScale: UInt32) throws(MovieError) {
    let sound = try SoundDescription(body: entry.body)
    uncompressed = LinearSound(entry.format, sound)
    channelCount = sound.channelCount
    let list = SampleEntryAtoms(sound.tail)
    sampleRate = sound.sampleRate(of: entry.format, mediaTimeScale: timeScale)
    let bytewise = sound.bytewiseFormat(entry.format)
    unsignedBits = bytewise == "raw " ? 8 : entry.format == "raw " ? sound.sampleSize : 0
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
    codec = uncompressed != nil ? "pcm " : isMPEGSound ? isMPEG2 ? "mpg2" : "mpg1" : bytewise ?? entry.format
    let ownWords: Set<FourCC> =
      isMPEGSound ? ["frma", "enda", "srat", "pcmC", "esds"] : ["frma", "enda", "srat", "pcmC"]
    atoms = Set(all.filter { !ownWords.contains($0.type) })
  }
}

// MARK: - Random access

/// Compares the partial sync samples of a track (`stps`) and its groups of random access points (`rap `) in two types of
/// movies.
///
/// It works on runs and sorted numbers: one entry of a group may claim millions of samples.
struct RandomAccessComparison {
  let old: Track
  let new: Track
  let oldTree: AtomTree
  let newTree: AtomTree
  let type: MovieType

  /// The difference that a conversion does not make, for people, or `nil` if there is none.
  func difference() throws(MovieError) -> String? {
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
    guard partial.new.isEmpty else { return "it has partial sync samples (stps), which only QuickTime knows" }
    if partial.old.isEmpty { return keepsGroups ? nil : "its groups of random access points changed" }
    // The first group takes the samples; others of the type stay as they are.
    func keepsOthers(_ lists: (old: [Bytes], new: [Bytes])) -> Bool {
      lists.old.dropFirst().elementsEqual(lists.new.dropFirst())
    }
    guard keepsOthers(groups), keepsOthers(descriptions) else { return "it has more groups of random access points" }
    let isJoined = try isJoined(
      RandomAccessGroups(in: before, of: oldTree, sampleCount: old.samples.sampleCount),
      RandomAccessGroups(in: after, of: newTree, sampleCount: new.samples.sampleCount),
      by: PartialSyncSamples.numbers(in: before, of: oldTree, sampleCount: old.samples.sampleCount))
    return isJoined ? nil : "its partial sync samples changed"
  }

  /// Whether an atom is a table that is compared here.
  static func isTable(_ index: Int, in tree: AtomTree) -> Bool {
    switch tree[index].type {
    case "stps": true
    case "sbgp", "sgpd":
      tree.payload(of: index).load(at: 4, as: UInt32.self) == RandomAccessGroups.groupingType.rawValue
    default: false
    }
  }

  /// Whether the samples kept their descriptions, and each listed sample without one got the description "random
  /// access point, number of leading samples unknown".
  private func isJoined(_ before: RandomAccessGroups, _ after: RandomAccessGroups, by numbers: [UInt32]) -> Bool {
    let (left, right) = (before.firstRuns, after.firstRuns)
    guard before.defaultIndex == after.defaultIndex, left.count == right.count else { return false }
    if left == right, before.entries == after.entries {
      return missing(from: left, numbers).isEmpty
    }
    guard let known = before.entries, let entries = after.entries, entries.starts(with: known),
      entries.dropFirst(known.count).allSatisfy({ $0 == RandomAccessGroups.unknownLead })
    else { return false }
    let leads = Set(entries.indices.filter { entries[$0] == RandomAccessGroups.unknownLead }.map { UInt32($0 + 1) })
    var expected = missing(from: left, numbers)[...]
    var (one, other) = (left.runs[...], right.runs[...])
    var position = 0
    var (oneLeft, otherLeft) = (one.first?.count ?? 0, other.first?.count ?? 0)
    while let was = one.first, let now = other.first {
      let count = min(oneLeft, otherLeft)
      if was.value != now.value {
        let samples = position + 1...position + count
        guard was.value == 0, leads.contains(now.value), expected.count >= count,
          zip(expected, samples).allSatisfy({ Int($0) == $1 })
        else { return false }
        expected = expected.dropFirst(count)
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
    return expected.isEmpty
  }

  /// The numbers of samples that a group does not contain.
  private func missing(from runs: RunLengths<UInt32>, _ numbers: [UInt32]) -> [UInt32] {
    var missing: [UInt32] = []
    var left = numbers[...]
    var end = 0
    for run in runs.runs {
      end += run.count
      while let number = left.first, Int(number) <= end {
        if run.value == 0 { missing.append(number) }
        left.removeFirst()
      }
    }
    return missing
  }
}

import MovieBox

// Sample descriptions also contain the vendor and name of the encoder, and the name of a reel. Decoders do not need
// these fields, so they are cleared in a shared movie. All other bytes of a description are unchanged.
extension SharingPolicy {
  /// Returns the sample descriptions of a movie, with the handlers of their media, by atom. Atoms beyond the declared
  /// number of entries are excluded.
  static func descriptions(in tree: AtomTree) -> [Int: FourCC] {
    var handlers: [Int: FourCC] = [:]
    for mdia in tree.children(of: tree.root, "trak").flatMap({ tree.children(of: $0, "mdia") }) {
      guard let handler = tree.handlerType(in: mdia) else { continue }
      let stbls = tree.children(of: mdia, "minf").flatMap { tree.children(of: $0, "stbl") }
      for stsd in stbls.flatMap({ tree.children(of: $0, "stsd") }) {
        let count = tree.payload(of: stsd).load(at: 4, as: UInt32.self) ?? 0
        for entry in tree.children(of: stsd).prefix(Int(clamping: count)) { handlers[entry] = handler }
      }
    }
    return handlers
  }

  /// Returns the description, including its header, without the vendor of the encoder. Throws if it cannot be parsed.
  static func clearingVendor(_ atom: Bytes, ofMedia handler: FourCC) throws(MovieError) -> [UInt8] {
    guard let size = atom.load(at: 0, as: UInt32.self), Int(size) == atom.count else {
      throw MovieError(.malformed, at: 0, "has an unsupported size field")
    }
    var reader = ByteReader(atom)
    var writer = ByteWriter()
    try clearingVendor(SampleEntry(reading: &reader), ofMedia: handler).write(to: &writer)
    return writer.bytes
  }

  /// Returns whether a description names the vendor of the encoder or a reel. Throws if it cannot be parsed.
  static func namesVendor(_ atom: Bytes, ofMedia handler: FourCC) throws(MovieError) -> Bool {
    guard try clearingVendor(atom, ofMedia: handler) != atom.array else { return false }
    var reader = ByteReader(atom)
    let entry = try SampleEntry(reading: &reader)
    return try clearingVendor(entry, ofMedia: handler) != withoutBuyer(entry, ofMedia: handler)
  }

  /// Returns the description without the vendor and name of the encoder, the name of a reel, and the buyer. Throws if
  /// it cannot be parsed.
  static func clearingVendor(_ entry: SampleEntry, ofMedia handler: FourCC) throws(MovieError) -> SampleEntry {
    var (entry, body) = (entry, entry.body.array)
    func clear(_ range: Range<Int>) {
      if range.upperBound <= body.count { body.replaceSubrange(range, with: repeatElement(0, count: range.count)) }
    }
    switch handler {
    case "vide", "auxv", "pict":
      clear(vendorRange)
      clearSpace(in: &body, last: try VideoDescription(body: entry.body).tail.count)
      let name =
        entry.body.slice(at: compressorNameRange.lowerBound + 1, count: compressorNameRange.count - 1) ?? Bytes()
      if !neededCompressorNames.contains(where: { name.array.starts(with: $0.utf8) }) { clear(compressorNameRange) }
    case "soun":
      clear(vendorRange)
      clearSpace(in: &body, last: try SoundDescription(body: entry.body).tail.count)
    case "tmcd": return withoutReel(entry)
    default: return try withoutBuyer(entry, ofMedia: handler)
    }
    entry.body = Bytes(body)
    return try withoutBuyer(entry, ofMedia: handler)
  }

  /// Clears free space and manufacturers' atoms among the atoms at the end of a description.
  private static func clearSpace(in body: inout [UInt8], last byteCount: Int) {
    let bytes = Bytes(body)
    for atom in AtomList(bytes, from: body.count - byteCount, allowsOpenEnd: true) {
      let isVendorAtom = atom.type == "uuid" && !neededTypes.contains { atom.payload.slice(at: 0, count: 16) == $0 }
      if isVendorAtom || atom.type == "free" || atom.type == "skip" {
        body.replaceSubrange(atom.payloadRange, with: repeatElement(0, count: atom.payload.count))
      }
    }
  }

  /// The vendor field in the body of a video or sound description.
  private static let vendorRange = 4..<8

  /// The encoder's name, a Pascal string, in the body of a video description.
  private static let compressorNameRange = 34..<66

  /// Encoder names that are kept, because ffmpeg derives the layout of the samples from them.
  private static let neededCompressorNames = ["Planar Y'CbCr 8-bit 4:2:0", "Sorenson H263"]

  /// Returns the description of time codes without the name of the source (QTFF "Timecode Sample Description").
  private static func withoutReel(_ entry: SampleEntry) -> SampleEntry {
    var entry = entry
    let fieldByteCount = 18
    var writer = ByteWriter()
    writer.write(entry.body.slice(at: 0, count: fieldByteCount) ?? entry.body)
    var list = AtomList(entry.body, from: fieldByteCount, allowsOpenEnd: true)
    while let atom = list.next() {
      if atom.type != "name" {
        writer.write(entry.body.slice(at: atom.range.lowerBound, count: atom.range.count) ?? Bytes())
      }
    }
    writer.write(list.rest)
    entry.body = Bytes(writer.bytes)
    return entry
  }
}

extension SharingPolicy {
  /// Whether the headers of a movie or of some of its tracks contain a date.
  static func hasDates(_ movie: Movie, tracks ids: Set<UInt32>) -> Bool {
    var dates = [movie.header.creationTime, movie.header.modificationTime]
    for track in movie.tracks where ids.contains(track.id) {
      dates += [track.header.creationTime, track.header.modificationTime]
      dates += [track.mediaHeader.creationTime, track.mediaHeader.modificationTime]
    }
    return dates.contains { $0 != 0 }
  }
}

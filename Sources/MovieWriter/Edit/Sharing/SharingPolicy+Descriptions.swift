import MovieBox

// Who made the encoder, what it is called, and what a reel is called: what sample descriptions say beside what is
// needed to decode.
extension SharingPolicy {
  /// The sample descriptions of a movie, by their atoms: the handlers of the media that they are of. What stands in a
  /// list after as many as it counts is none.
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

  /// A description, header included, without who made the encoder. Throws for one that does not parse.
  static func clearingVendor(_ atom: Bytes, ofMedia handler: FourCC) throws(MovieError) -> [UInt8] {
    guard let size = atom.load(at: 0, as: UInt32.self), Int(size) == atom.count else {
      throw MovieError(.malformed, at: 0, "its size is not in its first 4 bytes")
    }
    var reader = ByteReader(atom)
    var writer = ByteWriter()
    try clearingVendor(SampleEntry(reading: &reader), ofMedia: handler).write(to: &writer)
    return writer.bytes
  }

  /// Whether a description says who made the encoder, or what a reel is called. Throws for one that does not parse.
  static func saysMaker(_ atom: Bytes, ofMedia handler: FourCC) throws(MovieError) -> Bool {
    guard try clearingVendor(atom, ofMedia: handler) != atom.array else { return false }
    var reader = ByteReader(atom)
    let entry = try SampleEntry(reading: &reader)
    return try clearingVendor(entry, ofMedia: handler) != withoutBuyer(entry, ofMedia: handler)
  }

  /// A description without the maker and the name of the encoder, the name of a reel, and the buyer. Throws for one that
  /// does not parse.
  static func clearingVendor(_ entry: SampleEntry, ofMedia handler: FourCC) throws(MovieError) -> SampleEntry {
    var (entry, body) = (entry, entry.body.array)
    func clear(_ range: Range<Int>) {
      if range.upperBound <= body.count { body.replaceSubrange(range, with: repeatElement(0, count: range.count)) }
    }
    switch handler {
    case "vide", "auxv", "pict":
      clear(vendor)
      clearSpace(in: &body, last: try VideoDescription(body: entry.body).tail.count)
      let name = entry.body.slice(at: compressorName.lowerBound + 1, count: compressorName.count - 1) ?? Bytes()
      if !neededNames.contains(where: { name.array.starts(with: $0.utf8) }) { clear(compressorName) }
    case "soun":
      clear(vendor)
      clearSpace(in: &body, last: try SoundDescription(body: entry.body).tail.count)
    case "tmcd": return withoutReel(entry)
    default: return try withoutBuyer(entry, ofMedia: handler)
    }
    entry.body = Bytes(body)
    return try withoutBuyer(entry, ofMedia: handler)
  }

  /// Clears free space, and atoms of vendors, among the atoms that are the last bytes of a description.
  private static func clearSpace(in body: inout [UInt8], last byteCount: Int) {
    let bytes = Bytes(body)
    for atom in AtomList(bytes, from: body.count - byteCount, lastMayBeOpen: true) {
      let isVendors = atom.type == "uuid" && !neededTypes.contains { atom.payload.slice(at: 0, count: 16) == $0 }
      if isVendors || atom.type == "free" || atom.type == "skip" {
        body.replaceSubrange(atom.payloadRange, with: repeatElement(0, count: atom.payload.count))
      }
    }
  }

  /// Where the body of a description of pictures or sound says who made the encoder.
  private static let vendor = 4..<8

  /// Where that of pictures has the encoder's name, as it is counted.
  private static let compressorName = 34..<66

  /// Names by which ffmpeg knows the layout of the samples.
  private static let neededNames = ["Planar Y'CbCr 8-bit 4:2:0", "Sorenson H263"]

  /// A description of time codes without the name of what they are of (QTFF "Timecode Sample Description").
  private static func withoutReel(_ entry: SampleEntry) -> SampleEntry {
    var entry = entry
    let fieldByteCount = 18
    var writer = ByteWriter()
    writer.write(entry.body.slice(at: 0, count: fieldByteCount) ?? entry.body)
    var list = AtomList(entry.body, from: fieldByteCount, lastMayBeOpen: true)
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
  /// Whether headers of a movie or of some of its tracks say a date.
  static func hasDates(_ movie: Movie, tracks ids: Set<UInt32>) -> Bool {
    var dates = [movie.header.creationTime, movie.header.modificationTime]
    for track in movie.tracks where ids.contains(track.id) {
      dates += [track.header.creationTime, track.header.modificationTime]
      dates += [track.mediaHeader.creationTime, track.mediaHeader.modificationTime]
    }
    return dates.contains { $0 != 0 }
  }
}

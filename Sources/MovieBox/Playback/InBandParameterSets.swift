/// Whether tracks whose sample descriptions allow parameter sets in samples (`hev1`, `dvhe`) could do without them.
///
/// No player of Apple's opens `hev1`, and most files that have it need not: their writer chose the name though all sets
/// are in `hvcC`. Others, of broadcasters and of cameras, change sets in the middle. Only the samples tell the two apart,
/// so a bounded number of key pictures is read, the last one always: sets precede the picture that they are for (ITU-T
/// H.265, 7.4.2.4), and encoders change them at key pictures. Sets that samples repeat unchanged, as x265 writes them,
/// are no obstacle: decoders get the same sets either way.
package enum InBandParameterSets {
  /// The formats with the names that they have when the configuration contains all sets (ISO/IEC 14496-15, 8.4.1).
  package static let namesWithoutThem: [FourCC: FourCC] = ["hev1": "hvc1", "dvhe": "dvh1"]

  /// Whether the samples of a track may contain parameter sets.
  package static func mayHaveThem(_ track: Track) -> Bool {
    track.mediaType == .video && track.formats.contains { namesWithoutThem[$0] != nil }
  }

  /// The most key pictures of a track that are read, and the most bytes of each.
  private static let pictureLimit = 64
  private static let byteLimit: UInt64 = 64 << 10

  /// The reason why a track cannot be renamed, or `nil` if its configuration has all sets that its key pictures have.
  ///
  /// Reads up to 65 key pictures from the start to the end of the track. Throws what the source throws.
  package static func obstacle(
    to track: Track, of movie: Movie, _ fragments: MovieFragments?, in source: some RandomAccessSource
  ) throws -> String? {
    var configurations: [(sets: Set<Bytes>, lengthByteCount: Int)] = []
    for entry in movie.tree.sampleDescriptions(ofTrack: track.atom) {
      guard namesWithoutThem[movie.tree[entry].type] != nil else { return "has descriptions of other formats too" }
      // A header of 64 bits is left alone: nobody writes one for so small an atom.
      guard let hvcC = movie.tree.configuration("hvcC", of: entry), let sets = ParameterSets(hvcC: hvcC),
        let atom = movie.tree.child(of: entry, "hvcC"), movie.tree[atom].headerByteCount == 8
      else { return "has no readable hvcC" }
      guard sets.contains(ParameterSets.typesOfHEVC) else { return "lacks parameter sets in hvcC" }
      // Further layers have sets of their own (8.4.1), in samples or not.
      guard movie.tree.configuration("lhvC", of: entry) == nil else { return "has several layers (lhvC)" }
      configurations.append((Set(sets.units.map(\.bytes)), sets.lengthByteCount))
    }
    guard !configurations.isEmpty else { return "has no descriptions" }
    guard !track.externalDescriptions.contains(true) else { return "has its samples in another file" }
    let pictures = keyPictures(of: track, fragments)
    guard !pictures.isEmpty else { return "has no key picture" }
    let fileEnd = movie.layout.identity.byteCount
    for (number, range, description) in pictures {
      guard configurations.indices.contains(description), range.end <= fileEnd else {
        return "has a key picture, sample \(number), that cannot be read"
      }
      let configuration = configurations[description]
      guard let start = ByteRange(offset: range.offset, count: min(range.count, byteLimit)),
        let sets = leadingSets(in: try source.read(start), configuration.lengthByteCount)
      else { return "has a key picture, sample \(number), that cannot be read" }
      guard sets.allSatisfy(configuration.sets.contains) else {
        return "has other parameter sets in sample \(number) than in hvcC"
      }
    }
    return nil
  }

  /// Key pictures with their numbers from 1 and their descriptions from 0: the first, the last, and others evenly spread
  /// between them.
  private static func keyPictures(
    of track: Track, _ fragments: MovieFragments?
  ) -> [(number: Int, range: ByteRange, description: Int)] {
    var found: [(number: Int, range: ByteRange, description: Int)] = []
    var last: (number: Int, range: ByteRange, description: Int)?
    var (count, step) = (0, 1)
    func add(_ sample: Sample) {
      guard sample.isSync, let range = sample.byteRange, range.count > 0 else { return }
      last = (sample.index + 1, range, Int(sample.sampleDescriptionIndex) - 1)
      defer { count += 1 }
      guard count % step == 0 else { return }
      if found.count == 2 * pictureLimit {
        found = found.indices.filter { $0 % 2 == 0 }.map { found[$0] }
        step *= 2
        guard count % step == 0 else { return }
      }
      found.append((sample.index + 1, range, Int(sample.sampleDescriptionIndex) - 1))
    }
    if let fragmented = fragments?.track(track.id) {
      for sample in fragmented.samples { add(sample) }
    } else {
      for sample in track.samples.samples { add(sample) }
    }
    if found.count > pictureLimit { found = found.indices.filter { $0 % 2 == 0 }.map { found[$0] } }
    if let last, last.number != found.last?.number { found.append(last) }
    return found
  }

  /// The parameter sets before the first slice of a sample, or `nil` if the slice is not reached.
  private static func leadingSets(in sample: Bytes, _ lengthByteCount: Int) -> [Bytes]? {
    var (sets, position): ([Bytes], Int) = ([], 0)
    while true {
      var length = 0
      for offset in 0..<lengthByteCount {
        guard let byte = sample.load(at: position + offset, as: UInt8.self) else { return nil }
        length = length << 8 | Int(byte)
      }
      position += lengthByteCount
      guard length > 0, let head = sample.load(at: position, as: UInt8.self) else { return nil }
      let type = head >> 1 & 0x3F
      if type < ParameterSets.typesOfHEVC.lowerBound { return sets }
      if ParameterSets.typesOfHEVC.contains(type) {
        guard let set = sample.slice(at: position, count: length) else { return nil }
        sets.append(set)
      }
      position += length
    }
  }
}

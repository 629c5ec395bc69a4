/// The search for parameter sets in samples of tracks whose format permits them (`hev1`, `dvhe`).
///
/// Apple's players do not open `hev1`. Most files with `hev1` could use `hvc1` instead, because `hvcC` contains all
/// their parameter sets. In other files, from broadcasters and cameras, the parameter sets change within the track.
/// Only the samples show the difference, so a limited number of key pictures is read, including the last key picture.
/// Reading key pictures is sufficient, because sets precede the picture that uses them (ITU-T H.265, 7.4.2.4) and
/// encoders change them at key pictures. Samples may repeat the sets of `hvcC` unchanged, as with x265, because
/// decoders then receive identical sets.
package enum InBandParameterSets {
  /// The replacement of each format if the configuration contains all parameter sets (ISO/IEC 14496-15, 8.4.1).
  package static let replacementFormats: [FourCC: FourCC] = ["hev1": "hvc1", "dvhe": "dvh1"]

  package static func mayContainParameterSets(_ track: Track) -> Bool {
    track.mediaType == .video && track.formats.contains { replacementFormats[$0] != nil }
  }

  /// The maximum number of examined key pictures, not counting the last key picture.
  private static let pictureLimit = 64
  /// The maximum number of bytes that are read from a key picture.
  private static let byteLimit: UInt64 = 64 << 10

  /// Returns the reason why the track cannot use the replacement format, or `nil` if the configuration contains all
  /// sets of its key pictures.
  ///
  /// Reads up to 65 key pictures, distributed over the track. Throws the errors of the source.
  package static func obstacle(
    to track: Track, of movie: Movie, _ fragments: MovieFragments?, in source: some RandomAccessSource
  ) throws -> String? {
    var configurations: [(sets: Set<Bytes>, lengthByteCount: Int)] = []
    for entry in movie.tree.sampleDescriptions(ofTrack: track.atom) {
      guard replacementFormats[movie.tree[entry].type] != nil else { return "also has descriptions of other formats" }
      // Configurations with a 64-bit header are rejected, because no known writer uses a 64-bit header for a small
      // atom.
      guard let hvcC = movie.tree.configuration("hvcC", of: entry), let sets = ParameterSets(hvcC: hvcC),
        let atom = movie.tree.child(of: entry, "hvcC"), movie.tree[atom].headerByteCount == 8
      else { return "has no readable hvcC" }
      guard sets.contains(ParameterSets.hevcParameterSetTypes) else { return "lacks parameter sets in hvcC" }
      // If a sample description has several layers, samples may contain the parameter sets of the upper layers (ISO/IEC
      // 14496-15, 8.4.1).
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
        return "has an unreadable key picture, sample \(number)"
      }
      let configuration = configurations[description]
      guard let start = ByteRange(offset: range.offset, count: min(range.count, byteLimit)),
        let sets = leadingSets(in: try source.read(start), configuration.lengthByteCount)
      else { return "has an unreadable key picture, sample \(number)" }
      guard sets.allSatisfy(configuration.sets.contains) else {
        return "has parameter sets in sample \(number) that are not in hvcC"
      }
    }
    return nil
  }

  /// Returns the first key picture, further key pictures at even intervals, and the last key picture. Sample numbers
  /// count from 1, and description indices count from 0.
  private static func keyPictures(
    of track: Track, _ fragments: MovieFragments?
  ) -> [(number: Int, range: ByteRange, description: Int)] {
    var syncSamples: [(number: Int, range: ByteRange, description: Int)] = []
    var last: (number: Int, range: ByteRange, description: Int)?
    var (count, step) = (0, 1)
    func add(_ sample: Sample) {
      guard sample.isSync, let range = sample.byteRange, range.count > 0 else { return }
      last = (sample.index + 1, range, Int(sample.sampleDescriptionIndex) - 1)
      defer { count += 1 }
      guard count % step == 0 else { return }
      if syncSamples.count == 2 * pictureLimit {
        syncSamples = syncSamples.indices.filter { $0 % 2 == 0 }.map { syncSamples[$0] }
        step *= 2
        guard count % step == 0 else { return }
      }
      syncSamples.append((sample.index + 1, range, Int(sample.sampleDescriptionIndex) - 1))
    }
    if let fragmented = fragments?.track(track.id) {
      for sample in fragmented.samples { add(sample) }
    } else {
      for sample in track.samples.samples { add(sample) }
    }
    if syncSamples.count > pictureLimit {
      syncSamples = syncSamples.indices.filter { $0 % 2 == 0 }.map { syncSamples[$0] }
    }
    if let last, last.number != syncSamples.last?.number { syncSamples.append(last) }
    return syncSamples
  }

  /// Returns the parameter sets before the first slice of a sample, or `nil` if the bytes end before the slice.
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
      if type < ParameterSets.hevcParameterSetTypes.lowerBound { return sets }
      if ParameterSets.hevcParameterSetTypes.contains(type) {
        guard let set = sample.slice(at: position, count: length) else { return nil }
        sets.append(set)
      }
      position += length
    }
  }
}

/// Compares the sample groups, auxiliary information, subsamples and dependencies of a track in a fragmented movie and
/// in a plain movie.
///
/// The fragmented movie declares these properties in each fragment, and the plain movie in the tables of `stbl`. The
/// check makes one pass over the fragments and advances a cursor in each table. It does not expand a table into an
/// array of samples.
package struct FragmentContentsCheck {
  /// The type and parameter that identify a grouping.
  private struct Key: Hashable {
    let type: FourCC
    let parameter: UInt32?
  }

  /// The sample groups declared in a `stbl`.
  private struct Groups {
    var descriptions: [FourCC: SampleGroupDescriptions] = [:]
    var assignments: [Key: SampleToGroupTable] = [:]

    init(in stbl: Int, of tree: AtomTree) throws(MovieError) {
      for atom in tree.children(of: stbl, "sgpd") {
        let table = try tree.decode(SampleGroupDescriptions.self, at: atom)
        if descriptions[table.groupingType] == nil { descriptions[table.groupingType] = table }
      }
      for atom in tree.children(of: stbl, "sbgp") {
        let table = try tree.decode(SampleToGroupTable.self, at: atom)
        let key = Key(type: table.groupingType, parameter: table.parameter)
        if assignments[key] == nil { assignments[key] = table }
      }
    }

    func description(_ index: UInt32, _ type: FourCC) -> Bytes? {
      guard index > 0, let entries = descriptions[type]?.entries, Int(index) <= entries.count else { return nil }
      return entries[Int(index) - 1]  // Indices count from 1.
    }

    func defaultGroup(_ type: FourCC) -> Bytes? { description(descriptions[type]?.defaultIndex ?? 0, type) }
  }

  /// The progress of the comparison in one `sbgp` of the plain movie.
  private struct Cursor {
    /// The index of the next entry.
    var nextEntry = 0
    /// The number of samples of this entry that were not compared yet, or 0 if none was compared.
    var remainingSampleCount = 0
    /// The index of the next sample.
    var nextSample = 0
  }

  /// The runs of one track in a fragment.
  private struct FragmentRuns {
    let fragment: TrackFragment
    let tree: AtomTree
    let runs: ArraySlice<FragmentRun>
    let samples: Range<Int>
  }

  private typealias TrackInMovie = (track: Track, tree: AtomTree)

  private let trackID: UInt32
  private let fragmentedGroups: Groups
  private let plainGroups: Groups
  private var cursors: [Key: Cursor] = [:]
  private var subsamplesCheck: SubsamplesCheck
  private let flagsCheck: SampleFlagsCheck
  /// The range of the track's file in the source.
  private let file: ByteRange
  /// The contents of `senc` or PIFF's encryption atom in the plain movie, for all samples.
  private let encryption: Bytes
  private var encryptionPosition = 0
  /// The auxiliary information of the plain movie. For each type, the array contains the table of sizes and the file
  /// offset of the information.
  private let sizes: [(table: AuxiliaryInformationSizes, position: UInt64)]
  /// For each element of ``sizes``, the numbers of samples and bytes that were compared so far.
  private var comparedCounts: [(samples: Int, byteCount: UInt64)]

  /// A track of the fragmented movie and its counterpart in the plain movie.
  package typealias TrackPair = (old: Track, fragmented: FragmentedTrack, new: Track)

  /// Compares each track that has samples in fragments with its counterpart in a plain movie.
  ///
  /// Throws the first difference, in the order of `tracks`.
  ///
  /// - Parameter file: the range of the fragmented movie in its source.
  package static func check(
    _ tracks: [TrackPair], from fragmented: MovieSide<some RandomAccessSource>,
    to plain: MovieSide<some RandomAccessSource>, file: ByteRange
  ) throws {
    let differences = try differences(of: tracks, from: fragmented, to: plain, file: file)
    if let first = differences.keys.min(), let difference = differences[first] { throw difference }
  }

  /// Returns the first difference of each track, by the track's index in `tracks`.
  ///
  /// Reads each fragment once for all tracks, because a fragment may contain many tracks.
  ///
  /// - Parameter file: the range of the fragmented movie in its source.
  static func differences(
    of tracks: [TrackPair], from fragmented: MovieSide<some RandomAccessSource>,
    to plain: MovieSide<some RandomAccessSource>, file: ByteRange
  ) throws -> [Int: MovieError] {
    guard let fragments = fragmented.fragments else { throw MovieError(.contentsDiffer, "the movie has no fragments") }
    var differences: [Int: MovieError] = [:]
    func gather(_ position: Int, _ check: () throws -> Void) throws {
      do {
        try check()
      } catch let difference as MovieError where difference.code == .contentsDiffer {
        differences[position] = difference
      }
    }
    var checks: [Int: FragmentContentsCheck] = [:]
    // The indices in `tracks` by track ID. A track that was imported several times has several indices.
    var indicesByID: [UInt32: [Int]] = [:]
    for (position, (old, samples, new)) in tracks.enumerated() where samples.hasFragmentSamples {
      indicesByID[old.id, default: []].append(position)
      try gather(position) {
        checks[position] = try FragmentContentsCheck(
          (old, fragmented.movie.tree), (new, plain.movie.tree), tableSampleCount: samples.tableSampleCount, file: file)
      }
    }
    for fragment in fragments.fragments {
      let tree = try fragment.tree()
      for trackFragment in fragment.trackFragments {
        guard let indicesByID = indicesByID[trackFragment.trackID], let track = fragments.track(trackFragment.trackID)
        else { continue }
        let runs = track.runs[trackFragment.runs]
        guard let first = runs.first, let last = runs.last else { continue }
        let fragmentRuns = FragmentRuns(
          fragment: trackFragment, tree: tree, runs: runs, samples: first.firstSample..<last.samples.upperBound)
        for copy in indicesByID where differences[copy] == nil {
          try gather(copy) {
            try checks[copy]?.checkGroups(fragmentRuns)
            try checks[copy]?.checkAuxiliary(fragmentRuns, fragmented.source, plain.source)
            try checks[copy]?.checkSubsamples(fragmentRuns)
          }
        }
      }
    }
    for position in tracks.indices where differences[position] == nil {
      try gather(position) { try checks[position]?.finish() }
    }
    return differences
  }

  /// Reads the sample tables of both movies, and compares the samples that the fragmented movie stores in `moov` with
  /// the samples of the plain movie.
  private init(
    _ fragmented: TrackInMovie, _ plain: TrackInMovie, tableSampleCount: Int, file: ByteRange
  ) throws(MovieError) {
    let (track, tree) = fragmented
    let (plain, plainTree) = plain
    guard let oldTable = tree.sampleTable(ofTrack: track.atom),
      let after = plainTree.sampleTable(ofTrack: plain.atom)
    else { throw MovieError(.contentsDiffer, "track \(track.id) has no sample table") }
    trackID = track.id
    self.file = file
    subsamplesCheck = try SubsamplesCheck(
      trackID: track.id, fragmented: (oldTable, tree), plain: (after, plainTree), tableSampleCount: tableSampleCount)
    flagsCheck = try SampleFlagsCheck(
      of: track, fragmented: (oldTable, tree), plain: (after, plainTree), tableSampleCount: tableSampleCount)
    // An unreadable table in the fragmented movie is not a difference, so throw its error.
    fragmentedGroups = try Groups(in: oldTable, of: tree)
    _ = try Self.encryption(track.atom, oldTable, tree)
    _ = try Self.auxiliarySizes(in: oldTable, of: tree)
    do throws(MovieError) {
      encryption = try Self.encryption(plain.atom, after, plainTree) ?? Bytes()
      plainGroups = try Groups(in: after, of: plainTree)
      sizes = try Self.auxiliarySizes(in: after, of: plainTree)
      try Self.checkFlags(of: (after, plainTree), comparedWith: (oldTable, tree))
    } catch {
      throw error.asDifference
    }
    comparedCounts = sizes.map { _ in (0, 0) }
    for (key, table) in fragmentedGroups.assignments {
      var remaining = tableSampleCount
      for entry in table where remaining > 0 {
        let count = Swift.min(remaining, Int(entry.sampleCount))
        let description = fragmentedGroups.description(entry.descriptionIndex, key.type)
        try expect(description, forNextSamples: count, inGroupOf: key)
        remaining -= count
      }
      try expect(fragmentedGroups.defaultGroup(key.type), forNextSamples: remaining, inGroupOf: key)
    }
  }

  /// Compares the subsamples and dependencies of a track fragment.
  private mutating func checkSubsamples(_ fragmentRuns: FragmentRuns) throws(MovieError) {
    let (tree, atom) = (fragmentRuns.tree, fragmentRuns.fragment.atom)
    for subs in tree.children(of: atom, "subs") {
      try subsamplesCheck.check(subs, of: tree, samples: fragmentRuns.samples)
    }
    let dependencies = tree.child(of: atom, "sdtp").map { tree.payload(of: $0).dropFirst(4) }
    try flagsCheck.check(fragmentRuns.runs, dependencies: dependencies)
  }

  /// Checks that the plain movie declares no further subsamples after the subsamples of the last fragment.
  private mutating func finish() throws(MovieError) { try subsamplesCheck.finish() }

  private func failure(_ reason: String) -> MovieError {
    MovieError(.contentsDiffer, "track \(trackID): \(reason)")
  }

  // MARK: - Groups

  /// Checks the groups of a track's samples in a fragment.
  private mutating func checkGroups(_ fragmentRuns: FragmentRuns) throws(MovieError) {
    for group in try fragmentRuns.fragment.sampleGroups(in: fragmentRuns.tree) {
      let ownDescriptions = group.descriptions?.entries ?? []
      var standard = fragmentedGroups.defaultGroup(group.groupingType)
      if let index = group.descriptions?.defaultIndex, index > 0 {
        let place = Int(index > 0x1_0000 ? index - 0x1_0001 : index - 1)
        if ownDescriptions.indices.contains(place) { standard = ownDescriptions[place] }
      }
      let key = Key(type: group.groupingType, parameter: group.assignments?.parameter)
      // If several atoms of a fragment assign its samples to groups of one type, only the first atom counts. Skip the
      // other atoms.
      guard cursors[key]?.nextSample ?? 0 < fragmentRuns.samples.upperBound else { continue }
      try skip(to: fragmentRuns.samples.lowerBound, key)
      var remaining = fragmentRuns.samples.count
      // A fragment may describe groups without assigning samples to them.
      if let assignments = group.assignments {
        for entry in assignments where remaining > 0 {
          let count = Swift.min(remaining, Int(entry.sampleCount))
          var description = fragmentedGroups.description(entry.descriptionIndex, group.groupingType)
          if let place = entry.fragmentDescriptionIndex {
            description = ownDescriptions.indices.contains(place) ? ownDescriptions[place] : nil
          }
          try expect(description, forNextSamples: count, inGroupOf: key)
          remaining -= count
        }
      }
      try expect(standard, forNextSamples: remaining, inGroupOf: key)
    }
  }

  /// Checks that the samples between the last compared sample and `sample` belong to the default group, because no
  /// fragment assigns them to another group.
  private mutating func skip(to sample: Int, _ key: Key) throws(MovieError) {
    let comparedEnd = cursors[key]?.nextSample ?? 0
    guard sample > comparedEnd else { return }
    try expect(fragmentedGroups.defaultGroup(key.type), forNextSamples: sample - comparedEnd, inGroupOf: key)
  }

  /// Checks that the next `count` samples belong to the group with `description`. If `description` is `nil`, the
  /// samples must belong to no group.
  private mutating func expect(
    _ description: Bytes?, forNextSamples count: Int, inGroupOf key: Key
  ) throws(MovieError) {
    var cursor = cursors[key] ?? Cursor()
    var remaining = count
    while remaining > 0 {
      var found = plainGroups.defaultGroup(key.type)
      var step = remaining
      if let table = plainGroups.assignments[key], cursor.nextEntry < table.count {
        let entry = table[cursor.nextEntry]
        if cursor.remainingSampleCount == 0 { cursor.remainingSampleCount = Int(entry.sampleCount) }
        step = Swift.min(remaining, cursor.remainingSampleCount)
        cursor.remainingSampleCount -= step
        if cursor.remainingSampleCount == 0 { cursor.nextEntry += 1 }
        guard step > 0 else { continue }  // The entry has no samples.
        found = plainGroups.description(entry.descriptionIndex, key.type)
      }
      guard found == description else {
        throw failure(
          "the tables put sample \(cursor.nextSample + 1) into a different \(key.type) group than the fragments")
      }
      cursor.nextSample += step
      remaining -= step
    }
    cursors[key] = cursor
  }

  // MARK: - Auxiliary information

  /// Returns the contents of `senc` or PIFF's encryption atom in a track or in its sample table.
  private static func encryption(_ track: Int, _ stbl: Int, _ tree: AtomTree) throws(MovieError) -> Bytes? {
    if let trackEncryption = try encryption(in: track, tree) { return trackEncryption }
    return try encryption(in: stbl, tree)
  }

  private static func encryption(in atom: Int, _ tree: AtomTree) throws(MovieError) -> Bytes? {
    for child in tree.children(of: atom) {
      if let found = try SampleEncryption(at: child, of: tree) { return Bytes(found.entries) }
    }
    return nil
  }

  /// Checks the flags of `saiz` and `saio`. The specification defines one flag, and it declares that the type is
  /// present (ISO/IEC 14496-12 8.7.8, 8.7.9). Other flags are accepted only if the fragmented movie sets them as well.
  private static func checkFlags(
    of plain: (stbl: Int, tree: AtomTree), comparedWith fragmented: (stbl: Int, tree: AtomTree)
  ) throws(MovieError) {
    func headers(_ table: (stbl: Int, tree: AtomTree)) -> [(atom: Int, word: UInt32?)] {
      (table.tree.children(of: table.stbl, "saiz") + table.tree.children(of: table.stbl, "saio")).map {
        ($0, table.tree.payload(of: $0).load(at: 0, as: UInt32.self))
      }
    }
    let knownWords = Set(headers(fragmented).map(\.word))
    for (atom, word) in headers(plain) where !knownWords.contains(word) {
      guard let word, word & 0xFF_FFFE == 0 else {
        throw plain.tree.error(.malformed, at: atom, "has unknown flags")
      }
    }
  }

  /// Returns the table of sizes for each type of auxiliary information, with the file offset of the information.
  private static func auxiliarySizes(
    in stbl: Int, of tree: AtomTree
  ) throws(MovieError) -> [(table: AuxiliaryInformationSizes, position: UInt64)] {
    var sizes: [(table: AuxiliaryInformationSizes, position: UInt64)] = []
    for saiz in tree.children(of: stbl, "saiz") {
      let table = try tree.decode(AuxiliaryInformationSizes.self, at: saiz)
      for saio in tree.children(of: stbl, "saio") {
        let offsets = try tree.decode(AuxiliaryInformationOffsets.self, at: saio)
        guard offsets.kind == table.kind, let position = offsets.first else { continue }
        sizes.append((table, position))
        break
      }
    }
    return sizes
  }

  /// Compares the encryption and other auxiliary information of a track's samples in a fragment.
  private mutating func checkAuxiliary(
    _ fragmentRuns: FragmentRuns, _ source: some RandomAccessSource, _ output: some RandomAccessSource
  ) throws {
    let samples = fragmentRuns.samples
    let all = try fragmentRuns.fragment.auxiliaryInformation(in: fragmentRuns.tree)
    if all.isEmpty, let ownEncryption = try Self.encryption(in: fragmentRuns.fragment.atom, fragmentRuns.tree) {
      guard encryption.slice(at: encryptionPosition, count: ownEncryption.count) == ownEncryption else {
        throw failure(
          "encryption information from sample \(samples.lowerBound + 1) on is missing or does not belong to these samples"
        )
      }
      encryptionPosition += ownEncryption.count
    }
    let outputByteCount = try output.identity().byteCount
    for information in all {
      guard let index = sizes.firstIndex(where: { $0.table.kind == information.kind }) else {
        throw failure("auxiliary information of samples is missing")
      }
      let table = sizes[index].table
      for (place, size) in information.sizes.enumerated() {
        let sample = samples.lowerBound + place
        guard sample < table.count, table[sample] == size else {
          throw failure("the size of the auxiliary information of sample \(sample + 1) differs")
        }
      }
      // Skip samples that the plain movie's table does not contain. The fragment may declare information for these
      // samples.
      guard samples.lowerBound >= comparedCounts[index].samples, samples.lowerBound <= table.count else { continue }
      let before = table.byteCount(of: comparedCounts[index].samples..<samples.lowerBound)
      comparedCounts[index].byteCount &+= before  // There are fewer than 2³² samples, each below 2⁸ bytes.
      comparedCounts[index].samples = samples.lowerBound
      for range in information.ranges where range.count > 0 {
        let new = ByteRange(offset: sizes[index].position, count: comparedCounts[index].byteCount).flatMap {
          ByteRange(offset: $0.end, count: range.count)
        }
        guard let new, new.end <= outputByteCount, let old = range.moved(by: file.offset),
          try output.readExactly(new) == source.readExactly(old)
        else {
          throw failure("auxiliary information from sample \(samples.lowerBound + 1) on differs")
        }
        comparedCounts[index].byteCount &+= range.count
      }
      comparedCounts[index].samples += information.sizes.count
    }
  }
}

extension MovieError {
  /// The error, converted to an error with the code `.contentsDiffer`. An unreadable table in the plain movie is a
  /// difference.
  var asDifference: MovieError {
    MovieError(.contentsDiffer, at: offset, in: path, "the tables cannot be read: \(reason)")
  }
}

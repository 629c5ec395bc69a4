/// Compares what a track's fragments say of samples beside bytes and times with the tables of the movie without them:
/// groups, auxiliary information, subsamples, dependencies.
package struct FragmentContentsCheck {
  /// The key that distinguishes groupings.
  private struct Key: Hashable {
    let type: FourCC
    let parameter: UInt32?
  }

  /// The groups that a `stbl` puts samples in.
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
      return entries[Int(index) - 1]  // Stored from 1.
    }

    func defaultGroup(_ type: FourCC) -> Bytes? { description(descriptions[type]?.defaultIndex ?? 0, type) }
  }

  /// Walks the plain assignments of one way of grouping.
  private struct Cursor {
    var entry = 0
    var left = 0
    var sample = 0
  }

  /// The part of a fragment that belongs to the track.
  private struct Part {
    let fragment: TrackFragment
    let tree: AtomTree
    let runs: ArraySlice<FragmentRun>
    let samples: Range<Int>
  }

  /// A track of a movie.
  private typealias TrackInMovie = (track: Track, tree: AtomTree)

  private let trackID: UInt32
  private let fragmentedGroups: Groups
  private let plainGroups: Groups
  private var cursors: [Key: Cursor] = [:]
  private var subsamples: SubsamplesCheck
  private let flags: SampleFlagsCheck
  /// The range of the track's file in the source.
  private let file: ByteRange
  /// The encryption of all samples in `senc` or PIFF's atom.
  private let encryption: Bytes
  private var encryptionPosition = 0
  private let sizes: [(table: AuxiliaryInformationSizes, position: UInt64)]
  /// The number of samples and bytes of each of ``sizes`` that were seen.
  private var seen: [(samples: Int, byteCount: UInt64)]

  /// A track of the fragmented movie, and the track of the plain movie that has its samples.
  package typealias TrackPair = (old: Track, fragmented: FragmentedTrack, new: Track)

  /// Checks the fragments of a movie against the tables of a plain movie, for all tracks with samples in fragments.
  ///
  /// Throws the first difference, by the order of `tracks`.
  ///
  /// - Parameter file: where the fragmented movie lies in its source.
  package static func check(
    _ tracks: [TrackPair], from fragmented: MovieSide<some RandomAccessSource>,
    to plain: MovieSide<some RandomAccessSource>, file: ByteRange
  ) throws {
    let differences = try differences(of: tracks, from: fragmented, to: plain, file: file)
    if let first = differences.keys.min(), let difference = differences[first] { throw difference }
  }

  /// Returns the first difference of each track by the track's position in `tracks`.
  ///
  /// Each fragment is read once for all tracks: a recording may have as many tracks as a fragment has atoms.
  ///
  /// - Parameter file: where the fragmented movie lies in its source.
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
    // The positions of a track in `tracks`: one for each time that the track was imported.
    var copies: [UInt32: [Int]] = [:]
    for (position, (old, samples, new)) in tracks.enumerated() where samples.hasFragmentSamples {
      copies[old.id, default: []].append(position)
      try gather(position) {
        checks[position] = try FragmentContentsCheck(
          (old, fragmented.movie.tree), (new, plain.movie.tree), tableSampleCount: samples.tableSampleCount, file: file)
      }
    }
    for fragment in fragments.fragments {
      let tree = try fragment.tree()
      for trackFragment in fragment.trackFragments {
        guard let copies = copies[trackFragment.trackID], let track = fragments.track(trackFragment.trackID)
        else { continue }
        let runs = track.runs[trackFragment.runs]
        guard let first = runs.first, let last = runs.last else { continue }
        let part = Part(
          fragment: trackFragment, tree: tree, runs: runs, samples: first.firstSample..<last.samples.upperBound)
        for copy in copies where differences[copy] == nil {
          try gather(copy) {
            try checks[copy]?.checkGroups(part)
            try checks[copy]?.checkAuxiliary(part, fragmented.source, plain.source)
            try checks[copy]?.checkSubsamples(part)
          }
        }
      }
    }
    for position in tracks.indices where differences[position] == nil {
      try gather(position) { try checks[position]?.finish() }
    }
    return differences
  }

  /// Reads the tables, and checks the samples that `moov` had.
  private init(
    _ fragmented: TrackInMovie, _ plain: TrackInMovie, tableSampleCount: Int, file: ByteRange
  ) throws(MovieError) {
    let (track, tree) = fragmented
    let (plain, plainTree) = plain
    guard let before = tree.sampleTable(ofTrack: track.atom),
      let after = plainTree.sampleTable(ofTrack: plain.atom)
    else { throw MovieError(.contentsDiffer, "track \(track.id) has no sample table") }
    trackID = track.id
    self.file = file
    subsamples = try SubsamplesCheck(
      trackID: track.id, fragmented: (before, tree), plain: (after, plainTree), tableSampleCount: tableSampleCount)
    flags = try SampleFlagsCheck(
      of: track, fragmented: (before, tree), plain: (after, plainTree), tableSampleCount: tableSampleCount)
    // What does not read in the fragmented movie is an error of that movie.
    fragmentedGroups = try Groups(in: before, of: tree)
    _ = try Self.encryption(track.atom, before, tree)
    _ = try Self.auxiliarySizes(in: before, of: tree)
    do throws(MovieError) {
      encryption = try Self.encryption(plain.atom, after, plainTree) ?? Bytes()
      plainGroups = try Groups(in: after, of: plainTree)
      sizes = try Self.auxiliarySizes(in: after, of: plainTree)
      try Self.checkFlags(of: (after, plainTree), besides: (before, tree))
    } catch {
      throw error.asDifference
    }
    seen = sizes.map { _ in (0, 0) }
    for (key, table) in fragmentedGroups.assignments {
      var left = tableSampleCount
      for entry in table where left > 0 {
        let count = Swift.min(left, Int(entry.sampleCount))
        try expect(fragmentedGroups.description(entry.descriptionIndex, key.type), for: count, key)
        left -= count
      }
      try expect(fragmentedGroups.defaultGroup(key.type), for: left, key)
    }
  }

  /// Checks the subsamples of a track fragment, and how they depend on one another.
  private mutating func checkSubsamples(_ part: Part) throws(MovieError) {
    let (tree, atom) = (part.tree, part.fragment.atom)
    for subs in tree.children(of: atom, "subs") { try subsamples.check(subs, of: tree, samples: part.samples) }
    try flags.check(part.runs, own: tree.child(of: atom, "sdtp").map { tree.payload(of: $0).dropFirst(4) })
  }

  /// Nothing more is said of samples than all fragments did.
  private mutating func finish() throws(MovieError) { try subsamples.finish() }

  private func failure(_ reason: String) -> MovieError {
    MovieError(.contentsDiffer, "track \(trackID): \(reason)")
  }

  // MARK: - Groups

  /// Checks the groups of the samples of a part of a fragment.
  private mutating func checkGroups(_ part: Part) throws(MovieError) {
    for group in try part.fragment.sampleGroups(in: part.tree) {
      let own = group.descriptions?.entries ?? []
      var standard = fragmentedGroups.defaultGroup(group.groupingType)
      if let index = group.descriptions?.defaultIndex, index > 0 {
        let place = Int(index > 0x1_0000 ? index - 0x1_0001 : index - 1)
        if own.indices.contains(place) { standard = own[place] }
      }
      let key = Key(type: group.groupingType, parameter: group.assignments?.parameter)
      // Of several atoms about one way of grouping the first counts: a fragment may have descriptions that it does not use.
      guard cursors[key]?.sample ?? 0 < part.samples.upperBound else { continue }
      try skip(to: part.samples.lowerBound, key)
      var left = part.samples.count
      if let assignments = group.assignments {
        for entry in assignments where left > 0 {
          let count = Swift.min(left, Int(entry.sampleCount))
          var description = fragmentedGroups.description(entry.descriptionIndex, group.groupingType)
          if let place = entry.fragmentDescription { description = own.indices.contains(place) ? own[place] : nil }
          try expect(description, for: count, key)
          left -= count
        }
      }
      try expect(standard, for: left, key)
    }
  }

  /// Samples of fragments that say nothing are in the default group.
  private mutating func skip(to sample: Int, _ key: Key) throws(MovieError) {
    let done = cursors[key]?.sample ?? 0
    if sample > done { try expect(fragmentedGroups.defaultGroup(key.type), for: sample - done, key) }
  }

  /// The next `count` samples must be in a group of this description; `nil` for none.
  private mutating func expect(_ description: Bytes?, for count: Int, _ key: Key) throws(MovieError) {
    var cursor = cursors[key] ?? Cursor()
    var left = count
    while left > 0 {
      var found = plainGroups.defaultGroup(key.type)
      var step = left
      if let table = plainGroups.assignments[key], cursor.entry < table.count {
        let entry = table[cursor.entry]
        if cursor.left == 0 { cursor.left = Int(entry.sampleCount) }
        step = Swift.min(left, cursor.left)
        cursor.left -= step
        if cursor.left == 0 { cursor.entry += 1 }
        guard step > 0 else { continue }  // An entry of no samples.
        found = plainGroups.description(entry.descriptionIndex, key.type)
      }
      guard found == description else {
        throw failure("sample \(cursor.sample + 1) is not in the same group \(key.type)")
      }
      cursor.sample += step
      left -= step
    }
    cursors[key] = cursor
  }

  // MARK: - Auxiliary information

  /// Returns the contents of `senc` or PIFF's atom in a track or in its sample table.
  private static func encryption(_ track: Int, _ stbl: Int, _ tree: AtomTree) throws(MovieError) -> Bytes? {
    if let found = try encryption(in: track, tree) { return found }
    return try encryption(in: stbl, tree)
  }

  private static func encryption(in atom: Int, _ tree: AtomTree) throws(MovieError) -> Bytes? {
    for child in tree.children(of: atom) {
      if let found = try SampleEncryption(at: child, of: tree) { return Bytes(found.entries) }
    }
    return nil
  }

  /// The one flag that there is tells of a kind (ISO/IEC 14496-12 8.7.8, 8.7.9); others are those of the fragmented
  /// movie.
  private static func checkFlags(
    of plain: (stbl: Int, tree: AtomTree), besides fragmented: (stbl: Int, tree: AtomTree)
  ) throws(MovieError) {
    func headers(_ table: (stbl: Int, tree: AtomTree)) -> [(atom: Int, word: UInt32?)] {
      (table.tree.children(of: table.stbl, "saiz") + table.tree.children(of: table.stbl, "saio")).map {
        ($0, table.tree.payload(of: $0).load(at: 0, as: UInt32.self))
      }
    }
    let known = Set(headers(fragmented).map(\.word))
    for (atom, word) in headers(plain) where !known.contains(word) {
      guard let word, word & 0xFF_FFFE == 0 else {
        throw plain.tree.error(.malformed, at: atom, "has unknown flags")
      }
    }
  }

  /// The sizes of each kind, and where its bytes lie: one position for all samples.
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

  /// Checks what the samples of a part of a fragment were encrypted with, and whatever else lies beside them.
  private mutating func checkAuxiliary(
    _ part: Part, _ source: some RandomAccessSource, _ output: some RandomAccessSource
  ) throws {
    let samples = part.samples
    let all = try part.fragment.auxiliaryInformation(in: part.tree)
    if all.isEmpty, let own = try Self.encryption(in: part.fragment.atom, part.tree) {
      guard encryption.slice(at: encryptionPosition, count: own.count) == own else {
        throw failure(
          "encryption information from sample \(samples.lowerBound + 1) on is missing or that of other samples")
      }
      encryptionPosition += own.count
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
          throw failure("sample \(sample + 1) has auxiliary information of another size")
        }
      }
      // Information of no samples may stand after the last sample that the table has.
      guard samples.lowerBound >= seen[index].samples, samples.lowerBound <= table.count else { continue }
      let before = table.byteCount(of: seen[index].samples..<samples.lowerBound)
      seen[index].byteCount &+= before  // Less than 2³² samples of less than 2⁸ bytes.
      seen[index].samples = samples.lowerBound
      for range in information.ranges where range.count > 0 {
        let new = ByteRange(offset: sizes[index].position, count: seen[index].byteCount).flatMap {
          ByteRange(offset: $0.end, count: range.count)
        }
        guard let new, new.end <= outputByteCount, let old = range.moved(by: file.offset),
          try output.readExactly(new) == source.readExactly(old)
        else {
          throw failure("auxiliary information from sample \(samples.lowerBound + 1) on differs")
        }
        seen[index].byteCount &+= range.count
      }
      seen[index].samples += information.sizes.count
    }
  }
}

extension MovieError {
  /// The error of a table that contradicts the fragments, as a difference.
  var asDifference: MovieError {
    MovieError(.contentsDiffer, at: offset, in: path, "the tables do not read: \(reason)")
  }
}

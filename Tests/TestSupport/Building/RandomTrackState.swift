/// The state of a track while its random fragments are generated in order.
struct RandomTrackState {
  /// The place of the encryption data of samples in fragments.
  private enum Encryption {
    case none, auxiliary, senc, userType
  }

  let track: TestTrack
  /// Whether `mvex` contains a `trex` for the track.
  let hasDefaults: Bool
  /// The default description, duration, size and flags of samples in fragments.
  let defaults: [Int]
  let groups: RandomGroups
  /// The samples in `moov`.
  let tableSamples: [RandomFragmentedMovie.Sample]
  /// The samples of the fragments so far.
  private(set) var samples: [RandomFragmentedMovie.Sample] = []
  /// The data of samples that only `senc` contains.
  private(set) var encryption: [UInt8] = []
  private let mode: Encryption
  /// The end time of the last fragment.
  private var time: Int64
  private var number: Int

  init(_ track: TestTrack, _ chance: inout Chance) {
    self.track = track
    hasDefaults = !chance.once(in: 15)
    let descriptions = track.sampleEntries?.count ?? 1
    defaults =
      hasDefaults
      ? [
        chance.number(in: 1...descriptions), chance.number(in: 0...900), chance.number(in: 0...40),
        chance.sampleFlags(),
      ] : [1, 0, 0, 0]
    groups = RandomGroups(tableSampleCount: track.samples.count, &chance)
    let isEmpty = track.samples.isEmpty
    mode =
      chance.once(in: 3)
      ? [.auxiliary, .auxiliary, isEmpty ? .senc : .none, isEmpty ? .userType : .none].randomElement(using: &chance)
        ?? .none : .none
    var time: Int64 = 0
    var table: [RandomFragmentedMovie.Sample] = []
    for (index, sample) in track.samples.enumerated() {
      var known = RandomFragmentedMovie.Sample(
        content: track.bytes(ofSample: index), decodeTime: time, duration: sample.duration,
        compositionOffset: sample.compositionOffset, isSync: sample.isSync, description: 1)
      if track.auxiliaryByteCount > 0 {
        known.extras.auxiliary[[]] = TestSample.pattern(
          track: track.id, number: index + 1_000_001, byteCount: track.auxiliaryByteCount)
      }
      known.extras.groups = groups.ofTableSample(index)
      table.append(known)
      time += Int64(sample.duration)
    }
    tableSamples = table
    self.time = time
    number = table.count
  }

  /// Returns the track's part of the next fragment.
  mutating func part(
    hasDataBefore: Bool, _ unknownAtoms: inout [String: Int], _ chance: inout Chance
  ) -> RandomFragmentedMovie.Part {
    var part = TestFragment.Track(id: track.id, runs: [])
    chooseTime(&part, &chance)
    // The defaults for description, duration, size and flags.
    let standards = [
      chance.number(in: 1...(track.sampleEntries?.count ?? 1)), chance.number(in: 0...900), chance.number(in: 0...40),
      chance.sampleFlags(),
    ]
    let own = standards.map { chance.once(in: 2) ? $0 : nil }
    (part.description, part.duration, part.size, part.flags) = (own[0], own[1], own[2], own[3])
    let standard = zip(own, defaults).map { $0 ?? $1 }
    let first = samples.count
    for _ in 0..<chance.number(in: 0...3) { part.runs.append(run(standard, &chance)) }
    if part.runs.isEmpty, chance.once(in: 2) {
      part.isDurationEmpty = true
      time += Int64(standard[1])
    } else if chance.once(in: 20) {
      part.isDurationEmpty = true  // Without effect if there are runs.
      if part.runs.isEmpty { time += Int64(standard[1]) }
    }
    let bases: [RandomFragmentedMovie.Base] = [
      .movieFragment, .movieFragment, .firstRun, .implied, .fragmentPosition, .fileStart,
    ]
    let base = bases.randomElement(using: &chance) ?? .movieFragment
    addAtoms(&part, first, &unknownAtoms, &chance)
    let auxiliary = auxiliary(part, first, base, isFirst: !hasDataBefore, &chance)
    return RandomFragmentedMovie.Part(track: part, base: base, auxiliary: auxiliary)
  }

  /// Chooses the start: no `tfdt`, a contiguous time, a gap, an overlap, or a decreasing time.
  private mutating func chooseTime(_ part: inout TestFragment.Track, _ chance: inout Chance) {
    let last = samples.last?.duration ?? tableSamples.last?.duration ?? 0
    let isFirst = samples.isEmpty && tableSamples.isEmpty
    switch chance.number(in: 0...9) {
    case 0...3: return
    case 4...6: break
    case 7: time += Int64(chance.number(in: 1...3000))
    case 8 where !isFirst: time -= Int64(chance.number(in: 0...last))
    case 9 where chance.once(in: 3): time = Int64(chance.number(in: 0...Int(time)))
    default: time += isFirst ? Int64(chance.number(in: 0...9000)) : 0
    }
    time = max(0, time)
    part.decodeTime = UInt64(time)
    part.usesLongTime = chance.once(in: 2)
  }

  private mutating func run(_ standard: [Int], _ chance: inout Chance) -> TestFragment.Run {
    var run = TestFragment.Run([])
    run.fields = chance.once(in: 3) ? .all : TestFragment.Fields(rawValue: chance.number(in: 0...15) << 8)
    run.version = chance.number(in: 0...1)
    if !run.fields.contains(.flags), chance.once(in: 2) { run.firstSampleFlags = chance.sampleFlags() }
    for index in 0..<chance.number(in: 0...7) {
      var flags = index == 0 ? run.firstSampleFlags ?? standard[3] : standard[3]
      if run.fields.contains(.flags) { flags = chance.sampleFlags() }
      let byteCount = run.fields.contains(.size) ? (chance.once(in: 15) ? 0 : chance.number(in: 1...60)) : standard[2]
      number += 1
      var sample = TestSample(
        content: TestSample.pattern(track: track.id, number: number, byteCount: byteCount),
        duration: run.fields.contains(.duration) ? chance.number(in: 0...1500) : standard[1])
      if run.fields.contains(.compositionOffset) {
        sample.compositionOffset = chance.number(in: (run.version == 0 ? 0 : -700)...700)
      }
      (sample.flags, sample.isSync) = (flags, flags & 0x1_0000 == 0)
      run.samples.append(sample)
      var known = RandomFragmentedMovie.Sample(
        content: sample.content ?? [], decodeTime: time, duration: sample.duration,
        compositionOffset: sample.compositionOffset, isSync: sample.isSync, description: standard[0])
      known.extras.dependencies = UInt64(flags >> 20 & 0xFF)
      known.extras.padding = UInt64(flags >> 17 & 7)
      known.extras.priority = UInt64(flags & 0xFFFF)
      samples.append(known)
      time += Int64(sample.duration)
    }
    return run
  }

  // MARK: - Other contents of a fragment

  private mutating func addAtoms(
    _ part: inout TestFragment.Track, _ first: Int, _ unknownAtoms: inout [String: Int], _ chance: inout Chance
  ) {
    let count = samples.count - first
    var atoms: [[UInt8]] = []
    if chance.once(in: 4) {
      let bytes = (0..<count).map { _ in chance.number(in: 0...255) }
      atoms.append(fullAtom("sdtp") { bytes.flatMap { u8($0) } })
      for (index, byte) in bytes.enumerated() { samples[first + index].extras.dependencies = UInt64(byte) }
    }
    if chance.once(in: 4) { atoms.append(parts(from: first, &chance)) }
    let grouped = groups.part(of: count, &chance)
    atoms += grouped.atoms
    for (index, group) in grouped.groups.enumerated() { samples[first + index].extras.groups = group }
    for type in ["WHAT", "csgp", "tkhd"] where chance.once(in: 15) {
      atoms.append(atom(type) { zeros(chance.number(in: 0...9)) })
      unknownAtoms[type, default: 0] += 1
    }
    if chance.once(in: 8) { atoms.append(atom("free") { zeros(5) }) }
    if mode == .senc || mode == .userType, count > 0 {
      let bytes = TestSample.pattern(track: track.id, number: first + 2_000_000, byteCount: 8 * count)
      atoms.append(
        mode == .senc
          ? fullAtom("senc") { u32(count) + bytes }
          : atom("uuid") { TestFragment.encryptionUserType + u32(0, count) + bytes })
      encryption += bytes
    }
    atoms.shuffle(using: &chance)
    part.atoms = Array(atoms.joined())
  }

  /// Returns `subs` with subsamples of some samples.
  private mutating func parts(from first: Int, _ chance: inout Chance) -> [UInt8] {
    let flags = chance.once(in: 3) ? 1 : 0
    let isWide = chance.once(in: 3)
    var entries: [[UInt8]] = []
    var last = first - 1
    for index in first..<samples.count where chance.once(in: 2) {
      let parts = (0..<chance.number(in: 1...3)).map { _ in
        (size: chance.number(in: 0...(isWide ? 70_000 : 60_000)), rest: u8(3, 0) + u32(chance.number(in: 0...99)))
      }
      entries.append(
        u32(index - last) + u16(parts.count) + parts.flatMap { (isWide ? u32($0.size) : u16($0.size)) + $0.rest })
      samples[index].extras.parts[UInt64(flags)] = parts.flatMap { u32($0.size) + $0.rest }
      last = index
    }
    return fullAtom("subs", version: isWide ? 1 : 0, flags: flags) { u32(entries.count) + Array(entries.joined()) }
  }

  private mutating func auxiliary(
    _ part: TestFragment.Track, _ first: Int, _ base: RandomFragmentedMovie.Base, isFirst: Bool, _ chance: inout Chance
  ) -> RandomFragmentedMovie.Auxiliary? {
    let count = samples.count - first
    guard mode == .auxiliary, count > 0, !chance.once(in: 4) else { return nil }
    var auxiliary = RandomFragmentedMovie.Auxiliary()
    switch base {
    case .movieFragment, .fragmentPosition: break
    case .implied where isFirst: break
    case .fileStart: auxiliary.isInFragment = chance.once(in: 2)
    case .implied, .firstRun: return nil  // The bytes would precede the base.
    }
    if chance.once(in: 2) { auxiliary.kind = code(auxiliary.isInFragment ? "cenc" : "test") + u32(0) }
    auxiliary.usesLongOffsets = chance.once(in: 3)
    let uniform = chance.once(in: 3) ? 8 : nil
    for index in 0..<(chance.once(in: 4) ? chance.number(in: 1...count) : count) {
      let size = uniform ?? chance.number(in: 0...20)
      let bytes = TestSample.pattern(track: track.id, number: first + index + 3_000_000, byteCount: size)
      auxiliary.sizes.append(size)
      auxiliary.bytes += bytes
      if size > 0 { samples[first + index].extras.auxiliary[auxiliary.kind] = bytes }
    }
    auxiliary.starts = [0]
    if chance.once(in: 2) {
      // A position for each run.
      var sample = 0
      auxiliary.starts = part.runs.map { run in
        defer { sample += run.samples.count }
        return auxiliary.sizes.prefix(sample).reduce(0, +)
      }
    }
    return auxiliary
  }
}

extension Chance {
  /// Returns flags of a sample, usually the flags of a sync picture or of a dependent picture.
  mutating func sampleFlags() -> Int {
    switch number(in: 0...3) {
    case 0: 0x0200_0000
    case 1: 0x0101_0000
    case 2: 0
    default: number(in: 0...0x0FFF_FFFF)
    }
  }
}

extension RandomFragmentedMovie {
  /// Creates a movie with tracks of any kind, some with samples in `moov`, and fragments of every form, including rare
  /// ones.
  package init(_ chance: inout Chance) {
    var header = TestMovie.random(&chance)
    var trailer: [UInt8] = []
    if case .bytes(let last) = header.layout.last, last.starts(with: text("SEFT")) {
      header.layout.removeLast()
      trailer = last
    }
    let isHybrid = chance.once(in: 3)
    for index in header.tracks.indices {
      if !isHybrid || chance.once(in: 2) {
        header.tracks[index].samples = []
        header.tracks[index].auxiliaryByteCount = 0
      }
      Self.describe(&header.tracks[index], &chance)
      if chance.once(in: 4) {
        header.tracks[index].edits = [TestEdit(duration: 0, mediaTime: chance.number(in: 0...900))]
      }
    }
    if chance.once(in: 2) { header.duration = 0 }
    var states = header.tracks.map { RandomTrackState($0, &chance) }
    self.header = header
    self.header.movieAtoms += Self.mvex(states, &chance)
    for index in states.indices {
      self.header.tracks[index].sampleTableAtoms += states[index].groups.atoms
      samples[states[index].track.id] = states[index].tableSamples
    }
    let count = chance.number(in: 1...6)
    while fragments.count < count { addGroup(&states, &chance) }
    if chance.once(in: 4) { pieces.append(.bytes(atom("mfra") { fullAtom("mfro") { u32(24) } })) }
    if trailer.isEmpty, chance.once(in: 6), case .media(let blocks, _) = pieces.last {
      pieces[pieces.count - 1] = .media(blocks, .toTheEnd)
    } else if !trailer.isEmpty {
      pieces.append(.bytes(trailer))
    }
    for state in states {
      samples[state.track.id, default: []] += state.samples
      if !state.encryption.isEmpty { encryption[state.track.id] = state.encryption }
    }
  }

  /// Adds a second sample description.
  private static func describe(_ track: inout TestTrack, _ chance: inout Chance) {
    guard chance.once(in: 3) else { return }
    switch track.kind {
    case .video: track.sampleEntries = [64, 32].map { SampleEntry.video(width: $0, height: $0) }
    case .sound: track.sampleEntries = [8000, 16000].map { SampleEntry.sound(rate: $0) }
    default: break
    }
  }

  private static func mvex(_ states: [RandomTrackState], _ chance: inout Chance) -> [UInt8] {
    var children: [[UInt8]] = states.filter(\.hasDefaults).map { state in
      fullAtom("trex") { u32(Int(state.track.id)) + state.defaults.flatMap { u32($0) } }
    }
    if chance.once(in: 3) { children.insert(fullAtom("mehd") { u32(1234) }, at: 0) }
    if chance.once(in: 6) { children.append(fullAtom("trep") { u32(1) }) }
    return atom("mvex") { Array(children.joined()) }
  }

  // MARK: - Fragments and media

  /// Adds one to three fragments that share one or two `mdat` in any order.
  private mutating func addGroup(_ states: inout [RandomTrackState], _ chance: inout Chance) {
    addOthers(&chance)
    let first = fragments.count
    let count = chance.once(in: 3) ? chance.number(in: 2...3) : 1
    for _ in 0..<count { fragments.append(fragment(&states, &chance)) }
    var blocks = blocks(of: first..<fragments.count, &chance)
    if chance.once(in: 3) { blocks.shuffle(using: &chance) }
    let split = chance.once(in: 3) ? chance.number(in: 0...blocks.count) : blocks.count
    var group: [Piece] = (first..<fragments.count).map { .fragment($0) }
    for part in [Array(blocks[..<split]), Array(blocks[split...])] where !part.isEmpty || chance.once(in: 8) {
      let gap = chance.once(in: 4) ? [Block.gap(chance.number(in: 1...20))] : []
      group.append(.media(chance.once(in: 2) ? gap + part : part + gap, chance.once(in: 5) ? .extended : .ordinary))
    }
    if chance.once(in: 3) { group.shuffle(using: &chance) }
    // The data may be in any order, the fragments not.
    var next = first
    for index in group.indices {
      guard case .fragment = group[index] else { continue }
      group[index] = .fragment(next)
      next += 1
    }
    pieces += group
  }

  /// Adds atoms that streaming packagers write between fragments, and unknown ones.
  private mutating func addOthers(_ chance: inout Chance) {
    for _ in 0..<chance.number(in: 0...2) where chance.once(in: 2) {
      let others = [
        atom("styp") { code("msdh") + u32(0) }, fullAtom("sidx") { u32(1, 1000, 0, 0, 0) }, atom("ssix"),
        fullAtom("prft") { u32(1) + u64(2, 3) }, fullAtom("emsg") { zeros(30) }, atom("free") { zeros(12) },
        atom("uuid") { zeros(16) + text("vendor") }, atom("JUNK") { text("between") },
      ]
      pieces.append(.bytes(others.randomElement(using: &chance) ?? []))
    }
  }

  private mutating func fragment(_ states: inout [RandomTrackState], _ chance: inout Chance) -> Fragment {
    var fragment = Fragment()
    for _ in 0..<chance.number(in: 0...4) {
      // Sometimes samples of an unknown track.
      if chance.once(in: 25) {
        let run = TestFragment.Run([TestSample(content: text("nobody's"), duration: 5)])
        fragment.parts.append(Part(track: .init(id: 7777, runs: [run]), base: .movieFragment))
        continue
      }
      let place = chance.number(in: 0...states.count - 1)
      let hasData = fragment.parts.contains { !$0.track.runs.isEmpty }
      fragment.parts.append(states[place].part(hasDataBefore: hasData, &unknownAtoms, &chance))
    }
    if chance.once(in: 10) {
      fragment.atoms = atom("meta") { zeros(4) }
      unknownAtoms["meta", default: 0] += 1
    }
    if chance.once(in: 10) { fragment.atoms += atom("free") { zeros(3) } }
    return fragment
  }

  /// Returns the data of fragments. Runs without an offset of their own are joined to the run before.
  private mutating func blocks(of range: Range<Int>, _ chance: inout Chance) -> [Block] {
    var blocks: [Block] = []
    for number in range {
      var glue: [(fragment: Int, part: Int, run: Int)] = []
      for (place, part) in fragments[number].parts.enumerated() {
        for run in part.track.runs.indices {
          let follows = run > 0 || part.base == .implied && !glue.isEmpty
          if follows, chance.once(in: 2) {
            fragments[number].parts[place].track.runs[run].hasDataOffset = chance.once(in: 3)
          } else {
            if !glue.isEmpty { blocks.append(.runs(glue)) }
            glue = []
            // Without an offset, the first run begins at the base.
            let isAtBase = run == 0 && part.base == .firstRun
            fragments[number].parts[place].track.runs[run].hasDataOffset = !isAtBase || chance.once(in: 2)
          }
          glue.append((number, place, run))
        }
        if let auxiliary = part.auxiliary, !auxiliary.isInFragment {
          if !glue.isEmpty { blocks.append(.runs(glue)) }
          glue = []
          blocks.append(.auxiliary(fragment: number, part: place))
        }
      }
      if !glue.isEmpty { blocks.append(.runs(glue)) }
      if chance.once(in: 4) { blocks.append(.gap(chance.number(in: 1...9))) }
    }
    return blocks
  }
}

extension Chance {
  mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }
}

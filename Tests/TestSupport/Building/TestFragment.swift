/// A fragment of a test movie: a `moof` and the `mdat` after it.
///
///     let movie = TestMovie(tracks: [TestTrack(.video, id: 1)])
///     let file = movie.bytes(fragments: [TestFragment([.init(id: 1, runs: [.init(.varied(3, around: 20, duration: 50))])])])
package struct TestFragment: Sendable {
  /// Where offsets of data count from.
  package enum Base: Equatable, Sendable {
    /// A file position in `tfhd`: that of the track's first run.
    case absolute
    /// `default-base-is-moof`.
    case movieFragment
    /// This position, in `tfhd`.
    case position(UInt64)
    /// Neither: the `moof`, or the end of the data of the track before.
    case implied
  }

  /// Fields that each sample of a run has.
  package struct Fields: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let duration = Fields(rawValue: 0x100)
    package static let size = Fields(rawValue: 0x200)
    package static let flags = Fields(rawValue: 0x400)
    package static let compositionOffset = Fields(rawValue: 0x800)
    package static let all: Fields = [.duration, .size, .flags, .compositionOffset]
  }

  /// A `trun` and its samples.
  package struct Run: Sendable {
    package var samples: [TestSample]
    package var fields = Fields.all
    package var version = 1
    package var firstSampleFlags: Int?
    /// Without it the data is said to follow that of the run before.
    package var hasDataOffset = true
    /// Instead of the true offset.
    package var claimedOffset: Int?
    /// Instead of the true number of samples.
    package var claimedCount: Int?
    /// Bytes of no sample before the data.
    package var gap = 0
    /// Where the data lies in the file; nil for after that of the run before, in the fragment's own `mdat`.
    package var position: UInt64?

    package init(_ samples: [TestSample], fields: Fields = .all) {
      self.samples = samples
      self.fields = fields
    }

    /// The same run after a change.
    package func with(_ change: (inout Run) -> Void) -> Run {
      var copy = self
      change(&copy)
      return copy
    }
  }

  /// A `traf`.
  package struct Track: Sendable {
    package var id: UInt32
    package var runs: [Run]
    package var base = Base.movieFragment
    package var decodeTime: UInt64?
    package var usesLongTime = true
    package var description: Int?
    package var duration: Int?
    package var size: Int?
    package var flags: Int?
    package var isDurationEmpty = false
    /// The number of the first sample, for samples that have no content of their own.
    package var firstNumber = 1
    /// Atoms after the runs.
    package var atoms: [UInt8] = []

    package init(id: UInt32, decodeTime: UInt64? = nil, runs: [Run]) {
      self.id = id
      self.decodeTime = decodeTime
      self.runs = runs
    }

    /// The same track after a change.
    package func with(_ change: (inout Track) -> Void) -> Track {
      var copy = self
      change(&copy)
      return copy
    }
  }

  package var sequenceNumber = 1
  package var tracks: [Track]
  /// Atoms at the end of `moof`.
  package var atoms: [UInt8] = []

  package init(_ tracks: [Track]) {
    self.tracks = tracks
  }

  /// The type of the `uuid` in which PIFF says what `senc` does.
  package static let encryptionUserType: [UInt8] = [
    0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4,
  ]

  /// The two atoms, as they stand at `position` of the file.
  package func bytes(at position: UInt64) -> [UInt8] {
    let data = position + UInt64(moof(at: position).count) + 8
    return moof(at: position, data: data) + atom("mdat") { media() }
  }

  /// The `moof` alone, as it stands at `position` of the file; its runs say themselves where their data lies.
  package func moof(at position: UInt64) -> [UInt8] {
    moof(at: position, data: position)
  }

  /// The bytes of a sample: its own, or ones that name the track and the sample.
  package static func content(_ sample: TestSample, track: UInt32, number: Int) -> [UInt8] {
    sample.content ?? TestSample.pattern(track: track, number: number, byteCount: sample.byteCount)
  }

  /// The flags of a sample that others need, or that needs others.
  package static func flags(_ sample: TestSample) -> Int {
    sample.flags ?? (sample.isSync ? 0x0200_0000 : 0x0101_0000)
  }

  private func media() -> [UInt8] {
    var bytes: [UInt8] = []
    for track in tracks {
      var number = track.firstNumber
      for run in track.runs {
        bytes += [UInt8](repeating: 0xEE, count: run.gap)
        for sample in run.samples {
          bytes += Self.content(sample, track: track.id, number: number)
          number += 1
        }
      }
    }
    return bytes
  }

  private func moof(at position: UInt64, data: UInt64) -> [UInt8] {
    var next = data
    var end = position
    let parts = tracks.map { track in traf(track, at: position, data: &next, end: &end) }
    return atom("moof") {
      fullAtom("mfhd") { u32(sequenceNumber) }
      for part in parts { part }
      atoms
    }
  }

  /// `data` is where the next run's bytes would begin, `end` where those of the track before end.
  private func traf(_ track: Track, at position: UInt64, data: inout UInt64, end: inout UInt64) -> [UInt8] {
    let base: UInt64 =
      switch track.base {
      case .absolute: track.runs.first?.position ?? data
      case .movieFragment: position
      case .position(let base): base
      case .implied: end
      }
    var runs: [UInt8] = []
    for run in track.runs {
      data = run.position ?? data + UInt64(run.gap)
      runs += trun(run, offset: Int(data) - Int(base))
      data += run.samples.reduce(0) { $0 + UInt64($1.content?.count ?? $1.byteCount) }
      end = data
    }
    return atom("traf") {
      tfhd(track, base: base)
      if let time = track.decodeTime {
        fullAtom("tfdt", version: track.usesLongTime ? 1 : 0) { track.usesLongTime ? u64(time) : u32(Int(time)) }
      }
      runs
      track.atoms
    }
  }

  private func tfhd(_ track: Track, base: UInt64) -> [UInt8] {
    var flags = track.isDurationEmpty ? 0x1_0000 : 0
    switch track.base {
    case .absolute, .position: flags |= 0x1
    case .movieFragment: flags |= 0x2_0000
    case .implied: break
    }
    if track.description != nil { flags |= 0x2 }
    if track.duration != nil { flags |= 0x8 }
    if track.size != nil { flags |= 0x10 }
    if track.flags != nil { flags |= 0x20 }
    return fullAtom("tfhd", flags: flags) {
      u32(Int(track.id))
      if flags & 0x1 != 0 { u64(base) }
      for value in [track.description, track.duration, track.size, track.flags] { value.map { u32($0) } ?? [] }
    }
  }

  private func trun(_ run: Run, offset: Int) -> [UInt8] {
    let flags = run.fields.rawValue | (run.hasDataOffset ? 0x1 : 0) | (run.firstSampleFlags == nil ? 0 : 0x4)
    return fullAtom("trun", version: run.version, flags: flags) {
      u32(run.claimedCount ?? run.samples.count)
      if run.hasDataOffset { u32(run.claimedOffset ?? offset) }
      run.firstSampleFlags.map { u32($0) } ?? []
      for sample in run.samples {
        if run.fields.contains(.duration) { u32(sample.duration) }
        if run.fields.contains(.size) { u32(sample.content?.count ?? sample.byteCount) }
        if run.fields.contains(.flags) { u32(Self.flags(sample)) }
        if run.fields.contains(.compositionOffset) { u32(sample.compositionOffset) }
      }
    }
  }
}

extension TestMovie {
  /// The file with fragments after it. `mvex` has a `trex` for each track, its fields from `extends`: description,
  /// duration, size, flags.
  package func bytes(fragments: [TestFragment], extends: [UInt32: [Int]] = [:]) -> [UInt8] {
    let movie = with { movie in
      movie.movieAtoms += atom("mvex") {
        for track in tracks {
          fullAtom("trex") {
            u32(Int(track.id))
            (extends[track.id] ?? [1, 0, 0, 0]).flatMap { u32($0) }
          }
        }
      }
    }
    var bytes = movie.bytes()
    for fragment in fragments { bytes += fragment.bytes(at: UInt64(bytes.count)) }
    return bytes
  }

  /// The same movie with a header that has no samples, and no media: all of it is in fragments.
  package var initial: TestMovie {
    with { movie in
      movie.layout = [.fileType, .movie(.ordinary)]
      for index in movie.tracks.indices { movie.tracks[index].samples = [] }
    }
  }
}

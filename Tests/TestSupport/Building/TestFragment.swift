/// A fragment of a test movie: a `moof` and the `mdat` after it.
///
///     let movie = TestMovie(tracks: [TestTrack(.video, id: 1)])
///     let file = movie.bytes(fragments: [TestFragment([.init(id: 1, runs: [.init(.varied(3, around: 20, duration: 50))])])])
package struct TestFragment: Sendable {
  /// The origin of data offsets.
  package enum Base: Equatable, Sendable {
    /// The file position of the track's first run, stored in `tfhd`.
    case absolute
    /// `default-base-is-moof`.
    case movieFragment
    /// This position, stored in `tfhd`.
    case position(UInt64)
    /// The default: the `moof`, or the end of the preceding track's data.
    case implied
  }

  /// The fields stored for each sample of a run.
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
    /// Whether the run declares a data offset. Without it, the data follows the data of the previous run.
    package var hasDataOffset = true
    /// A false data offset, or `nil` for the true one.
    package var claimedOffset: Int?
    /// A false sample count, or `nil` for the true one.
    package var claimedCount: Int?
    /// The number of unused bytes before the data.
    package var gap = 0
    /// The file position of the data, or `nil` to store it after the run before, in the fragment's `mdat`.
    package var position: UInt64?

    package init(_ samples: [TestSample], fields: Fields = .all) {
      self.samples = samples
      self.fields = fields
    }

    /// Returns a modified copy.
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
    /// The number of the first sample, for samples without content of their own.
    package var firstNumber = 1
    /// Atoms after the runs.
    package var atoms: [UInt8] = []

    package init(id: UInt32, decodeTime: UInt64? = nil, runs: [Run]) {
      self.id = id
      self.decodeTime = decodeTime
      self.runs = runs
    }

    /// Returns a modified copy.
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

  /// The user type of PIFF's `uuid` equivalent of `senc`.
  package static let encryptionUserType: [UInt8] = [
    0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4,
  ]

  /// Returns the two atoms for this file position.
  package func bytes(at position: UInt64) -> [UInt8] {
    let data = position + UInt64(moof(at: position).count) + 8
    return moof(at: position, data: data) + atom("mdat") { media() }
  }

  /// Returns the `moof` alone for this file position. Its runs must specify the position of their data.
  package func moof(at position: UInt64) -> [UInt8] {
    moof(at: position, data: position)
  }

  /// Returns the bytes of a sample: its own content, or a pattern of track and sample numbers.
  package static func content(_ sample: TestSample, track: UInt32, number: Int) -> [UInt8] {
    sample.content ?? TestSample.pattern(track: track, number: number, byteCount: sample.byteCount)
  }

  /// Returns the flags of a sync sample or of a dependent sample.
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

  /// Returns a `traf`. `data` is the position of the next run's bytes, `end` the end of the preceding track's data.
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
  /// Returns the file followed by fragments. `mvex` has a `trex` for each track, with the fields in `extends`: description,
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

  /// The movie with an empty sample table and without media, for movies with all samples in fragments.
  package var initial: TestMovie {
    with { movie in
      movie.layout = [.fileType, .movie(.ordinary)]
      for index in movie.tracks.indices { movie.tracks[index].samples = [] }
    }
  }
}

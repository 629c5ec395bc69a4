/// A track's part of a fragment: a `traf` atom.
package struct ReadTrackFragment: Sendable {
  /// The `traf`.
  package let atom: ReadAtom
  /// The origin of its data offsets.
  package let base: UInt64
  /// The number of samples in each run.
  package internal(set) var runs: [Int] = []
  /// The index of its first sample in the track.
  package let firstSample: Int
  /// The flags of each sample.
  package internal(set) var flags: [UInt64] = []

  /// The indices of its samples in the track.
  package var samples: Range<Int> { firstSample..<firstSample + flags.count }
}

/// The expansion of fragments into single samples (ISO/IEC 14496-12 8.8).
struct FragmentExpansion {
  let store: ByteStore
  let root: ReadAtom

  /// The limit for samples. A larger number is false, or too large for a test.
  private static let most = 20_000_000

  /// Returns the tracks with the samples of fragments appended. If several tracks have an ID, the first gets the samples.
  func added(to tracks: [ReadTrack]) throws -> [ReadTrack] {
    var tracks = tracks
    var places: [UInt64: Int] = [:]
    for (place, track) in tracks.enumerated().reversed() { places[UInt64(track.id)] = place }
    var ends = tracks.map { $0.samples.last.map { $0.decodeTime &+ Int64($0.duration) } ?? 0 }
    let defaults = try standards()
    for moof in root.children where moof.type == "moof" {
      var end = moof.offset
      for traf in moof.children where traf.type == "traf" {
        guard let tfhd = traf.child("tfhd") else { throw TestSupportError("\(traf.path) has no tfhd") }
        let header = try Header(FieldReader(tfhd, store), in: moof, after: end, defaults)
        guard let place = places[header.id] else {
          // Samples of unknown tracks still determine where the next data begins.
          var nobody: [ReadSample] = []
          _ = try read(traf, header, time: 0, chunk: 0, external: [], &nobody, &end)
          continue
        }
        var time = ends[place]
        if let tfdt = traf.child("tfdt") {
          var fields = try FieldReader(tfdt, store)
          let version = try fields.fullHeader().version
          time = Int64(bitPattern: try fields.number(version == 1 ? 8 : 4))
        }
        let chunk = (tracks[place].samples.last?.chunk ?? -1) + 1
        let found = try read(
          traf, header, time: time, chunk: chunk, external: tracks[place].isExternal, &tracks[place].samples, &end)
        tracks[place].fragments.append(found.part)
        ends[place] = found.end
      }
    }
    return tracks
  }

  /// Returns the `trex` fields by track: description, duration, size, flags.
  private func standards() throws -> [UInt64: [UInt64]] {
    var defaults: [UInt64: [UInt64]] = [:]
    for mvex in root.child("moov")?.children.filter({ $0.type == "mvex" }) ?? [] {
      for trex in mvex.children where trex.type == "trex" {
        var fields = try FieldReader(trex, store)
        _ = try fields.fullHeader()
        let id = try fields.number(4)
        let standard = try (0..<4).map { _ in try fields.number(4) }
        if defaults[id] == nil { defaults[id] = standard }
      }
    }
    return defaults
  }

  /// The fields of `tfhd`.
  private struct Header {
    let id: UInt64
    let flags: UInt64
    let base: UInt64
    /// The default description, duration, size and flags of samples.
    let standard: [UInt64]

    init(_ tfhd: FieldReader, in moof: ReadAtom, after end: UInt64, _ defaults: [UInt64: [UInt64]]) throws {
      var fields = tfhd
      flags = try fields.fullHeader().flags
      id = try fields.number(4)
      base = flags & 0x1 != 0 ? try fields.number(8) : flags & 0x2_0000 != 0 ? moof.offset : end
      var standard = defaults[id] ?? [1, 0, 0, 0]
      for (index, flag) in ([0x2, 0x8, 0x10, 0x20] as [UInt64]).enumerated() where flags & flag != 0 {
        standard[index] = try fields.number(4)
      }
      self.standard = standard
    }
  }

  private func read(
    _ traf: ReadAtom, _ header: Header, time start: Int64, chunk firstChunk: Int, external: [Bool],
    _ samples: inout [ReadSample], _ end: inout UInt64
  ) throws -> (part: ReadTrackFragment, end: Int64) {
    var part = ReadTrackFragment(atom: traf, base: header.base, firstSample: samples.count)
    var (time, chunk, offset) = (start, firstChunk, header.base)
    let description = UInt32(header.standard[0])
    let isExternal = description >= 1 && description <= external.count && external[Int(description) - 1]
    for trun in traf.children where trun.type == "trun" {
      var fields = try FieldReader(trun, store)
      let flags = try fields.fullHeader().flags
      let count = Int(try fields.number(4))
      guard count <= Self.most else { throw TestSupportError("\(traf.path) says that it has \(count) samples") }
      if flags & 0x1 != 0 {
        let distance = Int64(Int32(truncatingIfNeeded: try fields.number(4)))
        offset = header.base &+ UInt64(bitPattern: distance)
      }
      let first = flags & 0x4 != 0 ? try fields.number(4) : nil
      for index in 0..<count {
        let duration = flags & 0x100 != 0 ? try fields.number(4) : header.standard[1]
        let size = flags & 0x200 != 0 ? try fields.number(4) : header.standard[2]
        let own = flags & 0x400 != 0 ? try fields.number(4) : index == 0 ? first : nil
        let shift = flags & 0x800 != 0 ? Int64(Int32(truncatingIfNeeded: try fields.number(4))) : 0
        let sampleFlags = own ?? header.standard[3]
        samples.append(
          ReadSample(
            offset: offset, byteCount: Int(size), decodeTime: time, presentationTime: time &+ shift,
            duration: UInt32(duration), isSync: sampleFlags & 0x1_0000 == 0, description: description, chunk: chunk,
            isExternal: isExternal))
        part.flags.append(sampleFlags)
        time &+= Int64(duration)
        offset &+= size
      }
      part.runs.append(count)
      if count > 0 { chunk += 1 }
      end = offset
    }
    if part.runs.isEmpty, header.flags & 0x1_0000 != 0 { time &+= Int64(header.standard[1]) }
    return (part, time)
  }
}

extension ReadTrack {
  /// Whether the track contains texts, which never depend on other samples, whatever fragments declare.
  package var isText: Bool { ["text", "sbtl", "subt"].contains(handler) }

  /// Returns properties of samples as a movie without fragments can declare them. The false dependency of a text on others
  /// may be missing.
  package func plainExtras(_ extras: [ReadExtras], as plain: [ReadExtras]) -> [ReadExtras] {
    guard isText, extras.count == plain.count, extras.count == samples.count else { return extras }
    var extras = extras
    for index in tableSampleCount..<samples.count
    where !samples[index].isSync && extras[index].dependencies & 0x30 == 0x10 {
      let other = extras[index].dependencies ^ 0x30
      if plain[index].dependencies == other { extras[index].dependencies = other }
    }
    return extras
  }

  /// The samples as a movie without fragments can store them: decoded from 0, each until the next.
  ///
  /// If decode times go back, the following samples are moved after the last one and keep their distances until their own
  /// times fit again.
  package var plainSamples: [ReadSample] {
    guard tableSampleCount < samples.count, let start = samples.first?.decodeTime else { return samples }
    var plain: [ReadSample] = []
    var (delay, last): (Int64, ReadSample?) = (0, nil)
    for sample in samples {
      let wanted = sample.decodeTime &- start
      if let last, last.chunk != sample.chunk, plain.count >= tableSampleCount, let before = plain.last {
        let fitting = [wanted, wanted &+ delay].first { $0 >= before.decodeTime }
        delay = (fitting ?? before.decodeTime &+ Int64(last.duration)) &- wanted
      }
      let time = wanted &+ delay
      if let before = plain.last, plain.count >= tableSampleCount {
        plain[plain.count - 1] = before.with(decodeTime: before.decodeTime, duration: time &- before.decodeTime)
      }
      var copy = sample.with(decodeTime: time, duration: Int64(sample.duration))
      if isText { copy.isSync = true }
      plain.append(copy)
      last = sample
    }
    return plain
  }
}

extension ReadSample {
  /// Returns the sample with another decode time and an equal composition offset.
  fileprivate func with(decodeTime time: Int64, duration: Int64) -> ReadSample {
    ReadSample(
      offset: offset, byteCount: byteCount, decodeTime: time,
      presentationTime: time &+ (presentationTime &- decodeTime), duration: UInt32(truncatingIfNeeded: duration),
      isSync: isSync, description: description, chunk: chunk, isExternal: isExternal)
  }
}

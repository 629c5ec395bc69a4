/// The properties of a sample besides bytes and times.
package struct ReadExtras: Equatable, Sendable {
  /// The description of its group by grouping type: `roll`, or `roll/7` with a parameter.
  package var groups: [String: [UInt8]] = [:]
  /// Its auxiliary information by type and parameter, which are empty for the type implied by the sample description.
  package var auxiliary: [[UInt8]: [UInt8]] = [:]
  /// Its subsamples in `subs`, with 32-bit sizes, by the flags of the atom.
  package var parts: [UInt64: [UInt8]] = [:]
  /// Its byte of `sdtp`.
  package var dependencies: UInt64 = 0
  /// Its bits of `padb`.
  package var padding: UInt64 = 0
  /// Its number in `stdp`.
  package var priority: UInt64 = 0

  package init() {}
}

extension SecondReader {
  /// Returns the properties that `stbl` and fragments declare for the samples of a track.
  package func extras(of track: ReadTrack) throws -> [ReadExtras] {
    var extras = [ReadExtras](repeating: ReadExtras(), count: track.samples.count)
    let stbl = track.atom.descendant("mdia", "minf", "stbl")
    let table = 0..<track.tableSampleCount
    let own = stbl?.children ?? []
    try readGroups(own, track, into: &extras)
    try readAuxiliary(own, 0, Self.chunks(of: track), in: table, into: &extras)
    try readParts(own, in: table, into: &extras)
    try readFields(own, in: table, into: &extras)
    for part in track.fragments {
      let atoms = part.atom.children
      try readAuxiliary(atoms, part.base, part.runs, in: part.samples, into: &extras)
      try readParts(atoms, in: part.samples, into: &extras)
      for (index, flags) in zip(part.samples, part.flags) {
        (extras[index].dependencies, extras[index].padding) = (flags >> 20 & 0xFF, flags >> 17 & 7)
        extras[index].priority = flags & 0xFFFF
      }
      try readFields(atoms, in: part.samples, into: &extras)
    }
    return extras
  }

  /// Returns the encryption data of a track's samples if no `saiz` assigns it to samples: all data of `senc` or PIFF's
  /// `uuid`.
  package func encryption(of track: ReadTrack) throws -> [UInt8] {
    var entries: [UInt8] = []
    let stbl = track.atom.descendant("mdia", "minf", "stbl")
    for atoms in [track.atom.children, stbl?.children ?? []] + track.fragments.map(\.atom.children)
    where !atoms.contains(where: { $0.type == "saiz" }) {
      for atom in atoms where atom.type == "senc" || atom.type == "uuid" {
        var fields = try FieldReader(atom, store)
        if atom.type == "uuid", try fields.left < 16 || fields.take(16) != TestFragment.encryptionUserType { continue }
        if try fields.fullHeader().flags & 1 != 0 { _ = try fields.take(20) }
        _ = try fields.number(4)
        entries += try fields.take(fields.left)
        break
      }
    }
    return entries
  }

  /// Returns the number of samples in each chunk of the tables.
  private static func chunks(of track: ReadTrack) -> [Int] {
    var counts: [Int] = []
    for sample in track.samples.prefix(track.tableSampleCount) {
      while counts.count <= sample.chunk { counts.append(0) }
      counts[sample.chunk] += 1
    }
    return counts
  }

  // MARK: - Groups

  /// The descriptions of a grouping type.
  private struct Descriptions {
    let entries: [[UInt8]]
    /// The number of the default description. In fragments, numbers begin at 1 or at 0x10001.
    let standard: Int

    var standardDescription: [UInt8]? { description(standard > 0x1_0000 ? standard - 0x1_0000 : standard) }

    func description(_ number: Int) -> [UInt8]? {
      entries.indices.contains(number - 1) ? entries[number - 1] : nil
    }
  }

  /// The assignments of an `sbgp`.
  private struct Assignment {
    let type: String
    let key: String
    /// The number of samples, and the number of their description.
    let entries: [(count: Int, index: Int)]
  }

  private func readGroups(_ stbl: [ReadAtom], _ track: ReadTrack, into extras: inout [ReadExtras]) throws {
    let shared = try descriptions(stbl)
    let scopes = [(stbl, 0..<track.tableSampleCount)] + track.fragments.map { ($0.atom.children, $0.samples) }
    let assignments = try scopes.map { scope in try scope.0.filter { $0.type == "sbgp" }.map(assignment) }
    let owns = try scopes.map { try descriptions($0.0) }
    var keys: [String: Set<String>] = [:]
    for found in assignments.joined() { keys[found.type, default: []].insert(found.key) }
    for type in owns.flatMap(\.keys) where keys[type] == nil { keys[type] = [type] }
    for ((scope, own), assigned) in zip(zip(scopes, owns), assignments) {
      for (type, keys) in keys {
        // Other samples belong to the default group of the fragment, or else of the track.
        let standard = [own[type], shared[type]].compactMap { $0?.standardDescription }.first
        for key in keys {
          var next = scope.1.lowerBound
          for entry in assigned.first(where: { $0.key == key })?.entries ?? [] {
            let isOwn = entry.index > 0x1_0000
            let description = (isOwn ? own : shared)[type]?.description(isOwn ? entry.index - 0x1_0000 : entry.index)
            let end = Swift.min(scope.1.upperBound, next + entry.count)
            for sample in next..<end { extras[sample].groups[key] = description }
            next = end
          }
          for sample in next..<scope.1.upperBound { extras[sample].groups[key] = standard }
        }
      }
    }
  }

  private func assignment(_ sbgp: ReadAtom) throws -> Assignment {
    var fields = try FieldReader(sbgp, store)
    let version = try fields.fullHeader().version
    let type = try fields.code()
    let key = version == 1 ? "\(type)/\(try fields.number(4))" : type
    let entries = try (0..<(try fields.number(4))).map { _ in (Int(try fields.number(4)), Int(try fields.number(4))) }
    return Assignment(type: type, key: key, entries: entries)
  }

  private func descriptions(_ atoms: [ReadAtom]) throws -> [String: Descriptions] {
    var all: [String: Descriptions] = [:]
    for sgpd in atoms where sgpd.type == "sgpd" {
      // A truncated `sgpd`, as in some real movies, describes nothing. Its bytes are compared as an atom.
      guard let (type, found) = try? descriptions(sgpd), all[type] == nil else { continue }
      all[type] = found
    }
    return all
  }

  private func descriptions(_ sgpd: ReadAtom) throws -> (type: String, Descriptions) {
    var fields = try FieldReader(sgpd, store)
    let version = try fields.fullHeader().version
    let type = try fields.code()
    let length = version >= 1 ? Int(try fields.number(4)) : nil
    let standard = version >= 2 ? Int(try fields.number(4)) : 0
    let count = Int(try fields.number(4))
    var entries: [[UInt8]] = []
    for _ in 0..<count {
      // Version 0 does not declare lengths, so the bytes are divided equally.
      let shared = length ?? (fields.bytes.count - 12) / count
      entries.append(try fields.take(shared == 0 ? Int(try fields.number(4)) : shared))
    }
    return (type, Descriptions(entries: entries, standard: standard))
  }

  // MARK: - Auxiliary information

  /// Returns the ranges of auxiliary information to which a track's tables refer, without those of fragments.
  package func auxiliaryRanges(of track: ReadTrack) throws -> [Range<UInt64>] {
    let stbl = track.atom.descendant("mdia", "minf", "stbl")
    return try auxiliaryPlaces(stbl?.children ?? [], 0, Self.chunks(of: track), in: 0..<track.tableSampleCount)
      .map(\.bytes)
  }

  private func readAuxiliary(
    _ atoms: [ReadAtom], _ base: UInt64, _ runs: [Int], in samples: Range<Int>, into extras: inout [ReadExtras]
  ) throws {
    for place in try auxiliaryPlaces(atoms, base, runs, in: samples) {
      extras[place.sample].auxiliary[place.kind] = try store.read(place.bytes.lowerBound, place.bytes.count)
    }
  }

  /// Returns the places of auxiliary information. `runs` contains the number of samples of each run or chunk.
  private func auxiliaryPlaces(
    _ atoms: [ReadAtom], _ base: UInt64, _ runs: [Int], in samples: Range<Int>
  ) throws -> [(sample: Int, kind: [UInt8], bytes: Range<UInt64>)] {
    var found: [(Int, [UInt8], Range<UInt64>)] = []
    var places: [[UInt8]: [UInt64]] = [:]
    for saio in atoms where saio.type == "saio" {
      var fields = try FieldReader(saio, store)
      let header = try fields.fullHeader()
      let kind = header.flags & 1 == 0 ? [] : try fields.take(8)
      let count = Int(try fields.number(4))
      if places[kind] == nil {
        places[kind] = try (0..<count).map { _ in try fields.number(header.version == 0 ? 4 : 8) &+ base }
      }
    }
    for saiz in atoms where saiz.type == "saiz" {
      var fields = try FieldReader(saiz, store)
      let kind = try fields.fullHeader().flags & 1 == 0 ? [] : try fields.take(8)
      let uniform = Int(try fields.number(1))
      let count = Int(try fields.number(4))
      guard let starts = places[kind] else { continue }
      var (run, inRun) = (0, 0)
      var position = starts.first ?? 0
      for index in 0..<Swift.min(count, samples.count) {
        let size = UInt64(uniform == 0 ? Int(try fields.number(1)) : uniform)
        while starts.count > 1, run < runs.count, inRun == runs[run] {
          (run, inRun) = (run + 1, 0)
          position = run < starts.count ? starts[run] : position
        }
        let (end, isBeyond) = position.addingReportingOverflow(size)
        if isBeyond { throw TestSupportError("\(saiz.path): sample \(index + 1) has bytes past any file") }
        if size > 0 { found.append((samples.lowerBound + index, kind, position..<end)) }
        position = end
        inRun += 1
      }
    }
    return found
  }

  // MARK: - Parts and fields

  private func readParts(_ atoms: [ReadAtom], in samples: Range<Int>, into extras: inout [ReadExtras]) throws {
    for subs in atoms where subs.type == "subs" {
      var fields = try FieldReader(subs, store)
      let header = try fields.fullHeader()
      var sample = samples.lowerBound - 1
      for _ in 0..<(try fields.number(4)) {
        sample += Int(try fields.number(4))
        let count = Int(try fields.number(2))
        var parts: [UInt8] = []
        for _ in 0..<count {
          parts += u32(Int(try fields.number(header.version == 0 ? 2 : 4)))
          parts += try fields.take(6)
        }
        if samples.contains(sample), count > 0 { extras[sample].parts[header.flags] = parts }
      }
    }
  }

  private func readFields(_ atoms: [ReadAtom], in samples: Range<Int>, into extras: inout [ReadExtras]) throws {
    for atom in atoms {
      switch atom.type {
      case "sdtp":
        for (index, byte) in zip(samples, try content(of: atom).dropFirst(4)) {
          extras[index].dependencies = UInt64(byte)
        }
      case "padb":
        let bits = try content(of: atom).dropFirst(8).flatMap { [$0 >> 4 & 7, $0 & 7] }
        for (index, value) in zip(samples, bits) { extras[index].padding = UInt64(value) }
      case "stdp":
        let bytes = try content(of: atom)
        for (place, index) in samples.enumerated() {
          extras[index].priority = number(bytes, 4 + 2 * place, 2) ?? 0
        }
      default: break
      }
    }
  }
}

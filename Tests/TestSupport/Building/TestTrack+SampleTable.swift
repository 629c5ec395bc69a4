extension TestTrack {
  func stbl(_ places: MediaPlaces) -> [UInt8] {
    let entries = sampleEntries ?? [standardEntry]
    return atom("stbl") {
      fullAtom("stsd") {
        u32(entries.count)
        Array(entries.joined())
      }
      if let samplesPerPacket {
        fullAtom("stts") { u32(1, samples.count * samplesPerPacket, (samples.first?.duration ?? 0) / samplesPerPacket) }
      } else {
        runs("stts", samples.map(\.duration))
      }
      if samples.contains(where: { $0.compositionOffset != 0 }) {
        runs("ctts", samples.map(\.compositionOffset), version: samples.contains { $0.compositionOffset < 0 } ? 1 : 0)
      }
      if samples.contains(where: { !$0.isSync }) { stss() }
      stsc()
      sizes()
      offsets(places)
      auxiliary(places)
      sampleTableAtoms
    }
  }

  private var standardEntry: [UInt8] {
    switch kind {
    case .video: SampleEntry.video(width: width, height: height, extensions: SampleEntry.avcC)
    case .sound:
      SampleEntry.sound("mp4a", rate: timeScale, extensions: SampleEntry.esds(rate: timeScale, channels: 1))
    case .subtitle: SampleEntry.timedText(width: width, height: height)
    case .text: SampleEntry.text()
    case .timecode: SampleEntry.timecode(timeScale: timeScale, frameDuration: timeScale / 24, framesPerSecond: 24)
    case .other:
      atom("unkn") {
        zeros(6)
        u16(1)
      }
    }
  }

  /// Returns `stts` or `ctts`: the number of consecutive samples with equal values, and the value.
  private func runs(_ type: String, _ values: [Int], version: Int = 0) -> [UInt8] {
    var runs: [(count: Int, value: Int)] = []
    for value in values {
      if let last = runs.last, last.value == value {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((1, value))
      }
    }
    return fullAtom(type, version: version) {
      u32(runs.count)
      runs.flatMap { u32($0.count, $0.value) }
    }
  }

  private func stss() -> [UInt8] {
    let numbers = samples.indices.filter { samples[$0].isSync }.map { $0 + 1 }
    return fullAtom("stss") {
      u32(numbers.count)
      numbers.flatMap { u32($0) }
    }
  }

  private func stsc() -> [UInt8] {
    var runs: [(firstChunk: Int, count: Int, description: Int)] = []
    for (index, chunk) in chunks.enumerated() {
      let description = index < descriptionOfChunk.count ? descriptionOfChunk[index] : descriptionOfChunk.last ?? 1
      let count = chunk.count * (samplesPerPacket ?? 1)
      if let last = runs.last, last.count == count, last.description == description { continue }
      runs.append((index + 1, count, description))
    }
    return fullAtom("stsc") {
      u32(runs.count)
      runs.flatMap { u32($0.firstChunk, $0.count, $0.description) }
    }
  }

  private func sizes() -> [UInt8] {
    if let samplesPerPacket { return fullAtom("stsz") { u32(1, samples.count * samplesPerPacket) } }
    let sizes = samples.map(\.byteCount)
    switch sizeTable {
    case .stsz:
      let uniform = sizes.first.flatMap { first in sizes.allSatisfy { $0 == first } ? first : nil } ?? 0
      return fullAtom("stsz") {
        u32(uniform, sizes.count)
        if uniform == 0 { sizes.flatMap { u32($0) } }
      }
    case .stz2(let bits):
      precondition([4, 8, 16].contains(bits) && sizes.allSatisfy { $0 < 1 << bits }, "sizes must fit \(bits) bits")
      return fullAtom("stz2") {
        u32(bits, sizes.count)
        switch bits {
        case 16: sizes.flatMap { u16($0) }
        case 8: sizes.flatMap { u8($0) }
        default:
          stride(from: 0, to: sizes.count, by: 2).flatMap { index in
            u8(sizes[index] << 4 | (index + 1 < sizes.count ? sizes[index + 1] : 0))
          }
        }
      }
    }
  }

  private func offsets(_ places: MediaPlaces) -> [UInt8] {
    let offsets = chunks.indices.map { externalOffset(ofChunk: $0) ?? places[.chunk(track: id, index: $0)] }
    precondition(usesLongOffsets || offsets.allSatisfy { $0 <= UInt32.max }, "these chunks need co64")
    return fullAtom(usesLongOffsets ? "co64" : "stco") {
      u32(offsets.count)
      usesLongOffsets ? offsets.flatMap { u64($0) } : offsets.flatMap { u32(Int($0)) }
    }
  }

  private func auxiliary(_ places: MediaPlaces) -> [UInt8] {
    if auxiliaryByteCount == 0 { return [] }
    return fullAtom("saiz") {
      u8(auxiliaryByteCount)
      u32(samples.count)
    }
      + fullAtom("saio", version: usesLongOffsets ? 1 : 0) {
        u32(1)
        let position = places[.auxiliary(track: id)]
        usesLongOffsets ? u64(position) : u32(Int(position))
      }
  }
}

/// Returns a `meta` with an item that `iloc` locates by its file position.
package func itemMeta(_ dialect: TestMovie.Dialect, position: UInt64, byteCount: Int, usesBase: Bool) -> [UInt8] {
  let content = movie {
    fullAtom("hdlr") {
      u32(0)
      code("test")
      zeros(13)
    }
    fullAtom("iloc", version: 1) {
      u16(usesBase ? 0x4480 : 0x4400, 1)  // widths of offset, length, base and index; one item
      u16(1, 0, 0)  // item 1, construction method 0, this file
      if usesBase { u64(position) }
      u16(1)
      u32(usesBase ? 0 : Int(position), byteCount)
    }
  }
  return dialect == .iso ? fullAtom("meta") { content } : atom("meta") { content }
}

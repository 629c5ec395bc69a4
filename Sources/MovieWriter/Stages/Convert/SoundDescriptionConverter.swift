import MovieBox

/// Describes sound as another type of movie has it.
struct SoundDescriptionConverter {
  /// A description of the new type.
  struct Converted {
    var entry: SampleEntry
    /// Whether the list that it is in must be of version 1 (ISO/IEC 14496-12 12.2.3).
    var needsVersion1 = false
    /// The bytes of all channels of a sample, where `stsz` has to say them now.
    var frameByteCount: UInt32?
    /// What happened, for the end of a sentence that begins with the track; `nil` where nothing did.
    var change: String?
    /// What players may stumble over, for the end of such a sentence.
    var warning: String?
    /// What is left out, for the end of such a sentence.
    var loss: String?
  }

  let entry: SampleEntry
  let sound: SoundDescription
  /// How many ticks of the media make a second: most often the rate of its samples.
  let timeScale: UInt32
  /// How many ticks the first sample lasts.
  let sampleDuration: UInt32
  /// Whether `stsz` says 1 for samples of any size.
  let hasPackets: Bool

  // MARK: - To ISO

  /// The description in an ISO file; `nil` where it stays as it is. Throws a reason, for the end of a sentence that
  /// begins with the track, where there is none.
  func converted(to type: MovieType, fromQuickTime: Bool) throws(Objection) -> Converted? {
    guard var converted = try type.isQuickTime ? quickTime() : iso(type, fromQuickTime: fromQuickTime) else {
      return nil
    }
    let rests = sound.bytesThatAreNoAtoms
    guard !rests.contains(where: Self.isDamagedAtom) else {
      throw Objection("has a description of its sound (\(entry.format)) with a damaged atom in it")
    }
    let count = rests.reduce(0) { $0 + $1.count }
    if count > 0 {
      converted.loss =
        "has \(Quantity.exactBytes(UInt64(count))) of its sound description (\(entry.format)) left out, which are no atoms"
    }
    return converted
  }

  /// Whether the bytes start like an atom whose size exceeds them, and so may contain data that the decoder needs.
  private static func isDamagedAtom(_ rest: Bytes) -> Bool {
    rest.count >= 8 && rest.dropFirst(4).prefix(4).allSatisfy { (0x20...0x7E).contains($0) || $0 == 0xA9 }
  }

  private func iso(_ type: MovieType, fromQuickTime: Bool) throws(Objection) -> Converted? {
    let pcm = ["ipcm", "fpcm"].contains(entry.format) ? nil : LinearSound(entry.format, sound)
    var atoms = sound.atomsWithoutWave(of: entry.format)
    var format = entry.format
    var change = sound.extra == .none ? nil : "is described as ISO files do (\(entry.format), no wave)"
    var frameByteCount: UInt32?
    if let pcm {
      format = pcm.isFloat ? "fpcm" : "ipcm"
      atoms = [pcm.configuration] + atoms.filter { $0.type != "enda" }
      change = "is described as \(format), which is what ISO files call it, instead of \(entry.format)"
      let (count, overflow) = sound.channelCount.multipliedReportingOverflow(by: pcm.bitsPerSample / 8)
      guard !overflow, count > 0 else { throw Objection("has \(sound.channelCount) channels") }
      if hasPackets { frameByteCount = count }
    } else if let name = sound.bytewiseFormat(entry.format) {
      format = name
      if name != entry.format { change = "is described as \"\(name)\", as ISO files do, instead of \(entry.format)" }
      if hasPackets {
        frameByteCount = sound.channelCount
        change = change ?? "lists the bytes of all channels as a sample (stsz), as ISO files do"
      }
    } else {
      guard format != "raw " else { throw Objection("is unsigned PCM of \(sound.sampleSize) bits") }
      guard !hasPackets || !fromQuickTime else {
        throw Objection("lists its packets in \(entry.format) as single samples, which ISO files cannot")
      }
      if let name = Self.mpegSound[entry.format], type == .mp4 {
        format = "mp4a"
        atoms =
          [
            ElementaryStream.atom(
              sound.sampleRate(of: entry.format, mediaTimeScale: timeScale) < 32_000 ? .mpeg2Sound : .mpeg1Sound)
          ]
          + atoms
        change = "is described as mp4a, as ISO files do \(name)"
      }
    }
    let held = MovieType.unencrypted(format, atoms)
    if let objection = type.objection(to: held, of: .audio, isChapterImage: false) {
      throw Objection(pcm == nil ? objection : "is PCM (\(entry.format)), which is not registered for \(type.name)")
    }
    if let esds = atoms.first(where: { $0.type == "esds" }),
      let objection = type.objection(toStream: esds.payload, of: .audio)
    {
      throw Objection(objection)
    }
    let rest = SampleEntryAtoms(sound.tail).rest
    guard change != nil || sound.tail.count != Self.bytes(of: atoms).count + rest.count else { return nil }
    guard let channels = UInt16(exactly: sound.channelCount) else {
      throw Objection("has \(sound.channelCount) channels")
    }
    let description = sound.isoForm(
      of: entry.format, channelCount: channels, bitsPerSample: pcm?.bitsPerSample ?? (format == "raw " ? 8 : nil),
      atoms: atoms)
    let needsVersion1 = description.version == 1
    var converted = Converted(
      entry: entry(format, description), needsVersion1: needsVersion1, frameByteCount: frameByteCount, change: change)
    if pcm != nil {
      // ffmpeg 5.1 plays `ipcm`, GStreamer 1.22 neither.
      let unknown = "is PCM as MP4 files have it (\(format)), which older players do not know, and play in silence"
      converted.warning =
        needsVersion1
        ? unknown + "; its rate, \(sound.sampleRate) samples a second, is in an atom (srat) that few players read"
        : unknown
    }
    return converted
  }

  /// Why a track cannot be described.
  struct Objection: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private static let mpegSound: [FourCC: String] = [
    ".mp3": "MP3", "ms\0\u{55}": "MP3", ".mp2": "MP2", "ms\0\u{50}": "MP2",
  ]

  // MARK: - To QuickTime

  /// AAC and Apple Lossless in version 1 with `wave`, as Apple's writers have them; sound of more than 65535 samples a
  /// second in version 2; PCM by its names of QuickTime; all else stays.
  private func quickTime() -> Converted? {
    var atoms = SampleEntryAtoms(sound.tail).atoms
    guard !atoms.contains(where: { $0.type == "wave" }) else { return nil }
    let trueRate = sound.sampleRate(of: entry.format, mediaTimeScale: timeScale)
    let hadRate = atoms.contains { $0.type == "srat" }
    atoms.removeAll { $0.type == "srat" }
    if let pcm = LinearSound(entry.format, sound), entry.format == "ipcm" || entry.format == "fpcm" {
      return quickTime(pcm, atoms.filter { $0.type != "pcmC" }, rate: trueRate)
    }
    guard hadRate || ["mp4a", "alac"].contains(entry.format) else { return nil }
    var wave = ByteWriter()
    let inWave: Set<FourCC> = ["esds", "alac", "dac3", "dec3", "chan"]
    wave.atom("wave") { wave in
      wave.atom("frma") { $0.write(entry.format) }
      if entry.format == "mp4a" { wave.atom("mp4a") { $0.write(UInt32(0)) } }
      for atom in atoms where inWave.contains(atom.type) { atom.write(to: &wave) }
      wave.write(UInt32(8))
      wave.write(UInt32(0))
    }
    let rest = Self.bytes(of: atoms.filter { !inWave.contains($0.type) })
    let samplesPerPacket = timeScale == trueRate || trueRate == 0 ? sampleDuration : 1_024
    return described(
      Layout(format: entry.format, rate: trueRate, samplesPerPacket: samplesPerPacket),
      tail: Bytes(wave.bytes + rest.array), change: "is described as QuickTime movies do (\(entry.format), with wave)")
  }

  private func quickTime(_ pcm: LinearSound, _ atoms: [SampleEntryAtoms.Atom], rate: UInt32) -> Converted? {
    let bytes = pcm.bitsPerSample / 8
    let (frame, overflow) = bytes.multipliedReportingOverflow(by: sound.channelCount)
    guard !overflow else { return nil }
    let isLarge = rate > UInt32(UInt16.max) || sound.channelCount > 2
    let format: FourCC = isLarge ? "lpcm" : pcm.quickTimeFormat
    var wave = ByteWriter()
    if !isLarge, pcm.bitsPerSample > 16 {
      wave.atom("wave") { wave in
        wave.atom("frma") { $0.write(format) }
        wave.atom("enda") { $0.write(UInt16(pcm.isLittleEndian ? 1 : 0)) }
        wave.write(UInt32(8))
        wave.write(UInt32(0))
      }
    }
    let flags: UInt32 = (pcm.isFloat ? 0x1 : 0x4) | (pcm.isLittleEndian ? 0 : 0x2) | 0x8  // Signed; packed.
    let layout = Layout(
      format: format, rate: rate, isLarge: isLarge, bitsPerChannel: pcm.bitsPerSample, formatFlags: flags,
      bytesPerPacket: frame)
    return described(
      layout, tail: Bytes(wave.bytes + Self.bytes(of: atoms).array),
      change: "is described as \(format), which is what QuickTime calls it, instead of \(entry.format)")
  }

  /// How samples lie in packets; what is compressed says no more than how many are in one.
  private struct Layout {
    let format: FourCC
    let rate: UInt32
    /// Whether it needs the description of version 2.
    var isLarge = false
    var bitsPerChannel: UInt32 = 0
    var formatFlags: UInt32 = 0
    var bytesPerPacket: UInt32 = 0
    var samplesPerPacket: UInt32 = 1
  }

  private func described(_ layout: Layout, tail: Bytes, change: String) -> Converted {
    let (format, rate, bitsPerChannel) = (layout.format, layout.rate, layout.bitsPerChannel)
    if layout.isLarge || rate > UInt32(UInt16.max) {
      let fields = SoundDescription.HighResolutionFields(
        sampleRateBits: Double(rate).bitPattern, channelCount: sound.channelCount, bitsPerChannel: bitsPerChannel,
        formatFlags: layout.formatFlags, bytesPerPacket: layout.bytesPerPacket,
        framesPerPacket: layout.samplesPerPacket)
      return Converted(
        entry: entry(
          format,
          SoundDescription(
            version: 2, storedChannelCount: 3, compressionID: -2, storedSampleRate: 0x1_0000,
            extra: .highResolution(fields), tail: tail)), change: change)
    }
    let isCompressed = bitsPerChannel == 0
    let isPlain = !isCompressed && bitsPerChannel <= 16
    let fields = SoundDescription.PacketFields(
      samplesPerPacket: layout.samplesPerPacket, bytesPerPacket: bitsPerChannel / 8,
      bytesPerFrame: layout.bytesPerPacket,
      bytesPerSample: isCompressed ? 2 : bitsPerChannel / 8)
    return Converted(
      entry: entry(
        format,
        SoundDescription(
          version: isPlain ? 0 : 1, storedChannelCount: sound.storedChannelCount,
          storedSampleSize: isPlain ? UInt16(clamping: bitsPerChannel) : isCompressed ? sound.storedSampleSize : 16,
          compressionID: isCompressed ? -2 : 0,
          storedSampleRate: sound.version == 1 && sound.extra == .none ? rate << 16 : sound.isoSampleRate,
          extra: isPlain ? .none : .packets(fields), tail: tail)), change: change)
  }

  // MARK: - Bytes

  private func entry(_ format: FourCC, _ description: SoundDescription) -> SampleEntry {
    var writer = ByteWriter()
    description.write(to: &writer)
    var new = entry
    new.format = format
    new.body = Bytes(writer.bytes)
    return new
  }

  static func bytes(of atoms: [SampleEntryAtoms.Atom]) -> Bytes {
    var writer = ByteWriter()
    for atom in atoms { atom.write(to: &writer) }
    return Bytes(writer.bytes)
  }
}

import MovieBox

/// Converts a sound description to the form of another type of movie.
///
/// QuickTime and ISO describe the same samples differently. QuickTime has a name for each kind of PCM, three versions
/// of the description, and a `wave` atom that contains the decoder atoms. ISO has `ipcm` and `fpcm` with `pcmC`, and
/// stores decoder atoms directly in the description. A QuickTime table may declare the size 1 for samples of any size,
/// but an ISO table declares the actual size. The samples never change.
struct SoundDescriptionConverter {
  struct ConvertedDescription {
    var entry: SampleEntry
    /// Whether the version of `stsd` must be 1 (ISO/IEC 14496-12 12.2.3).
    var needsVersion1 = false
    /// The size in bytes of a sample with all its channels, or `nil` if `stsz` does not change.
    var frameByteCount: UInt32?
    /// The notices about the conversion.
    var notices: [EditNotice] = []
    /// The dropped bytes that are not atoms, or `nil` if there are none.
    var loss: ConversionLoss?
  }

  let trackID: UInt32
  let entry: SampleEntry
  let sound: SoundDescription
  /// The number of media ticks per second. It usually equals the sample rate.
  let timeScale: UInt32
  /// The duration of the first sample in media ticks.
  let sampleDuration: UInt32
  /// Whether the size 1 in `stsz` represents samples of any size.
  let hasPackets: Bool

  // MARK: - To ISO

  /// Returns the description in the form of a movie type, or `nil` if it does not change. Throws if the type cannot
  /// describe the sound.
  func converted(to type: MovieType, isFromQuickTime: Bool) throws(Objection) -> ConvertedDescription? {
    guard
      var converted = try type.isQuickTime
        ? quickTimeDescription() : isoDescription(type, isFromQuickTime: isFromQuickTime)
    else {
      return nil
    }
    let rests = sound.nonAtomBytes
    guard !rests.contains(where: Self.isDamagedAtom) else {
      throw Objection("has a sound description (\(entry.format)) that contains a damaged atom")
    }
    let count = rests.reduce(0) { $0 + $1.count }
    if count > 0 { converted.loss = .soundBytesDropped(count, entry.format, track: trackID) }
    return converted
  }

  /// Returns whether the bytes begin with an atom header whose size exceeds the number of bytes. The bytes may contain
  /// data that the decoder needs.
  private static func isDamagedAtom(_ rest: Bytes) -> Bool {
    rest.count >= 8 && rest.dropFirst(4).prefix(4).allSatisfy { (0x20...0x7E).contains($0) || $0 == 0xA9 }
  }

  private func isoDescription(_ type: MovieType, isFromQuickTime: Bool) throws(Objection) -> ConvertedDescription? {
    let pcm = ["ipcm", "fpcm"].contains(entry.format) ? nil : LinearSound(entry.format, sound)
    var atoms = sound.atomsWithoutWave(of: entry.format)
    var format = entry.format
    var change: EditNotice? =
      sound.extra == .none ? nil : .soundDescribedForISO(entry.format, track: trackID)
    var frameByteCount: UInt32?
    if let pcm {
      format = pcm.isFloat ? "fpcm" : "ipcm"
      atoms = [pcm.configuration] + atoms.filter { $0.type != "enda" }
      change = .formatRenamed(from: entry.format, to: format, track: trackID)
      let (count, overflow) = sound.channelCount.multipliedReportingOverflow(by: pcm.bitsPerSample / 8)
      guard !overflow, count > 0 else { throw unsupportedChannels }
      if hasPackets { frameByteCount = count }
    } else if let name = sound.bytewiseFormat(entry.format) {
      format = name
      if name != entry.format { change = .formatRenamed(from: entry.format, to: name, track: trackID) }
      if hasPackets {
        frameByteCount = sound.channelCount
        change = change ?? .soundFramesListed(track: trackID)
      }
    } else {
      guard format != "raw " else {
        throw Objection("is unsigned PCM of \(sound.sampleSize) bits, which ISO files cannot contain")
      }
      guard !hasPackets || !isFromQuickTime else {
        throw Objection(
          "has an stsz that lists single sound samples; ISO files must list the \(entry.format) packets")
      }
      if Self.mpegSound.contains(entry.format), type == .mp4 {
        format = "mp4a"
        atoms =
          [
            ElementaryStream.atom(
              sound.sampleRate(of: entry.format, mediaTimeScale: timeScale) < 32_000 ? .mpeg2Sound : .mpeg1Sound)
          ]
          + atoms
        change = .formatRenamed(from: entry.format, to: format, track: trackID)
      }
    }
    let plainFormat = MovieType.unencrypted(format, atoms)
    if let objection = type.objection(to: plainFormat, of: .audio, isChapterImage: false) {
      throw Objection(pcm == nil ? objection : "is PCM (\(entry.format)), which is not registered for \(type.name)")
    }
    if let esds = atoms.first(where: { $0.type == "esds" }),
      let objection = type.objection(toStream: esds.payload, of: .audio)
    {
      throw Objection(objection)
    }
    let rest = SampleEntryAtoms(sound.tail).rest
    guard change != nil || sound.tail.count != Self.bytes(of: atoms).count + rest.count else { return nil }
    guard let channels = UInt16(exactly: sound.channelCount) else { throw unsupportedChannels }
    let description = sound.isoDescription(
      of: entry.format, channelCount: channels, bitsPerSample: pcm?.bitsPerSample ?? (format == "raw " ? 8 : nil),
      atoms: atoms)
    let needsVersion1 = description.version == 1
    var converted = ConvertedDescription(
      entry: entry(format, description), needsVersion1: needsVersion1, frameByteCount: frameByteCount,
      notices: change.map { [$0] } ?? [])
    if pcm != nil {
      converted.notices.append(.mp4PCM(format, rate: needsVersion1 ? sound.sampleRate : nil, track: trackID))
    }
    return converted
  }

  /// The reason why a type cannot describe the sound. It is a predicate whose subject is the track.
  struct Objection: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private var unsupportedChannels: Objection {
    Objection("has an unsupported number of channels: \(sound.channelCount)")
  }

  /// The QuickTime formats of MP3 and MP2.
  private static let mpegSound: Set<FourCC> = [".mp3", "ms\0\u{55}", ".mp2", "ms\0\u{50}"]

  // MARK: - To QuickTime

  /// Returns the description in QuickTime form, or `nil` if it does not change.
  ///
  /// AAC and Apple Lossless are described by version 1 with `wave`, as in Apple's programs. A sample rate above 65535
  /// Hz requires version 2. PCM is renamed to its QuickTime format. Other formats do not change.
  private func quickTimeDescription() -> ConvertedDescription? {
    var atoms = SampleEntryAtoms(sound.tail).atoms
    guard !atoms.contains(where: { $0.type == "wave" }) else { return nil }
    let trueRate = sound.sampleRate(of: entry.format, mediaTimeScale: timeScale)
    let hadRate = atoms.contains { $0.type == "srat" }
    atoms.removeAll { $0.type == "srat" }
    if let pcm = LinearSound(entry.format, sound), entry.format == "ipcm" || entry.format == "fpcm" {
      return quickTimeDescription(pcm, atoms.filter { $0.type != "pcmC" }, rate: trueRate)
    }
    guard hadRate || ["mp4a", "alac"].contains(entry.format) else { return nil }
    var wave = ByteWriter()
    let waveAtomTypes: Set<FourCC> = ["esds", "alac", "dac3", "dec3", "chan"]
    wave.atom("wave") { wave in
      wave.atom("frma") { $0.write(entry.format) }
      if entry.format == "mp4a" { wave.atom("mp4a") { $0.write(UInt32(0)) } }
      for atom in atoms where waveAtomTypes.contains(atom.type) { atom.write(to: &wave) }
      wave.write(UInt32(8))
      wave.write(UInt32(0))
    }
    let rest = Self.bytes(of: atoms.filter { !waveAtomTypes.contains($0.type) })
    let samplesPerPacket = timeScale == trueRate || trueRate == 0 ? sampleDuration : 1_024
    return described(
      Layout(format: entry.format, rate: trueRate, samplesPerPacket: samplesPerPacket),
      tail: Bytes(wave.bytes + rest.array), change: .soundDescribedForQuickTime(entry.format, track: trackID))
  }

  private func quickTimeDescription(_ pcm: LinearSound, _ atoms: [SampleEntryAtoms.Atom], rate: UInt32)
    -> ConvertedDescription?
  {
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
    let flags: UInt32 = (pcm.isFloat ? 0x1 : 0x4) | (pcm.isLittleEndian ? 0 : 0x2) | 0x8  // 0x4: signed, 0x8: packed.
    let layout = Layout(
      format: format, rate: rate, isLarge: isLarge, bitsPerChannel: pcm.bitsPerSample, formatFlags: flags,
      bytesPerPacket: frame)
    return described(
      layout, tail: Bytes(wave.bytes + Self.bytes(of: atoms).array),
      change: .formatRenamed(from: entry.format, to: format, track: trackID))
  }

  /// The layout of samples in packets. For compressed sound, only the number of samples in a packet is known.
  private struct Layout {
    let format: FourCC
    let rate: UInt32
    /// Whether the sound requires version 2 of the description.
    var isLarge = false
    var bitsPerChannel: UInt32 = 0
    var formatFlags: UInt32 = 0
    var bytesPerPacket: UInt32 = 0
    var samplesPerPacket: UInt32 = 1
  }

  private func described(_ layout: Layout, tail: Bytes, change: EditNotice) -> ConvertedDescription {
    let (format, rate, bitsPerChannel) = (layout.format, layout.rate, layout.bitsPerChannel)
    if layout.isLarge || rate > UInt32(UInt16.max) {
      let fields = SoundDescription.HighResolutionFields(
        sampleRateBits: Double(rate).bitPattern, channelCount: sound.channelCount, bitsPerChannel: bitsPerChannel,
        formatFlags: layout.formatFlags, bytesPerPacket: layout.bytesPerPacket,
        framesPerPacket: layout.samplesPerPacket)
      return ConvertedDescription(
        entry: entry(
          format,
          SoundDescription(
            version: 2, storedChannelCount: 3, compressionID: -2, storedSampleRate: 0x1_0000,
            extra: .highResolution(fields), tail: tail)), notices: [change])
    }
    let isCompressed = bitsPerChannel == 0
    let isPlain = !isCompressed && bitsPerChannel <= 16
    let fields = SoundDescription.PacketFields(
      samplesPerPacket: layout.samplesPerPacket, bytesPerPacket: bitsPerChannel / 8,
      bytesPerFrame: layout.bytesPerPacket,
      bytesPerSample: isCompressed ? 2 : bitsPerChannel / 8)
    return ConvertedDescription(
      entry: entry(
        format,
        SoundDescription(
          version: isPlain ? 0 : 1, storedChannelCount: sound.storedChannelCount,
          storedSampleSize: isPlain ? UInt16(clamping: bitsPerChannel) : isCompressed ? sound.storedSampleSize : 16,
          compressionID: isCompressed ? -2 : 0,
          storedSampleRate: sound.version == 1 && sound.extra == .none ? rate << 16 : sound.isoSampleRate,
          extra: isPlain ? .none : .packets(fields), tail: tail)), notices: [change])
  }

  // MARK: - Bytes

  private func entry(_ format: FourCC, _ description: SoundDescription) -> SampleEntry {
    var writer = ByteWriter()
    description.write(to: &writer)
    var newEntry = entry
    newEntry.format = format
    newEntry.body = Bytes(writer.bytes)
    return newEntry
  }

  static func bytes(of atoms: [SampleEntryAtoms.Atom]) -> Bytes {
    var writer = ByteWriter()
    for atom in atoms { atom.write(to: &writer) }
    return Bytes(writer.bytes)
  }
}

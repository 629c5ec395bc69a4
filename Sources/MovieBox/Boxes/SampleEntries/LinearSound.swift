// PCM has a dozen formats in QuickTime and two in ISO files. `LinearSound` is the layout that they share, so that
// conversion from one to the other never touches samples.

/// Uncompressed sound (PCM): how its samples are written, whatever the sample description calls them.
package struct LinearSound: Hashable, Sendable {
  /// Whether samples are floating-point numbers.
  package var isFloat: Bool
  /// Whether the first byte of a sample is the lowest.
  package var isLittleEndian: Bool
  /// The bits of a sample of one channel, whole bytes.
  package var bitsPerSample: UInt32

  /// Sound of these values.
  package init(isFloat: Bool, isLittleEndian: Bool, bitsPerSample: UInt32) {
    self.isFloat = isFloat
    self.isLittleEndian = isLittleEndian
    self.bitsPerSample = bitsPerSample
  }

  /// Reads a description of sound; `nil` for compressed sound, and for forms that few readers know: unsigned samples,
  /// channels one after the other, bits that do not fill their bytes.
  package init?(_ format: FourCC, _ sound: SoundDescription) {
    let atoms = SampleEntryAtoms(sound.tail)
    let wave = atoms["wave"].map { SampleEntryAtoms($0) }
    let isSwapped = (wave?["enda"] ?? atoms["enda"])?.load(at: 0, as: UInt16.self) == 1
    switch format {
    case "sowt": self.init(isFloat: false, isLittleEndian: true, bitsPerSample: sound.sampleSize)
    case "twos": self.init(isFloat: false, isLittleEndian: false, bitsPerSample: sound.sampleSize)
    case "NONE" where sound.sampleSize > 8:
      self.init(isFloat: false, isLittleEndian: false, bitsPerSample: sound.sampleSize)
    case "in24": self.init(isFloat: false, isLittleEndian: isSwapped, bitsPerSample: 24)
    case "in32": self.init(isFloat: false, isLittleEndian: isSwapped, bitsPerSample: 32)
    case "fl32": self.init(isFloat: true, isLittleEndian: isSwapped, bitsPerSample: 32)
    case "fl64": self.init(isFloat: true, isLittleEndian: isSwapped, bitsPerSample: 64)
    case "lpcm":
      guard case .highResolution(let fields) = sound.extra else { return nil }
      // Bits: floating-point, big-endian, signed, packed, aligned high, channels apart (QTFF "Sound Sample Description
      // (Version 2)").
      let flags = fields.formatFlags
      let isFloat = flags & 0x1 != 0
      let isWhole =
        fields.framesPerPacket == 1
        && UInt64(fields.bytesPerPacket) * 8 == UInt64(fields.bitsPerChannel) * UInt64(fields.channelCount)
      guard flags & 0x20 == 0, isFloat || flags & 0x4 != 0, isWhole else { return nil }
      self.init(isFloat: isFloat, isLittleEndian: flags & 0x2 == 0, bitsPerSample: fields.bitsPerChannel)
    case "ipcm", "fpcm":
      guard let configuration = atoms["pcmC"], let flags = configuration.load(at: 4, as: UInt8.self),
        let bits = configuration.load(at: 5, as: UInt8.self)
      else { return nil }
      self.init(isFloat: format == "fpcm", isLittleEndian: flags & 1 != 0, bitsPerSample: UInt32(bits))
    default: return nil
    }
    let widths: Set<UInt32> = isFloat ? [32, 64] : [8, 16, 24, 32]
    guard widths.contains(bitsPerSample) else { return nil }
  }

  /// The atom of ISO/IEC 23003-5 that says so.
  package var configuration: SampleEntryAtoms.Atom {
    SampleEntryAtoms.Atom(
      "pcmC", Bytes([0, 0, 0, 0, isLittleEndian ? 1 : 0, UInt8(clamping: bitsPerSample)]))
  }

  /// The format of QuickTime for it (QTFF "Sound Media").
  package var quickTimeFormat: FourCC {
    switch (isFloat, bitsPerSample) {
    case (true, 32): "fl32"
    case (true, _): "fl64"
    case (false, 24): "in24"
    case (false, 32): "in32"
    case (false, _): isLittleEndian ? "sowt" : "twos"
    }
  }
}

extension SoundDescription {
  /// The atoms of a description of a format, those in `wave` too, without what only `wave` has: the format, the order of
  /// bytes, a format without fields (QTFF "Sound Description Extensions").
  package func atomsWithoutWave(of format: FourCC) -> [SampleEntryAtoms.Atom] {
    SampleEntryAtoms(tail).atoms.flatMap { atom -> [SampleEntryAtoms.Atom] in
      guard atom.type == "wave" else { return [atom] }
      return SampleEntryAtoms(atom.payload).atoms.filter { inner in
        inner.type != "frma" && inner.type != "enda" && !(inner.type == format && inner.payload.count <= 4)
      }
    }
  }

  /// The description as ISO files have it, without what QuickTime's versions add.
  ///
  /// It has version 1, which its list must have too (ISO/IEC 14496-12 12.2.3), if 16 bits cannot store the rate and the
  /// configuration of the decoder does not declare it. Else it has version 0: GStreamer 1.22 and mutagen read no version
  /// 1, and no reader needs the rate twice.
  package func isoForm(
    of format: FourCC, channelCount: UInt16, bitsPerSample: UInt32? = nil, atoms: [SampleEntryAtoms.Atom]
  ) -> SoundDescription {
    let isLarge = sampleRate > UInt32(UInt16.max)
    let needsVersion1 = isLarge && !configuredSampleRates(of: format).contains(sampleRate)
    var writer = ByteWriter()
    for atom in atoms { atom.write(to: &writer) }
    if needsVersion1 {
      writer.atom("srat") { writer in
        writer.write(UInt32(0))
        writer.write(sampleRate)
      }
    }
    return SoundDescription(
      version: needsVersion1 ? 1 : 0, storedChannelCount: channelCount,
      storedSampleSize: UInt16(clamping: bitsPerSample ?? isoSampleSize),
      // Readers that know no `srat` take a number here at its word, and the time scale where there is 0: what ffmpeg
      // writes, and it and MediaInfo read.
      storedSampleRate: isLarge ? 0 : isoSampleRate, tail: Bytes(writer.take()))
  }

  /// The name in ISO files of sound with one byte for each sample of a channel, or `nil` for other sound: A-law, µ-law, and
  /// unsigned PCM of 8 bits, which QuickTime knows by three names (QTFF "Sound Media").
  package func bytewiseFormat(_ format: FourCC) -> FourCC? {
    switch (format, extra) {
    case ("alaw", _), ("ulaw", _): return format
    case ("lpcm", .highResolution(let fields)):
      // Neither floating-point, signed, nor one channel after the other.
      let isUnsigned = fields.formatFlags & 0x25 == 0 && fields.bitsPerChannel == 8 && fields.framesPerPacket == 1
      return isUnsigned && fields.bytesPerPacket == fields.channelCount ? "raw " : nil
    case ("raw ", _), ("NONE", _): return sampleSize == 8 ? "raw " : nil
    default: return nil
    }
  }

  /// The bytes after the last atom, in the description and in its `wave`, that are no atoms; zeros end lists and do not
  /// count.
  package var bytesThatAreNoAtoms: [Bytes] {
    let list = SampleEntryAtoms(tail)
    return ([list.rest] + list.atoms.filter { $0.type == "wave" }.map { SampleEntryAtoms($0.payload).rest })
      .filter { !$0.isEmpty }
  }

  /// The bits of a sample, which say little of compressed sound.
  private var isoSampleSize: UInt32 {
    if case .highResolution(let fields) = extra, fields.bitsPerChannel == 0 { return 16 }
    return sampleSize
  }

  /// Samples a second, 16.16, of a rate that fits.
  package var isoSampleRate: UInt32 {
    guard case .highResolution(let fields) = extra else { return storedSampleRate }
    let rate = Double(bitPattern: fields.sampleRateBits)
    guard rate >= 0, rate < 65_536 else { return 0 }
    return UInt32(rate * 65_536)
  }
}

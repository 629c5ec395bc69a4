/// The layout of uncompressed audio (PCM) samples, independent of the sample description's format.
///
/// QuickTime has a dozen PCM formats and ISO files have two. A conversion between two formats changes only the
/// description and not the samples, so both formats must have equal `LinearSound` values.
package struct LinearSound: Hashable, Sendable {
  /// Whether samples are floating-point numbers.
  package var isFloat: Bool
  /// Whether samples are little-endian.
  package var isLittleEndian: Bool
  /// The number of bits in a sample of one channel, a multiple of 8.
  package var bitsPerSample: UInt32

  package init(isFloat: Bool, isLittleEndian: Bool, bitsPerSample: UInt32) {
    self.isFloat = isFloat
    self.isLittleEndian = isLittleEndian
    self.bitsPerSample = bitsPerSample
  }

  /// Reads a sound description. Returns `nil` for compressed audio and for layouts that few readers support, such as
  /// unsigned samples, non-interleaved channels, and samples padded to whole bytes.
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
      // The flags are floating-point, big-endian, signed, packed, aligned high and non-interleaved (QTFF "Sound
      // Sample Description (Version 2)").
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

  /// The `pcmC` atom with this layout (ISO/IEC 23003-5).
  package var configuration: SampleEntryAtoms.Atom {
    SampleEntryAtoms.Atom(
      "pcmC", Bytes([0, 0, 0, 0, isLittleEndian ? 1 : 0, UInt8(clamping: bitsPerSample)]))
  }

  /// The QuickTime format for this layout (QTFF "Sound Media").
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
  /// Returns the atoms of the description. The `wave` atom is replaced by the atoms inside it.
  ///
  /// Three atoms of `wave` are omitted, because only QuickTime needs them: `frma`, `enda`, and an empty atom with the
  /// format as its type (QTFF "Sound Description Extensions").
  package func atomsWithoutWave(of format: FourCC) -> [SampleEntryAtoms.Atom] {
    SampleEntryAtoms(tail).atoms.flatMap { atom -> [SampleEntryAtoms.Atom] in
      guard atom.type == "wave" else { return [atom] }
      return SampleEntryAtoms(atom.payload).atoms.filter { inner in
        inner.type != "frma" && inner.type != "enda" && !(inner.type == format && inner.payload.count <= 4)
      }
    }
  }

  /// Returns the description for an ISO file, without the fields that versions 1 and 2 of QuickTime add.
  ///
  /// The description has version 1 if the sample rate does not fit into 16 bits and the decoder configuration does not
  /// declare the rate. In this case, `stsd` must have version 1 too (ISO/IEC 14496-12 12.2.3). Otherwise, the
  /// description has version 0, because GStreamer 1.22 and mutagen do not read version 1.
  package func isoDescription(
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
      // Readers that do not know `srat` use the sample rate of the common fields, or the time scale if this rate is 0.
      // The time scale of audio is normally the sample rate. ffmpeg therefore writes 0, and ffmpeg and MediaInfo read
      // the time scale.
      storedSampleRate: isLarge ? 0 : isoSampleRate, tail: Bytes(writer.take()))
  }

  /// Returns the ISO format for A-law, µ-law or unsigned 8-bit PCM, or `nil` for other audio. In these formats, a
  /// sample has one byte per channel. QuickTime has three formats for unsigned 8-bit PCM (QTFF "Sound Media").
  package func bytewiseFormat(_ format: FourCC) -> FourCC? {
    switch (format, extra) {
    case ("alaw", _), ("ulaw", _): return format
    case ("lpcm", .highResolution(let fields)):
      // The samples must be integers, unsigned and interleaved.
      let isUnsigned = fields.formatFlags & 0x25 == 0 && fields.bitsPerChannel == 8 && fields.framesPerPacket == 1
      return isUnsigned && fields.bytesPerPacket == fields.channelCount ? "raw " : nil
    case ("raw ", _), ("NONE", _): return sampleSize == 8 ? "raw " : nil
    default: return nil
    }
  }

  /// The bytes after the last atom in the description, and after the last atom in its `wave`. Zeros are omitted,
  /// because they terminate atom lists.
  package var nonAtomBytes: [Bytes] {
    let list = SampleEntryAtoms(tail)
    return ([list.rest] + list.atoms.filter { $0.type == "wave" }.map { SampleEntryAtoms($0.payload).rest })
      .filter { !$0.isEmpty }
  }

  /// The sample size in bits. It has little meaning for compressed audio.
  private var isoSampleSize: UInt32 {
    if case .highResolution(let fields) = extra, fields.bitsPerChannel == 0 { return 16 }
    return sampleSize
  }

  /// The sample rate as a 16.16 number, or 0 if the rate does not fit.
  package var isoSampleRate: UInt32 {
    guard case .highResolution(let fields) = extra else { return storedSampleRate }
    let rate = Double(bitPattern: fields.sampleRateBits)
    guard rate >= 0, rate < 65_536 else { return 0 }
    return UInt32(rate * 65_536)
  }
}

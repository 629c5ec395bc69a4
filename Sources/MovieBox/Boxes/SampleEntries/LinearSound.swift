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

  /// What a description of sound says; `nil` for compressed sound, and for forms that only some know: unsigned samples,
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

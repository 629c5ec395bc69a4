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

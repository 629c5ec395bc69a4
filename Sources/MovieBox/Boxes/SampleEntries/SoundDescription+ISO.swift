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

  /// The description as ISO files have it, without what QuickTime's versions add: of version 0, or of version 1, which
  /// the list that it is in must have too (ISO/IEC 14496-12 12.2.3), where 16 bits cannot say the rate.
  package func isoForm(
    channelCount: UInt16, bitsPerSample: UInt32? = nil, atoms: [SampleEntryAtoms.Atom], rest: Bytes = Bytes()
  ) -> SoundDescription {
    let needsVersion1 = sampleRate > UInt32(UInt16.max)
    var writer = ByteWriter()
    for atom in atoms { atom.write(to: &writer) }
    if needsVersion1 {
      writer.atom("srat") { writer in
        writer.write(UInt32(0))
        writer.write(sampleRate)
      }
    }
    writer.write(rest)
    return SoundDescription(
      version: needsVersion1 ? 1 : 0, storedChannelCount: channelCount,
      storedSampleSize: UInt16(clamping: bitsPerSample ?? isoSampleSize),
      // Readers that know no `srat` take a number here at its word, and the time scale where there is 0: what ffmpeg
      // writes, and it and MediaInfo read.
      storedSampleRate: needsVersion1 ? 0 : isoSampleRate, tail: Bytes(writer.take()))
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

extension Movie {
  /// How many channels the sound of a track has; `nil` where nothing in the movie atom says so, and for other media.
  ///
  /// For many codecs the field of the sample description is a template in ISO files, which says 2 whatever there is; it
  /// is the codec's own configuration that counts.
  package func channelCount(of track: Track) -> UInt32? {
    guard track.mediaType == .audio, let entry = track.sampleDescriptions.entries.first else { return nil }
    let atom = tree.sampleDescriptions(ofTrack: track.atom).first
    let isProtected = entry.format == "enca"  // What is encrypted is described by `sinf` (ISO/IEC 14496-12, 8.12).
    let original = isProtected ? atom.flatMap { tree.descendant(of: $0, "sinf", "frma") }.map(tree.payload(of:)) : nil
    let format = original?.load(at: 0, as: UInt32.self).map { FourCC(rawValue: $0) } ?? entry.format
    let configured = SoundChannels.configured(format) { type in atom.flatMap { tree.configuration(type, of: $0) } }
    if let configured { return configured }
    let isTemplate = dialect == .iso && SoundChannels.templates.contains(format)
    guard !isTemplate || entry.hasChannelCountOfItsOwn else { return nil }
    do throws(MovieError) {
      return try SoundDescription(body: entry.body).channelCount
    } catch {
      return nil  // `description.unreadable` says so.
    }
  }
}

extension SampleEntry {
  /// Whether the count of channels is one of QuickTime's version 2, which is not a template.
  fileprivate var hasChannelCountOfItsOwn: Bool { body.load(at: 0, as: UInt16.self) == 2 }
}

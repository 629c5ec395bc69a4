/// Checks of the atom in a sample description from which a player creates a decoder, such as `avcC`.
///
/// A movie with a missing or truncated configuration looks normal until it is played. These checks find only defects
/// that affect all players.
package enum DecoderConfiguration {
  /// The type of the configuration atom for each format. Other formats need no configuration, or their configuration is
  /// unknown.
  ///
  /// Sources: ISO/IEC 14496-15 (H.264, HEVC, VVC), 14496-14 (`esds`), the bindings of AV1, VP9, FLAC and Opus, ETSI
  /// TS 102 366 F (AC-3), Apple's description of ALAC, and Dolby Vision Streams within the ISO Base Media File
  /// Format.
  private static let atoms: [FourCC: FourCC] = [
    "avc1": "avcC", "avc2": "avcC", "avc3": "avcC", "avc4": "avcC", "dva1": "avcC", "dvav": "avcC",
    "hvc1": "hvcC", "hvc2": "hvcC", "hev1": "hvcC", "hev2": "hvcC", "dvh1": "hvcC", "dvhe": "hvcC",
    "vvc1": "vvcC", "vvi1": "vvcC", "av01": "av1C", "dav1": "av1C", "vp08": "vpcC", "vp09": "vpcC",
    "mp4a": "esds", "mp4v": "esds", "fLaC": "dfLa", "Opus": "dOps", "ac-3": "dac3", "ec-3": "dec3", "alac": "alac",
  ]

  /// The minimum sizes of configurations that are not parsed.
  private static let byteCounts: [FourCC: Int] = [
    "vvcC": 5, "av1C": 4, "vpcC": 12, "dfLa": 42, "dOps": 11, "dac3": 3, "dec3": 5, "alac": 28,
  ]

  /// Returns the reason why no decoder can be created for a format, or `nil` if the configuration is complete.
  ///
  /// - Parameters:
  ///   - format: the format of the sample description, before encryption.
  ///   - configuration: returns the payload of an atom of the description, or `nil` if the description does not
  ///     contain the atom.
  static func defect(of format: FourCC, _ configuration: (FourCC) -> Bytes?) -> String? {
    guard let type = atoms[format] else { return nil }
    guard let payload = configuration(type) else { return "has no decoder configuration (\(type))" }
    let truncationDefect = "has a decoder configuration (\(type)) that is empty or cut off"
    switch type {
    case "avcC":
      guard let sets = ParameterSets(avcC: payload) else { return truncationDefect }
      // In `avc3` and `avc4`, samples may contain the parameter sets, so the configuration need not contain them.
      guard ["avc1", "avc2", "dva1"].contains(format) else { return nil }
      return missingSets(from: type, in: sets, [(7, "sequence"), (8, "picture")])
    case "hvcC":
      guard let sets = ParameterSets(hvcC: payload) else { return truncationDefect }
      guard ["hvc1", "hvc2", "dvh1"].contains(format) else { return nil }
      return missingSets(from: type, in: sets, [(32, "video"), (33, "sequence"), (34, "picture")])
    case "esds":
      guard let stream = ElementaryStream(payload: payload) else { return truncationDefect }
      let needsConfiguration = format == "mp4a" && stream.objectType == 0x40
      return needsConfiguration && stream.decoderConfiguration?.isEmpty != false
        ? "has no audio configuration (AudioSpecificConfig) in esds" : nil
    default: return payload.count < byteCounts[type] ?? 0 ? truncationDefect : nil
    }
  }

  private static func missingSets(
    from atom: FourCC, in sets: ParameterSets, _ types: [(number: UInt8, name: String)]
  ) -> String? {
    let missingNames = types.filter { !sets.contains([$0.number]) }.map(\.name)
    return missingNames.isEmpty
      ? nil : "has no \(missingNames.joined(separator: " and ")) parameter set in its decoder configuration (\(atom))"
  }
}

extension Movie {
  /// Returns the reason why no player can create a decoder for a track, or `nil` if its sample descriptions are
  /// complete. The reason continues a sentence about the track.
  package func configurationDefect(of track: Track) -> String? {
    let entries = tree.sampleDescriptions(ofTrack: track.atom)
    var count = 0
    for entry in entries {
      count += 1
      let format = tree.unencryptedFormat(of: entry)
      let found = DecoderConfiguration.defect(of: format) { tree.configuration($0, of: entry) }
      guard let defect = found else { continue }
      return defect + (count > 1 ? ", in description \(count)" : "")
    }
    return nil
  }
}

extension AtomTree {
  /// Returns the format of a sample description. If the description is encrypted, returns the original format
  /// (`frma`; ISO/IEC 14496-12, 8.12).
  package func unencryptedFormat(of entry: Int) -> FourCC {
    let type = self[entry].type
    guard ["encv", "enca"].contains(type), let frma = descendant(of: entry, "sinf", "frma"),
      let original = payload(of: frma).load(at: 0, as: UInt32.self)
    else { return type }
    return FourCC(rawValue: original)
  }
}

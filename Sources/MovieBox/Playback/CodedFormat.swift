/// The properties of a sample description that determine which players can decode its samples.
package struct CodedFormat: Hashable, Sendable {
  /// The chroma subsampling of video.
  package enum Chroma: UInt8, Sendable {
    case none
    case quarter
    case half
    case full

    /// The usual name of the subsampling.
    package var name: String { ["4:0:0", "4:2:0", "4:2:2", "4:4:4"][Int(rawValue)] }
  }

  /// The format before encryption.
  package let format: FourCC
  /// The chroma subsampling, or `nil` if the configuration does not declare it.
  package private(set) var chroma: Chroma?
  /// The bit depth of video, or `nil` if the configuration does not declare it.
  package private(set) var bitDepth: UInt8?
  /// The object type in `esds` (`objectTypeIndication`), or `nil` if there is no `esds`.
  package private(set) var streamType: UInt8?
  /// The MPEG-4 audio object type (`audioObjectType`), or `nil` for other formats.
  package private(set) var soundObjectType: UInt32?
  /// The number of Dolby Atmos objects in E-AC-3 (joint object coding), or `nil` if there are none.
  package private(set) var atmosObjectCount: UInt32?

  /// Reads the properties of a format from its decoder configuration.
  ///
  /// - Parameters:
  ///   - format: the format of the sample description, before encryption.
  ///   - configuration: returns the payload of an atom of the description, or `nil` if the description does not
  ///     contain the atom.
  package init(_ format: FourCC, _ configuration: (FourCC) -> Bytes?) {
    self.format = format
    switch format {
    case "avc1", "avc2", "avc3", "avc4", "dva1", "dvav": configuration("avcC").map { readAVC($0) }
    case "hvc1", "hev1", "dvh1", "dvhe":
      guard let hvcC = configuration("hvcC"), let chroma = hvcC.load(at: 16, as: UInt8.self),
        let depth = hvcC.load(at: 17, as: UInt8.self)
      else { return }
      (self.chroma, bitDepth) = (Chroma(rawValue: chroma & 3), 8 + depth & 7)
    case "av01", "dav1":
      guard let flags = configuration("av1C")?.load(at: 2, as: UInt8.self) else { return }
      bitDepth = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
      chroma = flags & 0x10 != 0 ? Chroma.none : flags & 0x08 == 0 ? .full : flags & 0x04 == 0 ? .half : .quarter
    case "mp4a", "mp4v":
      guard let stream = configuration("esds").flatMap({ ElementaryStream(payload: $0) }) else { return }
      streamType = stream.objectType
      if stream.objectType == 0x40 { soundObjectType = stream.audioObjectType }
    case "ec-3": atmosObjectCount = configuration("dec3").flatMap(Self.atmosObjectCount)
    default: return
    }
  }

  /// The H.264 profiles whose sequence parameter sets declare chroma and bit depth (ITU-T H.264, 7.3.2.1.1).
  private static let highProfiles: Set<UInt32> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

  /// Reads the chroma and bit depth from the first sequence parameter set, because many writers omit these fields at
  /// the end of `avcC`.
  private mutating func readAVC(_ avcC: Bytes) {
    guard let unit = ParameterSets(avcC: avcC)?.units.first(where: { $0.type == 7 }) else { return }
    var bits = BitReader(Bytes(unit.bytes.dropFirst(1).withoutEmulationPrevention()))
    guard let profile = bits.read(8) else { return }
    guard Self.highProfiles.contains(profile) else {
      (chroma, bitDepth) = (.quarter, 8)
      return
    }
    guard bits.skip(16) != nil, bits.readExpGolomb() != nil, let chroma = bits.readExpGolomb(),
      chroma != 3 || bits.skip(1) != nil, let depth = bits.readExpGolomb(), depth <= 6
    else { return }
    (self.chroma, bitDepth) = (UInt8(exactly: chroma).flatMap(Chroma.init), 8 + UInt8(depth))
  }

  /// Returns the complexity of joint object coding in `dec3` (ETSI TS 103 420, 8.3.2). Returns `nil` unless there is
  /// exactly one program without dependent substreams.
  private static func atmosObjectCount(_ dec3: Bytes) -> UInt32? {
    guard let programs = dec3.load(at: 1, as: UInt8.self), programs & 0x07 == 0,
      let dependent = dec3.load(at: 4, as: UInt8.self), dependent & 0x1E == 0,
      let flag = dec3.load(at: 5, as: UInt8.self), flag & 1 == 1
    else { return nil }
    return dec3.load(at: 6, as: UInt8.self).map { UInt32($0) }
  }
}

extension Movie {
  /// Returns the distinct coded formats of a track's sample descriptions, in order.
  package func codedFormats(of track: Track) -> [CodedFormat] {
    tree.sampleDescriptions(ofTrack: track.atom).map { entry in
      CodedFormat(tree.unencryptedFormat(of: entry)) { tree.configuration($0, of: entry) }
    }.withoutRepetition
  }
}

extension BitReader {
  /// Reads an Exp-Golomb coded integer below 2³² (ITU-T H.264, 9.1). Returns `nil` if the integer is truncated or
  /// exceeds 32 bits.
  package mutating func readExpGolomb() -> UInt32? {
    var zeros = 0
    while true {
      guard zeros < 32, let bit = read(1) else { return nil }
      if bit == 1 { break }
      zeros += 1
    }
    return read(zeros).map { (1 << UInt32(zeros)) - 1 + $0 }
  }
}

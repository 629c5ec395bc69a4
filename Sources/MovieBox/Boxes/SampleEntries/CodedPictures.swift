// Detection of video properties from the first coded pictures. H.263, MPEG-1 and MPEG-2 have no decoder configuration
// that could declare the properties.

/// H.263 video. 3GP files declare its profile and level (3GPP TS 26.244, 6.8), but QuickTime movies do not.
package enum H263Pictures {
  /// Whether a picture conforms to the baseline profile. Such a picture uses no options and has a standard size
  /// (ITU-T H.263, 5.1).
  package static func isBaseline(_ picture: Bytes) -> Bool {
    var reader = BitReader(picture)
    // Check the start code, skip the time reference, and check the two fixed bits of the picture type.
    guard reader.read(22) == 0x20, reader.skip(8) != nil, reader.read(2) == 0b10, reader.skip(3) != nil,
      let size = reader.read(3), (1...5).contains(size), reader.skip(1) != nil, let options = reader.read(4)
    else { return false }
    return options == 0
  }

  /// The decoding requirements of an H.263 track.
  package struct Requirements: Hashable, Sendable {
    package let width: Int
    package let height: Int
    package let picturesPerSecond: Double
    package let bitsPerSecond: Double

    /// The lowest level of the baseline profile that permits these requirements (ITU-T H.263, annex X), or `nil` if no
    /// level permits them.
    package var level: UInt8? {
      H263Pictures.levels.first { level in
        width <= level.width && height <= level.height && picturesPerSecond <= level.picturesPerSecond * 1.001
          && bitsPerSecond <= level.bitsPerSecond
      }?.number
    }
  }

  private static let levels:
    [(number: UInt8, width: Int, height: Int, picturesPerSecond: Double, bitsPerSecond: Double)] = [
      (10, 176, 144, 15, 64_000), (20, 176, 144, 30, 128_000), (20, 352, 288, 15, 128_000),
      (30, 352, 288, 30, 384_000), (40, 352, 288, 30, 2_048_000), (50, 352, 288, 60, 4_096_000),
      (60, 720, 288, 60, 8_192_000), (70, 720, 576, 60, 16_384_000),
    ]

  /// Returns the `d263` atom for the baseline profile and `level`. Other profiles are not supported.
  package static func configuration(level: UInt8, vendor: FourCC) -> SampleEntryAtoms.Atom {
    var writer = ByteWriter()
    writer.write(vendor)
    writer.write([0, level, 0] as [UInt8])
    return SampleEntryAtoms.Atom("d263", Bytes(writer.take()))
  }
}

/// MPEG-1 and MPEG-2 video. QuickTime movies use a different format code for each application, and ISO files use a
/// different object type for each profile.
package enum MPEGPictures {
  /// Whether `format` is a QuickTime format code for MPEG video. The codes include the codes of Final Cut Pro, HDV,
  /// XDCAM and IMX.
  package static func isFormat(_ format: FourCC) -> Bool {
    let name = format.description
    return ["m1v1", "m1v ", "m2v1", "mp2v"].contains(name) || ["hdv", "xdv", "xd5"].contains(name.prefix(3))
      || ["mx3n", "mx3p", "mx4n", "mx4p", "mx5n", "mx5p"].contains(name)
  }

  /// Whether a format code of MPEG video identifies MPEG-1.
  package static func isMPEG1(_ format: FourCC) -> Bool { format == "m1v1" || format == "m1v " }

  /// Returns the object type of a stream that begins with `sample`. Returns `nil` if the sample does not begin with a
  /// sequence header or its profile has no object type (ISO/IEC 13818-2 6.2.2, 8; ISO/IEC 14496-1 7.2.6.6).
  package static func objectType(of sample: Bytes) -> ElementaryStream.PlainObjectType? {
    guard sample.load(at: 0, as: UInt32.self) == 0x0000_01B3 else { return nil }
    // Find the start code after the sequence header. The header's fields and quantizer matrices cannot contain a start
    // code.
    var next = 4
    while next < 4 + 8 + 2 * 64, sample.load(at: next, as: UInt32.self).map({ $0 >> 8 != 1 }) ?? false { next += 1 }
    guard let code = sample.load(at: next, as: UInt32.self), code >> 8 == 1 else { return nil }
    // In MPEG-2, a sequence extension follows the header immediately. If the extension is missing, the stream is
    // MPEG-1.
    guard code == 0x0000_01B5 else { return .mpeg1Pictures }
    guard let fields = sample.load(at: next + 4, as: UInt16.self), fields >> 12 == 1 else { return nil }
    let profileAndLevel = fields >> 4 & 0xFF
    if profileAndLevel == 0x82 || profileAndLevel == 0x85 { return .mpeg2Pictures422 }
    switch profileAndLevel >> 4 {
    case 1: return .mpeg2PicturesHigh
    case 2: return .mpeg2PicturesSpatial
    case 3: return .mpeg2PicturesSNR
    case 4: return .mpeg2PicturesMain
    case 5: return .mpeg2PicturesSimple
    default: return nil
    }
  }
}

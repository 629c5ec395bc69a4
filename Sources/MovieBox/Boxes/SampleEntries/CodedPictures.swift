// Facts that only the first bytes of pictures contain, for formats without a decoder configuration: H.263, MPEG-1 and
// MPEG-2.

/// Pictures of H.263, which 3GP files describe by a profile and a level (3GPP TS 26.244, 6.8) and QuickTime movies do not.
package enum H263Pictures {
  /// Whether a picture keeps to the baseline profile: it uses no option, and has one of the standard sizes (ITU-T H.263,
  /// 5.1).
  package static func isBaseline(_ picture: Bytes) -> Bool {
    var reader = BitReader(picture)
    // The start code, the time, and two fixed bits of the type.
    guard reader.read(22) == 0x20, reader.skip(8) != nil, reader.read(2) == 0b10, reader.skip(3) != nil,
      let size = reader.read(3), (1...5).contains(size), reader.skip(1) != nil, let options = reader.read(4)
    else { return false }
    return options == 0
  }

  /// The demands of an H.263 track on a decoder.
  package struct Demand: Hashable, Sendable {
    package let width: Int
    package let height: Int
    package let picturesPerSecond: Double
    package let bitsPerSecond: Double

    /// The lowest level of the baseline profile that allows it (ITU-T H.263, annex X), or `nil` if none does.
    package var level: UInt8? {
      H263Pictures.levels.first { level in
        width <= level.width && height <= level.height && picturesPerSecond <= level.pictures * 1.001
          && bitsPerSecond <= level.bits
      }?.number
    }
  }

  private static let levels: [(number: UInt8, width: Int, height: Int, pictures: Double, bits: Double)] = [
    (10, 176, 144, 15, 64_000), (20, 176, 144, 30, 128_000), (20, 352, 288, 15, 128_000),
    (30, 352, 288, 30, 384_000), (40, 352, 288, 30, 2_048_000), (50, 352, 288, 60, 4_096_000),
    (60, 720, 288, 60, 8_192_000), (70, 720, 576, 60, 16_384_000),
  ]

  /// The atom for the baseline profile, the only one that is written: who made the encoder, its version, level and
  /// profile.
  package static func configuration(level: UInt8, vendor: FourCC) -> SampleEntryAtoms.Atom {
    var writer = ByteWriter()
    writer.write(vendor)
    writer.write([0, level, 0] as [UInt8])
    return SampleEntryAtoms.Atom("d263", Bytes(writer.take()))
  }
}

/// Pictures of MPEG-1 and MPEG-2: QuickTime movies have a code for each use of them, ISO files a number for each profile.
package enum MPEGPictures {
  /// Whether QuickTime movies call such pictures this: those of Final Cut Pro, HDV, XDCAM and IMX among them.
  package static func isFormat(_ format: FourCC) -> Bool {
    let name = format.description
    return ["m1v1", "m1v ", "m2v1", "mp2v"].contains(name) || ["hdv", "xdv", "xd5"].contains(name.prefix(3))
      || ["mx3n", "mx3p", "mx4n", "mx4p", "mx5n", "mx5p"].contains(name)
  }

  /// Whether one of these names is that of MPEG-1.
  package static func isMPEG1(_ format: FourCC) -> Bool { format == "m1v1" || format == "m1v " }

  /// The number of a stream that begins with this sample; `nil` where it does not begin with the header of a sequence, or
  /// is of a profile that has none (ISO/IEC 13818-2 6.2.2, 8; ISO/IEC 14496-1 7.2.6.6).
  package static func objectType(of sample: Bytes) -> ElementaryStream.PlainObjectType? {
    guard sample.load(at: 0, as: UInt32.self) == 0x0000_01B3 else { return nil }
    // The header's own fields and tables of weights have no zeros in a row.
    var next = 4
    while next < 4 + 8 + 2 * 64, sample.load(at: next, as: UInt32.self).map({ $0 >> 8 != 1 }) ?? false { next += 1 }
    guard let code = sample.load(at: next, as: UInt32.self), code >> 8 == 1 else { return nil }
    // MPEG-2 has an extension right there.
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

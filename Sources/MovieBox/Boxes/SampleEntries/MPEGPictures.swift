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

/// Sample description entries for test movies.
package enum SampleEntry {
  /// Returns a video entry: 86 bytes and its extensions.
  package static func video(
    _ format: String = "avc1", width: Int, height: Int, depth: Int = 24, dataReference: Int = 1,
    extensions: [UInt8] = []
  ) -> [UInt8] {
    atom(format) {
      zeros(6)
      u16(dataReference)
      zeros(16)  // version, revision, vendor, temporal and spatial quality
      u16(width, height)
      u32(0x48_0000, 0x48_0000, 0)  // 72 pixels an inch, data size
      u16(1)  // frames per sample
      zeros(32)  // compressor name
      u16(depth, -1)  // -1: no color table
      extensions
    }
  }

  /// The configuration of H.264, high profile, level 3.1, with a sequence and a picture parameter set.
  package static let avcC = avcC(sequence: [
    0x67, 0x64, 0, 0x1F, 0xAC, 0xD9, 0x40, 0x50, 0x05, 0xBB, 0x01, 0x10, 0, 0, 3, 0, 0x10, 0, 0, 3, 3, 0x20, 0xF1, 0x83,
    0x19, 0x60,
  ])

  /// Returns an H.264 configuration with this sequence parameter set, or without parameter sets for `nil`.
  package static func avcC(sequence: [UInt8]?) -> [UInt8] {
    let picture: [UInt8] = [0x68, 0xEB, 0xE3, 0xCB, 0x22, 0xC0]
    return atom("avcC") {
      u8(1)
      sequence.map { Array($0[1..<4]) } ?? [0x64, 0, 0x1F]
      u8(0xFF, sequence == nil ? 0xE0 : 0xE1)
      sequence.map { u16($0.count) + $0 } ?? []
      u8(sequence == nil ? 0 : 1)
      sequence == nil ? [] : u16(picture.count) + picture
    }
  }

  /// The default parameter sets of ``hvcC(_:isComplete:chroma:depth:)``: a video, a sequence and a picture parameter set.
  package static let setsOfHEVC: [[UInt8]] = [[0x40, 1, 0x0C], [0x42, 1, 1], [0x44, 1, 0xC1]]

  /// Returns an HEVC configuration with an array for each parameter set, marked as complete or not.
  package static func hvcC(
    _ sets: [[UInt8]] = setsOfHEVC, isComplete: Bool = false, chroma: Int = 1, depth: Int = 8
  ) -> [UInt8] {
    atom("hvcC") {
      u8(1, 1)
      u32(0x6000_0000)
      u8(0xB0, 0, 0, 0, 0, 0, 93)
      u16(0xF000)
      u8(0xFC, 0xFC | chroma, 0xF8 | depth - 8, 0xF8)
      u16(0)
      u8(0x0F, sets.count)
      sets.flatMap { set in
        u8((isComplete ? 0x80 : 0) | Int(set[0] >> 1)) + u16(1, set.count) + set
      }
    }
  }

  /// Returns the `esds` of AAC-LC.
  package static func esds(rate: Int, channels: Int) -> [UInt8] {
    let rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]
    let bits: UInt64
    let bitCount: Int
    if let index = rates.firstIndex(of: rate) {
      (bits, bitCount) = (2 << 11 | UInt64(index) << 7 | UInt64(channels) << 3, 16)
    } else {
      (bits, bitCount) = (2 << 35 | 15 << 31 | UInt64(rate) << 7 | UInt64(channels) << 3, 40)
    }
    let configuration = (1...bitCount / 8).map { UInt8(truncatingIfNeeded: bits >> UInt64(bitCount - 8 * $0)) }
    return StreamableMovie.esds(configuration)
  }

  /// Returns a sound entry of version 0: 36 bytes and its extensions.
  package static func sound(
    _ format: String = "sowt", channels: Int = 1, bits: Int = 16, rate: Int, dataReference: Int = 1,
    extensions: [UInt8] = []
  ) -> [UInt8] {
    atom(format) {
      zeros(6)
      u16(dataReference)
      zeros(8)  // version, revision, vendor
      u16(channels, bits, 0, 0)
      u32(rate << 16)
      extensions
    }
  }

  /// Returns a QuickTime sound entry of version 1: 52 bytes and its extensions. `packet` contains the number of samples,
  /// bytes per channel and bytes in all channels.
  package static func soundVersion1(
    _ format: String, channels: Int = 1, bits: Int = 16, rate: Int, packet: (samples: Int, bytes: Int, frame: Int),
    compressionID: Int = 0, dataReference: Int = 1, extensions: [UInt8] = []
  ) -> [UInt8] {
    atom(format) {
      zeros(6)
      u16(dataReference, 1)
      zeros(6)
      u16(channels, bits, compressionID, 0)
      u32(rate << 16)
      u32(packet.samples, packet.bytes, packet.frame, 2)
      extensions
    }
  }

  /// Returns a QuickTime sound entry of version 2: 72 bytes and its extensions.
  package static func soundVersion2(
    _ format: String = "lpcm", channels: Int = 2, bits: Int = 24, rate: Double = 96_000, flags: Int = 0xC,
    packet: (bytes: Int, frames: Int), extensions: [UInt8] = []
  ) -> [UInt8] {
    atom(format) {
      zeros(6)
      u16(1, 2)
      zeros(6)
      u16(3, 16, -2, 0)
      u32(0x10000, 72)
      u64(rate.bitPattern)
      u32(channels, 0x7F00_0000, bits, flags, packet.bytes, packet.frames)
      extensions
    }
  }

  /// Returns a 3GPP timed text entry with one font: 64 bytes for a font name of five letters.
  package static func timedText(
    width: Int = 0, height: Int = 0, displayFlags: Int = 0, fontSize: Int = 18, fontName: String = "Serif"
  ) -> [UInt8] {
    atom("tx3g") {
      zeros(6)
      u16(1)
      u32(displayFlags)
      u8(1, -1)  // center, bottom
      u32(0)  // background
      u16(0, 0, height, width)
      u16(0, 0, 1)  // first and last character, font
      u8(0, fontSize)
      u32(0xFFFF_FFFF)
      atom("ftab") {
        u16(1, 1)
        pascalString(fontName)
      }
    }
  }

  /// Returns a QuickTime `text` entry for chapter tracks.
  package static func text() -> [UInt8] {
    atom("text") {
      zeros(6)
      u16(1)
      u32(1, 1)  // display flags, centered
      zeros(6 + 8 + 8)  // background, text box, reserved
      u16(0, 0)  // font, face
      zeros(1 + 2 + 6)  // reserved, foreground
      u8(0)  // no font name
    }
  }

  /// Returns a time code entry.
  package static func timecode(timeScale: Int, frameDuration: Int, framesPerSecond: Int) -> [UInt8] {
    atom("tmcd") {
      zeros(6)
      u16(1)
      u32(0, 2, timeScale, frameDuration)  // flags: wraps after 24 hours
      u8(framesPerSecond, 0)
    }
  }
}

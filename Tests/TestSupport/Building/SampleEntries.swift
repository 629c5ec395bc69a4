/// The entries of sample descriptions that test movies use.
package enum SampleEntry {
  /// A video entry, 86 bytes and its extensions.
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
      u16(depth, -1)  // -1: no colour table
      extensions
    }
  }

  /// A sound entry of version 0, 36 bytes and its extensions.
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

  /// A QuickTime sound entry of version 1, 52 bytes and its extensions; `packet` counts samples, bytes of one channel and
  /// bytes of all.
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

  /// A QuickTime sound entry of version 2, 72 bytes and its extensions.
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

  /// A 3GPP timed text entry with one font, 64 bytes with a font name of five letters.
  package static func timedText(
    width: Int = 0, height: Int = 0, displayFlags: Int = 0, fontSize: Int = 18, fontName: String = "Serif"
  ) -> [UInt8] {
    atom("tx3g") {
      zeros(6)
      u16(1)
      u32(displayFlags)
      u8(1, -1)  // centre, bottom
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

  /// A QuickTime `text` entry, as chapter tracks have it.
  package static func text() -> [UInt8] {
    atom("text") {
      zeros(6)
      u16(1)
      u32(1, 1)  // display flags, centred
      zeros(6 + 8 + 8)  // background, text box, reserved
      u16(0, 0)  // font, face
      zeros(1 + 2 + 6)  // reserved, foreground
      u8(0)  // no font name
    }
  }

  /// A time code entry.
  package static func timecode(timeScale: Int, frameDuration: Int, framesPerSecond: Int) -> [UInt8] {
    atom("tmcd") {
      zeros(6)
      u16(1)
      u32(0, 2, timeScale, frameDuration)  // flags: wraps after 24 hours
      u8(framesPerSecond, 0)
    }
  }
}

import MovieBox

/// The kinds of text that samples of a track can hold.
enum TextKind: CaseIterable {
  case timedText, quickTimeText, webVTT

  var handler: FourCC {
    switch self {
    case .timedText: "sbtl"
    case .quickTimeText, .webVTT: "text"
    }
  }

  var format: FourCC {
    switch self {
    case .timedText: "tx3g"
    case .quickTimeText: "text"
    case .webVTT: "wvtt"
    }
  }

  /// A sample description as writers leave it, after the eight bytes that all of them begin with.
  var entry: [UInt8] {
    switch self {
    case .timedText:
      [0, 0, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 108, 5, 0, 0, 0, 0, 0, 0, 1, 0, 36, 255, 255, 255, 255]
        + [0, 0, 0, 18] + Array("ftab".utf8) + [0, 1, 0, 1, 5] + Array("Arial".utf8)
    case .quickTimeText: [0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 34) + [5] + Array("Arial".utf8)
    case .webVTT: [0, 0, 0, 14] + Array("vttCWEBVTT".utf8)
    }
  }
}

/// A movie of one text track, with a second for each sample, and with `facts`, atoms that stand in the movie atom.
func textMovie(_ kind: TextKind, entry: [UInt8], samples: [[UInt8]], stating facts: [UInt8] = []) -> [UInt8] {
  var writer = ByteWriter()
  writer.atom("ftyp") {
    $0.write("isom" as FourCC)
    write([0x200], to: &$0)
  }
  writer.atom("mdat") { mdat in for sample in samples { mdat.write(sample) } }
  let duration = UInt32(samples.count) * 1000
  let matrix: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
  writer.atom("moov") { moov in
    moov.atom("mvhd") {
      write([0, 0, 0, 1000, duration, 0x10000, 0x100_0000, 0, 0] + matrix, to: &$0);
      write([0, 0, 0, 0, 0, 0, 2], to: &$0)
    }
    moov.atom("trak") { trak in
      trak.atom("tkhd") { write([1, 0, 0, 1, 0, duration, 0, 0, 0, 0] + matrix + [640 << 16, 108 << 16], to: &$0) }
      trak.atom("mdia") { mdia in
        mdia.atom("mdhd") { write([0, 0, 0, 1000, duration, 0x55C4_0000], to: &$0) }
        mdia.atom("hdlr") {
          write([0, 0], to: &$0); $0.write(kind.handler); write([0, 0, 0, 0], to: &$0)
        }
        mdia.atom("minf") { minf in
          minf.atom("nmhd") { write([0], to: &$0) }
          minf.atom("dinf") { dinf in
            dinf.atom("dref") { dref in
              write([0, 1], to: &dref)
              dref.atom("url ") { write([1], to: &$0) }
            }
          }
          minf.atom("stbl") { stbl in
            stbl.atom("stsd") { stsd in
              write([0, 1], to: &stsd)
              stsd.atom(kind.format) {
                write([0, 1], to: &$0); $0.write(entry)
              }
            }
            stbl.atom("stts") { write([0, 1, UInt32(samples.count), 1000], to: &$0) }
            stbl.atom("stsc") { write([0, 1, 1, UInt32(samples.count), 1], to: &$0) }
            stbl.atom("stsz") { write([0, 0, UInt32(samples.count)] + samples.map { UInt32($0.count) }, to: &$0) }
            stbl.atom("stco") { write([0, 1, 28], to: &$0) }
          }
        }
      }
    }
    moov.write(facts)
  }
  return writer.bytes
}

private func write(_ values: [UInt32], to writer: inout ByteWriter) {
  for value in values { writer.write(value) }
}

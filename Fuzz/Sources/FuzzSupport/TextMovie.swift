import MovieBox

/// A format of text samples.
enum TextKind: CaseIterable {
  case timedText, quickTimeText, webVTT, captions, captionPackets

  var handler: FourCC {
    switch self {
    case .timedText: "sbtl"
    case .quickTimeText, .webVTT: "text"
    case .captions, .captionPackets: "clcp"
    }
  }

  var format: FourCC {
    switch self {
    case .timedText: "tx3g"
    case .quickTimeText: "text"
    case .webVTT: "wvtt"
    case .captions: "c608"
    case .captionPackets: "c708"
    }
  }

  /// A usual sample description, without the eight bytes with which all sample descriptions begin.
  var entry: [UInt8] {
    switch self {
    case .timedText:
      [0, 0, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 108, 5, 0, 0, 0, 0, 0, 0, 1, 0, 36, 255, 255, 255, 255]
        + [0, 0, 0, 18] + Array("ftab".utf8) + [0, 1, 0, 1, 5] + Array("Arial".utf8)
    case .quickTimeText: [0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 34) + [5] + Array("Arial".utf8)
    case .webVTT: [0, 0, 0, 14] + Array("vttCWEBVTT".utf8)
    case .captions, .captionPackets: []
    }
  }
}

/// A track of a small movie. Each sample lasts one second.
struct SmallTrack {
  var id: UInt32 = 1
  var handler: FourCC
  /// The format and the contents of the sample description, without the eight bytes with which all sample descriptions
  /// begin.
  var format: FourCC
  var entry: [UInt8]
  var samples: [[UInt8]]
  var isEnabled = true
  var group: UInt16 = 0
  /// The packed language code, as in `mdhd`.
  var language: UInt16 = 0x55C4
  var references: [(type: FourCC, trackID: UInt32)] = []
}

/// Returns a movie with one text track. `facts` are additional atoms for the movie atom.
func textMovie(_ kind: TextKind, entry: [UInt8], samples: [[UInt8]], stating facts: [UInt8] = []) -> [UInt8] {
  smallMovie(
    [SmallTrack(handler: kind.handler, format: kind.format, entry: entry, samples: samples)], stating: facts)
}

/// Returns a movie with the given tracks, whose media precedes the movie atom. `facts` are additional atoms for the
/// movie atom.
func smallMovie(_ tracks: [SmallTrack], stating facts: [UInt8] = []) -> [UInt8] {
  var writer = ByteWriter()
  writer.atom("ftyp") {
    $0.write("isom" as FourCC)
    write([0x200], to: &$0)
  }
  writer.atom("mdat") { mdat in
    for track in tracks { for sample in track.samples { mdat.write(sample) } }
  }
  let duration = UInt32(tracks.map(\.samples.count).max() ?? 0) * 1000
  writer.atom("moov") { moov in
    moov.atom("mvhd") {
      write([0, 0, 0, 1000, duration, 0x10000, 0x100_0000, 0, 0] + matrix, to: &$0)
      write([0, 0, 0, 0, 0, 0, (tracks.map(\.id).max() ?? 0) &+ 1], to: &$0)
    }
    var offset: UInt32 = 28  // The sizes of `ftyp` and of the header of `mdat`.
    for track in tracks {
      write(track, at: offset, to: &moov)
      offset += UInt32(track.samples.joined().count)
    }
    moov.write(facts)
  }
  return writer.bytes
}

private let matrix: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]

private func write(_ track: SmallTrack, at offset: UInt32, to moov: inout ByteWriter) {
  let count = UInt32(track.samples.count)
  let duration = count * 1000
  moov.atom("trak") { trak in
    trak.atom("tkhd") {
      write([track.isEnabled ? 1 : 0, 0, 0, track.id, 0, duration, 0, 0, UInt32(track.group), 0], to: &$0)
      write(matrix + [640 << 16, 108 << 16], to: &$0)
    }
    if !track.references.isEmpty {
      trak.atom("tref") { tref in
        for reference in track.references { tref.atom(reference.type) { write([reference.trackID], to: &$0) } }
      }
    }
    trak.atom("mdia") { mdia in
      mdia.atom("mdhd") { write([0, 0, 0, 1000, duration, UInt32(track.language) << 16], to: &$0) }
      mdia.atom("hdlr") {
        write([0, 0], to: &$0); $0.write(track.handler); write([0, 0, 0, 0], to: &$0)
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
            stsd.atom(track.format) {
              write([0, 1], to: &$0); $0.write(track.entry)
            }
          }
          stbl.atom("stts") { write([0, 1, count, 1000], to: &$0) }
          stbl.atom("stsc") { write([0, 1, 1, count, 1], to: &$0) }
          stbl.atom("stsz") { write([0, 0, count] + track.samples.map { UInt32($0.count) }, to: &$0) }
          stbl.atom("stco") { write([0, 1, offset], to: &$0) }
        }
      }
    }
  }
}

private func write(_ values: [UInt32], to writer: inout ByteWriter) {
  for value in values { writer.write(value) }
}

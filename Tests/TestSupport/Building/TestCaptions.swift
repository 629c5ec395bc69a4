/// Samples of closed captions (CEA-608). A pair has two bytes of seven bits, and their eighth bit makes the parity odd.
package enum TestCaptions {
  /// Returns the pairs of 7-bit codes.
  package static func codes(_ codes: UInt8...) -> [UInt8] {
    codes.map { $0.nonzeroBitCount.isMultiple(of: 2) ? $0 | 0x80 : $0 }
  }

  /// Control codes of the first channel, each sent twice.
  package static let resumeLoading = twice(0x14, 0x20)
  package static let endOfCaption = twice(0x14, 0x2F)
  package static let erasure = twice(0x14, 0x2C)
  package static let carriageReturn = twice(0x14, 0x2D)
  /// Roll-up captions of two rows.
  package static let rollUp = twice(0x14, 0x25)
  /// A pair without data.
  package static let null: [UInt8] = [0x80, 0x80]

  /// Returns a control code that is sent twice.
  package static func twice(_ first: UInt8, _ second: UInt8) -> [UInt8] {
    codes(first, second) + codes(first, second)
  }

  /// Returns the pairs of a text, whose last pair is filled with zero.
  package static func text(_ text: String) -> [UInt8] {
    let padded = Array(text.utf8) + (text.utf8.count.isMultiple(of: 2) ? [] : [0])
    return padded.map { $0.nonzeroBitCount.isMultiple(of: 2) ? $0 | 0x80 : $0 }
  }

  /// Returns the pairs that load a text into the last row from column 12, without showing it. Texts of six to ten
  /// characters are centered.
  package static func load(_ words: String) -> [UInt8] { resumeLoading + twice(0x14, 0x76) + text(words) }

  /// Returns a `c608` sample of the pairs of both fields. A field without pairs has no atom.
  package static func sample(_ pairs: [UInt8], second: [UInt8] = [], duration: Int) -> TestSample {
    let first = atom("cdat") { pairs }
    return TestSample(content: first + (second.isEmpty ? [] : atom("cdt2") { second }), duration: duration)
  }

  /// Returns a `c708` sample of a caption distribution packet.
  package static func sample(packet: [UInt8], duration: Int) -> TestSample {
    TestSample(content: atom("ccdp") { packet }, duration: duration)
  }

  /// Returns a packet at 29.97 frames a second of these triples: a type (0 and 1 are the fields of CEA-608) and two bytes.
  package static func packet(_ triples: [UInt8]...) -> [UInt8] {
    var bytes: [UInt8] = [0x96, 0x69, 0, 0x4F, 0x43, 0, 1, 0x72, 0xE0 | UInt8(triples.count)]
    for triple in triples { bytes += [0xFC | triple[0], triple[1], triple[2]] }
    bytes += [0x74, 0, 1]
    bytes[2] = UInt8(bytes.count + 1)
    return bytes + [0 &- bytes.reduce(0, &+)]
  }

  /// Returns a track of captions with 30 000 ticks a second.
  package static func track(id: UInt32, format: String = "c608", _ samples: [TestSample]) -> TestTrack {
    TestTrack(.other(handler: "clcp"), id: id).with {
      $0.timeScale = 30_000
      $0.language = .packed("eng")
      $0.samples = samples
      $0.sampleEntries = [atom(format) { zeros(6) + u16(1) }]
    }
  }

  /// The ticks of a frame in ``track(id:format:_:)``.
  package static let frame = 1_001
}

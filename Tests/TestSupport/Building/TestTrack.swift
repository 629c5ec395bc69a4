/// The language field of a media header.
package enum TestLanguage: Sendable {
  /// Three letters of ISO 639-2/T, packed.
  case packed(String)
  /// A Macintosh language code.
  case macintosh(Int)

  var field: Int {
    switch self {
    case .packed(let letters): letters.unicodeScalars.reduce(0) { $0 << 5 | (Int($1.value) - 0x60) & 0x1F }
    case .macintosh(let number): number
    }
  }
}

/// A segment of an edit list.
package struct TestEdit: Sendable {
  /// The duration in the movie's time scale.
  package var duration: Int
  /// The start in the media's time scale; -1 for an empty edit.
  package var mediaTime: Int
  /// The rate as a 16.16 fixed-point number.
  package var rate: Int

  package init(duration: Int, mediaTime: Int, rate: Int = 0x10000) {
    self.duration = duration
    self.mediaTime = mediaTime
    self.rate = rate
  }
}

/// A track reference.
package struct TestReference: Sendable {
  package var type: String
  package var tracks: [UInt32]

  package init(_ type: String, _ tracks: UInt32...) {
    self.type = type
    self.tracks = tracks
  }
}

/// The contents of a test movie's track. Every property has a default.
///
///     var track = TestTrack(.sound, id: 2)
///     track.language = .packed("eng")
///     track.references = [TestReference("folw", 5)]
package struct TestTrack: Sendable {
  /// The kind of media.
  package enum Kind: Sendable {
    case video, sound, subtitle, text, timecode
    case other(handler: String)
  }

  /// The encoding of sample sizes.
  package enum SizeTable: Sendable {
    case stsz
    /// `stz2` with fields of 4, 8 or 16 bits.
    case stz2(bits: Int)
  }

  package var kind: Kind
  package var id: UInt32
  package var isEnabled = true
  /// The in-movie, in-preview and in-poster flags.
  package var otherFlags = 0x2
  package var layer = 0
  package var group = 0
  package var width = 0
  package var height = 0
  /// Nine numbers of four bytes.
  package var matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
  package var timeScale: Int
  /// The stored name of the media handler, or `nil` for one that suits the dialect.
  package var handlerName: [UInt8]?
  package var language = TestLanguage.packed("und")
  package var extendedLanguage: String?
  package var samples: [TestSample]
  /// The number of samples in each chunk. The last number applies to all further chunks.
  package var chunking = [4]
  /// The sample description of each chunk, from 1. The last number applies to all further chunks.
  package var descriptionOfChunk = [1]
  /// The sample entries, or `nil` for one that suits the kind.
  package var sampleEntries: [[UInt8]]?
  package var edits: [TestEdit] = []
  package var references: [TestReference] = []
  /// The content of the track's `udta`, or `nil` to omit the atom.
  package var userData: [UInt8]?
  package var sizeTable = SizeTable.stsz
  /// The number of audio samples in each of ``samples``, which are packets of old QuickTime sound with equal durations.
  /// `stsz` then declares a size of 1 byte for every audio sample.
  package var samplesPerPacket: Int?
  package var usesLongOffsets = false
  /// Whether `tkhd`, `mdhd` and `elst` have version 1.
  package var usesLongTimes = false
  /// The positions of the chunks in another file, or `nil` if the media is in this file.
  package var externalOffsets: [UInt64]?
  /// The positions of some chunks in another file, by index. The other chunks are in this file.
  package var externalChunks: [Int: UInt64] = [:]
  /// The entries of `dref`, each a complete atom, or `nil` for one that suits the media.
  package var dataReferences: [[UInt8]]?
  /// The number of bytes of auxiliary information (`saiz`, `saio`) for each sample.
  package var auxiliaryByteCount = 0
  /// An item of the track's `meta`, located by a file position in `iloc`.
  package var item: [UInt8]?
  /// Atoms after `tkhd`, at the end of `trak`, `mdia`, `minf` and `stbl`.
  package var atomsAfterHeader: [UInt8] = []
  package var trackAtoms: [UInt8] = []
  package var mediaAtoms: [UInt8] = []
  package var mediaInformationAtoms: [UInt8] = []
  package var sampleTableAtoms: [UInt8] = []

  /// Creates a track with two seconds of samples that suit its kind.
  package init(_ kind: Kind, id: UInt32) {
    self.kind = kind
    self.id = id
    switch kind {
    case .video:
      (timeScale, width, height) = (600, 64, 36)
      samples = .pictures(24, around: 40, duration: 50)
    case .sound:
      timeScale = 8000
      samples = .varied(16, around: 30, duration: 1000)
    case .subtitle, .text:
      timeScale = 1000
      samples = [
        .timedText("", duration: 500), .timedText("Text \(id)", duration: 1000), .timedText("", duration: 500),
      ]
    case .timecode:
      timeScale = 600
      samples = [TestSample(content: u32(86400), duration: 1200)]
    case .other:
      timeScale = 1000
      samples = .varied(2, around: 12, duration: 1000)
    }
  }

  /// Returns a modified copy.
  package func with(_ change: (inout TestTrack) -> Void) -> TestTrack {
    var copy = self
    change(&copy)
    return copy
  }

  /// The sum of the samples' durations.
  package var mediaDuration: Int {
    samples.reduce(0) { $0 + $1.duration }
  }

  /// The samples of each chunk, by index.
  package var chunks: [Range<Int>] {
    var chunks: [Range<Int>] = []
    var next = 0
    while next < samples.count {
      let count = chunks.count < chunking.count ? chunking[chunks.count] : chunking.last ?? 1
      precondition(count > 0 || chunks.count < chunking.count, "the last number of a chunking must be above 0")
      chunks.append(next..<min(next + count, samples.count))
      next += count
    }
    return chunks
  }

  /// Returns the declared position of a chunk in another file, or `nil` for a chunk in this file.
  func externalOffset(ofChunk index: Int) -> UInt64? {
    externalOffsets.map { $0[index] } ?? externalChunks[index]
  }

  /// Returns the bytes of the sample with this index.
  package func bytes(ofSample index: Int) -> [UInt8] {
    samples[index].content
      ?? TestSample.pattern(track: id, number: index + 1, byteCount: samples[index].byteCount)
  }

  var handler: String {
    switch kind {
    case .video: "vide"
    case .sound: "soun"
    case .subtitle: "sbtl"
    case .text: "text"
    case .timecode: "tmcd"
    case .other(let handler): handler
    }
  }
}

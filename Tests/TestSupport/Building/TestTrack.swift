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

/// One segment of an edit list.
package struct TestEdit: Sendable {
  /// In the movie's time scale.
  package var duration: Int
  /// In the media's time scale; -1 is an empty edit.
  package var mediaTime: Int
  /// 16.16.
  package var rate: Int

  package init(duration: Int, mediaTime: Int, rate: Int = 0x10000) {
    self.duration = duration
    self.mediaTime = mediaTime
    self.rate = rate
  }
}

/// One track reference.
package struct TestReference: Sendable {
  package var type: String
  package var tracks: [UInt32]

  package init(_ type: String, _ tracks: UInt32...) {
    self.type = type
    self.tracks = tracks
  }
}

/// What a track of a test movie is made of; everything has a value to begin with.
///
///     var track = TestTrack(.sound, id: 2)
///     track.language = .packed("eng")
///     track.references = [TestReference("folw", 5)]
package struct TestTrack: Sendable {
  /// What kind of media a track has.
  package enum Kind: Sendable {
    case video, sound, subtitle, text, timecode
    case other(handler: String)
  }

  /// How the sizes of samples are written.
  package enum SizeTable: Sendable {
    case stsz
    /// `stz2` with fields of 4, 8 or 16 bits.
    case stz2(bits: Int)
  }

  package var kind: Kind
  package var id: UInt32
  package var isEnabled = true
  /// In-movie, in-preview and in-poster bits.
  package var otherFlags = 0x2
  package var layer = 0
  package var group = 0
  package var width = 0
  package var height = 0
  /// Nine numbers of four bytes.
  package var matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
  package var timeScale: Int
  /// The name of the media handler as it is written; nil for one that suits the dialect.
  package var handlerName: [UInt8]?
  package var language = TestLanguage.packed("und")
  package var extendedLanguage: String?
  package var samples: [TestSample]
  /// Samples in each chunk; the last number holds for the rest.
  package var chunking = [4]
  /// The sample description of each chunk, from 1; the last number holds for the rest.
  package var descriptionOfChunk = [1]
  /// Nil for an entry that suits the kind.
  package var sampleEntries: [[UInt8]]?
  package var edits: [TestEdit] = []
  package var references: [TestReference] = []
  /// The content of the track's `udta`; nil for no such atom.
  package var userData: [UInt8]?
  package var sizeTable = SizeTable.stsz
  /// `stsz` says that every sample has 1 byte and that there are so many in each of ``samples``, which are packets of old
  /// QuickTime sound; all of them last equally long.
  package var samplesPerPacket: Int?
  package var usesLongOffsets = false
  /// `tkhd`, `mdhd` and `elst` of version 1.
  package var usesLongTimes = false
  /// The media lies in another file: nothing of it is written, and its chunks are said to stand at these places.
  package var externalOffsets: [UInt64]?
  /// The same for some chunks, by index; the others are written.
  package var externalChunks: [Int: UInt64] = [:]
  /// The entries of `dref`, each a whole atom; nil for one that suits the media.
  package var dataReferences: [[UInt8]]?
  /// Bytes of auxiliary information (`saiz`, `saio`) for each sample.
  package var auxiliaryByteCount = 0
  /// An item in the track's `meta`, which `iloc` finds by a file position.
  package var item: [UInt8]?
  /// Atoms after `tkhd`, at the end of `trak`, `mdia`, `minf` and `stbl`.
  package var atomsAfterHeader: [UInt8] = []
  package var trackAtoms: [UInt8] = []
  package var mediaAtoms: [UInt8] = []
  package var mediaInformationAtoms: [UInt8] = []
  package var sampleTableAtoms: [UInt8] = []

  /// A track with two seconds of samples that suit its kind.
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

  /// The same track after a change.
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

  /// Where a chunk is said to lie in another file; nil for one that is written.
  func externalOffset(ofChunk index: Int) -> UInt64? {
    externalOffsets.map { $0[index] } ?? externalChunks[index]
  }

  /// The bytes of the sample with this index.
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

public import Subtitles

/// Reads the closed captions in the pictures of an H.264 or HEVC track, in order of their presentation.
///
/// Only the beginning of each sample is read, unless its captions follow later. Pictures are decoded in another order
/// than they are presented, so the pairs of all pictures are collected and then sorted. Pairs without data are omitted,
/// so an hour of captions takes about a megabyte.
package struct PictureCaptionReader {
  private let track: Track
  private let fragments: MovieFragments?
  private let formats: [PictureCaptions.Format?]
  private let areExternal: [Bool]
  private let presentation: CuePresentation
  private let limits: SubtitleLimits

  /// Whether pictures of the track may contain captions that can be read.
  package static func canRead(_ track: Track, of movie: Movie) -> Bool {
    track.mediaType == .video && formats(of: track, in: movie.tree).contains { $0 != nil }
  }

  private static func formats(of track: Track, in tree: AtomTree) -> [PictureCaptions.Format?] {
    tree.sampleDescriptions(ofTrack: track.atom).map { PictureCaptions.Format($0, of: tree) }
  }

  /// Prepares reading. The parameters have the same meaning as in the initializer of ``TextTrackReader``.
  ///
  /// Throws ``MovieError``. The error is `.unsupported` if the track contains no H.264 or HEVC pictures, and
  /// `.malformed` if the edit list is damaged.
  package init(
    _ track: Track, of movie: Movie, fragments: MovieFragments? = nil, endingAt end: Int64? = nil,
    limits: SubtitleLimits = SubtitleLimits()
  ) throws(MovieError) {
    self.track = track
    self.fragments = fragments
    self.limits = limits
    formats = Self.formats(of: track, in: movie.tree)
    areExternal = track.externalDescriptions
    presentation = try CuePresentation(
      track, of: movie, endingAt: end ?? movie.endMilliseconds(fragments) ?? .max, limits: limits)
    guard track.mediaType == .video, formats.contains(where: { $0 != nil }) else {
      throw MovieError(
        .unsupported, in: presentation.path,
        "track \(track.id) contains no H.264 or HEVC pictures: closed captions can be read only from these")
    }
  }

  /// Reads and decodes the captions.
  ///
  /// Calls `checkStop` regularly. Throws the errors of `checkStop` and of the source, and ``MovieError`` with `.limit`
  /// if the limits are exceeded.
  package func read(
    from source: some RandomAccessSource, checkStop: () throws -> Void = {}
  ) throws -> DecodedPictureCaptions {
    let sourceByteCount = try source.identity().byteCount
    // The tables can declare billions of samples in a few bytes, so limit the samples by the size of the file.
    let sampleCount = track.sampleCount(in: fragments)
    guard UInt64(sampleCount) <= sourceByteCount else {
      throw MovieError(
        .limit, in: presentation.path,
        "the track has \(sampleCount) samples, but the file has only \(sourceByteCount) bytes")
    }
    var collection = PictureCaptionCollection(formats, track, sourceByteCount: sourceByteCount, limits: limits)
    let origin = Int64(clamping: fragments?.track(track.id)?.ticksBeforeStart ?? 0)
    func add(_ sample: Sample) throws {
      let description = Int(sample.sampleDescriptionIndex) - 1  // The file counts descriptions from 1.
      guard areExternal.indices.contains(description), !areExternal[description], formats.indices.contains(description),
        formats[description] != nil
      else {
        return
      }
      let isFull = collection.add(sample, description, at: sample.presentationTime.addingClamped(-origin))
      if isFull {
        try checkStop()
        try collection.search(source)
      }
    }
    if let fragmented = fragments?.track(track.id) {
      for sample in fragmented.samples { try add(sample) }
    } else {
      for sample in track.samples.samples { try add(sample) }
    }
    try collection.search(source)
    let captions = collection.captions(mediaTimeScale: track.mediaHeader.timeScale)
    var notices = NoticeList(limits)
    if collection.damagedCount > 0 {
      notices.add(
        .damagedSample, line: 0,
        "track \(track.id): skipped \(counted(collection.damagedCount, "damaged caption message")) in pictures")
    }
    if collection.missingCount > 0 {
      notices.add(
        .damagedSample, "missing", line: 0,
        "track \(track.id): skipped \(counted(collection.missingCount, "picture")) past the end of the file")
    }
    return DecodedPictureCaptions(media: try captions.decoded(presentation, limits), notices: notices)
  }
}

package struct DecodedPictureCaptions {
  let media: DecodedMediaCaptions
  /// The notices about damaged and missing pictures.
  package let notices: NoticeList

  /// The channels of CEA-608 that show captions.
  package var channels: [CaptionChannel] { media.decoded.shownChannels }

  /// The names of the CEA-608 services that contain characters, such as CC1 and T2.
  package var serviceNames: [String] { media.decoded.serviceNames }

  /// The numbers of the CEA-708 services. They are not decoded.
  package var digitalServices: [Int] { media.captions.digitalServices.numbers }

  /// Returns the text of a channel, by default of the first channel that shows captions. The text contains the pairs of
  /// all channels, unless `frames` is `nil`.
  ///
  /// Throws ``MovieError`` with `.limit` if the text has too many cues.
  package func text(
    of channel: CaptionChannel? = nil, pairsIn frames: CaptionPairFrames? = .line21
  ) throws(MovieError) -> TextTrack {
    try media.text(of: channel, notices, pairsIn: frames)
  }
}

extension Movie {
  /// Reads the closed captions (CEA-608) in the pictures of an H.264 or HEVC track.
  ///
  /// Returns the text of each channel that shows captions. Only the beginning of each picture is read. The times are
  /// times of the movie's presentation clock, as for the cues of text tracks.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.unsupported` if the track contains no H.264 or
  /// HEVC pictures, and `.limit` if `limits` are exceeded.
  ///
  ///     let movie = try Movie(of: source)
  ///     let captions = try movie.captions(inPicturesOf: 1, from: source)
  ///     if let first = captions[.cc1] { print(first.cues.count) }
  public func captions(
    inPicturesOf trackID: UInt32, from source: some RandomAccessSource, limits: SubtitleLimits = SubtitleLimits(),
    keepingStart: Bool = false
  ) throws -> [CaptionChannel: TextTrack] {
    try reading(source) {
      let presented = try includingFragments(from: source, keepingStart: keepingStart)
      guard let track = presented.movie.track(trackID) else {
        throw MovieError(.unsupported, "the movie has no track \(trackID)")
      }
      let captions = try PictureCaptionReader(
        track, of: presented.movie, fragments: presented.fragments, limits: limits
      ).read(from: source)
      var texts: [CaptionChannel: TextTrack] = [:]
      for channel in captions.channels { texts[channel] = try captions.text(of: channel) }
      return texts
    }
  }
}

/// The CEA-608 byte pairs that the pictures contain. The pictures are read in batches of adjacent samples.
private struct PictureCaptionCollection {
  /// A byte pair, with its field and presentation time.
  private struct Pair {
    let time: Int64
    /// The index among all pairs in decoding order.
    let index: UInt32
    let field: UInt8
    let first: UInt8
    let second: UInt8
  }

  private struct Picture {
    let range: ByteRange
    let description: Int
    let time: Int64
  }

  /// The number of pictures in a batch.
  private static let batchCount = 256
  /// The memory for a pair. With ``SubtitleLimits/sampleByteCount``, it determines the maximum number of pairs.
  private static let pairByteCount = 16

  private(set) var missingCount = 0
  private var searches: [PictureCaptions?]
  private let trackID: UInt32
  private let limits: SubtitleLimits
  private let sourceByteCount: UInt64
  /// The number of bytes that may still be read. The samples of intact movies do not overlap, and only the beginning of
  /// a sample is read twice.
  private var remainingByteCount: UInt64
  private var batch: [Picture] = []
  private var pairs: [Pair] = []
  private var digitalServices = DigitalCaptionServices()
  private var durations = PictureDurations()
  /// The latest end of a picture.
  private var end = Int64.min

  init(_ formats: [PictureCaptions.Format?], _ track: Track, sourceByteCount: UInt64, limits: SubtitleLimits) {
    searches = formats.map { $0.map(PictureCaptions.init) }
    trackID = track.id
    self.limits = limits
    self.sourceByteCount = sourceByteCount
    remainingByteCount = sourceByteCount.addingClamped(sourceByteCount)
  }

  /// The number of samples and messages with damaged captions.
  var damagedCount: Int { searches.reduce(0) { $0 + ($1?.damagedCount ?? 0) } }

  /// Adds a sample to the batch. Returns whether the batch is full and must be searched.
  mutating func add(_ sample: Sample, _ description: Int, at time: Int64) -> Bool {
    guard let range = sample.byteRange, range.end <= sourceByteCount else {
      missingCount += 1
      return false
    }
    durations.add(sample.duration)
    end = max(end, time.addingClamped(Int64(sample.duration)))
    if range.count > 0 { batch.append(Picture(range: range, description: description, time: time)) }
    return batch.count == Self.batchCount
  }

  /// Reads and searches the batch.
  mutating func search(_ source: some RandomAccessSource) throws {
    let ranges = batch.map { $0.range.prefix(UInt64(PictureCaptions.Range.beginning.byteCount)) }
    for range in ranges { try spend(range.count) }
    let beginnings = try SampleBatch(ranges).read(from: source)
    for (picture, bytes) in zip(batch, beginnings) { try search(picture, bytes, source) }
    batch.removeAll(keepingCapacity: true)
  }

  /// Deducts bytes before they are read. Throws if the pictures overlap so much that more bytes than the file's size
  /// would be read.
  private mutating func spend(_ byteCount: UInt64) throws(MovieError) {
    guard byteCount <= remainingByteCount else {
      throw MovieError(
        .limit, "the pictures of track \(trackID) overlap: searching them for captions would read more than the file")
    }
    remainingByteCount -= byteCount
  }

  private mutating func search(_ picture: Picture, _ beginning: Bytes, _ source: some RandomAccessSource) throws {
    guard var search = searches[picture.description] else { return }
    searches[picture.description] = nil  // The only owner can change the arrays without a copy.
    search.removeAll()
    var next = search.search(beginning, ofByteCount: picture.range.count)
    while let range = next {
      try spend(UInt64(range.byteCount))
      guard
        let bytes = picture.range.dropFirst(range.offset)?.prefix(UInt64(range.byteCount))
      else { break }
      next = search.search(try source.readExactly(bytes), in: range, ofByteCount: picture.range.count)
    }
    let limit = limits.sampleByteCount / Self.pairByteCount
    for triple in search.triples where triple.isValid {
      switch triple.kind {
      case .field1, .field2:
        guard !triple.pair.isNull else { continue }
        guard pairs.count < limit else {
          throw MovieError(.limit, "track \(trackID) exceeds the limit of \(limit) caption pairs")
        }
        pairs.append(
          Pair(
            time: picture.time, index: UInt32(clamping: pairs.count), field: triple.kind.rawValue,
            first: triple.pair.first, second: triple.pair.second))
      case .digitalData, .digitalStart: digitalServices.receive(triple)
      }
    }
    // Finish the packet of CEA-708, because the next picture in decoding order is often not the next picture in
    // presentation order.
    digitalServices.finish()
    searches[picture.description] = search
  }

  /// Returns the pairs in order of presentation. The collection is empty afterwards.
  mutating func captions(mediaTimeScale: UInt32) -> MediaCaptions {
    // At more than 30 pictures a second, not every picture has a pair of each field. So a unit is at least a frame of
    // line 21.
    let frame = UInt64(mediaTimeScale) * 1_001 / 30_000
    let (count, duration) = durations.predominant
    let picture = count > 0 ? duration / count : 0
    var captions = MediaCaptions(unitsPerFrame: Int64(clamping: max(frame, picture)))
    captions.pictureRate = CaptionFrameRate(ofPictures: count, lasting: duration, timeScale: mediaTimeScale)
    captions.repetitionFrames = DecodedCaptions.pictureRepetitionFrames
    captions.digitalServices = digitalServices
    captions.end = end
    pairs.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    for pair in pairs {
      captions.fields[Int(pair.field & 1)].append(
        TimedCaptionPair(time: pair.time, CaptionPair(pair.first, pair.second)))
    }
    pairs = []
    return captions
  }
}

extension ByteRange {
  /// Returns at most the first `maximum` bytes.
  fileprivate func prefix(_ maximum: UInt64) -> ByteRange { ByteRange(offset..<offset + Swift.min(count, maximum)) }

  /// Returns the range without its first `dropped` bytes, or `nil` if there are fewer.
  fileprivate func dropFirst(_ dropped: UInt64) -> ByteRange? {
    dropped <= count ? ByteRange(offset + dropped..<end) : nil
  }
}

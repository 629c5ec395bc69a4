import MovieBox

/// The facts that a target description needs and only the samples declare.
struct SampleFacts {
  /// The number of pictures of MPEG-1 and MPEG-2 that an MP4 file names, or `nil` for other pictures.
  var mpegPictures: ElementaryStream.PlainObjectType?
  /// The lowest level of the H.263 baseline profile for the pictures, or `nil` if the first picture uses other options
  /// or no level fits.
  var h263Level: UInt8?

  /// Nothing was read.
  static let unknown = SampleFacts()

  /// Reads the first sample of pictures whose description in a file of the type needs it.
  static func reading(
    _ track: Track, to type: MovieType, from source: some RandomAccessSource
  ) throws -> SampleFacts {
    guard let entry = track.sampleDescriptions.entries.first, track.sampleDescriptions.entries.count == 1,
      track.mediaType == .video, !track.hasExternalMedia,
      type == .mp4 && MPEGPictures.isFormat(entry.format) || type == .threeGPP && entry.format == "h263",
      let range = track.samples.samples.first(where: { _ in true })?.byteRange,
      try range.end <= source.identity().byteCount
    else { return .unknown }
    let longestHeader: UInt64 = 256  // With tables of weights.
    let head = try source.readExactly(
      ByteRange(range.offset..<range.offset + min(longestHeader, range.count)))
    guard entry.format == "h263" else {
      // Ignore the stream header if it contradicts the format's name: such a file has more errors than this one.
      let number = MPEGPictures.objectType(of: head)
      return SampleFacts(
        mpegPictures: number.flatMap { ($0 == .mpeg1Pictures) == MPEGPictures.isMPEG1(entry.format) ? $0 : nil })
    }
    guard H263Pictures.isBaseline(head) else { return .unknown }
    return SampleFacts(h263Level: try track.h263Demand(VideoDescription(body: entry.body))?.level)
  }
}

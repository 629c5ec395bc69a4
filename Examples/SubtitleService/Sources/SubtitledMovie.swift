import MovieBox
import MovieWriter

/// A movie with subtitles that is not stored in a file. It consists of a plan and the file that contains the media.
struct SubtitledMovie: Sendable {
  let mediaType: String
  /// The entity tag, which changes whenever a byte of the movie changes.
  let entityTag: String
  /// The planned movie as a source.
  let output: PlannedSource

  init(_ plan: OutputPlan, of source: FileSource, mediaType: String, entityTag: String) {
    output = PlannedSource(plan, of: source)
    self.mediaType = mediaType
    self.entityTag = entityTag
  }

  var file: ServedFile {
    ServedFile(mediaType: mediaType, entityTag: entityTag, byteCount: output.plan.byteCount) { try read($0) }
  }

  /// Returns a range of the movie. Media is read from the disk.
  ///
  /// Throws if the file has changed since the movie was planned, because the bytes would belong to another movie.
  func read(_ range: ByteRange) throws -> Bytes {
    let bytes = try output.read(range)
    guard try output.base.identity() == output.plan.source else {
      throw MovieError(.sourceChanged, "the movie has changed while it was served")
    }
    return bytes
  }
}

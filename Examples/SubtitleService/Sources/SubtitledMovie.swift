import MovieBox
import MovieWriter

/// A movie with subtitles that no file holds: a plan, and the file that its media is in.
struct SubtitledMovie: Sendable {
  let mediaType: String
  /// Changes when any byte of the movie does.
  let entityTag: String
  /// The movie as if a file held it.
  let output: PlannedSource

  init(_ plan: OutputPlan, of source: FileSource, mediaType: String, entityTag: String) {
    output = PlannedSource(plan, of: source)
    self.mediaType = mediaType
    self.entityTag = entityTag
  }

  var file: ServedFile {
    ServedFile(mediaType: mediaType, entityTag: entityTag, byteCount: output.plan.byteCount) { try read($0) }
  }

  /// Bytes of the movie, read from the disk where they are media.
  ///
  /// Throws when the file has changed since the movie was planned: what has been sent is no longer part of a movie.
  func read(_ range: ByteRange) throws -> Bytes {
    let bytes = try output.read(range)
    guard try output.base.identity() == output.plan.source else {
      throw MovieError(.sourceChanged, "the movie has changed while it was served")
    }
    return bytes
  }
}

import MovieBox
import MovieWriter
import Subtitles
import TestSupport

/// A way to write an edited movie.
enum EditStrategy: String, CaseIterable, Sendable {
  /// The file itself: in place if possible, otherwise replaced by a new file.
  case itself = "itself"
  /// Another file, with all atoms in their old order.
  case keptOrder = "new file"
  /// Another file, with the movie atom before the media.
  case fastStart = "fast start"

  /// The result of an edit.
  struct Result {
    /// The path of the edited file.
    let path: String
    /// The ID of the new track.
    let trackID: UInt32
    /// The reason why the file was not edited in place, or `nil` if it was.
    let obstacle: String?
    let notices: [EditNotice]
  }

  /// Adds a track to the movie at `path`. The edited file is `name` in `folder`; the movie is unchanged.
  ///
  /// `padding` is the free space for later edits when a fast-start movie is rewritten, or `nil` for the default.
  func add(
    _ track: TrialTrack, to path: String, in folder: TemporaryFolder, as name: String, padding: UInt32? = nil
  ) throws -> Result {
    try add(to: path, in: folder, as: name, padding: padding) {
      track.input(movieMilliseconds: $0)
    }
  }

  /// Adds an English SDH track of these cues.
  func add(_ cues: [Cue], to path: String, in folder: TemporaryFolder, as name: String) throws -> Result {
    try add(to: path, in: folder, as: name) { _ in
      var input = SubtitleInput(cues: cues, language: LanguageTag("en"))
      input.mediaCharacteristics = MediaCharacteristic.sdh
      return input
    }
  }

  private func add(
    to path: String, in folder: TemporaryFolder, as name: String, padding: UInt32? = nil,
    _ input: (_ movieMilliseconds: UInt64) -> SubtitleInput
  ) throws -> Result {
    let target = folder.file(name)
    if self == .itself { try folder.copy(path, as: name) }
    let source = try FileSource(path: self == .itself ? target : path)
    let movie = try Movie(of: source)
    var edit = try MovieEdit(of: movie, from: source)
    let id = try edit.add(input(Self.milliseconds(of: edit.movie, readFrom: movie)))
    try edit.addToSubtitleGroup(id, asDefault: false)
    try edit.pairForcedSubtitles(id)
    try edit.followAudio(id)
    let output: MovieFileWriter.Output =
      self == .itself ? .sourceFile(target) : .newFile(target, overwrites: false, synchronizes: false)
    var layout = OutputLayout(isFastStart: self == .fastStart)
    layout.paddingByteCount = padding
    let writer = try MovieFileWriter(edit, to: output, layout)
    try writer.write()
    var obstacle: String?
    if case .newFile(let reason) = writer.verifiedPlan { obstacle = reason }
    return Result(path: target, trackID: id, obstacle: obstacle, notices: edit.notices)
  }

  /// Returns the duration of the movie: of the edited movie, or of its header before the fragments are removed.
  private static func milliseconds(of movie: Movie, readFrom original: Movie) -> UInt64 {
    let claimed = original.header.isDurationUnknown ? 0 : original.header.duration
    let (high, low) = max(movie.endInMovieTicks, claimed).multipliedFullWidth(by: 1000)
    return UInt64(movie.header.timeScale).dividingFullWidth((high, low)).quotient
  }
}

// The time codes of extracted SCC and MCC files. `extract --timecode-base` adds the time code that `add-captions
// --timecode-base` subtracts.

import MovieBox
import Subtitles

/// The request for the time code at the start of extracted captions.
enum ExtractedTimecodes: Equatable, Sendable {
  /// The time code of the movie's start.
  case movie
  case base(TimecodeBase)

  /// Reads `--timecode-base`, or returns `nil` if it is missing. Throws if `work` writes no time codes.
  init?(_ arguments: Arguments, _ work: ExtractCommand.Work) throws(UsageError) {
    guard let text = arguments.value("timecode-base") else { return nil }
    let movie = SubtitleRequest.movieTimecode
    self = text == movie ? .movie : .base(try TimecodeBase(option: text, ", or \(movie)", hasOffset: false))
    guard case .write(let output) = work, output.format.captionFormat == nil else { return }
    throw UsageError(
      .conflict,
      "--timecode-base applies to SCC and MCC, but \(output.format.rawValue) contains no time codes; use --format scc")
  }

  /// Returns the time code, or the time code of the movie's start. Throws if the movie has no time code track.
  func timecode(
    of movie: Movie, named name: String, from source: some RandomAccessSource
  ) throws -> ResolvedTimecode {
    switch self {
    case .base(let base): return .base(base)
    case .movie:
      guard let timecode = try movie.startTimecode(from: source) else { throw UsageError(missingTimecodeOf: name) }
      return .movie(timecode)
    }
  }

  /// A time code that does not depend on the movie.
  enum ResolvedTimecode {
    case movie(StartTimecode)
    case base(TimecodeBase)

    /// Returns the time code as the start of a written file, or `nil` if the format contains no time codes.
    func start(of file: SubtitleFile, as format: SubtitleFileFormat) throws(UsageError) -> Timecode.Start? {
      switch self {
      case .movie(let timecode):
        // The numbering keeps the time codes of the file in step with the time codes of the movie.
        return file.numbering(as: format, dropsFrames: timecode.keepsRealTime).map {
          Timecode.Start($0, frame: $0.frame(displaying: timecode.milliseconds))
        }
      case .base(let base):
        guard let numbering = file.numbering(as: format, dropsFrames: base.dropsFrames) else { return nil }
        return try base.start(numbering, of: "the \(format.rawValue) file")
      }
    }
  }
}

extension UsageError {
  /// The error about `--timecode-base movie` if the movie has no time code track.
  init(missingTimecodeOf movie: String) {
    self.init(.noMatch, "--timecode-base movie: \(movie) has no time code track; specify a time such as 01:00:00:00")
  }
}

package import MovieBox

/// A change to the options that avoids a notice or lifts a refusal. A command names its own option for the change.
package enum StreamRemedy: Hashable, Sendable {
  /// To begin where all tracks have begun (``StreamOptions/trimsStart``).
  case trimmedStart
  /// Not to trim the start.
  case wholeStart
  /// Not to keep the clock of the recording (``StreamOptions/keepsStart``).
  case subtractedStart
  /// To make segments of so many milliseconds (``StreamOptions/segmentMilliseconds``).
  case segmentDuration(milliseconds: Int)
  /// To add sound without pictures to one of the movies instead.
  case soundOfAnotherFile
  /// To rename the format in the movie, if its samples allow that.
  case renamedFormat
  /// To encode the picture as viewers are to see it, without a matrix.
  case uprightPicture
}

/// The refusal to stream a movie, with the track that causes it and the change that lifts it.
///
/// A message of this library does not name options of commands. The library throws the error alone; a command gets the
/// refusal, and knows the file and the option.
package struct StreamRefusal: Error {
  package let error: MovieError
  /// The track that causes the refusal, or `nil` if no single track does.
  package let trackID: UInt32?
  /// The change that lifts the refusal, or `nil` if no option does.
  package let remedy: StreamRemedy?

  init(_ error: MovieError, trackID: UInt32? = nil, remedy: StreamRemedy? = nil) {
    (self.error, self.trackID, self.remedy) = (error, trackID, remedy)
  }

  /// The error with the track that causes it. A refusal keeps its track, and errors of sources have none.
  static func make(of error: any Error, trackID: UInt32?) -> any Error {
    switch error {
    case let refusal as StreamRefusal:
      StreamRefusal(refusal.error, trackID: refusal.trackID ?? trackID, remedy: refusal.remedy)
    case let error as MovieError where trackID != nil: StreamRefusal(error, trackID: trackID)
    default: error
    }
  }
}

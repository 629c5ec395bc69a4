import MovieBox
import MovieWriter
import Subtitles

/// Ends the process as a finding: something that no input may bring about.
func fault(_ message: String) -> Never {
  fatalError(message)
}

/// Does what may be refused; gives `nil` where it is.
///
/// A refusal says what is wrong with the input. Whatever says that we are wrong, or that memory has changed, is a
/// finding, and so is an error of a kind that nobody foresaw: the tool would end with 70 or 74.
@discardableResult
func attempt<Result>(_ work: String, _ body: () throws -> Result) -> Result? {
  do {
    return try body()
  } catch {
    let movieError = error as? MovieError ?? (error as? MovieComparison.NewMovieError)?.error
    guard movieError != nil || error is SubtitleError || error is MovieEdit.Conflict else {
      fault("\(work) threw \(type(of: error)): \(error)")
    }
    if let movieError, [.planCheckFailed, .sourceChanged].contains(movieError.code) {
      fault("\(work): \(movieError.code.rawValue): \(movieError)")
    }
    return nil
  }
}

/// The same for what must not be refused once so much is done.
@discardableResult
func require<Result>(_ work: String, _ body: () throws -> Result) -> Result {
  do {
    return try body()
  } catch {
    fault("\(work) was refused: \(error)")
  }
}

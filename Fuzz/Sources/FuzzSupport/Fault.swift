import MovieBox
import MovieWriter
import Subtitles

/// Ends the process and thereby reports a finding: a state that no input may cause.
public func fault(_ message: String) -> Never {
  fatalError(message)
}

/// Runs `body`. Returns `nil` if it throws an error about the input.
///
/// Errors about a defect of the library or about a changed source are findings. All errors of other types are findings
/// too, because the tool would exit with status 70 or 74.
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

/// Runs `body`, which must not throw after the previous steps have succeeded.
@discardableResult
func require<Result>(_ work: String, _ body: () throws -> Result) -> Result {
  do {
    return try body()
  } catch {
    fault("\(work) was refused: \(error)")
  }
}

import MovieBox
import MovieWriter

// What a command line asks of several tracks at once: all of it holds in the result, or it is refused.
extension EditBuilder {
  /// A track that the command line asks to enable or not.
  struct PlacedTrack {
    let trackID: UInt32
    /// What the command line calls the track: a file, a selector.
    let subject: String
    let isEnabled: Bool?
    let isDefault: Bool
    /// Whether nothing but the name of the file asks for the default.
    var isDefaultByName = false

    /// The words that enable the track; `nil` where none do.
    fileprivate var enablingWords: String? {
      if isEnabled == true { return "--enabled on for \(subject)" }
      guard isDefault else { return nil }
      return isDefaultByName ? "the name \(subject)" : "--default for \(subject)"
    }
  }

  /// A reference that is asked for.
  struct ReferenceRequest {
    let reference: MovieEdit.RequestedReference
    /// The words that ask for it.
    let description: String
  }

  /// What to say of an error: what the movie's tracks do not allow, and two `tracks` that are to be enabled in one group,
  /// are asked for on the command line, which is to blame, not the movie.
  static func explanation(
    of error: any Error, about movie: String, placing tracks: [PlacedTrack] = []
  ) -> any Error {
    switch error {
    case let error as UsageError: return error
    case let error as MovieError where error.code == .invalidEdit: return UsageError(.invalidEdit, error.reason)
    case SubtitleAddition.Conflict.enabledTwice(let ids, let group):
      let twice = ids.compactMap { id in tracks.first { $0.trackID == id } }
      let words = twice.map { $0.enablingWords ?? $0.subject }
      return UsageError.contradiction(
        words.first ?? "", words.last ?? "", "one track of group \(group) is enabled",
        way: twice.allSatisfy(\.isDefaultByName) ? "--default after one of them chooses it" : "choose one")
    default: return ToolError(error, about: movie)
    }
  }

  /// Remembers a reference that was just made as it was asked for, and refuses it where it undid another one.
  mutating func keep(_ request: ReferenceRequest) throws(UsageError) {
    referenceRequests.append(request)
    try requireRequestedReferences(after: request.description)
  }

  /// Refuses what `description` names where it undid a reference that was asked for.
  func requireRequestedReferences(after description: String) throws(UsageError) {
    guard let undone = edit.firstUndone(of: referenceRequests.map(\.reference)).map({ referenceRequests[$0] })
    else { return }
    throw UsageError.contradiction(
      undone.description, description, about: undone.reference.type, of: undone.reference.from)
  }
}

extension UsageError {
  /// Two references that cannot both be made.
  static func contradiction(
    _ one: String, _ other: String, about type: FourCC, of trackID: UInt32
  ) -> UsageError {
    .contradiction(one, other, "track \(trackID) cannot refer (\(type)) as both ask")
  }

  /// Two wishes of one command line that cannot both hold.
  static func contradiction(
    _ one: String, _ other: String, _ reason: String, way: String = "choose one"
  ) -> UsageError {
    UsageError(.conflict, "\(one) and \(other): \(reason); \(way)")
  }
}

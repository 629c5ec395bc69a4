import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

extension TestMovie {
  /// Returns the movie edited as a new file, and in place. The second reader must find only allowed changes.
  func edited(
    allowing allowed: AllowedChanges, at location: SourceLocation = #_sourceLocation,
    _ change: (inout MovieEdit) throws -> Void
  ) throws -> [Movie] {
    var edit = try MovieEdit(of: source)
    try change(&edit)
    return try [
      edit.outputPlan(of: source).rendered(from: source),
      edit.inPlacePlan(of: source).rendered().rendered(from: source),
    ].map { bytes in
      #expect(try differences(old: self.bytes(), new: bytes, allowing: allowed) == [], sourceLocation: location)
      return try Movie(of: MemorySource(Bytes(bytes)))
    }
  }
}

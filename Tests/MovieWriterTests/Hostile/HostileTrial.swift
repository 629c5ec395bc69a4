import MovieBox
import Testing

@testable import MovieWriter

/// Applies all operations of a valid movie to a damaged one, and records the outcomes.
///
/// Every operation ends with a value, or with an error about the movie. A plan that the checker rejects, or an error of any
/// other type, is recorded as an issue. A trap ends the tests.
final class HostileTrial {
  private let name: String
  private let source: CountingSource
  private let byteCount: Int
  /// The outcome of reading: `read`, or the code of the error.
  private(set) var reading = ""
  /// The outcome of editing: `edited`, or the code of the error.
  private(set) var editing = ""

  init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    source = CountingSource(bytes)
    byteCount = bytes.count
  }

  /// Runs all operations.
  func runAll() {
    guard let movie = read() else { return }
    examine(movie)
    edit(movie, layouts: [OutputLayout(), .everything]) { edit in
      let id = try edit.addSubtitles("en")
      try edit.addToSubtitleGroup(id, asDefault: false)
      try edit.pairForcedSubtitles(id)
      try edit.followAudio(id)
    }
    let editing = editing
    edit(movie, layouts: [OutputLayout()]) { edit in _ = try edit.fix(for: nil) }
    edit(movie, layouts: [OutputLayout()]) { edit in try edit.remove(movie.tracks.first?.id ?? 0) }
    self.editing = editing
  }

  /// Runs reading, and the shortest edit in place or in a new file.
  func runShort() {
    guard let movie = read() else { return }
    _ = movie.findings
    edit(movie, layouts: [OutputLayout()]) { edit in _ = try edit.addSubtitles("en") }
  }

  /// Runs reading, changing, importing and removing metadata.
  func runMetadata() {
    guard let movie = read(), let items = attempt({ try movie.metadata(from: source) }) else { return }
    for item in items {
      _ = (item.stringValue, item.numberValue, item.dateValue, item.locationValue, item.isWellFormed)
    }
    _ = (items.disagreeing, movie.commonMetadata, items.matching("*/*a*"))
    edit(movie, layouts: [OutputLayout()]) { edit in
      for fact in ["common/title", "itsk/trkn", "id3/TPE1", "xtra/WM/A", "mdta/com.example.id", "udta/©cmt"] {
        guard let input = MetadataInput(fact, "7") else { continue }
        do {
          try edit.setMetadata(input)
          try edit.addMetadata(input)
        } catch let error as MovieError where error.code == .invalidEdit {
          continue  // A value that does not fit is not written.
        }
      }
      edit.removeMetadata(matching: "*/*o*")
    }
    edit(movie, layouts: [OutputLayout()]) { edit in
      edit.copyMetadata(items + items.prefix(2))
      edit.removeMetadata(matching: "id3/*")
    }
    edit(movie, layouts: []) { edit in try edit.prepareForSharing() }
  }

  /// The average number of reads of each byte of the file.
  var readingsOfEachByte: Double {
    Double(source.reads.reduce(0) { $0 + $1.count }) / Double(max(1, byteCount))
  }

  private func read() -> Movie? {
    attempt({ reading = $0 }, { try Movie(of: source) })
  }

  private func examine(_ movie: Movie) {
    let fragments = attempt { try movie.readFragments(of: source) }
    for target in Rule.Target.allCases {
      _ = attempt { try movie.findings(for: target, fragments: fragments, fileName: "film.mov", readingTextOf: source) }
    }
    _ = (movie.misplacedSamples(), movie.inconsistencies(), movie.interleavingDistance(), movie.mediaSelectionGroups)
    for track in movie.tracks {
      for sample in track.samples.samples.prefix(1000) { _ = sample.presentationTime }
      if let runs = fragments?.track(track.id) {
        for sample in runs.samples.prefix(1000) { _ = sample.presentationTime }
      }
      guard TextTrackReader.canRead(track) else { continue }
      _ = attempt { try TextTrackReader(track, of: movie, fragments: fragments).read(from: source) }
    }
  }

  private func edit(_ movie: Movie, layouts: [OutputLayout], _ change: (inout MovieEdit) throws -> Void) {
    let made = attempt({ editing = $0 }) {
      var edit = try MovieEdit(of: movie, from: source)
      try change(&edit)
      return edit
    }
    guard let edit = made else { return }
    for layout in layouts {
      guard let plan = attempt({ editing = $0 }, { try edit.outputPlan(of: source, layout) }) else { continue }
      editing = "edited"
      _ = attempt { try MovieComparison(source, PlannedSource(plan, of: source)) }
    }
    for position in [InPlacePlan.Position.keepingFastStart, .afterMedia] {
      _ = attempt { try edit.inPlacePlan(of: source, position).rendered() }
    }
  }

  private func attempt<Result>(_ body: () throws -> Result) -> Result? { attempt({ _ in }, body) }

  private func attempt<Result>(_ told: (String) -> Void, _ body: () throws -> Result) -> Result? {
    do {
      let result = try body()
      told("read")
      return result
    } catch {
      let movieError = error as? MovieError ?? (error as? MovieComparison.NewMovieError)?.error
      if let code = movieError?.code, code != .planCheckFailed, code != .sourceChanged {
        told(code.rawValue)
      } else {
        Issue.record(error, "\(name)")
        told("\(error)")
      }
      return nil
    }
  }
}

extension OutputLayout {
  /// All changes of a layout at once.
  fileprivate static let everything: OutputLayout = {
    var layout = OutputLayout(isFastStart: true, interleaving: .all, isCompact: true)
    layout.splitsChunks = true
    return layout
  }()
}

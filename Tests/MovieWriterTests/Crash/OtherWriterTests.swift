import DiskTestSupport
import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Another program writes to the movie during an edit, without a lock. Its change is never lost unnoticed.
///
/// Each action is performed before each system call of the edit, in separate runs. The possible outcomes are in one
/// table, ``allows(_:_:_:)``.
@Suite(.serialized)
struct OtherWriterTests {
  /// The way the edit is written.
  enum Way: String, CaseIterable {
    case appended, appendedAfterMedia, inSpaceAfter, inSpaceBefore, inMetadataAfter, inMetadataBefore, newFile, stream

    var isInPlace: Bool { self != .newFile && self != .stream }

    /// Returns a movie that is edited in this way, with an atom after `moov`; created once.
    func movie() throws -> [UInt8] { try #require(Self.movies[self]).get() }

    private static let movies = Dictionary(
      uniqueKeysWithValues: allCases.map { way in (way, Result { try way.newMovie() }) })

    private func newMovie() throws -> [UInt8] {
      let uuid = TestMovie.Piece.bytes(atom("uuid") { zeros(16) + text("a vendor's") })
      let simple = TestMovie.simple
      switch self {
      case .appended: return simple.with { $0.layout = .movieLast + [uuid] }.bytes()
      case .appendedAfterMedia, .newFile, .stream: return simple.with { $0.layout = .movieFirst + [uuid] }.bytes()
      case .inSpaceAfter: return simple.with { $0.layout = .movieLast + [.free(9000), uuid] }.bytes()
      case .inSpaceBefore:
        let source = MemorySource(Bytes(simple.with { $0.layout = .movieLast + [uuid] }.bytes()))
        return try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source).rendered().rendered(from: source)
      case .inMetadataAfter, .inMetadataBefore:
        let space = zeros(300)
        return TestMovie.withSpace(space, isBefore: self == .inMetadataBefore).with { $0.layout.append(uuid) }.bytes()
      }
    }

    /// Whether the bytes after the movie atom keep their position.
    var keepsRest: Bool { isInPlace && self != .appended && self != .appendedAfterMedia }

    /// Returns the edit of that movie.
    func edit(of source: FileSource) throws -> MovieEdit {
      guard self == .inMetadataAfter || self == .inMetadataBefore else {
        return try MovieEdit.addingSubtitles(to: source, language: "fr")
      }
      var edit = try MovieEdit(of: source)
      try edit.setMetadata(#require(MetadataInput("common/title", "Another title")))
      return edit
    }
  }

  /// The action of the other program.
  enum Action: String, CaseIterable {
    case changeMovieAtom, changeRest, changeMedia, append, appendAtItsEnd, truncate, replace, rename
  }

  /// The outcome of an edit.
  enum Outcome: Hashable {
    /// The edit is refused. The file is the old movie with the other program's change.
    case refused
    /// The edit is made. The file is the new movie with the other program's change.
    case madeWithChange
    /// The edit is made, and the other program's change is lost or hidden.
    case madeWithoutChange
    /// Any other outcome.
    case broken(String)
  }

  /// The moment of an action, by the calls after it.
  enum Moment: Hashable {
    /// Before the edit's last check of the file.
    case watched
    /// After the last check: before the rename of a new file, or before an edited file or a finished stream is closed.
    case unwatched
  }

  /// Returns the possible outcomes of an action.
  static func allows(_ way: Way, _ action: Action, _ moment: Moment) -> Set<Outcome> {
    switch (way, action, moment) {
    // Media bytes keep their position, so the change exists in the old movie and in the new one.
    case (_, .changeMedia, _) where way.isInPlace: [.refused, .madeWithChange]
    case (_, .appendAtItsEnd, .unwatched) where way.isInPlace: [.refused, .madeWithChange]
    // So do the bytes after the movie atom if the edit writes to the space next to it.
    case (_, .changeRest, _) where way.keepsRest: [.refused, .madeWithChange]
    case (_, _, .watched): [.refused]
    // Documented in SECURITY.md.
    case (_, _, .unwatched): [.refused, .madeWithChange, .madeWithoutChange]
    }
  }

  @Test(arguments: Way.allCases) func neverLosesAnotherProgramsChangeUnnoticed(_ way: Way) throws {
    var counts: [String: Int] = [:]
    var cases = 0
    for action in Action.allCases {
      for call in 0... {
        let trial = try Trial(way)
        try trial.run { index, _ in if index == call { try trial.make(action) } }
        if !trial.isMade { break }
        cases += 1
        let moment: Moment = trial.isUnwatched(call) ? .unwatched : .watched
        let outcome = try trial.outcome(of: action)
        #expect(
          Self.allows(way, action, moment).contains(outcome),
          "\(way), \(action) before call \(call) (\(trial.disk.calls[call])): \(outcome)")
        counts["\(outcome)", default: 0] += 1
      }
    }
    print("other writers, \(way.rawValue): \(cases) cases, \(counts.sorted { $0.key < $1.key })")
    #expect(cases > (way == .stream ? 6 : 60))
  }

  /// Ten cases with a real second process.
  @Test(arguments: [
    Way.appended, .appendedAfterMedia, .inSpaceAfter, .inSpaceBefore, .inMetadataAfter, .inMetadataBefore, .newFile,
  ])
  func noticesASecondProcess(_ way: Way) throws {
    for action in [Action.changeMovieAtom, .append] {
      let trial = try Trial(way)
      // After everything except the header has been written.
      try trial.run { _, call in if call == "sync", !trial.isMade { try trial.makeFromOutside(action) } }
      #expect(trial.isMade)
      #expect(try trial.outcome(of: action) == .refused, "\(way), \(action)")
    }
  }

  /// A movie, its edit, and the other program's action.
  private final class Trial: @unchecked Sendable {
    let way: Way
    let folder: TemporaryFolder
    let path: String
    let old: [UInt8]
    let source: FileSource
    let edit: MovieEdit
    private(set) var disk: FaultyFileSystem
    private(set) var isMade = false
    private(set) var failure: (any Error)?
    private var streamed: [UInt8] = []
    private var newByteCount: UInt64 = 0
    private var isWatching = true

    init(_ way: Way) throws {
      self.way = way
      folder = try TemporaryFolder()
      old = try way.movie()
      path = try folder.write(old, as: "film.mov")
      source = try FileSource(path: path)
      edit = try way.edit(of: source)
      disk = FaultyFileSystem(LocalFileSystem(), ignoresSyncs: true)
    }

    /// Makes the edit. `before` is called before each system call.
    func run(_ before: @escaping (Int, String) throws -> Void) throws {
      var index = 0
      disk.beforeCall = { [unowned self] call in
        guard isWatching else { return }
        do {
          try before(index, call)
        } catch {
          Issue.record(error)
        }
        index += 1
      }
      let form = InPlacePlan.Form(rawValue: way.rawValue)
      let inPlace = form == nil ? nil : try edit.inPlacePlan(of: source, .afterMedia)
      #expect(inPlace?.form == form)
      let plan = form == nil ? try edit.outputPlan(of: source) : nil
      newByteCount = plan?.byteCount ?? 0
      do {
        if let inPlace {
          try InPlaceCommit(path: path, disk: disk).carryOut(inPlace)
        } else if let plan, way == .newFile {
          try NewFileSink(path: path, existing: .replaceSource, synchronizes: true, disk: disk)
            .carryOut(plan, from: source)
        } else if let plan {
          // Two moments for the other program.
          _ = try disk.status(at: path, followingLinks: true)
          try StreamSink { [self] in
            _ = try disk.status(at: path, followingLinks: true)
            streamed += $0
          }.carryOut(plan, from: source)
        }
      } catch let error where error is FileError || error is MovieError {
        failure = error
      }
      isWatching = false
      disk.beforeCall = { _ in }  // The closure retains the trial, and with it the folder.
    }

    /// Whether no later call of the edit could notice a change.
    func isUnwatched(_ call: Int) -> Bool {
      let calls = disk.calls
      switch way {
      case .newFile: return call >= calls.lastIndex(of: "rename") ?? calls.count
      case .stream: return call >= calls.count - 1
      default: return call > calls.lastIndex(of: "status of file") ?? calls.count
      }
    }

    // MARK: - The other program

    private func place(_ action: Action) throws -> Int {
      let reader = try SecondReader(old)
      switch action {
      // The rate of the movie, the last byte of the vendor's text, a byte of a picture.
      case .changeMovieAtom: return Int(try #require(reader.atom("moov/mvhd")).offset) + 8 + 20
      case .changeRest: return Int(try #require(reader.atom("uuid")).end) - 1
      default: return Int(try #require(reader.tracks[0].samples.first?.offset)) + 5
      }
    }

    private static let changed: UInt8 = 0xA5
    private static let appended = [UInt8](repeating: 0xA6, count: 16)

    func make(_ action: Action) throws {
      isMade = true
      isWatching = false
      defer { isWatching = true }
      let handle = try #require(FileHandle(forWritingAtPath: path))
      defer { try? handle.close() }
      switch action {
      case .changeMovieAtom, .changeRest, .changeMedia:
        try handle.seek(toOffset: UInt64(place(action)))
        try handle.write(contentsOf: [Self.changed])
      case .append:
        // At the end that the program saw, regardless of what we have written there.
        try handle.seek(toOffset: UInt64(old.count))
        try handle.write(contentsOf: Self.appended)
      case .appendAtItsEnd:
        try handle.seekToEnd()
        try handle.write(contentsOf: Self.appended)
      case .truncate: try handle.truncate(atOffset: UInt64(old.count - 10))
      case .replace:
        try folder.write([1, 2, 3], as: "other.mov")
        try SystemCalls.rename(folder.file("other.mov"), replacing: path)
      case .rename: try SystemCalls.rename(path, replacing: folder.file("away.mov"))
      }
    }

    func makeFromOutside(_ action: Action) throws {
      isMade = true
      let (bytes, seek) =
        try action == .append ? (Self.appended, old.count) : ([Self.changed], place(action))
      let change = try folder.write(bytes, as: "change")
      let result = try Shell.run("dd", ["if=\(change)", "of=\(path)", "bs=1", "seek=\(seek)", "conv=notrunc"])
      #expect(result.code == 0)
    }

    // MARK: - Outcomes

    func outcome(of action: Action) throws -> Outcome {
      if way == .stream {
        // The file is not written by us. The sent movie is complete, or an error reports that it is not.
        return failure != nil
          ? .refused : UInt64(streamed.count) == newByteCount ? .madeWithoutChange : .broken("a short stream")
      }
      let names = Set(try folder.names()).subtracting(["other.mov", "change"])
      guard names.isSubset(of: ["film.mov", "away.mov"]) else { return .broken("left: \(names)") }
      let hasChange: Bool
      var file = try folder.read(names.contains("away.mov") ? "away.mov" : "film.mov")
      switch action {
      case .changeMovieAtom, .changeRest, .changeMedia:
        let place = try place(action)
        hasChange = file.count > place && file[place] == Self.changed
        // A change in unused bytes of the new movie is hidden.
        let stays = action == .changeMedia || action == .changeRest && way.keepsRest
        if failure == nil { return stays && hasChange ? .madeWithChange : .madeWithoutChange }
        if hasChange { file[place] = old[place] }
      case .append:
        hasChange = file.count >= old.count + 16 && Array(file[old.count..<old.count + 16]) == Self.appended
        if failure == nil { return .madeWithoutChange }
        file = Array(file.prefix(old.count))
      case .appendAtItsEnd:
        // Wherever the end was: after the old movie, in our free space, or after it.
        hasChange = Self.contains(file, Self.appended)
        if failure == nil { return hasChange ? .madeWithChange : .madeWithoutChange }
        if way.isInPlace, hasChange { try checkNextEditKeepsIt() }
      case .truncate:
        hasChange = true
        if failure == nil { return .madeWithoutChange }
        // Truncated, or truncated and then extended: the old movie up to that point.
        return file.prefix(old.count - 10) == old.prefix(old.count - 10) || isOldMovie(file)
          ? .refused : .broken("after a cut")
      case .replace:
        hasChange = file == [1, 2, 3]
        if failure == nil { return hasChange ? .madeWithChange : .madeWithoutChange }
        return hasChange ? .refused : .broken("the other file is gone")
      case .rename:
        hasChange = names.contains("away.mov")
        if failure == nil { return hasChange ? .madeWithChange : .madeWithoutChange }
      }
      guard hasChange else { return .broken("an error, and the change is gone") }
      return isOldMovie(file) ? .refused : .broken("an error, and no old movie")
    }

    /// Checks that the appended bytes are not in free space that the next edit reuses.
    private func checkNextEditKeepsIt() throws {
      let source = try FileSource(path: path)
      let edit = try MovieEdit.addingSubtitles(to: source, language: "de")
      try MovieFileWriter(edit, to: .sourceFile(path)).write()
      #expect(Self.contains(try folder.read("film.mov"), Self.appended), "\(way)")
    }

    private static func contains(_ file: [UInt8], _ bytes: [UInt8]) -> Bool {
      var run = 0
      for byte in file {
        run = byte == bytes[0] ? run + 1 : 0
        if run == bytes.count { return true }
      }
      return false
    }

    /// Whether old and new file are equal except for free space.
    private func isOldMovie(_ file: [UInt8]) -> Bool {
      do {
        let (before, after) = (try SecondReader(old), try SecondReader(file))
        return before.tracks.map(\.samples) == after.tracks.map(\.samples)
          && after.topLevel.count { $0.type == "moov" } == 1
          && file.count >= old.count - 10
      } catch {
        return false
      }
    }
  }
}

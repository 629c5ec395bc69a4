import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Another program that writes to the movie during an edit, without a lock: its change is never lost unseen.
///
/// Each action is made before each call to the system that the edit makes, one run each. What may come of it is one
/// table, ``allows(_:_:_:)``.
@Suite(.serialized)
struct OtherWriterTests {
  /// How the edit is written.
  enum Way: String, CaseIterable {
    case appended, appendedAfterMedia, inSpaceAfter, inSpaceBefore, inMetadataAfter, inMetadataBefore, newFile, stream

    var isInPlace: Bool { self != .newFile && self != .stream }

    /// A movie that is edited in this way, with an atom after `moov`; made once.
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

    /// Whether what follows the movie atom stays where it is.
    var keepsRest: Bool { isInPlace && self != .appended && self != .appendedAfterMedia }

    /// The edit of that movie.
    func edit(of source: FileSource) throws -> MovieEdit {
      guard self == .inMetadataAfter || self == .inMetadataBefore else {
        return try MovieEdit.addingSubtitles(to: source, language: "fr")
      }
      var edit = try MovieEdit(of: source)
      try edit.setMetadata(#require(MetadataInput("common/title", "Another title")))
      return edit
    }
  }

  /// What the other program does.
  enum Action: String, CaseIterable {
    case changeMovieAtom, changeRest, changeMedia, append, appendAtItsEnd, truncate, replace, rename
  }

  /// What came of an edit.
  enum Outcome: Hashable {
    /// Refused; the file is the old movie and has the other program's change.
    case refused
    /// Made; the file is the new movie and has the other program's change.
    case madeWithChange
    /// Made, and the other program's change is gone, or hidden.
    case madeWithoutChange
    /// Anything else.
    case broken(String)
  }

  /// When an action is made, by the calls that follow it.
  enum Moment: Hashable {
    /// While the edit still looks at the file.
    case watched
    /// After the last look: before the rename of a new file, before an edited file or a finished stream is closed.
    case unwatched
  }

  /// The one table: what may come of an action.
  static func allows(_ way: Way, _ action: Action, _ moment: Moment) -> Set<Outcome> {
    switch (way, action, moment) {
    // Bytes of media stay where they are: the change is there in the old movie and in the new one.
    case (_, .changeMedia, _) where way.isInPlace: [.refused, .madeWithChange]
    case (_, .appendAtItsEnd, .unwatched) where way.isInPlace: [.refused, .madeWithChange]
    // So does what follows the movie atom, where the edit goes to the space beside it.
    case (_, .changeRest, _) where way.keepsRest: [.refused, .madeWithChange]
    case (_, _, .watched): [.refused]
    // SECURITY.md says so.
    case (_, _, .unwatched): [.refused, .madeWithChange, .madeWithoutChange]
    }
  }

  @Test(arguments: Way.allCases) func aChangeIsNeverLostUnseen(_ way: Way) throws {
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

  /// Ten cases of a real second process.
  @Test(arguments: [
    Way.appended, .appendedAfterMedia, .inSpaceAfter, .inSpaceBefore, .inMetadataAfter, .inMetadataBefore, .newFile,
  ])
  func aSecondProcessIsSeenToo(_ way: Way) throws {
    for action in [Action.changeMovieAtom, .append] {
      let trial = try Trial(way)
      // When all is written but the header.
      try trial.run { _, call in if call == "sync", !trial.isMade { try trial.makeFromOutside(action) } }
      #expect(trial.isMade)
      #expect(try trial.outcome(of: action) == .refused, "\(way), \(action)")
    }
  }

  /// A movie, its edit and what another program does to it.
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

    /// Makes the edit; `before` is told of each call before it is made.
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
      disk.beforeCall = { _ in }  // It holds the trial, and with it the folder.
    }

    /// Whether nothing that the edit does after this call could see a change.
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
        // Where it saw the end, whatever we have written there.
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

    // MARK: - The judge

    func outcome(of action: Action) throws -> Outcome {
      if way == .stream {
        // The file is not ours to change; what was sent is whole, or an error says that it is not.
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
        // A change that stands in dead bytes of a new movie is hidden.
        let stays = action == .changeMedia || action == .changeRest && way.keepsRest
        if failure == nil { return stays && hasChange ? .madeWithChange : .madeWithoutChange }
        if hasChange { file[place] = old[place] }
      case .append:
        hasChange = file.count >= old.count + 16 && Array(file[old.count..<old.count + 16]) == Self.appended
        if failure == nil { return .madeWithoutChange }
        file = Array(file.prefix(old.count))
      case .appendAtItsEnd:
        // Wherever the end was: after the old movie, in free space of ours, or after it.
        hasChange = Self.contains(file, Self.appended)
        if failure == nil { return hasChange ? .madeWithChange : .madeWithoutChange }
        if way.isInPlace, hasChange { try checkNextEditKeepsIt() }
      case .truncate:
        hasChange = true
        if failure == nil { return .madeWithoutChange }
        // Cut short, or cut short and written after: the old movie up to there.
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

    /// What was appended lies in no free space that the next edit takes for its own.
    private func checkNextEditKeepsIt() throws {
      let source = try FileSource(path: path)
      let edit = try MovieEdit.addingSubtitles(to: source, language: "de")
      try MovieFileWriter(edit, of: source, to: .itself(path)).write()
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

    /// Whether old and new file share all bytes but those of empty space.
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

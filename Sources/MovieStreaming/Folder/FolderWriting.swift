import MovieBox
import MovieWriter
import Subtitles
import Synchronization

/// A presentation that is written to a folder, and what has to go where that fails.
///
///     before    main.m3u8 (old or absent)   video (old or absent)
///     write     main.m3u8 (old or absent)   video (old or absent)   .movtool-video.tmp (new)
///     publish   main.m3u8 (old or absent)   video (new)             .movtool-video.old (old, where there was one)
///     list      main.m3u8 (new)             video (new)             .movtool-video.old
///     finish    main.m3u8 (new)             video (new)
///
/// Whatever fails before the list has its name takes all of it back. In folders that nobody looks into files are made
/// under their own names at once: half of the system calls, where a film has thousands of files.
struct FolderWriting: Sendable {
  let folder: String
  let replaces: Bool
  let synchronizes: Bool
  private var madeFolder = false
  /// That of the folder; who calls may have it already.
  private var lock: FolderLock?
  /// Folders in it, in the order in which they were made; those that have their own names are at the start.
  private var folders: [String] = []
  private var namedCount = 0
  /// Those that were there under these names.
  private var setAside: Set<String> = []
  /// By their paths from the folder on.
  private var writtenFiles: [String] = []

  init(folder: String, replaces: Bool, synchronizes: Bool, lock: FolderLock? = nil) {
    self.lock = lock
    self.folder = OutputFolder.path(folder)
    self.replaces = replaces
    self.synchronizes = synchronizes
  }

  // MARK: - Folders

  /// Makes the folder, and those that files lie in. Changes nothing that is there.
  mutating func prepare(for files: [StreamPlan.File]) throws(FileError) {
    if try checkFolder() { madeFolder = try OutputFolder.makeIfMissing(folder) }
    let lock = try FolderLock(folder)
    // Another program may have written to the new folder before the lock was taken. Then the folder is that program's.
    guard let names = try namesThere() else {
      throw FileError(.cannotCreate, folder, "another program has removed the folder; try again")
    }
    if !names.isEmpty { madeFolder = false }
    try requireNone(names)
    self.lock = lock
    try entrySink.checkName()
    try makeFolders(for: files.map(\.path))
    try checkRoom(for: files)
  }

  /// Whether the folder is to be made. Throws where one cannot be written to or made, as far as that is seen without
  /// writing.
  func checkFolder() throws(FileError) -> Bool {
    if let names = try namesThere() {
      try requireNone(names)
      return false
    }
    let parent = FilePath(folder).folder
    let (there, above) = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      (
        try SystemCalls.status(at: folder, followingLinks: false),
        try SystemCalls.status(at: parent, followingLinks: true)
      )
    }
    if there?.kind == .symbolicLink {
      throw FileError(.cannotCreate, folder, "is a symbolic link to what is not there; name a folder")
    }
    guard above != nil else { throw OutputFolder.missing(parent, of: folder) }
    return true
  }

  /// Throws where a presentation would come beside these.
  private func requireNone(_ names: [String]) throws(FileError) {
    guard replaces || names.isEmpty else { throw FileError(.exists, folder, "is a folder that is not empty") }
  }

  /// The names in the folder, except the leftovers of killed runs, or `nil` if there is no folder.
  private func namesThere() throws(FileError) -> [String]? {
    try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      try SystemCalls.status(at: folder, followingLinks: true)
    }.map { status throws(FileError) in
      guard status.kind == .folder else {
        throw FileError(.cannotCreate, folder, "is \(status.kind.rawValue); name a folder")
      }
      return try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
        try Self.contents(of: folder)
      }
    }
  }

  /// The names in a folder, without the folders that a run has left that was killed, or is making now.
  static func contents(of folder: String) throws(SystemError) -> [String] {
    var names: [String] = []
    for name in try SystemCalls.names(in: folder) {
      if try leftoverFiles(name, in: folder) == nil { names.append(name) }
    }
    return names
  }

  /// The files in a folder that a run has made for its own files, and that has no others, or `nil` for anything else.
  private static func leftoverFiles(_ name: String, in folder: String) throws(SystemError) -> [String]? {
    guard name.hasPrefix(stagedPrefix), name.hasSuffix(stagedSuffix),
      case let path = folder + "/" + name, try SystemCalls.status(at: path, followingLinks: false)?.kind == .folder
    else { return nil }
    do throws(SystemError) {
      let names = try SystemCalls.names(in: path)
      return names.allSatisfy(isOurs) ? names : nil
    } catch {
      // Another run published or removed the folder, or it is not readable.
      return error.code == .notFound ? [] : nil
    }
  }

  /// Removes the folders that killed runs have left. The caller must hold the lock of the folder.
  private func removeLeftovers() throws(FileError) {
    try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      for name in try SystemCalls.names(in: folder, prefix: Self.stagedPrefix, suffix: Self.stagedSuffix) {
        guard let files = try Self.leftoverFiles(name, in: folder) else { continue }
        for file in files { try SystemCalls.remove("\(folder)/\(name)/\(file)") }
        try SystemCalls.removeFolder("\(folder)/\(name)")
      }
    }
  }

  /// Throws if the disk has no room for the files, all of whose sizes are known, before any of them is written.
  private func checkRoom(for files: [StreamPlan.File]) throws(FileError) {
    let volume = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      try SystemCalls.volume(of: folder)
    }
    try volume.requireRoom(for: files.reduce(0) { $0.addingClamped($1.byteCount) }, at: folder)
  }

  /// Makes the folders that files lie in, under other names. Removes what killed runs have left, if the lock is held.
  mutating func makeFolders(for paths: [String]) throws(FileError) {
    if lock?.isTaken ?? false { try removeLeftovers() }
    var known: Set<Substring> = []
    for path in paths {
      guard let slash = path.lastIndex(of: "/"), known.insert(path[..<slash]).inserted else { continue }
      let name = String(path[..<slash])
      let there = try FileError.withFileErrors(.cannotCreate, folder + "/" + name) { () throws(SystemError) in
        try SystemCalls.status(at: folder + "/" + name, followingLinks: false)
      }
      guard there == nil || replaces && there?.kind == .folder else {
        throw FileError(.cannotCreate, folder + "/" + name, "is there already, and is \(there?.kind.rawValue ?? "")")
      }
      if there != nil { try checkThatNothingIsLeft(oldName(name)) }
      try makeStagedFolder(name)
      folders.append(name)
    }
  }

  private func makeStagedFolder(_ name: String) throws(FileError) {
    let path = stagedName(name)
    do throws(SystemError) {
      try SystemCalls.makeFolder(path)
    } catch {
      guard error.code == .exists else { throw FileError(.cannotCreate, path, error) }
      throw Self.leftOver(path)
    }
  }

  private func checkThatNothingIsLeft(_ path: String) throws(FileError) {
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try SystemCalls.status(at: path, followingLinks: false)
    }
    if status != nil { throw Self.leftOver(path) }
  }

  private static func leftOver(_ path: String) -> FileError {
    FileError(.cannotCreate, path, "was left by an interrupted run; inspect and delete it")
  }

  private static let (stagedPrefix, stagedSuffix) = (".movtool-", ".tmp")

  private func stagedName(_ name: String) -> String { "\(folder)/\(Self.stagedPrefix)\(name)\(Self.stagedSuffix)" }
  private func oldName(_ name: String) -> String { "\(folder)/.movtool-\(name).old" }

  /// Where a file is now.
  private func place(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), case let name = String(path[..<slash]),
      !folders.prefix(namedCount).contains(name)
    else { return folder + "/" + path }
    return stagedName(name) + path[slash...]
  }

  // MARK: - Publishing

  /// Gives the folders their own names; those of a presentation that is replaced get others.
  mutating func publish() throws(FileError) {
    for name in folders[namedCount...] {
      try FileError.withFileErrors(.cannotCreate, folder + "/" + name) { () throws(SystemError) in
        if replaces, try SystemCalls.status(at: folder + "/" + name, followingLinks: false) != nil {
          try SystemCalls.rename(folder + "/" + name, toUnused: oldName(name))
          setAside.insert(name)
        }
        try SystemCalls.rename(stagedName(name), toUnused: folder + "/" + name)
      }
      namedCount += 1
    }
    guard synchronizes else { return }
    for path in folders.map({ folder + "/" + $0 }) + [folder] + (madeFolder ? [FilePath(folder).folder] : []) {
      try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        let descriptor = try SystemCalls.open(path, .folder)
        defer { LocalFileSystem().closeWithoutLoss(descriptor) }
        try SystemCalls.synchronizeFolder(descriptor)
      }
    }
  }

  /// What writes the playlist that players open, which is seen at once.
  var entrySink: NewFileSink {
    NewFileSink(
      path: folder + "/" + StreamPlan.entryPath, existing: replaces ? .replace : .keep, synchronizes: synchronizes)
  }

  /// Removes what the presentation that was replaced had in folders of these names. What another hand put there stays.
  func finish() throws(FileError) {
    do {
      for name in folders where setAside.contains(name) { try removeOld(name) }
    } catch {
      throw FileError(
        error.code, error.path, "\(error.reason); the new presentation is whole, but this of the old one is left")
    }
  }

  private func removeOld(_ name: String) throws(FileError) {
    try FileError.withFileErrors(.inputOutput, oldName(name)) { () throws(SystemError) in
      for file in try SystemCalls.names(in: oldName(name)) {
        let path = oldName(name) + "/" + file
        if !Self.isOurs(file) || !Self.didRemove(path) {
          try SystemCalls.rename(path, toUnused: folder + "/" + name + "/" + file)
        }
      }
      try SystemCalls.removeFolder(oldName(name))
    }
  }

  /// Removes a folder that no playlist names any more, but for what another hand put there; `false` where it stays.
  func removeFiles(ofFolder name: String) -> Bool {
    let path = folder + "/" + name
    do {
      guard try SystemCalls.status(at: path, followingLinks: false)?.kind == .folder else { return true }
      let names = try SystemCalls.names(in: path)
      guard names.filter({ !Self.isOurs($0) || !Self.didRemove(path + "/" + $0) }).isEmpty else { return false }
      try SystemCalls.removeFolder(path)
      return true
    } catch {
      return false
    }
  }

  /// Whether a presentation has files of this name in its folders.
  private static func isOurs(_ name: String) -> Bool {
    if ["init.mp4", "media.mp4", "playlist.m3u8", "iframes.m3u8", "chapters.json"].contains(name) { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let words = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, words.count == 2, !words[1].isEmpty,
      words[1].utf8.allSatisfy(Ascii.isDigit)
    else {
      return false
    }
    return (words[0] == "segment" ? ["m4s", "vtt"] : words[0] == "image" ? ["jpg", "png"] : []).contains(parts[1])
  }

  /// Removes a file; a folder of its name is another hand's.
  private static func didRemove(_ path: String) -> Bool {
    do throws(SystemError) {
      try SystemCalls.remove(path)
      return true
    } catch {
      return false
    }
  }

  // MARK: - Files

  /// What two threads share that write files.
  private final class SharedWork: Sendable {
    private let taken = Atomic<Int>(0)
    private let done = Atomic<UInt64>(0)
    private let written = Mutex<[String]>([])
    private let failure = Mutex<(any Error)?>(nil)

    /// Whether one of so many files is left, which then is the caller's.
    func take(of count: Int) -> Bool { taken.add(1, ordering: .relaxed).oldValue < count }
    func add(_ byteCount: UInt64) -> UInt64 { done.add(byteCount, ordering: .relaxed).newValue }
    func begin(_ path: String) { written.withLock { $0.append(path) } }
    var begun: [String] { written.withLock { $0 } }
    func stop(_ error: any Error) { failure.withLock { if $0 == nil { $0 = error } } }
    var error: (any Error)? { failure.withLock { $0 } }
  }

  /// Writes files on two threads, into folders that were made for them: one begins with the first file, the other with
  /// the last, for two that make files in one folder wait for one another. `progress` gets how many bytes, on this thread.
  mutating func writeAll<Source: RandomAccessSource>(
    _ files: [StreamPlan.File], from source: Source, progress: (UInt64) throws -> Void
  ) throws {
    let shared = SharedWork()
    let writing = self
    SecondThread.run(beside: { writing.work(shared, files.reversed(), from: source) { _ in } }) {
      // The writers keep it no longer than the call lasts.
      withoutActuallyEscaping(progress) { work(shared, files, from: source, progress: $0) }
    }
    writtenFiles += shared.begun
    if let error = shared.error { throw error }
  }

  private func work<Source: RandomAccessSource>(
    _ shared: SharedWork, _ files: some Collection<StreamPlan.File>, from source: Source,
    progress: @escaping (UInt64) throws -> Void
  ) {
    do {
      for file in files {
        guard shared.error == nil, shared.take(of: files.count) else { return }
        try write(file, from: source, didMake: shared.begin) { byteCount in
          if let error = shared.error { throw error }
          try progress(shared.add(byteCount))
        }
      }
    } catch {
      shared.stop(error)
    }
  }

  /// Writes a file of a folder that nobody looks into yet.
  ///
  /// - Parameters:
  ///   - didMake: gets its path when it is there.
  ///   - progress: gets how many more bytes were written; what it throws ends the work.
  private func write(
    _ file: StreamPlan.File, from source: some RandomAccessSource, didMake: (String) -> Void,
    progress: @escaping (UInt64) throws -> Void
  ) throws {
    let path = place(of: file.path)
    let disk = LocalFileSystem()
    let target = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.open(path, .creating(mode: 0o666))
    }
    didMake(file.path)
    do {
      var written: UInt64 = 0
      var writer = StagedWriter(
        disk, to: .file(target, path: path), from: 0, byteCount: file.byteCount, skipsZeros: false
      ) { position in
        defer { written = position }
        try progress(position - written)
      }
      try ConcatenatedExtents(file.contents).forEach(of: source) { bytes, part in
        try writer.append(bytes, in: part)
      } other: { content in
        try writer.append(content, of: source)
      }
      try writer.flush()
      if synchronizes {
        try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try disk.synchronizeAll(target) }
      }
    } catch {
      disk.closeWithoutLoss(target)
      throw error
    }
    // Not the file system's own way to close, which gives back a lock that was never taken.
    try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try SystemCalls.close(target) }
  }

  // MARK: - Going back

  /// Takes back what was done; gives the error, with what could not be taken back.
  func rollBack(after failure: any Error) -> any Error {
    var cleanup = Cleanup()
    for path in writtenFiles { cleanup.removeFile(place(of: path)) }
    for (index, name) in folders.enumerated().reversed() {
      let own = folder + "/" + name
      cleanup.removeFolder(index < namedCount ? own : stagedName(name))
      if setAside.contains(name) { cleanup.rename(oldName(name), back: own) }
    }
    // Without the lock, another program may have written to the folder, which then is that program's.
    if madeFolder { cleanup.removeFolder(folder, keepingContents: lock == nil) }
    return cleanup.error(after: failure)
  }
}

import MovieBox
import MovieWriter
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
  /// Folders in it, in the order in which they were made; those that have their own names are at the start.
  private var folders: [String] = []
  private var namedCount = 0
  /// Those that were there under these names.
  private var setAside: Set<String> = []
  /// By their paths from the folder on.
  private var writtenFiles: [String] = []

  init(folder: String, replaces: Bool, synchronizes: Bool) {
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.replaces = replaces
    self.synchronizes = synchronizes
  }

  // MARK: - Folders

  /// Makes the folder, and those that files lie in. Changes nothing that is there.
  mutating func prepare(for files: [StreamPlan.File]) throws(FileError) {
    if let names = try namesThere() {
      guard replaces || names.isEmpty else { throw FileError(.exists, folder, "is a folder that is not empty") }
    } else {
      do throws(SystemError) {
        try SystemCalls.makeFolder(folder)
      } catch {
        guard error.code == .notFound else { throw FileError(.cannotCreate, folder, error) }
        throw FileError(.cannotCreate, folder, "the folder \(FilePath(folder).folder) does not exist")
      }
      madeFolder = true
    }
    try checkRoom(for: files)
    try list.checkName()
    try makeFolders(for: files.map(\.path))
  }

  /// The names in the folder; `nil` where there is none.
  private func namesThere() throws(FileError) -> [String]? {
    try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      try SystemCalls.status(at: folder, followingLinks: true)
    }.map { status throws(FileError) in
      guard status.kind == .folder else {
        throw FileError(.cannotCreate, folder, "is \(status.kind.rawValue); name a folder")
      }
      return try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
        try SystemCalls.names(in: folder, prefix: "", suffix: "").filter { $0 != "." && $0 != ".." }
      }
    }
  }

  /// All sizes are known: a disk that is too small is one before the first byte.
  private func checkRoom(for files: [StreamPlan.File]) throws(FileError) {
    let volume = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      try SystemCalls.volume(of: folder)
    }
    let needed = files.reduce(UInt64(0)) { $0.addingClamped($1.byteCount) }
    guard let free = volume.freeByteCount, needed > free else { return }
    throw FileError(.cannotCreate, folder, "needs \(needed) bytes, \(free) are free")
  }

  /// Makes the folders that files lie in, under other names.
  mutating func makeFolders(for paths: [String]) throws(FileError) {
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
      do throws(SystemError) {
        try SystemCalls.makeFolder(stagedName(name))
      } catch {
        guard error.code == .exists else { throw FileError(.cannotCreate, folder + "/" + name, error) }
        throw FileError(.exists, stagedName(name), "is left of a run that was killed; remove it")
      }
      folders.append(name)
    }
  }

  private func stagedName(_ name: String) -> String { "\(folder)/.movtool-\(name).tmp" }
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
    for path in folders.map({ folder + "/" + $0 }) + [folder] {
      try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        let descriptor = try SystemCalls.open(path, .folder)
        defer { LocalFileSystem().closeWithoutLoss(descriptor) }
        try SystemCalls.synchronizeFolder(descriptor)
      }
    }
  }

  /// What writes the playlist that players open, which is seen at once.
  var list: NewFileSink {
    NewFileSink(
      path: folder + "/" + StreamPlan.entryPath, existing: replaces ? .replace : .keep, synchronizes: synchronizes)
  }

  /// Removes what the presentation that was replaced had in folders of these names. What another hand put there stays.
  func finish() throws(FileError) {
    for name in folders where setAside.contains(name) {
      try FileError.withFileErrors(.inputOutput, oldName(name)) { () throws(SystemError) in
        for file in try SystemCalls.names(in: oldName(name), prefix: "", suffix: "") where file != "." && file != ".." {
          let path = oldName(name) + "/" + file
          if Self.isOurs(file) {
            try SystemCalls.remove(path)
          } else {
            try SystemCalls.rename(path, toUnused: folder + "/" + name + "/" + file)
          }
        }
        try SystemCalls.removeFolder(oldName(name))
      }
    }
  }

  /// Whether a presentation has files of this name in its folders.
  private static func isOurs(_ name: String) -> Bool {
    ["init.mp4", "media.mp4", "playlist.m3u8", "iframes.m3u8", "chapters.json"].contains(name)
      || ["segment-", "image-"].contains(where: name.hasPrefix)
  }

  // MARK: - Files

  /// What two threads share that write files.
  private final class SharedWork: Sendable {
    private let next = Atomic<Int>(0)
    private let done = Atomic<UInt64>(0)
    private let written = Mutex<[String]>([])
    private let failure = Mutex<(any Error)?>(nil)

    /// The next file, by its index.
    func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
    func add(_ byteCount: UInt64) -> UInt64 { done.add(byteCount, ordering: .relaxed).newValue }
    func begin(_ path: String) { written.withLock { $0.append(path) } }
    var begun: [String] { written.withLock { $0 } }
    func stop(_ error: any Error) { failure.withLock { if $0 == nil { $0 = error } } }
    var error: (any Error)? { failure.withLock { $0 } }
  }

  /// Writes files on two threads, into folders that were made for them. `progress` gets how many bytes, on this thread.
  mutating func writeAll<Source: RandomAccessSource>(
    _ files: [StreamPlan.File], from source: Source, progress: (UInt64) throws -> Void
  ) throws {
    let shared = SharedWork()
    let writing = self
    SecondThread.run(beside: { writing.work(shared, files, from: source) { _ in } }) {
      // The writers keep it no longer than the call lasts.
      withoutActuallyEscaping(progress) { work(shared, files, from: source, progress: $0) }
    }
    writtenFiles += shared.begun
    if let error = shared.error { throw error }
  }

  private func work<Source: RandomAccessSource>(
    _ shared: SharedWork, _ files: [StreamPlan.File], from source: Source,
    progress: @escaping (UInt64) throws -> Void
  ) {
    do {
      while shared.error == nil, case let index = shared.take(), index < files.count {
        try write(files[index], from: source, didMake: shared.begin) { byteCount in
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
      for group in GatheredContents(file.contents) {
        guard let span = group.span else {
          for content in file.contents[group.range] { try writer.append(content, of: source) }
          continue
        }
        let bytes = try source.readExactly(span)
        for content in file.contents[group.range] {
          if case .source(let range) = content,
            let part = bytes.slice(at: Int(range.offset - span.offset), count: Int(range.count))
          {
            try writer.append(part)
          } else {
            try writer.append(content, of: source)
          }
        }
      }
      try writer.flush()
      if synchronizes {
        try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try disk.synchronizeAll(target) }
      }
    } catch {
      disk.closeWithoutLoss(target)
      throw error
    }
    try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try disk.close(target) }
  }

  // MARK: - Going back

  /// Takes back what was done; gives the error, with what could not be taken back.
  func rollBack(after failure: any Error) -> any Error {
    var left: [String] = []
    func attempt(_ path: String, _ undo: () throws(SystemError) -> Void) {
      do {
        try undo()
      } catch {
        // What failed before it got its name is not there.
        if error.code != .notFound { left.append(path) }
      }
    }
    func remove(_ path: String, _ call: (String) throws(SystemError) -> Void) {
      attempt(path) { () throws(SystemError) in try call(path) }
    }
    for path in writtenFiles { remove(place(of: path), SystemCalls.remove) }
    for (index, name) in folders.enumerated().reversed() {
      let own = folder + "/" + name
      remove(index < namedCount ? own : stagedName(name), SystemCalls.removeFolder)
      if setAside.contains(name) {
        attempt(oldName(name)) { () throws(SystemError) in try SystemCalls.rename(oldName(name), toUnused: own) }
      }
    }
    if madeFolder { remove(folder, SystemCalls.removeFolder) }
    guard !left.isEmpty, let error = failure as? FileError else { return failure }
    return FileError(error.code, error.path, error.reason + "; and what was written is left: \(left[0])")
  }
}

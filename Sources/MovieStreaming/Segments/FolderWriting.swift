import MovieBox
import MovieWriter
import Synchronization

/// A folder that files are written to, and what has to go where that fails.
///
/// Folders in it have another name as long as files are missing from them, so that files can be made in them at once
/// under their own: half of the system calls, where a film has thousands of files.
struct FolderWriting: Sendable {
  let folder: String
  let replaces: Bool
  let synchronizes: Bool
  /// What was made, from the first on: the folder itself, and folders in it by their names.
  private var madeFolder = false
  private var madeFolders: [String] = []
  private var namedFolders: Set<String> = []
  /// By their paths from the folder on.
  private var writtenFiles: [String] = []

  init(folder: String, replaces: Bool, synchronizes: Bool) {
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.replaces = replaces
    self.synchronizes = synchronizes
  }

  // MARK: - Folders

  /// Makes the folder, and those that files lie in.
  mutating func prepare(for paths: [String]) throws(FileError) {
    let names = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in try namesThere() }
    if let names {
      guard replaces || names.isEmpty else { throw FileError(.exists, folder, "is a folder that is not empty") }
      if names.contains(StreamPlan.entryPath) {
        try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
          try SystemCalls.remove(folder + "/" + StreamPlan.entryPath)
        }
      }
    } else {
      try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
        try SystemCalls.makeFolder(folder)
      }
      madeFolder = true
    }
    try makeFolders(for: paths, underOtherNames: !replaces)
  }

  /// Makes the folders that files lie in.
  mutating func makeFolders(for paths: [String], underOtherNames: Bool) throws(FileError) {
    var known: Set<Substring> = []
    for path in paths {
      guard let slash = path.lastIndex(of: "/"), known.insert(path[..<slash]).inserted else { continue }
      let name = String(path[..<slash])
      do throws(SystemError) {
        try SystemCalls.makeFolder(underOtherNames ? otherName(name) : folder + "/" + name)
        madeFolders.append(name)
      } catch {
        guard error.code == .exists, replaces else { throw FileError(.cannotCreate, folder + "/" + name, error) }
      }
      if !underOtherNames { namedFolders.insert(name) }
    }
  }

  /// Gives the folders their own names.
  mutating func nameFolders() throws(FileError) {
    for name in madeFolders where !namedFolders.contains(name) {
      try FileError.withFileErrors(.cannotCreate, folder + "/" + name) { () throws(SystemError) in
        try SystemCalls.rename(otherName(name), toUnused: folder + "/" + name)
      }
      namedFolders.insert(name)
    }
  }

  private func otherName(_ name: String) -> String { "\(folder)/.movtool-\(name).tmp" }

  /// The names in the folder; `nil` where there is none. What is no folder cannot be listed.
  private func namesThere() throws(SystemError) -> [String]? {
    guard try SystemCalls.status(at: folder, followingLinks: true) != nil else { return nil }
    return try SystemCalls.names(in: folder, prefix: "", suffix: "").filter { $0 != "." && $0 != ".." }
  }

  /// Where a file is now.
  private func place(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), case let name = String(path[..<slash]), !namedFolders.contains(name)
    else {
      return folder + "/" + path
    }
    return otherName(name) + path[slash...]
  }

  // MARK: - Files

  /// What writes a file that is seen at once.
  func sink(for path: String) -> NewFileSink {
    NewFileSink(path: folder + "/" + path, existing: replaces ? .replace : .keep, synchronizes: synchronizes)
  }

  /// A file is there now.
  mutating func didWrite(_ path: String) { writtenFiles.append(path) }

  /// What two threads share that write files.
  private final class SharedWork: Sendable {
    private let next = Atomic<Int>(0)
    private let done = Atomic<UInt64>(0)
    private let written = Mutex<[String]>([])
    private let failure = Mutex<(any Error)?>(nil)

    func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
    func add(_ byteCount: UInt64) -> UInt64 { done.add(byteCount, ordering: .relaxed).newValue }
    func begin(_ path: String) { written.withLock { $0.append(path) } }
    var begun: [String] { written.withLock { $0 } }
    func stop(_ error: any Error) { failure.withLock { if $0 == nil { $0 = error } } }
    var error: (any Error)? { failure.withLock { $0 } }
  }

  /// Writes files on two threads; gives how many bytes. `progress` gets the same on this thread.
  mutating func writeAll<Source: RandomAccessSource>(
    _ files: [StreamPlan.File], of plan: StreamPlan, from source: Source, progress: (UInt64) throws -> Void
  ) throws -> UInt64 {
    guard try source.identity() == plan.source else {
      throw FileError(.changed, folder, "the movie has changed since it was read; nothing was written")
    }
    let shared = SharedWork()
    let writing = self
    SecondThread.run(beside: { writing.work(shared, files, of: plan, from: source) { _ in } }) {
      work(shared, files, of: plan, from: source, progress: progress)
    }
    writtenFiles += shared.begun
    if let error = shared.error { throw error }
    guard try source.identity() == plan.source else {
      throw FileError(.changed, folder, "the movie has changed while it was read")
    }
    return files.reduce(0) { $0.addingClamped($1.byteCount) }
  }

  private func work<Source: RandomAccessSource>(
    _ shared: SharedWork, _ files: [StreamPlan.File], of plan: StreamPlan, from source: Source,
    progress: (UInt64) throws -> Void
  ) {
    do {
      while shared.error == nil, case let index = shared.take(), index < files.count {
        let file = files[index]
        if replaces {
          shared.begin(file.path)
          try sink(for: file.path).carryOut(plan.outputPlan(of: file), from: source)
        } else {
          try write(file, from: source) { shared.begin(file.path) }
        }
        try progress(shared.add(file.byteCount))
      }
    } catch {
      shared.stop(error)
    }
  }

  /// Writes a file of a folder that nobody looks into yet.
  private func write(_ file: StreamPlan.File, from source: some RandomAccessSource, didMake: () -> Void) throws {
    let path = place(of: file.path)
    let disk = LocalFileSystem()
    let target = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.open(path, .creating(mode: 0o666))
    }
    didMake()
    do {
      var writer = StagedWriter(
        disk, to: .file(target, path: path), from: 0, byteCount: file.byteCount, skipsZeros: false
      ) { _ in }
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

  /// Removes what was made; gives the error, with what could not be removed.
  func rollBack(after failure: any Error) -> any Error {
    var left: [String] = []
    func attempt(_ path: String, _ remove: (String) throws(SystemError) -> Void) {
      do {
        try remove(path)
      } catch {
        // What failed before it got its name is not there.
        if error.code != .notFound { left.append(path) }
      }
    }
    for path in writtenFiles { attempt(place(of: path), SystemCalls.remove) }
    for name in madeFolders.reversed() {
      attempt(namedFolders.contains(name) ? folder + "/" + name : otherName(name), SystemCalls.removeFolder)
    }
    if madeFolder { attempt(folder, SystemCalls.removeFolder) }
    guard !left.isEmpty, let error = failure as? FileError else { return failure }
    return FileError(error.code, error.path, error.reason + "; and what was written is left: \(left[0])")
  }
}

/// Contents in groups whose ranges lie so close in the source that one read of them all is quicker than one of each.
private struct GatheredContents: Sequence, IteratorProtocol {
  /// A call costs as much as reading this many bytes that are not wanted.
  private static let largestGap: UInt64 = 16 << 10
  private static let largestSpan: UInt64 = 256 << 10

  struct Group {
    let range: Range<Int>
    /// The bytes to read; `nil` where each range is read for itself.
    let span: ByteRange?
  }

  private let contents: [OutputPlan.Content]
  private var position = 0

  init(_ contents: [OutputPlan.Content]) {
    self.contents = contents
  }

  mutating func next() -> Group? {
    guard position < contents.count else { return nil }
    let start = position
    var span: ByteRange?
    var rangeCount = 0
    while position < contents.count {
      if case .source(let range) = contents[position] {
        if let known = span {
          guard range.offset >= known.end, range.offset - known.end <= Self.largestGap,
            range.end - known.offset <= Self.largestSpan
          else { break }
          span = ByteRange(known.offset..<range.end)
        } else {
          span = range
        }
        rangeCount += 1
      }
      position += 1
    }
    return Group(range: start..<position, span: rangeCount > 1 ? span : nil)
  }
}

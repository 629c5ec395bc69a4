package import MovieBox
package import MovieWriter

/// A folder that contains a page, its movies and their presentations, so that a web server can serve it.
///
/// The page is written last, so that all files to which the page refers exist. If a later step fails, the caller
/// removes the written files with ``rollBack(after:)``.
package struct PageFolder {
  /// An item that this value wrote. A rollback removes the item.
  private enum WrittenItem {
    case folder(String)
    case file(String)
    case presentation(String, files: [String])
  }

  /// The file name of the page, which servers send for the folder.
  package static let pageName = "index.html"

  private let path: String
  private let existing: NewFileSink.ExistingFilePolicy
  private let disk: any FileSystem
  private var writtenItems: [WrittenItem] = []

  /// Creates a writer for the folder at this path. If `replaces` is `false`, the writer rejects existing files.
  package init(_ path: String, replaces: Bool, on disk: any FileSystem = LocalFileSystem()) {
    self.disk = disk
    self.path = OutputFolder.withoutTrailingSlash(path)
    existing = replaces ? .replace : .keep
  }

  /// Creates the folder if it is missing.
  ///
  /// Throws ``FileError`` if existing files must be kept and the folder contains one of the files, or if a folder for a
  /// presentation is not empty.
  package mutating func prepare(for files: [String], _ presentations: [String]) throws(FileError) {
    let isExisting = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: path, followingLinks: true) != nil
    }
    if !isExisting {
      try OutputFolder.make(path, on: disk)
      writtenItems.append(.folder(path))
    }
    for file in files + [Self.pageName] { try sink(file).checkName() }
    for name in presentations where existing == .keep && isExisting {
      let folder = path + "/" + name
      let names = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) -> [String] in
        let status = try disk.status(at: folder, followingLinks: true)
        return try status?.kind == .folder ? FolderWriter.contents(of: folder, on: disk) : []
      }
      guard names.isEmpty else { throw FileError(.exists, folder, "the folder is not empty") }
    }
  }

  /// Whether no file has this name yet. A rollback removes only new files. It keeps a file that replaced an old file,
  /// because the file is complete and the old file no longer exists.
  private func isNew(_ name: String) throws(FileError) -> Bool {
    try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: path + "/" + name, followingLinks: true) == nil
    }
  }

  /// Copies a movie into the folder.
  package mutating func copy(
    _ source: some RandomAccessSource, _ identity: SourceIdentity, as name: String,
    progress: @escaping (_ bytesDone: UInt64) throws -> Void
  ) throws {
    let plan = try OutputPlan(of: identity, [.source(ByteRange(0..<identity.byteCount))])
    let isNew = try isNew(name)
    try sink(name).carryOut(plan, from: source) { done, _ in try progress(done) }
    if isNew { writtenItems.append(.file(path + "/" + name)) }
  }

  /// Writes a presentation into a subfolder.
  package mutating func write(
    _ plan: StreamPlan, from source: some RandomAccessSource, as name: String,
    progress: @escaping (_ bytesDone: UInt64) throws -> Void
  ) throws {
    let folder = path + "/" + name
    let isNew = try isNew(name)
    try plan.write(to: folder, from: source, existing: existing == .replace ? .replace : .keep, on: disk) { done, _ in
      try progress(done)
    }
    if isNew || existing == .keep { writtenItems.append(.presentation(folder, files: plan.files.map(\.path))) }
  }

  /// Writes the page.
  package func write(page: [UInt8]) throws {
    try sink(Self.pageName).write(Bytes(page))
  }

  private func sink(_ name: String) -> NewFileSink {
    NewFileSink(path: path + "/" + name, existing: existing, synchronizes: false, disk: disk)
  }

  /// Removes the new files in reverse order. Returns the error, with the name of the first file that could not be
  /// removed.
  package func rollBack(after failure: any Error) -> any Error {
    var cleanup = Cleanup(on: disk)
    for step in writtenItems.reversed() {
      switch step {
      case .folder(let path): cleanup.removeFolder(path)
      case .file(let path): cleanup.removeFile(path)
      case .presentation(let folder, let files):
        for file in files { cleanup.removeFile(folder + "/" + file) }
        let folders = Set(files.compactMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } })
        for name in folders.sorted(by: >) { cleanup.removeFolder(folder + "/" + name) }
        cleanup.removeFolder(folder)
      }
    }
    return cleanup.error(after: failure)
  }
}

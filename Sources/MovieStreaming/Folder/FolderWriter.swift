import MovieBox
import MovieWriter
import Subtitles

/// Writes a presentation to a folder so that clients never read an incomplete presentation. Undoes all changes after a
/// failure.
///
///     before     main.m3u8 (old or absent)   video (old or absent)
///     write      main.m3u8 (old or absent)   video (old or absent)   .movtool-video.tmp (new)
///     set aside                              video (old)             .movtool-video.tmp (new)   .movtool-main.m3u8.old
///     publish                                video (new)             .movtool-video.old (old)   .movtool-main.m3u8.old
///     list       main.m3u8 (new)             video (new)             .movtool-video.old (old)   .movtool-main.m3u8.old
///     finish     main.m3u8 (new)             video (new)
///
/// The list (multivariant playlist) of a replaced presentation is set aside before the first folder changes. So at
/// every instant the folder contains the old presentation, no presentation, or the new presentation, and never a list
/// with the files of another presentation. A failure before the new list is published undoes all changes. If the
/// process is killed instead, the next process that acquires the lock undoes the changes, or removes the rest of the
/// old presentation (``recover()``).
///
/// Clients do not read staged folders, so files in these folders have their final names. This halves the number of
/// system calls for the thousands of files of a film.
struct FolderWriter: Sendable {
  let folder: String
  let replaces: Bool
  let synchronizes: Bool
  let disk: any FileSystem
  private var hasCreatedFolder = false
  /// Whether the multivariant playlist of the replaced presentation has been renamed.
  private var isListSetAside = false
  /// The lock of the folder. The caller may have acquired it already.
  private var lock: FolderLock?
  /// The names of the folders in the order of creation. The first ``publishedFolderCount`` are published.
  private var folders: [String] = []
  private var publishedFolderCount = 0
  /// The names whose existing folders were renamed.
  private var renamedFolders: Set<String> = []
  /// The final name of a new folder that has exchanged names with the old folder, or `nil`. It is set only until the
  /// old folder gets its temporary name.
  private var exchangedFolder: String?
  /// The paths of the written files, relative to the folder.
  var writtenFiles: [String] = []

  init(
    folder: String, replaces: Bool, synchronizes: Bool, lock: FolderLock? = nil,
    on disk: any FileSystem = LocalFileSystem()
  ) {
    self.lock = lock
    self.disk = disk
    self.folder = OutputFolder.withoutTrailingSlash(folder)
    self.replaces = replaces
    self.synchronizes = synchronizes
  }

  // MARK: - Folders

  /// Creates the folder and staged folders for the files. Changes no existing file.
  mutating func prepare(for files: [StreamPlan.File]) throws(FileError) {
    if try checkFolder() { hasCreatedFolder = try OutputFolder.createIfMissing(folder, on: disk) }
    let lock = try FolderLock(folder, on: disk)
    if lock.isHeld { try recover() }
    // Another program may have written to the new folder before the lock was taken. In that case, the folder belongs to
    // that program.
    guard let names = try existingNames() else {
      throw FileError(.cannotCreate, folder, "another program has removed the folder; try again")
    }
    if !names.isEmpty { hasCreatedFolder = false }
    try requireNoFiles(names)
    self.lock = lock
    try listSink.checkName()
    try makeFolders(for: files.map(\.path))
    try checkFreeSpace(for: files)
  }

  /// Returns whether the folder must be created. Throws if the folder cannot be created or contains files that must be
  /// kept. Writes nothing.
  func checkFolder() throws(FileError) -> Bool {
    if let names = try existingNames() {
      try requireNoFiles(names)
      return false
    }
    let parent = FilePath(folder).folder
    let (there, above) = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      (
        try disk.status(at: folder, followingLinks: false),
        try disk.status(at: parent, followingLinks: true)
      )
    }
    if there?.kind == .symbolicLink { throw OutputFolder.danglingLinkError(of: folder) }
    guard above != nil else { throw OutputFolder.missingParentError(parent, of: folder) }
    return true
  }

  /// Throws if the folder contains files and the presentation must not replace files.
  private func requireNoFiles(_ names: [String]) throws(FileError) {
    guard replaces || names.isEmpty else { throw FileError(.exists, folder, "the folder is not empty") }
  }

  /// Returns the names in the folder, except the leftovers of killed runs, or `nil` if there is no folder.
  private func existingNames() throws(FileError) -> [String]? {
    guard try OutputFolder.exists(folder, on: disk) else { return nil }
    return try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      try Self.contents(of: folder, on: disk)
    }
  }

  /// Returns the names in a folder, without the staged folders of running and killed processes.
  static func contents(of folder: String, on disk: any FileSystem) throws(SystemError) -> [String] {
    var names: [String] = []
    for name in try disk.names(in: folder) {
      if try leftoverFiles(name, in: folder, on: disk) == nil { names.append(name) }
    }
    return names
  }

  /// Returns the files in a staged folder, or `nil` if the name is not the name of a staged folder or the folder
  /// contains other files.
  private static func leftoverFiles(
    _ name: String, in folder: String, on disk: any FileSystem
  ) throws(SystemError) -> [String]? {
    guard name.hasPrefix(stagedPrefix), name.hasSuffix(stagedSuffix),
      case let path = folder + "/" + name, try disk.status(at: path, followingLinks: false)?.kind == .folder
    else { return nil }
    do throws(SystemError) {
      let names = try disk.names(in: path)
      return names.allSatisfy(isOwnFile) ? names : nil
    } catch {
      // If the folder is missing, its process has published or removed it in the meantime. An unreadable folder is
      // kept.
      return error.code == .notFound ? [] : nil
    }
  }

  /// Removes the staged folders of killed processes. The caller must hold the lock of the folder.
  private func removeLeftovers() throws(FileError) {
    try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      for name in try disk.names(in: folder, prefix: Self.stagedPrefix, suffix: Self.stagedSuffix) {
        guard let files = try Self.leftoverFiles(name, in: folder, on: disk) else { continue }
        for file in files { try disk.remove("\(folder)/\(name)/\(file)") }
        try disk.removeFolder("\(folder)/\(name)")
      }
    }
  }

  /// Throws if the disk has too little space for the files. All sizes are known before any file is written.
  private func checkFreeSpace(for files: [StreamPlan.File]) throws(FileError) {
    let volume = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      try disk.volume(of: folder)
    }
    try volume.requireRoom(for: files.reduce(0) { $0.addingClamped($1.byteCount) }, at: folder)
  }

  /// Creates staged folders for the files. Also removes the staged folders of killed processes if the lock is held.
  mutating func makeFolders(for paths: [String]) throws(FileError) {
    if lock?.isHeld ?? false { try removeLeftovers() }
    var knownNames: Set<Substring> = []
    for path in paths {
      guard let slash = path.lastIndex(of: "/"), knownNames.insert(path[..<slash]).inserted else { continue }
      let name = String(path[..<slash])
      let there = try FileError.withFileErrors(.cannotCreate, folder + "/" + name) { () throws(SystemError) in
        try disk.status(at: folder + "/" + name, followingLinks: false)
      }
      guard there == nil || replaces && there?.kind == .folder else {
        throw FileError(.cannotCreate, folder + "/" + name, "already exists and is \(there?.kind.rawValue ?? "")")
      }
      if there != nil { try requireNoLeftover(oldName(name)) }
      try makeStagedFolder(name)
      folders.append(name)
    }
  }

  private func makeStagedFolder(_ name: String) throws(FileError) {
    let path = stagedName(name)
    do throws(SystemError) {
      try disk.makeFolder(path)
    } catch {
      guard error.code == .exists else { throw FileError(.cannotCreate, path, error) }
      throw Self.leftoverError(path)
    }
  }

  private func requireNoLeftover(_ path: String) throws(FileError) {
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: path, followingLinks: false)
    }
    if status != nil { throw Self.leftoverError(path) }
  }

  private static func leftoverError(_ path: String) -> FileError {
    FileError(.cannotCreate, path, "an interrupted run left this folder; inspect and delete it")
  }

  private static let (stagedPrefix, stagedSuffix) = (".movtool-", ".tmp")
  private static let oldSuffix = ".old"

  private func stagedName(_ name: String) -> String { "\(folder)/\(Self.stagedPrefix)\(name)\(Self.stagedSuffix)" }
  private func oldName(_ name: String) -> String { "\(folder)/\(Self.stagedPrefix)\(name)\(Self.oldSuffix)" }
  private var listPath: String { folder + "/" + StreamPlan.entryPath }

  /// Returns the current path of a file.
  func currentPath(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), case let name = String(path[..<slash]),
      !folders.prefix(publishedFolderCount).contains(name)
    else { return folder + "/" + path }
    return stagedName(name) + path[slash...]
  }

  // MARK: - Publishing

  /// Renames the multivariant playlist of the replaced presentation before the folders of that presentation change.
  ///
  /// Does nothing if there is no playlist. A playlist that is a link keeps its name.
  mutating func setListAside() throws(FileError) {
    guard replaces else { return }
    try FileError.withFileErrors(.cannotCreate, listPath) { () throws(SystemError) in
      guard try disk.status(at: listPath, followingLinks: false)?.kind == .ordinary else { return }
      try disk.rename(listPath, toUnused: oldName(StreamPlan.entryPath))
      isListSetAside = true
    }
  }

  /// Renames the staged folders to their final names, and existing folders to temporary names.
  mutating func publish() throws(FileError) {
    for name in folders[publishedFolderCount...] {
      try FileError.withFileErrors(.cannotCreate, folder + "/" + name) { () throws(SystemError) in
        let own = folder + "/" + name
        guard replaces, try disk.status(at: own, followingLinks: false) != nil else {
          try disk.rename(stagedName(name), toUnused: own)
          return publishedFolderCount += 1
        }
        // Some file systems can exchange two names in one step. The existing list then refers to complete files at all
        // times.
        let isExchanged = isListSetAside ? false : try disk.exchange(stagedName(name), own)
        if isExchanged {
          renamedFolders.insert(name)
          publishedFolderCount += 1
          exchangedFolder = name
          try disk.rename(stagedName(name), toUnused: oldName(name))
          exchangedFolder = nil
        } else {
          try disk.rename(own, toUnused: oldName(name))
          renamedFolders.insert(name)
          try disk.rename(stagedName(name), toUnused: own)
          publishedFolderCount += 1
        }
      }
    }
    guard synchronizes else { return }
    for path in folders.map({ folder + "/" + $0 }) + [folder] + (hasCreatedFolder ? [FilePath(folder).folder] : []) {
      try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        let descriptor = try disk.open(path, .folder)
        defer { disk.closeWithoutLoss(descriptor) }
        try disk.synchronizeFolder(descriptor)
      }
    }
  }

  /// The sink for the multivariant playlist. Writing this playlist publishes the presentation.
  var listSink: NewFileSink {
    NewFileSink(
      path: listPath, existing: replaces && !isListSetAside ? .replace : .keep,
      synchronizes: synchronizes || isListSetAside, model: isListSetAside ? oldName(StreamPlan.entryPath) : nil,
      disk: disk)
  }

  /// Removes the files of the replaced presentation, and moves files of other programs back into their folders.
  func finish() throws(FileError) {
    do throws(FileError) {
      if isListSetAside { try removeOldList() }
      for name in folders where renamedFolders.contains(name) { try removeOldFolder(name) }
    } catch {
      throw FileError(
        error.code, error.path,
        "\(error.reason); the new presentation is complete, but this part of the old presentation remains")
    }
  }

  private func removeOldList() throws(FileError) {
    try FileError.withFileErrors(.inputOutput, oldName(StreamPlan.entryPath)) { () throws(SystemError) in
      try disk.remove(oldName(StreamPlan.entryPath))
    }
  }

  private func removeOldFolder(_ name: String) throws(FileError) {
    try FileError.withFileErrors(.inputOutput, oldName(name)) { () throws(SystemError) in
      for file in try disk.names(in: oldName(name)) {
        let path = oldName(name) + "/" + file
        if !Self.isOwnFile(file) || !removeIfPossible(path) {
          try disk.rename(path, toUnused: folder + "/" + name + "/" + file)
        }
      }
      try disk.removeFolder(oldName(name))
    }
  }

  /// Removes the files that this program wrote to a folder, and then the folder. Returns `false` if files of other
  /// programs remain in it.
  func removeFiles(ofFolder name: String) -> Bool {
    let path = folder + "/" + name
    do {
      guard try disk.status(at: path, followingLinks: false)?.kind == .folder else { return true }
      let names = try disk.names(in: path)
      guard names.filter({ !Self.isOwnFile($0) || !removeIfPossible(path + "/" + $0) }).isEmpty else { return false }
      try disk.removeFolder(path)
      return true
    } catch {
      return false
    }
  }

  /// Whether this program writes files with this name in the folder of a presentation.
  private static func isOwnFile(_ name: String) -> Bool {
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

  /// Removes a file and returns whether that succeeded. Returns `false` for a folder, because only other programs
  /// create folders there.
  private func removeIfPossible(_ path: String) -> Bool {
    do throws(SystemError) {
      try disk.remove(path)
      return true
    } catch {
      return false
    }
  }

  // MARK: - Interrupted replacements

  /// Undoes a replacement by a killed process, or removes the rest of the old presentation if the new list is
  /// published.
  ///
  /// The caller must hold the lock of the folder.
  func recover() throws(FileError) {
    let oldList = oldName(StreamPlan.entryPath)
    let (names, list, hasOldList) = try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
      (
        try disk.names(in: folder, prefix: Self.stagedPrefix, suffix: Self.oldSuffix),
        try disk.status(at: listPath, followingLinks: false)?.kind,
        try disk.status(at: oldList, followingLinks: false)?.kind == .ordinary
      )
    }
    let isListed = list != nil
    for name in names {
      // A list that is a link was not renamed. It is unknown whether it refers to the old files or to the new files,
      // so the user must decide.
      guard list != .symbolicLink else { throw Self.leftoverError(folder + "/" + name) }
      let name = String(name.dropFirst(Self.stagedPrefix.count).dropLast(Self.oldSuffix.count))
      let (old, own) = try FileError.withFileErrors(.inputOutput, oldName(name)) { () throws(SystemError) in
        (
          try disk.status(at: oldName(name), followingLinks: false)?.kind,
          try disk.status(at: folder + "/" + name, followingLinks: false)?.kind
        )
      }
      guard old == .folder else { continue }
      let takesBack = hasOldList && !isListed
      // The old list is restored, so no list refers to the new files of the folder.
      if takesBack, own != nil, !removeFiles(ofFolder: name) { throw Self.leftoverError(oldName(name)) }
      guard takesBack || own == nil else {
        try removeOldFolder(name)
        continue
      }
      try FileError.withFileErrors(.inputOutput, oldName(name)) { () throws(SystemError) in
        try disk.rename(oldName(name), toUnused: folder + "/" + name)
      }
    }
    guard hasOldList else { return }
    if isListed { return try removeOldList() }
    try FileError.withFileErrors(.inputOutput, oldList) { () throws(SystemError) in
      try disk.rename(oldList, toUnused: listPath)
    }
  }

  // MARK: - Rolling back

  /// Undoes all changes. Returns the error. If a file could not be removed, the error contains its path.
  func rollBack(after failure: any Error) -> any Error {
    var cleanup = Cleanup(on: disk)
    for path in writtenFiles { cleanup.removeFile(currentPath(of: path)) }
    for (index, name) in folders.enumerated().reversed() {
      let own = folder + "/" + name
      cleanup.removeFolder(index < publishedFolderCount ? own : stagedName(name))
      if renamedFolders.contains(name) {
        cleanup.renameBack(exchangedFolder == name ? stagedName(name) : oldName(name), to: own)
      }
    }
    if isListSetAside { cleanup.renameBack(oldName(StreamPlan.entryPath), to: listPath) }
    // Without the lock, another program may have written to the folder, so the folder must be kept.
    if hasCreatedFolder { cleanup.removeFolder(folder, keepingContents: lock == nil) }
    return cleanup.error(after: failure)
  }
}

import MovieBox
import MovieWriter
import Subtitles

/// A presentation that is written to a folder, and what has to go where that fails.
///
///     before     main.m3u8 (old or absent)   video (old or absent)
///     write      main.m3u8 (old or absent)   video (old or absent)   .movtool-video.tmp (new)
///     set aside                              video (old)             .movtool-video.tmp (new)   .movtool-main.m3u8.old
///     publish                                video (new)             .movtool-video.old (old)   .movtool-main.m3u8.old
///     list       main.m3u8 (new)             video (new)             .movtool-video.old (old)   .movtool-main.m3u8.old
///     finish     main.m3u8 (new)             video (new)
///
/// The list of a presentation that is replaced is set aside before the first folder changes. So at every instant the
/// folder has the old presentation, none, or the new one, and never a list with the files of another presentation.
/// Whatever fails before the new list has its name takes all of it back. If the process is killed instead, the next
/// that takes the lock does so, or removes the rest of the old presentation (``recover()``).
///
/// In folders that nobody looks into files are made under their own names at once: half of the system calls, where a
/// film has thousands of files.
struct FolderWriting: Sendable {
  let folder: String
  let replaces: Bool
  let synchronizes: Bool
  let disk: any FileSystem
  private var madeFolder = false
  /// Whether the list of the presentation that is replaced has another name.
  private var isListSetAside = false
  /// That of the folder; who calls may have it already.
  private var lock: FolderLock?
  /// Folders in it, in the order in which they were made; those that have their own names are at the start.
  private var folders: [String] = []
  private var namedCount = 0
  /// Those that were there under these names.
  private var setAside: Set<String> = []
  /// The last folder that was exchanged with a new one, and has the name of that one.
  private var exchanged: String?
  /// By their paths from the folder on.
  var writtenFiles: [String] = []

  init(
    folder: String, replaces: Bool, synchronizes: Bool, lock: FolderLock? = nil,
    on disk: any FileSystem = LocalFileSystem()
  ) {
    self.lock = lock
    self.disk = disk
    self.folder = OutputFolder.path(folder)
    self.replaces = replaces
    self.synchronizes = synchronizes
  }

  // MARK: - Folders

  /// Makes the folder, and those that files lie in. Changes nothing that is there.
  mutating func prepare(for files: [StreamPlan.File]) throws(FileError) {
    if try checkFolder() { madeFolder = try OutputFolder.makeIfMissing(folder, on: disk) }
    let lock = try FolderLock(folder, on: disk)
    if lock.isTaken { try recover() }
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
        try disk.status(at: folder, followingLinks: false),
        try disk.status(at: parent, followingLinks: true)
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
      try disk.status(at: folder, followingLinks: true)
    }.map { status throws(FileError) in
      guard status.kind == .folder else {
        throw FileError(.cannotCreate, folder, "is \(status.kind.rawValue); name a folder")
      }
      return try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
        try Self.contents(of: folder, on: disk)
      }
    }
  }

  /// The names in a folder, without the folders that a run has left that was killed, or is making now.
  static func contents(of folder: String, on disk: any FileSystem) throws(SystemError) -> [String] {
    var names: [String] = []
    for name in try disk.names(in: folder) {
      if try leftoverFiles(name, in: folder, on: disk) == nil { names.append(name) }
    }
    return names
  }

  /// The files in a folder that a run has made for its own files, and that has no others, or `nil` for anything else.
  private static func leftoverFiles(
    _ name: String, in folder: String, on disk: any FileSystem
  ) throws(SystemError) -> [String]? {
    guard name.hasPrefix(stagedPrefix), name.hasSuffix(stagedSuffix),
      case let path = folder + "/" + name, try disk.status(at: path, followingLinks: false)?.kind == .folder
    else { return nil }
    do throws(SystemError) {
      let names = try disk.names(in: path)
      return names.allSatisfy(isOurs) ? names : nil
    } catch {
      // Another run published or removed the folder, or it is not readable.
      return error.code == .notFound ? [] : nil
    }
  }

  /// Removes the folders that killed runs have left. The caller must hold the lock of the folder.
  private func removeLeftovers() throws(FileError) {
    try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      for name in try disk.names(in: folder, prefix: Self.stagedPrefix, suffix: Self.stagedSuffix) {
        guard let files = try Self.leftoverFiles(name, in: folder, on: disk) else { continue }
        for file in files { try disk.remove("\(folder)/\(name)/\(file)") }
        try disk.removeFolder("\(folder)/\(name)")
      }
    }
  }

  /// Throws if the disk has no room for the files, all of whose sizes are known, before any of them is written.
  private func checkRoom(for files: [StreamPlan.File]) throws(FileError) {
    let volume = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
      try disk.volume(of: folder)
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
        try disk.status(at: folder + "/" + name, followingLinks: false)
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
      try disk.makeFolder(path)
    } catch {
      guard error.code == .exists else { throw FileError(.cannotCreate, path, error) }
      throw Self.leftOver(path)
    }
  }

  private func checkThatNothingIsLeft(_ path: String) throws(FileError) {
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: path, followingLinks: false)
    }
    if status != nil { throw Self.leftOver(path) }
  }

  private static func leftOver(_ path: String) -> FileError {
    FileError(.cannotCreate, path, "was left by an interrupted run; inspect and delete it")
  }

  private static let (stagedPrefix, stagedSuffix) = (".movtool-", ".tmp")
  private static let oldSuffix = ".old"

  private func stagedName(_ name: String) -> String { "\(folder)/\(Self.stagedPrefix)\(name)\(Self.stagedSuffix)" }
  private func oldName(_ name: String) -> String { "\(folder)/\(Self.stagedPrefix)\(name)\(Self.oldSuffix)" }
  private var listPath: String { folder + "/" + StreamPlan.entryPath }

  /// Where a file is now.
  func place(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), case let name = String(path[..<slash]),
      !folders.prefix(namedCount).contains(name)
    else { return folder + "/" + path }
    return stagedName(name) + path[slash...]
  }

  // MARK: - Publishing

  /// Sets the list of the presentation that is replaced aside: its folders are about to change. Does nothing where
  /// there is no list, or a link to one, which stays.
  mutating func setListAside() throws(FileError) {
    guard replaces else { return }
    try FileError.withFileErrors(.cannotCreate, listPath) { () throws(SystemError) in
      guard try disk.status(at: listPath, followingLinks: false)?.kind == .ordinary else { return }
      try disk.rename(listPath, toUnused: oldName(StreamPlan.entryPath))
      isListSetAside = true
    }
  }

  /// Gives the folders their own names; those of a presentation that is replaced get others.
  mutating func publish() throws(FileError) {
    for name in folders[namedCount...] {
      try FileError.withFileErrors(.cannotCreate, folder + "/" + name) { () throws(SystemError) in
        let own = folder + "/" + name
        guard replaces, try disk.status(at: own, followingLinks: false) != nil else {
          try disk.rename(stagedName(name), toUnused: own)
          return namedCount += 1
        }
        // In one step where the file system can: a list that stays names subtitles that are always there.
        let isExchanged = isListSetAside ? false : try disk.exchange(stagedName(name), own)
        if isExchanged {
          setAside.insert(name)
          namedCount += 1
          exchanged = name
          try disk.rename(stagedName(name), toUnused: oldName(name))
          exchanged = nil
        } else {
          try disk.rename(own, toUnused: oldName(name))
          setAside.insert(name)
          try disk.rename(stagedName(name), toUnused: own)
          namedCount += 1
        }
      }
    }
    guard synchronizes else { return }
    for path in folders.map({ folder + "/" + $0 }) + [folder] + (madeFolder ? [FilePath(folder).folder] : []) {
      try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
        let descriptor = try disk.open(path, .folder)
        defer { disk.closeWithoutLoss(descriptor) }
        try disk.synchronizeFolder(descriptor)
      }
    }
  }

  /// What writes the playlist that players open, which is seen at once.
  var entrySink: NewFileSink {
    NewFileSink(
      path: listPath, existing: replaces && !isListSetAside ? .replace : .keep,
      synchronizes: synchronizes || isListSetAside, model: isListSetAside ? oldName(StreamPlan.entryPath) : nil,
      disk: disk)
  }

  /// Removes what the presentation that was replaced had in folders of these names. What another hand put there stays.
  func finish() throws(FileError) {
    do throws(FileError) {
      if isListSetAside { try removeOldList() }
      for name in folders where setAside.contains(name) { try removeOld(name) }
    } catch {
      throw FileError(
        error.code, error.path, "\(error.reason); the new presentation is whole, but this of the old one is left")
    }
  }

  private func removeOldList() throws(FileError) {
    try FileError.withFileErrors(.inputOutput, oldName(StreamPlan.entryPath)) { () throws(SystemError) in
      try disk.remove(oldName(StreamPlan.entryPath))
    }
  }

  private func removeOld(_ name: String) throws(FileError) {
    try FileError.withFileErrors(.inputOutput, oldName(name)) { () throws(SystemError) in
      for file in try disk.names(in: oldName(name)) {
        let path = oldName(name) + "/" + file
        if !Self.isOurs(file) || !didRemove(path) {
          try disk.rename(path, toUnused: folder + "/" + name + "/" + file)
        }
      }
      try disk.removeFolder(oldName(name))
    }
  }

  /// Removes a folder that no playlist names any more, but for what another hand put there; `false` where it stays.
  func removeFiles(ofFolder name: String) -> Bool {
    let path = folder + "/" + name
    do {
      guard try disk.status(at: path, followingLinks: false)?.kind == .folder else { return true }
      let names = try disk.names(in: path)
      guard names.filter({ !Self.isOurs($0) || !didRemove(path + "/" + $0) }).isEmpty else { return false }
      try disk.removeFolder(path)
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
  private func didRemove(_ path: String) -> Bool {
    do throws(SystemError) {
      try disk.remove(path)
      return true
    } catch {
      return false
    }
  }

  // MARK: - Interrupted replacements

  /// Takes a replacement back that a killed run began, or removes the rest of the old presentation if its list is
  /// replaced already. The caller must hold the lock of the folder.
  func recover() throws(FileError) {
    let oldList = oldName(StreamPlan.entryPath)
    let (names, isListed, hasOldList) = try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
      (
        try disk.names(in: folder, prefix: Self.stagedPrefix, suffix: Self.oldSuffix),
        try disk.status(at: listPath, followingLinks: false) != nil,
        try disk.status(at: oldList, followingLinks: false)?.kind == .ordinary
      )
    }
    for name in names {
      let name = String(name.dropFirst(Self.stagedPrefix.count).dropLast(Self.oldSuffix.count))
      let (old, own) = try FileError.withFileErrors(.inputOutput, oldName(name)) { () throws(SystemError) in
        (
          try disk.status(at: oldName(name), followingLinks: false)?.kind,
          try disk.status(at: folder + "/" + name, followingLinks: false)?.kind
        )
      }
      guard old == .folder else { continue }
      let takesBack = hasOldList && !isListed
      // No list names the new files of the folder.
      if takesBack, own != nil, !removeFiles(ofFolder: name) { throw Self.leftOver(oldName(name)) }
      guard takesBack || own == nil else {
        try removeOld(name)
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

  // MARK: - Going back

  /// Takes back what was done; gives the error, with what could not be taken back.
  func rollBack(after failure: any Error) -> any Error {
    var cleanup = Cleanup(on: disk)
    for path in writtenFiles { cleanup.removeFile(place(of: path)) }
    for (index, name) in folders.enumerated().reversed() {
      let own = folder + "/" + name
      cleanup.removeFolder(index < namedCount ? own : stagedName(name))
      if setAside.contains(name) {
        cleanup.rename(exchanged == name ? stagedName(name) : oldName(name), back: own)
      }
    }
    if isListSetAside { cleanup.rename(oldName(StreamPlan.entryPath), back: listPath) }
    // Without the lock, another program may have written to the folder, which then is that program's.
    if madeFolder { cleanup.removeFolder(folder, keepingContents: lock == nil) }
    return cleanup.error(after: failure)
  }
}

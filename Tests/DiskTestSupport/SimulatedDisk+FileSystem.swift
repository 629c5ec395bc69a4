package import MovieBox
import MovieWriter

extension SimulatedDisk: FileSystem {
  private func file(_ descriptor: FileDescriptor) throws(SystemError) -> Int {
    guard case .file(let file)? = descriptors[descriptor.rawValue] else { throw SystemError("use", .badDescriptor) }
    return file
  }

  /// The place that a path names; throws `.notFound` if a folder of the path is missing.
  private func place(_ path: String) throws(SystemError) -> Place {
    let parts = path.split(separator: "/").filter { $0 != "." }.map(String.init)
    var folder = 0
    for part in parts.dropLast() {
      guard case .folder(let inner)? = names[folder][part] else { throw SystemError("find", .notFound) }
      folder = inner
    }
    return Place(folder: folder, name: parts.last ?? "")
  }

  /// The file, folder or link at a path, or `nil` if there is none. An empty path names the first folder.
  private func entry(_ path: String) -> Entry? {
    do {
      let place = try place(path)
      return place.name.isEmpty ? .folder(0) : names[place.folder][place.name]
    } catch {
      return nil
    }
  }

  private func folder(_ path: String) throws(SystemError) -> Int {
    guard case .folder(let folder)? = entry(path) else { throw SystemError("find the folder", .notFound) }
    return folder
  }

  package func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor {
    nextDescriptor += 1
    switch access {
    case .unnamed(let mode):
      guard hasUnnamedFiles else { throw SystemError("create", .unsupported) }
      descriptors[nextDescriptor] = .file(files.count)
      files.append(File(mode: mode))
    case .folder: descriptors[nextDescriptor] = .folder(try folder(path))
    case .reading, .waiting, .updating:
      guard let entry = entry(path) else { throw SystemError("open", .notFound) }
      descriptors[nextDescriptor] = entry
    case .creating(let mode):
      guard entry(path) == nil else { throw SystemError("create", .exists) }
      let place = try place(path)
      descriptors[nextDescriptor] = .file(files.count)
      files.append(File(mode: mode))
      change(.set(place, .file(files.count - 1)))
    }
    return FileDescriptor(rawValue: nextDescriptor)
  }

  package func close(_ file: FileDescriptor) throws(SystemError) {
    guard descriptors.removeValue(forKey: file.rawValue) != nil else { throw SystemError("close", .badDescriptor) }
  }

  private func status(_ entry: Entry) -> FileStatus {
    switch entry {
    case .folder(let folder):
      FileStatus(kind: .folder, byteCount: 0, mode: 0o755, inode: UInt64(folder) << 32, modificationSeconds: 0)
    case .file(let file):
      FileStatus(
        kind: .ordinary, byteCount: UInt64(files[file].current.count), mode: files[file].mode, inode: UInt64(file),
        modificationSeconds: files[file].changes)
    }
  }

  package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    guard let entry = descriptors[file.rawValue] else { throw SystemError("examine", .badDescriptor) }
    return status(entry)
  }

  package func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus? {
    entry(path).map(status)
  }

  package func volume(of path: String) throws(SystemError) -> VolumeStatus {
    VolumeStatus(freeByteCount: 1 << 20, blockSize: 4096)
  }

  package func resolve(_ path: String) throws(SystemError) -> String {
    path
  }

  package func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int {
    var rest = files[try self.file(file)].current.dropFirst(Int(offset))
    var count = 0
    for range in ranges {
      let bytes = rest.prefix(range.count)
      buffer.replaceSubrange(range.lowerBound..<range.lowerBound + bytes.count, with: bytes)
      rest = rest.dropFirst(bytes.count)
      count += bytes.count
    }
    return count
  }

  package func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) -> Int {
    let file = try self.file(file)
    let offset = Int(offset)
    let end = offset + range.count
    if files[file].current.count < end { files[file].current = Self.resized(files[file].current, to: end) }
    files[file].current.replaceSubrange(offset..<end, with: buffer[range])
    files[file].changes += 1
    var start = offset
    while start < end {
      let next = min(end, (start / sector + 1) * sector)
      let piece = buffer[range.lowerBound + start - offset..<range.lowerBound + next - offset]
      files[file].waiting.append(.piece(offset: start, bytes: piece))
      start = next
    }
    note()
    return range.count
  }

  package func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int {
    let end = files[try self.file(file)].current.count
    return try write(file, at: UInt64(end), from: bytes, bytes.indices)
  }

  package func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError) {
    let file = try self.file(file)
    files[file].current = Self.resized(files[file].current, to: Int(byteCount))
    files[file].changes += 1
    files[file].waiting.append(.resize(Int(byteCount)))
    note()
  }

  package func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError) {}

  package func clone(_ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64) -> Bool
  {
    false
  }

  package func synchronize(_ file: FileDescriptor) throws(SystemError) {
    let file = try self.file(file)
    do { try visitAll() } catch { throw SystemError("look", .inputOutput) }
    files[file].durable = files[file].current
    files[file].waiting = []
    note()
  }

  package func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
    guard case .folder(let folder)? = descriptors[folder.rawValue] else { throw SystemError("sync", .badDescriptor) }
    for change in waitingNames where change.folder == folder { Self.apply(change, to: &durableNames) }
    waitingNames.removeAll { $0.folder == folder }
    note()
  }

  package func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome {
    .taken
  }

  package func canLink(_ file: FileDescriptor) -> Bool { hasUnnamedFiles }

  package func link(_ file: FileDescriptor, to path: String) throws(SystemError) {
    guard entry(path) == nil else { throw SystemError("link", .exists) }
    change(.set(try place(path), .file(try self.file(file))))
  }

  package func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String] {
    names[try self.folder(folder)].keys.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.sorted()
  }

  package func rename(_ path: String, replacing target: String) throws(SystemError) {
    guard entry(path) != nil else { throw SystemError("rename", .notFound) }
    change(.rename(try place(path), try place(target)))
  }

  package func rename(_ path: String, toUnused target: String) throws(SystemError) {
    guard entry(target) == nil else { throw SystemError("rename", .exists) }
    try rename(path, replacing: target)
  }

  package func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool {
    guard exchanges else { return false }
    guard entry(path) != nil, entry(other) != nil else { throw SystemError("exchange", .notFound) }
    change(.exchange(try place(path), try place(other)))
    return true
  }

  package func remove(_ path: String) throws(SystemError) {
    guard case .file? = entry(path) else { throw SystemError("remove", .notFound) }
    change(.remove(try place(path)))
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    guard entry(path) == nil else { throw SystemError("make the folder", .exists) }
    change(.set(try place(path), .folder(names.count)))
  }

  package func removeFolder(_ path: String) throws(SystemError) {
    guard names[try folder(path)].isEmpty else { throw SystemError("remove the folder", .notEmpty) }
    change(.remove(try place(path)))
  }

  package func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError) {}

  package func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) {
    files[try self.file(file)].mode = mode
  }

  package func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]] {
    []
  }

  package func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8] {
    []
  }

  package func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError) {}
}

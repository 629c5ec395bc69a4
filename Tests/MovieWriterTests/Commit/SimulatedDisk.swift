@testable import MovieBox
import MovieWriter

/// A disk in memory that may crash at any moment.
///
/// Writes and resizes are pending until the next sync of their file, names until the next sync of the folder. After every
/// call that changes something, all states after a crash are recorded: every subset of the pending sectors, at every
/// possible size of the file, with every prefix of the pending names (file systems keep these in order). With more than
/// ``exhaustiveCount`` pending sectors, only some of the subsets are examined.
final class SimulatedDisk: FileSystem, @unchecked Sendable {
  typealias Image = [String: [UInt8]]

  /// The order in which a growing file's size and data reach the disk.
  enum Growth {
    /// The size follows the data (ext4's ordered mode, XFS, btrfs, APFS), so unwritten bytes are absent.
    case afterData
    /// The size may come first, so unwritten sectors read as zeros.
    case beforeData
  }

  private enum Change {
    case piece(offset: Int, bytes: ArraySlice<UInt8>)
    case resize(Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var current: [UInt8] = []
    var waiting: [Change] = []
    var changes: Int64 = 0
    var mode: UInt32 = 0o644
  }

  private enum NameChange {
    case set(String, file: Int)
    case remove(String)
    case rename(String, String)
  }

  /// The maximum number of pending sectors of which every subset is examined. Debug builds compare bytes slowly.
  #if DEBUG
    private static let exhaustiveCount = 7
  #else
    private static let exhaustiveCount = 10
  #endif

  private let growth: Growth
  /// The size of an atomic write: a sector, or more for large files.
  private let sector: Int
  /// A closure that receives each state after a crash, if the file is too large to store them in ``images``. It is called
  /// before each sync of a file, when most is pending, and by ``visitAll()``.
  private let visit: ((Image) throws -> Void)?
  /// Whether files can be created without a name.
  private let hasUnnamedFiles: Bool
  private var files: [File] = []
  private var durableNames: [String: Int] = [:]
  private var names: [String: Int] = [:]
  private var waitingNames: [NameChange] = []
  private var descriptors: [Int32: Int] = [:]
  private var nextDescriptor: Int32 = 100

  /// All states after a machine crash at any moment so far, without duplicates.
  private(set) var images: [Image] = []
  /// The elements of ``images`` for fast comparison: debug builds compare arrays byte by byte, but not ``Bytes``.
  private var seen: Set<[String: Bytes]> = []
  /// The states after a crash of the process, one for each call so far.
  private(set) var steps: [Image] = []

  init(
    _ contents: Image = [:], growth: Growth = .afterData, hasUnnamedFiles: Bool = true, sector: Int = 512,
    visit: ((Image) throws -> Void)? = nil
  ) {
    self.growth = growth
    self.sector = sector
    self.visit = visit
    self.hasUnnamedFiles = hasUnnamedFiles
    for (name, bytes) in contents {
      names[name] = files.count
      files.append(File(durable: bytes, current: bytes))
    }
    durableNames = names
    note()
  }

  /// The state that a running program sees.
  var current: Image { names.mapValues { files[$0].current } }

  // MARK: - States after a crash

  /// Passes all states after a machine crash at this moment to the closure.
  func visitAll() throws {
    guard let visit else { return }
    for file in files.indices {
      for (name, _) in names where names[name] == file {
        try forEachLeftover(of: files[file]) { try visit([name: $0]) }
      }
    }
  }

  private func note() {
    if visit != nil { return }
    steps.append(current)
    var table = durableNames
    noteContents(table)
    for change in waitingNames {
      Self.apply(change, to: &table)
      noteContents(table)
    }
  }

  private func noteContents(_ table: [String: Int]) {
    var partial: [Image] = [[:]]
    for (name, file) in table {
      let variants = leftovers(of: files[file])
      partial = partial.flatMap { image in variants.map { image.merging([name: $0]) { $1 } } }
    }
    for image in partial where seen.insert(image.mapValues { Bytes($0) }).inserted { images.append(image) }
  }

  private func leftovers(of file: File) -> [[UInt8]] {
    var found: Set<Bytes> = []
    forEachLeftover(of: file) { found.insert(Bytes($0)) }
    return found.map(\.array)
  }

  private func forEachLeftover(of file: File, _ body: ([UInt8]) throws -> Void) rethrows {
    var sizes: Set<Int> = [file.durable.count]
    var size = file.durable.count
    for change in file.waiting {
      switch change {
      case .resize(let byteCount): size = byteCount
      case .piece(let offset, let bytes): size = max(size, offset + bytes.count)
      }
      sizes.insert(size)
    }
    if file.waiting.count > Self.exhaustiveCount { sizes = [file.durable.count, size] }
    for isKept in Self.subsets(of: file.waiting.count) {
      var bytes = file.durable
      var firstLost = Int.max
      for (index, change) in file.waiting.enumerated() {
        switch change {
        case .resize(let byteCount):
          if isKept[index] { bytes = Self.resized(bytes, to: byteCount) }
        case .piece(let offset, let piece):
          if isKept[index] {
            if bytes.count < offset + piece.count { bytes = Self.resized(bytes, to: offset + piece.count) }
            bytes.replaceSubrange(offset..<offset + piece.count, with: piece)
          } else if offset + piece.count > file.durable.count {
            firstLost = min(firstLost, max(offset, file.durable.count))
          }
        }
      }
      switch growth {
      case .afterData: try body(Array(bytes.prefix(firstLost)))
      case .beforeData:
        try body(bytes)
        for size in sizes where size != bytes.count { try body(Self.resized(bytes, to: size)) }
      }
    }
  }

  /// Returns subsets of pending changes: all of them if they are few. Otherwise none, all, prefixes, suffixes, single
  /// changes, all but single changes, and random subsets with a fixed seed.
  private static func subsets(of count: Int) -> [[Bool]] {
    if count <= exhaustiveCount {
      return (0..<1 << count).map { subset in (0..<count).map { subset >> $0 & 1 == 1 } }
    }
    var subsets: [[Bool]] = []
    for bound in 0...count {
      subsets.append((0..<count).map { $0 < bound })
      subsets.append((0..<count).map { $0 >= bound })
      subsets.append((0..<count).map { $0 == bound })
      subsets.append((0..<count).map { $0 != bound })
    }
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    for _ in 0..<64 {
      subsets.append(
        (0..<count).map { _ in
          // Knuth's MMIX generator. Only its upper bits are good.
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return state >> 63 == 1
        })
    }
    return subsets
  }

  private static func resized(_ bytes: [UInt8], to count: Int) -> [UInt8] {
    Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
  }

  private static func apply(_ change: NameChange, to table: inout [String: Int]) {
    switch change {
    case .set(let name, let file): table[name] = file
    case .remove(let name): table[name] = nil
    case .rename(let old, let new): table[new] = table.removeValue(forKey: old)
    }
  }

  private func change(_ change: NameChange) {
    Self.apply(change, to: &names)
    waitingNames.append(change)
    note()
  }

  // MARK: - FileSystem

  private func file(_ descriptor: FileDescriptor) throws(SystemError) -> Int {
    guard let file = descriptors[descriptor.rawValue] else { throw SystemError("use", .badDescriptor) }
    return file
  }

  func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor {
    nextDescriptor += 1
    switch access {
    case .unnamed(let mode):
      guard hasUnnamedFiles else { throw SystemError("create", .unsupported) }
      descriptors[nextDescriptor] = files.count
      files.append(File(mode: mode))
    case .folder: descriptors[nextDescriptor] = -1
    case .reading, .waiting, .updating:
      guard let file = names[path] else { throw SystemError("open", .notFound) }
      descriptors[nextDescriptor] = file
    case .creating(let mode):
      guard names[path] == nil else { throw SystemError("create", .exists) }
      descriptors[nextDescriptor] = files.count
      files.append(File(mode: mode))
      change(.set(path, file: files.count - 1))
    }
    return FileDescriptor(rawValue: nextDescriptor)
  }

  func close(_ file: FileDescriptor) throws(SystemError) {
    guard descriptors.removeValue(forKey: file.rawValue) != nil else { throw SystemError("close", .badDescriptor) }
  }

  private func status(_ file: Int) -> FileStatus {
    FileStatus(
      kind: .ordinary, byteCount: UInt64(files[file].current.count), mode: files[file].mode, inode: UInt64(file),
      modificationSeconds: files[file].changes, modificationNanoseconds: 0)
  }

  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    status(try self.file(file))
  }

  func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus? {
    names[path].map(status)
  }

  func volume(of path: String) throws(SystemError) -> VolumeStatus {
    VolumeStatus(freeByteCount: 1 << 20, blockSize: 4096)
  }

  func resolve(_ path: String) throws(SystemError) -> String {
    path
  }

  func read(
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

  func write(
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

  func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int {
    let end = files[try self.file(file)].current.count
    return try write(file, at: UInt64(end), from: bytes, bytes.indices)
  }

  func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError) {
    let file = try self.file(file)
    files[file].current = Self.resized(files[file].current, to: Int(byteCount))
    files[file].changes += 1
    files[file].waiting.append(.resize(Int(byteCount)))
    note()
  }

  func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError) {}

  func clone(_ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64) -> Bool {
    false
  }

  func synchronize(_ file: FileDescriptor) throws(SystemError) {
    let file = try self.file(file)
    do { try visitAll() } catch { throw SystemError("look", .inputOutput) }
    files[file].durable = files[file].current
    files[file].waiting = []
    note()
  }

  func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
    durableNames = names
    waitingNames = []
    note()
  }

  func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome {
    .taken
  }

  func mayLink(_ file: FileDescriptor) -> Bool { hasUnnamedFiles }

  func link(_ file: FileDescriptor, to path: String) throws(SystemError) {
    guard names[path] == nil else { throw SystemError("link", .exists) }
    change(.set(path, file: try self.file(file)))
  }

  func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String] {
    names.keys.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
  }

  func rename(_ path: String, replacing target: String) throws(SystemError) {
    guard names[path] != nil else { throw SystemError("rename", .notFound) }
    change(.rename(path, target))
  }

  func rename(_ path: String, toUnused target: String) throws(SystemError) {
    guard names[target] == nil else { throw SystemError("rename", .exists) }
    try rename(path, replacing: target)
  }

  func remove(_ path: String) throws(SystemError) {
    guard names[path] != nil else { throw SystemError("remove", .notFound) }
    change(.remove(path))
  }

  func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError) {}

  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) {
    files[try self.file(file)].mode = mode
  }

  func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]] {
    []
  }

  func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8] {
    []
  }

  func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError) {}
}

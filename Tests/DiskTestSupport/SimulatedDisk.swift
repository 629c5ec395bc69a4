import MovieBox
import MovieWriter

/// A disk in memory that may die at any moment.
///
/// Writes and resizes wait until the next sync of their file, names until the next sync of their folder. After every
/// call that changes something, all that a dying machine may leave is noted: every subset of the waiting sectors, at
/// every size that the file may have by then, and every prefix of the waiting names (file systems keep those in
/// order). Where more than ``exhaustiveCount`` sectors wait, a choice of the subsets is looked at.
package final class SimulatedDisk: @unchecked Sendable {
  /// The bytes of each file by its path. A folder has a path with a slash at its end, and no bytes.
  package typealias Image = [String: [UInt8]]

  /// How a file grows on the disk.
  package enum Growth {
    /// The size follows the data (ext4's ordered mode, XFS, btrfs, APFS): bytes that were not written are not there.
    case afterData
    /// The size may come first: unwritten sectors contain zeros.
    case beforeData
  }

  enum Change {
    case piece(offset: Int, bytes: ArraySlice<UInt8>)
    case resize(Int)
  }

  struct File {
    var durable: [UInt8] = []
    var current: [UInt8] = []
    var waiting: [Change] = []
    var changes: Int64 = 0
    var mode: UInt32 = 0o644
  }

  /// The object that a name refers to.
  enum Entry {
    case file(Int)
    case folder(Int)
  }

  /// The entries of each folder by their names. The first folder contains all others.
  typealias Names = [[String: Entry]]

  /// A name in a folder.
  struct Place {
    let folder: Int
    let name: String
  }

  enum NameChange {
    case set(Place, Entry)
    case remove(Place)
    case rename(Place, Place)
    case exchange(Place, Place)

    /// The highest number of a folder that the change is about.
    var lastFolder: Int {
      switch self {
      case .set(let place, .folder(let folder)): max(place.folder, folder)
      case .set(let place, .file), .remove(let place): place.folder
      case .rename(let one, let other), .exchange(let one, let other): max(one.folder, other.folder)
      }
    }

    /// The folder whose sync makes the change last.
    var folder: Int {
      switch self {
      case .set(let place, _), .remove(let place), .rename(_, let place), .exchange(_, let place): place.folder
      }
    }
  }

  /// The most waiting sectors of which every subset is looked at. Debug builds compare bytes slowly.
  #if DEBUG
    private static let exhaustiveCount = 7
  #else
    private static let exhaustiveCount = 10
  #endif

  private let growth: Growth
  /// How much of a write is on the disk as a whole: a sector, or more where a file is large.
  let sector: Int
  /// Sees what the machine's death may leave instead of ``images``, where a file is too large to keep them all. It is
  /// looked for before each sync of a file, when the most is waiting, and by ``visitAll()``.
  private let visit: ((Image) throws -> Void)?
  /// Whether files may be made without a name.
  let hasUnnamedFiles: Bool
  /// Whether two names can be exchanged in one step.
  let exchanges: Bool
  var files: [File] = []
  var durableNames: Names = [[:]]
  var names: Names = [[:]]
  var waitingNames: [NameChange] = []
  var descriptors: [Int32: Entry] = [:]
  var nextDescriptor: Int32 = 100

  /// What the machine's death may leave, at any moment so far; nothing twice.
  package private(set) var images: [Image] = []
  /// The same: an array is compared byte by byte in debug builds, ``Bytes`` are at once.
  private var seen: Set<[String: Bytes]> = []
  /// What the process's death leaves, after each call so far.
  package private(set) var steps: [Image] = []

  package init(
    _ contents: Image = [:], growth: Growth = .afterData, hasUnnamedFiles: Bool = true, exchanges: Bool = true,
    sector: Int = 512, visit: ((Image) throws -> Void)? = nil
  ) {
    self.growth = growth
    self.sector = sector
    self.visit = visit
    self.hasUnnamedFiles = hasUnnamedFiles
    self.exchanges = exchanges
    for (path, bytes) in contents {
      var folder = 0
      let parts = path.split(separator: "/").map(String.init)
      for part in path.hasSuffix("/") ? parts[...] : parts.dropLast() {
        if case .folder(let known)? = names[folder][part] {
          folder = known
          continue
        }
        names[folder][part] = .folder(names.count)
        folder = names.count
        names.append([:])
      }
      guard !path.hasSuffix("/"), let name = parts.last else { continue }
      names[folder][name] = .file(files.count)
      files.append(File(durable: bytes, current: bytes))
    }
    durableNames = names
    note()
  }

  /// What a running program sees.
  package var current: Image { Self.paths(in: names).mapValues { $0.map { files[$0].current } ?? [] } }

  /// The files by their paths, and `nil` for folders.
  private static func paths(in names: Names) -> [String: Int?] {
    var found: [String: Int?] = [:]
    var waiting = [(folder: 0, path: "")]
    while let (folder, path) = waiting.popLast() {
      for (name, entry) in names[folder] {
        switch entry {
        case .file(let file): found[path + name] = .some(file)
        case .folder(let inner):
          found[path + name + "/"] = .some(nil)
          waiting.append((inner, path + name + "/"))
        }
      }
    }
    return found
  }

  // MARK: - What a crash leaves

  /// Shows what the machine's death may leave now.
  package func visitAll() throws {
    guard let visit else { return }
    for case (let path, let file?) in Self.paths(in: names) {
      try forEachLeftover(of: files[file]) { try visit([path: $0]) }
    }
  }

  func note() {
    if visit != nil { return }
    steps.append(current)
    var table = durableNames
    noteContents(table)
    for change in waitingNames {
      Self.apply(change, to: &table)
      noteContents(table)
    }
  }

  private func noteContents(_ table: Names) {
    var partial: [Image] = [[:]]
    for (path, file) in Self.paths(in: table) {
      let variants = file.map { leftovers(of: files[$0]) } ?? [[]]
      for index in partial.indices { partial[index][path] = variants[0] }
      guard variants.count > 1 else { continue }
      partial += variants.dropFirst().flatMap { variant in
        partial.map { image in
          var image = image
          image[path] = variant
          return image
        }
      }
    }
    for image in partial where seen.insert(image.mapValues { Bytes($0) }).inserted { images.append(image) }
  }

  private func leftovers(of file: File) -> [[UInt8]] {
    if file.waiting.isEmpty { return [file.durable] }
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

  /// Which of the waiting changes reached the disk: every combination where they are few. Else none or all, all up to
  /// one or from one on, one alone or missing, and combinations out of a generator with a fixed seed.
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
          // Knuth's MMIX generator; only its upper bits are good.
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return state >> 63 == 1
        })
    }
    return subsets
  }

  static func resized(_ bytes: [UInt8], to count: Int) -> [UInt8] {
    Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
  }

  static func apply(_ change: NameChange, to names: inout Names) {
    // A folder may be synced before the folder that contains it.
    while names.count <= change.lastFolder { names.append([:]) }
    switch change {
    case .set(let place, let entry): names[place.folder][place.name] = entry
    case .remove(let place): names[place.folder][place.name] = nil
    case .exchange(let one, let other):
      let entry = names[one.folder][one.name]
      names[one.folder][one.name] = names[other.folder][other.name]
      names[other.folder][other.name] = entry
    case .rename(let old, let new): names[new.folder][new.name] = names[old.folder].removeValue(forKey: old.name)
    }
  }

  func change(_ change: NameChange) {
    Self.apply(change, to: &names)
    waitingNames.append(change)
    note()
  }
}

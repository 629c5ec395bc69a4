import DiskTestSupport
import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

@testable import MovieStreaming

/// Whatever fails or dies and whenever, a folder has a whole presentation or none, and the next run clears up.
struct PresentationCrashTests {
  static let list = "out/main.m3u8"
  static let small = StreamOptions(segmentMilliseconds: 500)

  /// The files of a presentation in `out`, with the folders.
  private static func image(_ streamed: Streamed) throws -> SimulatedDisk.Image {
    var image: SimulatedDisk.Image = ["out/": []]
    for file in streamed.plan.files {
      image["out/" + file.path] = try streamed.bytes(file.path)
      if let slash = file.path.lastIndex(of: "/") { image["out/" + file.path[...slash]] = [] }
    }
    return image
  }

  /// A short movie, and a copy with less sound and other pictures.
  private static func movies() throws -> (old: Streamed, new: Streamed) {
    let other = StreamableMovie.short.with { movie in
      movie.tracks.removeLast()
      movie.tracks[0].samples = movie.tracks[0].samples.map { sample in
        var sample = sample
        sample.byteCount += 4
        return sample
      }
    }
    return (try Streamed(StreamableMovie.short, small), try Streamed(other, small))
  }

  /// Whether all files of a presentation are in an image.
  private static func has(_ image: SimulatedDisk.Image, _ files: SimulatedDisk.Image) -> Bool {
    files.allSatisfy { image[$0.key] == $0.value }
  }

  private static func isWholeOrUnmade(_ image: SimulatedDisk.Image, _ all: [SimulatedDisk.Image]) -> Bool {
    image[list] == nil || all.contains { has(image, $0) }
  }

  private static func leftovers(_ image: SimulatedDisk.Image) -> [String] {
    image.keys.filter { $0.contains(".movtool") }
  }

  /// Writes a presentation on a disk as a killed process left it; returns what is there then.
  private static func write(
    _ streamed: Streamed, after image: SimulatedDisk.Image, existing: StreamPlan.ExistingFolder = .replace
  ) throws -> SimulatedDisk.Image {
    let disk = SimulatedDisk(image, visit: { _ in })
    try streamed.plan.write(to: "out", from: streamed.source, existing: existing, on: disk)
    return disk.current
  }

  @Test func newPresentationIsCompleteOrAbsentWhenTheProcessDies() throws {
    let new = try Self.movies().new
    let disk = SimulatedDisk()
    try new.plan.write(to: "out", from: new.source, on: disk)
    let whole = try Self.image(new)
    #expect(disk.current == whole)
    #expect(disk.steps.count > 20)
    for step in disk.steps {
      #expect(Self.isWholeOrUnmade(step, [whole]))
      guard step[Self.list] == nil else { continue }
      #expect(try Self.write(new, after: step) == whole)
    }
  }

  @Test(arguments: [SimulatedDisk.Growth.afterData, .beforeData], [true, false])
  func syncedPresentationIsCompleteOrAbsentAfterEveryCrash(_ growth: SimulatedDisk.Growth, replaces: Bool) throws {
    let (old, new) = try Self.movies()
    let (before, after) = (try Self.image(old), try Self.image(new))
    let disk = SimulatedDisk(replaces ? before : [:], growth: growth)
    try new.plan.write(
      to: "out", from: new.source, existing: replaces ? .replace : .keep, synchronizes: true, on: disk)
    #expect(Self.has(disk.current, after))
    #expect(disk.images.count > 20)
    var lists: Set<[UInt8]?> = []
    for image in disk.images {
      lists.insert(image[Self.list])
      #expect(Self.isWholeOrUnmade(image, replaces ? [before, after] : [after]), "\(Self.leftovers(image))")
    }
    #expect(lists == (replaces ? [nil, before[Self.list], after[Self.list]] : [nil, after[Self.list]]))
  }

  @Test(arguments: [true, false])
  func replacedPresentationIsOldNewOrAbsentWhenTheProcessDies(exchanges: Bool) throws {
    let (old, new) = try Self.movies()
    let (before, after) = (try Self.image(old), try Self.image(new))
    let disk = SimulatedDisk(before, exchanges: exchanges)
    try new.plan.write(to: "out", from: new.source, existing: .replace, on: disk)
    var unmade = 0
    for step in disk.steps {
      #expect(Self.isWholeOrUnmade(step, [before, after]))
      // The next run clears up what it finds.
      let next = try Self.write(new, after: step)
      #expect(Self.has(next, after) && Self.leftovers(next).isEmpty)
      // If the playlist is missing, opening the folder restores the old presentation.
      guard step[Self.list] == nil else { continue }
      unmade += 1
      let left = SimulatedDisk(step, visit: { _ in })
      _ = try PresentationFolder("out", on: left)
      #expect(Self.has(left.current, before))
    }
    #expect(unmade > 0)
  }

  /// Each call that changes the disk is refused in turn.
  @Test(arguments: [true, false], [true, false])
  func refusedCallKeepsThePresentation(replaces: Bool, exchanges: Bool) throws {
    let (old, new) = try Self.movies()
    let (before, after) = (replaces ? try Self.image(old) : [:], try Self.image(new))
    for call in 1... {
      let disk = SimulatedDisk(before, exchanges: exchanges)
      let faulty = FaultyFileSystem(disk, refusing: call)
      do {
        try new.plan.write(
          to: "out", from: new.source, existing: replaces ? .replace : .keep, synchronizes: true, on: faulty)
        #expect(Self.has(disk.current, after), "\(faulty.refusedCall)")
      } catch let error as FileError {
        let image = disk.current
        if image[Self.list] == after[Self.list] {
          // The new presentation is whole, and the rest of the old one is named.
          #expect(Self.has(image, after), "\(call) \(faulty.refusedCall)")
          #expect(error.reason.contains("remains") || error.reason.contains("may not survive"), "\(error)")
        } else {
          let isNamed = error.reason.contains("left") || error.path.contains(".movtool")
          #expect(image == before || isNamed, "\(call) \(faulty.refusedCall): \(error)")
          #expect(Self.isWholeOrUnmade(image, [before]), "\(call) \(faulty.refusedCall)")
        }
      }
      for image in disk.images where image[Self.list] != nil {
        #expect(Self.has(image, before) || Self.has(image, after), "\(call) \(faulty.refusedCall)")
      }
      if !faulty.hasRefused { break }
    }
  }

  /// A full disk refuses the first call that needs space.
  @Test func fullDiskKeepsThePresentation() throws {
    let (old, new) = try Self.movies()
    let before = try Self.image(old)
    for name in ["write", "make folder", "link"] {
      let disk = SimulatedDisk(before)
      let faulty = FaultyFileSystem(disk, always: name, with: .noSpace)
      #expect(throws: FileError.self, "\(name)") {
        try new.plan.write(to: "out", from: new.source, existing: .replace, on: faulty)
      }
      #expect(disk.current == before, "\(name)")
    }
  }

  // MARK: - Subtitles

  private static func french(_ text: String) -> SubtitleFile {
    SubtitleFile(cues: [Cue(startMilliseconds: 100, endMilliseconds: 300, text: StyledText(text))], notices: [])
  }

  private static func add(_ text: String, replacing: Bool, on disk: any FileSystem) throws {
    let folder = try PresentationFolder("out", on: disk)
    let language = try #require(LanguageTag("fr"))
    let existing = folder.existingSubtitles(language: language, name: "Français", characteristics: [], isForced: false)
    let addition = try folder.addition(
      of: french(text), name: "Français", language: language, characteristics: [], isForced: false,
      replacing: replacing ? existing : [])
    let left = try folder.write(addition)
    #expect(left.isEmpty)
  }

  /// A presentation, and a copy with French subtitles.
  private static func withSubtitles(_ text: String) throws -> (without: SimulatedDisk.Image, with: SimulatedDisk.Image)
  {
    let without = try image(try movies().old)
    let disk = SimulatedDisk(without)
    try add(text, replacing: false, on: disk)
    #expect(disk.current.count > without.count)
    return (without, disk.current)
  }

  @Test func addedSubtitlesAreCompleteOrUnlistedWhenTheProcessDies() throws {
    let (without, with) = try Self.withSubtitles("Bonjour")
    let disk = SimulatedDisk(without)
    try Self.add("Bonjour", replacing: false, on: disk)
    for step in disk.steps {
      #expect(Self.has(step, step[Self.list] == without[Self.list] ? without : with))
      guard step[Self.list] == without[Self.list] else { continue }
      let next = SimulatedDisk(step, visit: { _ in })
      try Self.add("Bonjour", replacing: false, on: next)
      #expect(Self.leftovers(next.current).isEmpty && next.current[Self.list] != nil)
    }
  }

  @Test func replacedSubtitlesAreAlwaysOldOrNew() throws {
    let (before, after) = (try Self.withSubtitles("Bonjour").with, try Self.withSubtitles("Bonsoir").with)
    let disk = SimulatedDisk(before)
    try Self.add("Bonsoir", replacing: true, on: disk)
    #expect(disk.current == after)
    // Both presentations have equal playlists, and their subtitle folders have the same name.
    #expect(before[Self.list] == after[Self.list] && before != after)
    for step in disk.steps { #expect(Self.has(step, before) || Self.has(step, after)) }
    // Where names cannot be exchanged, the subtitles are missing for a moment; the next run puts them back.
    let other = SimulatedDisk(before, exchanges: false)
    try Self.add("Bonsoir", replacing: true, on: other)
    #expect(other.current == after)
    for step in other.steps {
      let left = SimulatedDisk(step, visit: { _ in })
      _ = try PresentationFolder("out", on: left)
      #expect(Self.has(left.current, before) || Self.has(left.current, after))
    }
  }

  @Test(arguments: [true, false])
  func refusedCallKeepsSubtitles(replaces: Bool) throws {
    let (without, with) = try Self.withSubtitles("Bonjour")
    let before = replaces ? with : without
    let after = replaces ? try Self.withSubtitles("Bonsoir").with : with
    for call in 1... {
      let disk = SimulatedDisk(before)
      let faulty = FaultyFileSystem(disk, refusing: call)
      do {
        try Self.add(replaces ? "Bonsoir" : "Bonjour", replacing: replaces, on: faulty)
      } catch let error as FileError {
        let image = disk.current
        let isNamed =
          ["left", "may not survive"].contains { error.reason.contains($0) } || error.path.contains(".movtool")
        #expect(image == before || isNamed, "\(call) \(faulty.refusedCall): \(error)")
      }
      let image = disk.current
      // A list that cannot be read may name files of the old folder, which then stays beside a new one.
      let isBeside =
        image["out/subtitles-fr-2/playlist.m3u8"] != nil && Self.has(image, before.filter { $0.key != Self.list })
      #expect(Self.has(image, before) || Self.has(image, after) || isBeside, "\(call) \(faulty.refusedCall)")
      if !faulty.hasRefused { break }
    }
  }

  @Test func removedSubtitlesAreUnlistedBeforeTheirFilesAreDeleted() throws {
    let (without, with) = try Self.withSubtitles("Bonjour")
    /// Whether subtitle files remain, as the answer reports.
    func remove(on disk: any FileSystem) throws -> Bool {
      let folder = try PresentationFolder("out", on: disk)
      let french = try #require(folder.subtitles.first { $0.language == LanguageTag("fr") })
      let removal = folder.removal(of: french)
      return try folder.remove(removal) != nil || !removal.removesFiles
    }
    let disk = SimulatedDisk(with)
    #expect(try !remove(on: disk))
    #expect(disk.current == without)
    for image in disk.images + disk.steps {
      #expect(Self.has(image, image[Self.list] == with[Self.list] ? with : without))
    }
    for call in 1... {
      let disk = SimulatedDisk(with)
      let faulty = FaultyFileSystem(disk, refusing: call)
      do {
        let leavesFiles = try remove(on: faulty)
        let isClean = disk.current == without
        #expect(isClean || leavesFiles, "\(call) \(faulty.refusedCall)")
      } catch {
        #expect(error is FileError, "\(call) \(faulty.refusedCall): \(error)")
        let isWhole = Self.has(disk.current, with) || Self.has(disk.current, without)
        #expect(isWhole, "\(call) \(faulty.refusedCall)")
      }
      for image in disk.images {
        #expect(Self.has(image, image[Self.list] == with[Self.list] ? with : without), "\(call)")
      }
      if !faulty.hasRefused { break }
    }
  }

  // MARK: - Pages

  private static func writePage(on disk: any FileSystem) throws {
    let streamed = try movies().new
    var folder = PageFolder("out", replaces: false, on: disk)
    do {
      try folder.prepare(for: ["film.mp4"], ["film"])
      try folder.copy(streamed.source, streamed.source.identity(), as: "film.mp4") { _ in }
      try folder.write(streamed.plan, from: streamed.source, as: "film") { _ in }
      try folder.write(page: [UInt8]("<!doctype html>".utf8))
    } catch {
      throw folder.rollBack(after: error)
    }
  }

  @Test func pageExistsWithAllItsFilesOrNotAtAll() throws {
    let disk = SimulatedDisk()
    try Self.writePage(on: disk)
    let whole = disk.current
    #expect(whole["out/index.html"] != nil && whole["out/film.mp4"] != nil && whole["out/film/main.m3u8"] != nil)
    for step in disk.steps where step["out/index.html"] != nil { #expect(step == whole) }
    for call in 1... {
      let disk = SimulatedDisk()
      let faulty = FaultyFileSystem(disk, refusing: call)
      do {
        try Self.writePage(on: faulty)
        #expect(disk.current == whole, "\(call) \(faulty.refusedCall)")
      } catch let error as FileError {
        #expect(disk.current.isEmpty || error.reason.contains("left"), "\(call) \(faulty.refusedCall): \(error)")
      }
      if !faulty.hasRefused { break }
    }
  }
}

import MovieBox
import MovieStreaming
import MovieWriter

/// The folder of `html -o FOLDER`. Besides the page, it contains copies of the movies and their HLS presentations.
struct HTMLFolder {
  /// A movie of the page.
  struct Entry {
    /// The name of the movie in the folder.
    let name: String
    /// Whether the movie is already in the folder. Otherwise, it is copied.
    let isInFolder: Bool
    /// The name of the presentation's folder.
    let presentation: String
    /// The presentation's plan, or `nil` if the movie cannot be streamed.
    fileprivate(set) var plan: StreamPlan?

    /// The path of the multivariant playlist relative to the folder, or `nil` if the movie cannot be streamed.
    var playlist: String? { plan.map { presentation + "/" + $0.entryPath } }
  }

  let path: String
  private(set) var entries: [Entry] = []

  /// Chooses distinct names for the movies and presentations. The names differ in more than case, because some file
  /// systems ignore case.
  init(_ path: String, for inputs: [PageInputs.Input], in context: Context) {
    self.path = path
    let isInFolder = inputs.map { context.isSameFile($0.path, path + "/" + Self.name(of: $0.path)) }
    var usedNames = Set([PageFolder.pageName])
    for (input, isInFolder) in zip(inputs, isInFolder) where isInFolder {
      usedNames.insert(Self.name(of: input.path).lowercased())
    }
    func free(_ name: String) -> String {
      var (free, number) = (name, 2)
      while !usedNames.insert(free.lowercased()).inserted {
        let stem = FilePath(name).stem
        free = "\(stem)-\(number)\(name.dropFirst(stem.count))"
        number += 1
      }
      return free
    }
    for (input, isInFolder) in zip(inputs, isInFolder) {
      let name = Self.name(of: input.path)
      entries.append(
        Entry(
          name: isInFolder ? name : free(name), isInFolder: isInFolder, presentation: free(FilePath(name).stem + "-hls")
        ))
    }
  }

  private static func name(of path: String) -> String { String(FilePath(path).name) }

  /// Plans the presentations, and adds their URLs to the movies of the page. For each movie, returns the reason why it
  /// cannot be streamed, or `nil` if it can be streamed.
  mutating func planStreams(
    of inputs: [PageInputs.Input], for movies: inout [PageMovie], in context: Context
  ) throws -> [MovieError?] {
    var obstacles: [MovieError?] = []
    for (index, input) in inputs.enumerated() {
      try context.checkStop()
      do {
        entries[index].plan = try movies[index].planStream(
          of: input.movie, from: input.source, StreamOptions(limits: context.limits.stream),
          limits: context.limits.subtitles, at: entries[index].presentation + "/")
        obstacles.append(nil)
      } catch let error as MovieError where error.code != .sourceChanged {
        obstacles.append(error)  // Browsers that support its formats play the file itself.
      } catch {
        throw ToolError(error, about: input.path)
      }
    }
    return obstacles
  }

  /// Returns the number of bytes of the copied movies and the presentations.
  func byteCount(of inputs: [PageInputs.Input]) -> UInt64 {
    zip(entries, inputs).reduce(0) { sum, pair in
      let (entry, input) = pair
      let copied = entry.isInFolder ? 0 : input.movie.layout.identity.byteCount
      return sum.addingClamped(copied).addingClamped(entry.plan?.byteCount ?? 0)
    }
  }

  /// Writes all files. The page is written last. After a failure or an interruption, new files are removed.
  func write(
    _ html: [UInt8], of inputs: [PageInputs.Input], replaces: Bool, _ mode: Progress.Mode, in context: Context
  ) throws {
    let progress = Progress(mode, in: context)
    defer { progress.finish() }
    context.deferStops(true)
    defer { context.deferStops(false) }
    var folder = PageFolder(path, replaces: replaces)
    do {
      try folder.prepare(
        for: entries.filter { !$0.isInFolder }.map(\.name), entries.filter { $0.plan != nil }.map(\.presentation))
      let total = byteCount(of: inputs)
      var done: UInt64 = 0
      for (entry, input) in zip(entries, inputs) {
        let before = done
        func report(_ count: UInt64) throws {
          try context.checkStop()
          done = before.addingClamped(count)
          progress.update(done, of: total)
        }
        let identity = input.movie.layout.identity
        if !entry.isInFolder { try folder.copy(input.source, identity, as: entry.name, progress: report) }
        let copied = done
        guard let plan = entry.plan else { continue }
        try folder.write(plan, from: input.source, as: entry.presentation) { try report(copied - before + $0) }
      }
      try context.checkStop()
      try folder.write(page: html)
    } catch {
      throw folder.rollBack(after: error)
    }
  }
}

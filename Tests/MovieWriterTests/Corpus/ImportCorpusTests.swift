import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Tracks of real movies in other movies, and the reverse.
struct ImportCorpusTests {
  /// An import of tracks of `other` into `path` by one strategy, which the second reader checks.
  private struct Trial {
    let name: String
    let path: String
    let other: String
    let ids: [UInt32]
    let taken: [UInt32]

    /// Imports all suitable tracks, or the first of a kind; `nil` if there are none.
    init?(
      _ path: String, _ other: String, only type: MediaType? = nil, _ strategy: EditStrategy, in folder: TemporaryFolder
    )
      throws
    {
      let target = folder.file("\(strategy.rawValue)")
      if strategy == .itself { try folder.copy(path, as: strategy.rawValue) }
      let film = try FileSource(path: strategy == .itself ? target : path)
      let from = try FileSource(path: other)
      let (movie, others) = (try Movie(of: film), try Movie(of: from))
      var edit = try MovieEdit(of: movie, from: film, keepingStart: true)
      var seen: Set<UInt32> = []
      let tracks = others.tracks.filter { track in
        let isExternal = track.dataReferences?.entries.contains { !$0.isSelfContained } ?? false
        return !isExternal && seen.insert(track.id).inserted && (type.map { $0 == track.mediaType } ?? true)
      }
      guard !tracks.isEmpty else { return nil }
      let chosen = type == nil ? tracks : Array(tracks.prefix(1))
      ids = try edit.add(chosen.map { TrackInput($0) }, of: others, from: from)
      for id in ids { try edit.addAlternative(id, asDefault: false) }
      let output: MovieFileWriter.Output =
        strategy == .itself ? .sourceFile(target) : .newFile(target, overwrites: false, synchronizes: false)
      try MovieFileWriter(
        edit, to: output, OutputLayout(isFastStart: strategy == .fastStart)
      ).write()
      taken = chosen.map(\.id)
      name = "\(URL(fileURLWithPath: other).lastPathComponent) into \(URL(fileURLWithPath: path).lastPathComponent)"
      self.path = target
      self.other = other
    }

    func check(old: SecondReader, _ strategy: EditStrategy) throws {
      let (new, others) = (try SecondReader(path: path), try SecondReader(path: other))
      let allowed = AllowedChanges().with {
        $0.addedTracks = Set(ids)
        $0.regroupedTracks = Set(old.tracks.map(\.id))
        for track in old.tracks { $0.references[track.id] = ["chap"] }
        $0.changedAtoms = ["moov/mvhd"]
        $0.movieMoved = strategy != .keptOrder
        // Edits in place may extend media data over an old movie atom.
        $0.mediaDataRearranged = strategy == .itself
        $0.flattened = old.isFragmented
      }
      let found = try differences(old: old, new: new, allowing: allowed)
      #expect(found == [], "\(name)")
      for (id, oldID) in zip(ids, taken) {
        guard let before = others.track(oldID), let after = new.track(id) else {
          Issue.record("\(name): track \(oldID) is lost")
          continue
        }
        try expectSameSamples(before, others, after, new)
      }
    }
  }

  @Test(.timeLimit(.minutes(10))) func importsAndExportsTracksOfRealMovies() throws {
    let corpus = try HeavyTests.corpus()
    let dub = TestMedia.path("spanish.mov")
    let films = [TestMedia.path("interview.mov"), TestMedia.path("interview.mp4")]
    var trials = 0
    for (index, entry) in corpus.movies.enumerated() {
      let refusal: MovieError?
      do {
        let source = try FileSource(path: entry.path)
        let movie = try Movie(of: source)
        _ = try MovieEdit(of: movie, from: source, keepingStart: true)
        // Initialization segments only support edits of metadata.
        guard !movie.isInitializationSegment else { continue }
        refusal = nil
      } catch let error as MovieError {
        refusal = error
      }
      guard refusal == nil else { continue }
      let film = films[index % films.count]
      for (strategy, path, other, type) in [
        (EditStrategy.itself, film, entry.path, nil), (.fastStart, film, entry.path, nil),
        (.keptOrder, entry.path, dub, MediaType.audio), (.itself, entry.path, dub, .audio),
      ] {
        do {
          let folder = try TemporaryFolder()
          guard let trial = try Trial(path, other, only: type, strategy, in: folder) else { continue }
          try trial.check(old: SecondReader(path: path), strategy)
          trials += 1
        } catch {
          Issue.record(error, "\(other) into \(path), \(strategy.rawValue)")
        }
      }
    }
    print("\(trials) edits took tracks from movies from the wild, or into them")
    #expect(trials > 0)
  }

  @Test(arguments: [
    ("interview.mov", "spanish.mov"), ("interview.mp4", "interview.mov"), ("spanish.mov", "interview.mp4"),
  ])
  func keepsPacketsThatFFmpegReads(_ film: String, _ other: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    func packets(_ path: String, _ stream: String) throws -> [String] {
      let result = try ffmpeg.run([
        "-nostdin", "-v", "error", "-i", path, "-map", stream, "-c", "copy", "-f", "framemd5", "-",
      ])
      #expect(result.code == 0 && result.errorText.isEmpty, "\(path): \(result.errorText)")
      // Duration, size and hash. The start of an edit may be rounded.
      return result.outputText.split(separator: "\n").filter { !$0.hasPrefix("#") }
        .map { $0.split(separator: ",").suffix(3).joined(separator: ",") }
    }
    for strategy in EditStrategy.allCases {
      let folder = try TemporaryFolder()
      let trial = try #require(
        try Trial(TestMedia.path(film), TestMedia.path(other), only: .audio, strategy, in: folder))
      let before = try packets(TestMedia.path(other), "0:a:0")
      let count = try SecondReader(path: TestMedia.path(film)).tracks.count { $0.handler == "soun" }
      #expect(before.count > 10)
      #expect(try packets(trial.path, "0:a:\(count)") == before, "\(trial.name), \(strategy.rawValue)")
    }
  }
}

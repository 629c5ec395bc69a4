import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Chapters of real movies.
@Suite struct ChapterCorpusTests {
  /// Movies for which ffprobe differs, although we are right.
  ///
  /// For `bento4-data-0004.mp4`, an enhanced podcast, ffprobe shows the texts of the links, the last track in the list,
  /// instead of the titles.
  private static let known: Set<String> = ["bento4-data-0004.mp4"]

  /// The movies with chapters, found once.
  private static let withChapters = Result {
    try Corpus.require().movies.compactMap { entry -> (name: String, path: String, list: ChapterList)? in
      let source = try FileSource(path: entry.path)
      do {
        let list = try Movie(of: source).chapters(from: source)
        return list.chapters.isEmpty ? nil : (entry.name, entry.path, list)
      } catch is MovieError {
        return nil  // Unreadable movies are covered by other tests.
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func agreesWithFFprobeOnChapters() throws {
    let ffprobe = try Witness.require("ffprobe")
    let movies = try Self.withChapters.get()
    for movie in movies {
      let result = try ffprobe.run(["-v", "error", "-of", "json", "-show_chapters", movie.path])
      let answer = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
      let theirs = try #require(answer?["chapters"] as? [[String: Any]])
      let titles = theirs.map { ($0["tags"] as? [String: String])?["title"] ?? "" }
      let starts = theirs.map { Int64((Double($0["start_time"] as? String ?? "") ?? -1) * 1000 + 0.5) }
      let own = movie.list.chapters
      let isSame = titles == own.map { $0.title() ?? "" } && starts == own.map(\.startMilliseconds)
      #expect(isSame != Self.known.contains(movie.name), "\(movie.name): \(titles) \(own)")
    }
    print("\(movies.count) movies from the wild have chapters")
    #expect(movies.count > 5)
  }

  /// mkvmerge copies the same chapters into a Matroska file, from the tracks and from the list in user data.
  @Test(.timeLimit(.minutes(5))) func agreesWithMkvmergeOnChapters() throws {
    let (mkvmerge, mkvextract) = (try Witness.require("mkvmerge"), try Witness.require("mkvextract"))
    let folder = try TemporaryFolder()
    for (number, movie) in try Self.withChapters.get().enumerated() {
      let copy = folder.file("\(number).mkv")
      let merged = try mkvmerge.run(["-q", "-o", copy, movie.path])
      #expect(merged.code < 2, "\(movie.name): \(merged.outputText)")
      let theirs = try ChapterList.read(mkvextract.run([copy, "chapters", "-"]).output)
      #expect(theirs.chapters.count == movie.list.chapters.count, "\(movie.name)")
      for (index, (other, own)) in zip(theirs.chapters, movie.list.chapters).enumerated() {
        // mkvmerge rounds down, and numbers a chapter without a title.
        #expect((0...1).contains(own.startMilliseconds - other.startMilliseconds), "\(movie.name)")
        #expect(other.title() == own.title() ?? "Chapter 0\(index + 1)", "\(movie.name)")
      }
    }
  }

  /// MediaInfo shows each form separately: first the titles, then the list in user data, or texts of links.
  @Test(.timeLimit(.minutes(5))) func agreesWithMediaInfoOnChapters() throws {
    let mediaInfo = try Witness.require("mediainfo")
    for movie in try Self.withChapters.get() {
      let own = movie.list.chapters.filter { $0.title() != nil }  // MediaInfo shows no chapter without a title.
      let lines = try mediaInfo.run([movie.path]).outputText.split(separator: "\n").filter { line in
        line.split(separator: ":").count > 3 && line.first?.isNumber ?? false
      }
      for (line, chapter) in zip(lines, own) {
        let time = try #require(Self.milliseconds(line.prefix(12)))
        #expect((0...1).contains(chapter.startMilliseconds - time), "\(movie.name): \(line)")  // It rounds down.
        #expect(line.hasSuffix(": \(chapter.title() ?? "")"), "\(movie.name): \(line)")
      }
      #expect(lines.count >= own.count, "\(movie.name): \(lines)")
    }
  }

  /// Parses a time such as `00:00:01.250`.
  private static func milliseconds(_ text: Substring) -> Int64? {
    let parts = text.split { $0 == ":" || $0 == "." }.compactMap { Int64($0) }
    return parts.count == 4 ? ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000 + parts[3] : nil
  }

  /// mutagen reads only the list in user data.
  @Test(.timeLimit(.minutes(5))) func agreesWithMutagenOnChapters() throws {
    let script = """
      import sys, mutagen.mp4
      for chapter in mutagen.mp4.MP4(sys.argv[1]).chapters: print(round(chapter.start * 1000), chapter.title, sep=":")
      """
    let python = try Witness.require("python3")
    guard try python.run(["-c", "import mutagen"]).code == 0 else {
      _ = try Witness.require("mutagen")
      return
    }
    var count = 0
    for movie in try Self.withChapters.get() where movie.list.forms.contains(where: { $0.kind == .nero }) {
      let result = try python.run(["-c", script, movie.path])
      let own = movie.list.chapters.map { "\($0.startMilliseconds):\($0.title() ?? "")" }
      #expect(result.outputText.split(separator: "\n").map(String.init) == own, "\(movie.name)")
      count += 1
    }
    #expect(count > 3)
  }

  /// GStreamer's demultiplexer shows no chapters. It recognizes the first chapter track, and treats others as subtitles.
  @Test(.timeLimit(.minutes(5))) func agreesWithGStreamerThatChaptersAreNotSubtitles() throws {
    let discoverer = try Witness.require("gst-discoverer-1.0")
    for movie in try Self.withChapters.get() {
      let lines = try discoverer.run(["-v", movie.path]).outputText.split(separator: "\n")
      let listed = lines.count { $0.drop { $0 == " " }.hasPrefix("subtitles #") }
      let tracks = movie.list.forms.count { $0.kind == .titles || $0.kind == .links }
      #expect(listed == Swift.max(0, tracks - 1), "\(movie.name)")
    }
  }

  /// After chapters are set and removed again, the second reader finds no other change.
  @Test(.timeLimit(.minutes(5))) func changesOnlyChaptersOfRealMovies() throws {
    let chapters = [
      Chapter(startMilliseconds: 0, title: "Ünïque"),
      Chapter(startMilliseconds: 40, titles: [.init("Two", language: LanguageTag("de"))]),
    ]
    var refusals = 0
    let count = try Corpus.require().forEachEditable { bytes, name in
      let source = MemorySource(Bytes(bytes))
      let movie = try Movie(of: source)
      var edit = try MovieEdit(of: movie, from: source)
      let old = try movie.chapters(from: source)
      do {
        try edit.setChapters(chapters)
      } catch let error as MovieError where error.code == .invalidEdit {
        refusals += 1  // Without video and audio, or shorter than the chapters.
        return
      }
      try check(edit, source, bytes, name) { list in
        #expect(list.chapters.count == edit.chapterCount && edit.chapterCount > 0, "\(name)")
        #expect(list.chapters.first?.title() != nil, "\(name)")
      }
      guard !old.chapters.isEmpty else { return }
      var removal = try MovieEdit(of: movie, from: source)
      try removal.removeChapters()
      try check(removal, source, bytes, name) { #expect($0.chapters.isEmpty, "\(name)") }
    }
    print("\(count) movies from the wild got chapters, \(refusals) cannot have any")
    #expect(count > refusals)
  }

  private func check(
    _ edit: MovieEdit, _ source: MemorySource, _ bytes: [UInt8], _ name: String, _ body: (ChapterList) -> Void
  ) throws {
    let old = try SecondReader(bytes)
    let kept = Set(edit.tracks.compactMap { $0.old?.id })
    let start = edit.flattens ? edit.stages.flattened?.start : nil
    let allowed = AllowedChanges().with {
      $0.subtractedStart = start.map { (ticks: $0.ticks, timeScale: Int64($0.timeScale)) }
      $0.addedTracks = Set(edit.tracks.filter { $0.old == nil }.map(\.id))
      $0.removedTracks = Set(edit.movie.tracks.map(\.id)).subtracting(kept)
      for id in kept { $0.references[id] = ["chap"] }
      ($0.addedAtoms, $0.changedAtoms, $0.removedAtoms) = (
        ["moov/udta", "moov/udta/chpl"], ["moov/udta/chpl"], ["moov/udta/chpl"]
      )
      if edit.removesChapters {
        let tree = edit.movie.tree
        func holdsOnly(_ type: FourCC, _ index: Int?) -> Bool {
          let children = index.map { tree.children(of: $0).map { tree[$0].type } } ?? []
          return !children.isEmpty && children.allSatisfy { $0 == type }
        }
        for track in edit.movie.tracks where holdsOnly("chap", tree.child(of: track.atom, "tref")) {
          $0.removedAtoms.insert("moov/trak#\(track.id)/tref")
        }
        if holdsOnly("chpl", tree.child(of: tree.root, "udta")) { $0.removedAtoms.insert("moov/udta") }
      }
      $0.flattened = edit.flattens
      $0.mediaDataRearranged = true
      if old.isFragmented, !edit.flattens { $0.changedAtoms.formUnion(["moof", "mfra"]) }
    }
    var plans = [try edit.outputPlan(of: source, OutputLayout(interleaving: .none))]
    if let plan = try edit.possibleInPlacePlan(of: source) { plans.append(try plan.rendered()) }
    for plan in plans {
      let new = try PlannedSource(plan, of: source).readExactly(ByteRange(0..<plan.byteCount)).array
      #expect(try differences(old: old, new: SecondReader(new), allowing: allowed) == [], "\(name)")
      let output = MemorySource(Bytes(new))
      body(try Movie(of: output).chapters(from: output))
    }
  }
}

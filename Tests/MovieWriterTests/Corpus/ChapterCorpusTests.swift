import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Chapters of movies from the wild.
@Suite struct ChapterCorpusTests {
  /// What ffprobe does not read as we do, and who is right.
  ///
  /// Of `bento4-data-0004.mp4`, an enhanced podcast, ffprobe shows the texts of the links, the track that is listed last,
  /// in the place of the titles.
  private static let known: Set<String> = ["bento4-data-0004.mp4"]

  @Test(.timeLimit(.minutes(5))) func everyMovieHasTheChaptersThatFFprobeReads() throws {
    let ffprobe = try Witness.require("ffprobe")
    var count = 0
    for entry in try Corpus.require().movies {
      let source = try FileSource(path: entry.path)
      let list: ChapterList
      do {
        list = try Movie(of: source).chapters(from: source)
      } catch is MovieError {
        continue  // What cannot be read is the business of other tests.
      }
      guard !list.chapters.isEmpty else { continue }
      let result = try ffprobe.run(["-v", "error", "-of", "json", "-show_chapters", entry.path])
      let answer = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
      let theirs = try #require(answer?["chapters"] as? [[String: Any]])
      let titles = theirs.map { ($0["tags"] as? [String: String])?["title"] ?? "" }
      let starts = theirs.map { Int64((Double($0["start_time"] as? String ?? "") ?? -1) * 1000 + 0.5) }
      let isSame = titles == list.chapters.map { $0.title() ?? "" } && starts == list.chapters.map(\.startMilliseconds)
      #expect(isSame != Self.known.contains(entry.name), "\(entry.name): \(titles) \(list.chapters)")
      count += 1
    }
    print("\(count) movies from the wild have chapters")
    #expect(count > 5)
  }

  /// mkvmerge takes the same over into a Matroska file, from the tracks and from the list in user data.
  @Test(.timeLimit(.minutes(5))) func everyMovieHasTheChaptersThatMkvmergeReads() throws {
    let (mkvmerge, mkvextract) = (try Witness.require("mkvmerge"), try Witness.require("mkvextract"))
    let folder = try TemporaryFolder()
    var count = 0
    for entry in try Corpus.require().movies {
      let source = try FileSource(path: entry.path)
      let list: ChapterList
      do {
        list = try Movie(of: source).chapters(from: source)
      } catch is MovieError {
        continue
      }
      guard !list.chapters.isEmpty else { continue }
      let copy = folder.file("\(count).mkv")
      let merged = try mkvmerge.run(["-q", "-o", copy, entry.path])
      #expect(merged.code < 2, "\(entry.name): \(merged.outputText)")
      let theirs = try ChapterList.read(mkvextract.run([copy, "chapters", "-"]).output)
      #expect(theirs.chapters.count == list.chapters.count, "\(entry.name)")
      for (index, (other, own)) in zip(theirs.chapters, list.chapters).enumerated() {
        // It rounds down, and gives a number to a chapter without a title.
        #expect((0...1).contains(own.startMilliseconds - other.startMilliseconds), "\(entry.name)")
        #expect(other.title() == own.title() ?? "Chapter 0\(index + 1)", "\(entry.name)")
      }
      count += 1
    }
    #expect(count > 5)
  }

  /// Set and removed again: the second reader finds nothing else changed.
  @Test(.timeLimit(.minutes(5))) func movieFromTheWildChangesInItsChaptersAlone() throws {
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
        try edit.setChapters(chapters, replacingThoseIn: source)
      } catch let error as MovieError where error.code == .invalidEdit {
        refusals += 1  // Without picture and sound, or shorter than the chapters.
        return
      }
      try check(edit, source, bytes, name) { list in
        #expect(
          list.chapters.count == Set(edit.requestedChapters?.chapters.map(\.startMilliseconds) ?? []).count, "\(name)")
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
    let allowed = AllowedChanges().with {
      $0.addedTracks = Set(edit.tracks.filter { $0.old == nil }.map(\.id))
      $0.removedTracks = Set(edit.movie.tracks.map(\.id)).subtracting(kept)
      for id in kept { $0.references[id] = ["chap"] }
      ($0.addedAtoms, $0.changedAtoms, $0.removedAtoms) = (
        ["moov/udta", "moov/udta/chpl"], ["moov/udta/chpl"], ["moov/udta/chpl"]
      )
      $0.flattened = edit.flattens
      $0.mediaDataRearranged = true
      if old.isFragmented, !edit.flattens { $0.changedAtoms.formUnion(["moof", "mfra"]) }
    }
    var plans = [try edit.outputPlan(of: source, OutputLayout(interleaving: .none))]
    if try edit.inPlaceBlocker(of: source) == nil { plans.append(try edit.inPlacePlan(of: source).rendered()) }
    for plan in plans {
      let new = try PlannedSource(plan, of: source).readExactly(ByteRange(0..<plan.byteCount)).array
      #expect(try differences(old: old, new: SecondReader(new), allowing: allowed) == [], "\(name)")
      let output = MemorySource(Bytes(new))
      body(try Movie(of: output).chapters(from: output))
    }
  }
}

import Foundation
import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles
import Synchronization

/// The movies of a folder, each with the subtitles that lie beside it.
///
/// All calls wait for the disk: make them on a thread that may.
final class MovieShelf: Sendable {
  /// What a client may ask of a movie.
  struct Wishes: Hashable {
    /// The languages of the subtitles; `nil` for all that there are.
    var languages: [String]?
    /// Whether the movie atom comes first, wherever the file has it.
    var isFastStart = false
  }

  /// The kinds of movies, by the end of their names.
  private static let mediaTypes = [
    "mov": "video/quicktime", "mp4": "video/mp4", "m4v": "video/mp4", "m4a": "audio/mp4",
  ]
  private static let keptPlanCount = 64

  private let folder: String
  /// Plans by what they were made of, the newest last. A plan holds a movie atom and new samples, no media.
  private let plans = Mutex<[(inputs: [String], plan: OutputPlan, entityTag: String)]>([])

  /// Presentations by the tags of their movies, the newest last.
  private let presentations = Mutex<[(entityTag: String, plan: StreamPlan)]>([])

  init(folder: String) {
    self.folder = folder
  }

  /// The movie as HTTP Live Streaming, planned once.
  func presentation(of movie: SubtitledMovie) throws -> StreamPlan {
    if let kept = presentations.withLock({ $0.last { $0.entityTag == movie.entityTag } }) { return kept.plan }
    let plan = try StreamPlan(of: Movie(of: movie.output), from: movie.output)
    presentations.withLock { presentations in
      if presentations.count >= Self.keptPlanCount { presentations.removeFirst() }
      presentations.append((movie.entityTag, plan))
    }
    return plan
  }

  /// The page of a movie, at `/NAME/`: beside it are the movie and its presentation.
  func page(of movie: SubtitledMovie, named name: String) throws -> ServedFile {
    let page = try MoviePage(
      of: Movie(of: movie.output), from: movie.output, at: "../" + name, stream: presentation(of: movie))
    return page.file(entityTag: movie.entityTag.dropLast() + "-page\"")
  }

  /// The movie of this name with its subtitles; `nil` where there is none.
  ///
  /// What a client sends never becomes a path: it is compared with the names that the folder lists.
  func movie(named wanted: String, _ wishes: Wishes) throws -> SubtitledMovie? {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
    guard let name = names.first(where: { $0 == wanted }), isOrdinaryFile(name),
      let mediaType = Self.mediaTypes[(name as NSString).pathExtension.lowercased()]
    else { return nil }

    let source = try FileSource(path: path(name))
    let subtitles = try names.filter(isOrdinaryFile).compactMap {
      try SubtitleFileBesideMovie($0, of: name, at: path($0))
    }
    .filter { wishes.languages?.contains($0.language?.description ?? "und") ?? true }
    // The same files and wishes make the same plan.
    let inputs =
      try ["\(name) \(source.identity()) \(wishes.isFastStart)"]
      + subtitles.map { "\($0.name) \(try $0.source.identity())" }
    if let kept = plans.withLock({ plans in plans.last { $0.inputs == inputs } }) {
      return SubtitledMovie(kept.plan, of: source, mediaType: mediaType, entityTag: kept.entityTag)
    }
    let plan = try Self.plan(source, subtitles, wishes)
    let entityTag = plan.entityTag
    plans.withLock { plans in
      if plans.count >= Self.keptPlanCount { plans.removeFirst() }
      plans.append((inputs, plan, entityTag))
    }
    return SubtitledMovie(plan, of: source, mediaType: mediaType, entityTag: entityTag)
  }

  /// Reads the movie atom and the subtitles, and says what the new movie is made of. Media is not looked at.
  private static func plan(_ source: FileSource, _ subtitles: [SubtitleFileBesideMovie], _ wishes: Wishes) throws
    -> OutputPlan
  {
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    _ = try edit.addSubtitles(subtitles.map { try $0.addition() })
    return try edit.outputPlan(OutputLayout(isFastStart: wishes.isFastStart))
  }

  private func path(_ name: String) -> String {
    folder + "/" + name
  }

  /// Whether the name is a file's, rather than a folder's or a link that leads elsewhere.
  private func isOrdinaryFile(_ name: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))  // Gone since: not served.
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }
}

/// A subtitle file beside a movie: `film.srt`, `film.en.vtt`, `film.pt-BR.sdh.srt`, `film.en.forced.srt`.
private struct SubtitleFileBesideMovie {
  let name: String
  let movie: String
  let language: LanguageTag?
  let source: FileSource

  /// Fails for a file that is none of the movie's.
  init?(_ name: String, of movie: String, at path: String) throws {
    let hints = FileNameHints(path: name, movie: movie)
    guard hints.isOfMovie, SubtitleFileFormat(fileName: name) != nil else { return nil }
    (self.name, self.movie) = (name, movie)
    language = hints.language
    source = try FileSource(path: path)
  }

  /// The track that the file becomes; language and role are what its name says.
  func addition() throws -> SubtitleInput {
    let limits = SubtitleLimits()
    let byteCount = try source.identity().byteCount
    guard byteCount <= UInt64(limits.fileByteCount) else { throw SubtitleError(.limit, "\(byteCount) bytes") }
    let bytes = try Array(source.read(ByteRange(0..<byteCount)))
    let file = try SubtitleFile.read(bytes, named: name, language: language?.description, limits: limits)
    return SubtitleInput(file, named: name, besideMovie: movie)
  }
}

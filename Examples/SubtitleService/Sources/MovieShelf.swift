import Foundation
import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles
import Synchronization

/// The movies of a folder, each with the subtitle files next to it.
///
/// All functions block on the disk, so call them only on a thread that may block.
final class MovieShelf: Sendable {
  /// The options of a request for a movie.
  struct Wishes: Hashable {
    /// The languages of the subtitles, or `nil` for all subtitles.
    var languages: [String]?
    /// Whether the movie atom precedes the media, even if it follows the media in the file.
    var isFastStart = false
  }

  /// The media types of movies, by file name extension.
  private static let mediaTypes = [
    "mov": "video/quicktime", "mp4": "video/mp4", "m4v": "video/mp4", "m4a": "audio/mp4",
  ]
  private static let keptPlanCount = 64

  private let folder: String
  /// The plans with their inputs, oldest first. A plan contains a movie atom and new samples, but no media.
  private let plans = Mutex<[(inputs: [String], plan: OutputPlan, entityTag: String)]>([])

  /// The presentations with the entity tags of their movies, oldest first.
  private let presentations = Mutex<[(entityTag: String, plan: StreamPlan)]>([])

  init(folder: String) {
    self.folder = folder
  }

  /// Returns the HTTP Live Streaming presentation of a movie. It is planned only once.
  func presentation(of movie: SubtitledMovie) throws -> StreamPlan {
    if let kept = presentations.withLock({ $0.last { $0.entityTag == movie.entityTag } }) { return kept.plan }
    let plan = try StreamPlan(of: Movie(of: movie.output), from: movie.output)
    presentations.withLock { presentations in
      if presentations.count >= Self.keptPlanCount { presentations.removeFirst() }
      presentations.append((movie.entityTag, plan))
    }
    return plan
  }

  /// Returns the page of a movie. Its path is `/NAME/`, and it refers to the movie and to the presentation by relative
  /// paths.
  func page(of movie: SubtitledMovie, named name: String) throws -> ServedFile {
    let page = try MoviePage(
      of: Movie(of: movie.output), from: movie.output, at: "../" + name, stream: presentation(of: movie))
    return page.file(entityTag: movie.entityTag.dropLast() + "-page\"")
  }

  /// Returns the movie with a name, including its subtitles, or `nil` if the folder does not contain the movie.
  ///
  /// The name from the client is never used as a path. It is only compared with the names in the folder.
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
    // Equal inputs result in equal plans.
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

  /// Reads the movie atom and the subtitles, and plans the new movie. Reads no media.
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

  /// Whether the name belongs to a file, and not to a folder or a symbolic link.
  private func isOrdinaryFile(_ name: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))  // Fails for removed files.
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }
}

/// A subtitle file next to a movie: `film.srt`, `film.en.vtt`, `film.pt-BR.sdh.srt` or `film.en.forced.srt`.
private struct SubtitleFileBesideMovie {
  let name: String
  let movie: String
  let language: LanguageTag?
  let source: FileSource

  /// Opens a subtitle file, or returns `nil` if the file does not belong to the movie.
  init?(_ name: String, of movie: String, at path: String) throws {
    let hints = FileNameHints(path: name, movie: movie)
    guard hints.isOfMovie, SubtitleFileFormat(fileName: name) != nil else { return nil }
    (self.name, self.movie) = (name, movie)
    language = hints.language
    source = try FileSource(path: path)
  }

  /// Returns the input for a new track, whose language and role are determined by the file name.
  func addition() throws -> SubtitleInput {
    let limits = SubtitleLimits()
    let byteCount = try source.identity().byteCount
    guard byteCount <= UInt64(limits.fileByteCount) else { throw SubtitleError(.limit, "\(byteCount) bytes") }
    let bytes = try Array(source.read(ByteRange(0..<byteCount)))
    let file = try SubtitleFile.read(bytes, named: name, language: language?.description, limits: limits)
    return SubtitleInput(file, named: name, besideMovie: movie)
  }
}

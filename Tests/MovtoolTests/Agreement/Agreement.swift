import MovieBox
import TestSupport

/// What other programs say of the tracks of movies, held against what we say of them.
///
/// Every field is the same, or explained by an exception, or a disagreement. An exception predicts what the other
/// program says: another value is still a disagreement.
struct Agreement {
  /// Why another program may say something else of a field, and what.
  struct Exception {
    let reason: String
    let applies: Bool
    let predicted: String?

    init(_ reason: String, if applies: Bool, _ predicted: String?) {
      (self.reason, self.applies, self.predicted) = (reason, applies, predicted)
    }
  }

  private(set) var sameCount = 0
  private(set) var explained: [String: Int] = [:]
  private(set) var disagreements: [String] = []

  mutating func judge(
    _ field: String, of track: AgreedTrack, theirs: String?, ours: String?, _ exceptions: [Exception] = []
  ) {
    if theirs == ours {
      sameCount += 1
    } else if let exception = exceptions.first(where: { $0.applies && $0.predicted == theirs }) {
      explain("\(field): \(exception.reason)")
    } else {
      disagreements.append("\(track): \(field) is \(theirs ?? "nothing") there and \(ours ?? "nothing") here")
    }
  }

  /// Something that needs no comparison, for a reason.
  mutating func explain(_ reason: String) { explained[reason, default: 0] += 1 }

  /// A track that only one of the two knows.
  mutating func disagree(_ words: String) { disagreements.append(words) }

  /// How often which exception was needed, for those who read the output.
  func print(as name: String) {
    let lines = explained.sorted { $0.key < $1.key }.map { "  \($0.value) × \($0.key)" }
    Swift.print((["\(name): \(sameCount) fields agree"] + lines).joined(separator: "\n"))
  }
}

/// A track as we see it.
struct AgreedTrack: CustomStringConvertible {
  let file: String
  let movie: Movie
  let track: Track

  var description: String { "\(file), track \(track.id)" }

  var isChapterList: Bool { movie.chapterTrackIDs.contains(track.id) }

  /// Primary subtags are what all programs tell, in two letters or three.
  var language: String? { track.language?.language }

  /// The language of `mdhd` alone: neither program reads `elng`.
  var headerLanguage: String? {
    MediaLanguage.resolve(mediaHeaderCode: track.mediaHeader.languageCode, extendedTag: nil)?.language
  }

  var languageCode: UInt16 { track.mediaHeader.languageCode }

  /// Whether the language code is of letters, but not of small ones, and not one of the Macintosh.
  var hasOddLanguageCode: Bool {
    languageCode >= 0x400 && languageCode != 0x7FFF && track.extendedLanguage == nil && headerLanguage == nil
      && languageCode != 0x55C4
  }

  /// What a reader may take for the handler's name: a Pascal string, or one to the first NUL.
  var handlerNames: Set<String> {
    guard let bytes = track.handler?.nameBytes.array, let first = bytes.first else { return [] }
    func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    return [text(bytes), text(bytes.dropFirst().prefix(Int(first)))]
  }

  /// The primary subtag that another program's word stands for; `nil` for none.
  static func language(_ words: String?) -> String? {
    guard let tag = words.flatMap({ LanguageTag($0.trimmingBlanks) }), tag.language != "und" else { return nil }
    return tag.language
  }

  /// The movie's tracks; none where the file is not a movie, or where others mix its tracks with what is none.
  static func all(of path: String) throws -> [AgreedTrack] {
    let movie: Movie
    do {
      movie = try Movie(of: FileSource(path: path))
    } catch is MovieError {
      return []
    }
    // AVIF sequences: images of the same IDs are listed among the tracks, or in their place.
    guard !movie.tracks.contains(where: { ["pict", "auxv"].contains($0.mediaType.rawValue) }) else { return [] }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return movie.tracks.map { AgreedTrack(file: file, movie: movie, track: $0) }
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    let start = drop { $0 == " " }
    return start.dropLast(start.reversed().prefix { $0 == " " }.count)
  }
}

import MovieBox
import TestSupport

/// A comparison of another program's description of a movie's tracks with ours.
///
/// Every field agrees, is explained by an exception, or is a disagreement. An exception predicts the other program's
/// value, so any other value is still a disagreement.
struct Agreement {
  /// The reason why another program may report a different value, and this value.
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

  /// Counts a comparison that is omitted for a reason.
  mutating func explain(_ reason: String) { explained[reason, default: 0] += 1 }

  /// Records a track that only one program lists.
  mutating func disagree(_ words: String) { disagreements.append(words) }

  /// Prints how often each exception was needed.
  func print(as name: String) {
    let lines = explained.sorted { $0.key < $1.key }.map { "  \($0.value) × \($0.key)" }
    Swift.print((["\(name): \(sameCount) fields agree"] + lines).joined(separator: "\n"))
  }
}

/// A track in our description.
struct AgreedTrack: CustomStringConvertible {
  let file: String
  let movie: Movie
  let track: Track

  var description: String { "\(file), track \(track.id)" }

  var isChapterList: Bool { movie.chapterTrackIDs.contains(track.id) }

  /// The primary subtag in two or three letters, which all programs report.
  var language: String? { track.language?.language }

  /// The language of `mdhd` alone, because neither program reads `elng`.
  var headerLanguage: String? {
    MediaLanguage.resolve(mediaHeaderCode: track.mediaHeader.languageCode, extendedTag: nil)?.language
  }

  var languageCode: UInt16 { track.mediaHeader.languageCode }

  /// Whether the language code consists of letters that are not all lowercase, and is not a Macintosh code.
  var hasOddLanguageCode: Bool {
    languageCode >= 0x400 && languageCode != 0x7FFF && track.extendedLanguage == nil && headerLanguage == nil
      && languageCode != 0x55C4
  }

  /// The possible handler names: a Pascal string, or a string up to the first NUL.
  var handlerNames: Set<String> {
    guard let bytes = track.handler?.nameBytes.array, let first = bytes.first else { return [] }
    func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
    return [text(bytes), text(bytes.dropFirst().prefix(Int(first)))]
  }

  /// Returns the primary subtag for another program's word, or `nil` if there is none.
  static func language(_ words: String?) -> String? {
    guard let tag = words.flatMap({ LanguageTag($0.trimmingBlanks) }), tag.language != "und" else { return nil }
    return tag.language
  }

  /// Returns the movie's tracks; empty if the file is not a movie, or if other programs list additional images as tracks.
  static func all(of path: String) throws -> [AgreedTrack] {
    let movie: Movie
    do {
      movie = try Movie(of: FileSource(path: path))
    } catch is MovieError {
      return []
    }
    // In AVIF sequences, images with the IDs of tracks are listed instead of the tracks or besides them.
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

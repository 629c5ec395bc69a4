// The types for chapters: a chapter, a list of chapters, and the limits for lists. The readers and writers of all
// chapter formats use these types.

/// A section of a movie that viewers can jump to, with its titles.
///
///     let list = try movie.chapters(from: source)
///     for chapter in list.chapters { print(chapter.startMilliseconds, chapter.title() ?? "") }
public struct Chapter: Hashable, Sendable {
  /// The title of a chapter in one language.
  public struct Title: Hashable, Sendable {
    /// The text of the title.
    public var text: String
    /// The language, or `nil` if undetermined.
    public var language: LanguageTag?

    /// Creates a title in a language.
    public init(_ text: String, language: LanguageTag? = nil) {
      (self.text, self.language) = (text, language)
    }
  }

  /// The picture of a chapter.
  public enum Image: Hashable, Sendable {
    /// A JPEG or PNG picture.
    case data(Bytes)
    /// A picture in the movie. Only its size was read.
    case inMovie(byteCount: UInt64)
    /// A picture outside the movie, by its URL or file path.
    case reference(String)
  }

  /// The start, in milliseconds of the movie's presentation clock.
  public var startMilliseconds: Int64
  /// The end, or `nil` if the chapter lasts until the next chapter or the end of the movie.
  public var endMilliseconds: Int64?
  /// The titles, one for each language.
  public var titles: [Title]
  /// The picture that players show with the chapter.
  public var image: Image?
  /// The URL that players offer with the chapter.
  public var link: String?

  /// Creates a chapter with titles in any number of languages.
  public init(
    startMilliseconds: Int64, endMilliseconds: Int64? = nil, titles: [Title] = [], image: Image? = nil,
    link: String? = nil
  ) {
    self.startMilliseconds = startMilliseconds
    self.endMilliseconds = endMilliseconds
    self.titles = titles
    self.image = image
    self.link = link
  }

  /// Creates a chapter with one title.
  public init(startMilliseconds: Int64, title: String, language: LanguageTag? = nil) {
    self.init(startMilliseconds: startMilliseconds, titles: [Title(title, language: language)])
  }

  /// Returns the title in the most preferred of these languages. If no title is in these languages, returns the title
  /// without a language, or else the first title.
  public func title(preferring languages: [LanguageTag] = []) -> String? {
    (title(in: languages) ?? defaultTitle)?.text
  }

  /// The title for viewers without a preferred language.
  var defaultTitle: Title? { titles.first { $0.language == nil } ?? titles.first }

  /// Returns the title in the most preferred of these languages, or `nil` if the chapter has no title in any of the
  /// languages.
  func title(in languages: [LanguageTag]) -> Title? {
    for range in languages.lazy.flatMap(\.lookupRanges) {
      if let found = titles.first(where: { $0.language?.matches(range: range) == true }) { return found }
    }
    return nil
  }
}

/// The chapters of a movie or of a chapter file.
public struct ChapterList: Hashable, Sendable {
  /// A track or user data list in which a movie stores chapters.
  public struct Form: Hashable, Sendable {
    /// The kind of a chapter track or chapter list. The raw value is the kind's name in the output of `--json`.
    public enum Kind: String, Hashable, Sendable {
      /// A text track (`chap`) with the titles in one language.
      case titles
      /// A text track with links.
      case links
      /// A track with pictures.
      case images
      /// A list in user data (`chpl`), introduced by Nero's programs.
      case nero
    }

    /// The contents of the track or list: titles, links, pictures, or a list in user data.
    public let kind: Kind
    /// The ID of the chapter track, or `nil` for the list in user data.
    public let trackID: UInt32?
    /// The language of the titles, or `nil` if undetermined.
    public let language: LanguageTag?
    /// The number of chapters, links or pictures.
    public internal(set) var count: Int
    /// Whether the chapters in this track or list differ from ``ChapterList/chapters``.
    public internal(set) var differs = false
    /// Whether the texts of a link track repeat the titles. Some players show these texts as titles. If the texts
    /// repeat the titles, these players show the right titles too.
    package internal(set) var repeatsTitles = false
  }

  /// A deviation from the movie or chapter file that the user should know about, such as an omitted or reinterpreted
  /// chapter.
  public struct Notice: Hashable, Sendable {
    /// The kind of the notice, for programs.
    public let code: String
    /// The line in a chapter file, from 1, or `nil` if no line applies.
    public let line: Int?
    /// The ID of the movie's track, or `nil` if no track applies.
    public let trackID: UInt32?
    /// The message: one sentence for the user.
    public let message: String
    /// The complete text that the reader dropped from a chapter file because it belongs to no chapter, or `nil` if none
    /// was dropped.
    package let lostText: String?

    package init(
      _ code: String, line: Int? = nil, trackID: UInt32? = nil, lostText: String? = nil, _ message: String
    ) {
      (self.code, self.line, self.trackID, self.message) = (code, line, trackID, message)
      self.lostText = lostText
    }
  }

  /// The chapters, ordered by their start.
  public var chapters: [Chapter]
  /// The duration of the movie, in milliseconds, or `nil` if it is unknown.
  public var durationMilliseconds: Int64?
  /// The tracks and the user data list in which the movie stores chapters. The array is empty for a chapter file.
  public internal(set) var forms: [Form] = []
  /// The notices of the reader.
  public package(set) var notices: [Notice] = []

  /// The line of a chapter file at which a chapter begins, by the chapter's start in milliseconds. The dictionary is
  /// empty for formats without lines.
  package internal(set) var lines: [Int64: Int] = [:]

  /// Creates a list and sorts the chapters by their start.
  public init(_ chapters: [Chapter], durationMilliseconds: Int64? = nil) {
    self.chapters = chapters.ordered
    self.durationMilliseconds = durationMilliseconds
  }

  /// The distinct languages of the titles in order of appearance. `nil` represents an undetermined language.
  public var languages: [LanguageTag?] {
    var (distinctLanguages, seenLanguages): ([LanguageTag?], Set<LanguageTag?>) = ([], [])
    for title in chapters.lazy.flatMap(\.titles) where seenLanguages.insert(title.language).inserted {
      distinctLanguages.append(title.language)
    }
    return distinctLanguages
  }

  /// Returns the end of a chapter: its own end, or else the start of the next chapter, or else the end of the movie.
  /// Returns `nil` if no end is known.
  public func end(of index: Int) -> Int64? {
    guard chapters.indices.contains(index) else { return nil }
    if let end = chapters[index].endMilliseconds { return end }
    let start = chapters[index].startMilliseconds
    let next = chapters.partitioningIndex { $0.startMilliseconds > start }  // The chapters are sorted by start.
    if next < chapters.count { return chapters[next].startMilliseconds }
    return durationMilliseconds.map { Swift.max($0, start) }
  }
}

extension [Chapter] {
  /// The chapters sorted by start. The sort is stable.
  package var ordered: [Chapter] {
    enumerated().sorted { ($0.element.startMilliseconds, $0.offset) < ($1.element.startMilliseconds, $1.offset) }
      .map(\.element)
  }
}

/// Limits for chapters. Input beyond them is rejected.
package enum ChapterLimits {
  /// The maximum number of chapters in one list. Audio books have hundreds.
  package static let count = 20_000
  /// The maximum number of title languages. Each language requires a track. A film for all of Europe has about two
  /// dozen.
  package static let languageCount = 100
  /// The maximum number of chapter tracks: a track for each language, one for pictures and one for links.
  package static let trackCount = languageCount + 2
  /// The maximum number of samples in all chapter tracks of a movie, enough for a thousand chapters in a hundred
  /// languages.
  package static let sampleCount = 100_000
  /// The maximum number of samples that the edit lists of all chapter tracks may show. A sample counts each time it is
  /// shown. The edit lists of cut movies have about a dozen edits.
  package static let visitCount = 4 * sampleCount
  /// The maximum size of all titles of a movie, in bytes. A title has at most 64 KiB.
  package static let textByteCount: UInt64 = 64 << 20
  /// The maximum size of all pictures that are read from a movie, in bytes. Podcast pictures have about 50 KB each.
  package static let imageByteCount: UInt64 = 512 << 20
}

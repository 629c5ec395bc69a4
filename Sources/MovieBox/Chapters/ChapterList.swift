// Chapters as values: one chapter, the list of a movie, and the limits for both. Readers and writers of every form of
// chapters use these.

/// A part of a movie that a viewer can go to, by its titles.
///
///     let list = try movie.chapters(from: source)
///     for chapter in list.chapters { print(chapter.startMilliseconds, chapter.title() ?? "") }
public struct Chapter: Hashable, Sendable {
  /// The title of a chapter in one language.
  public struct Title: Hashable, Sendable {
    /// The words.
    public var text: String
    /// The language; `nil` where none is given.
    public var language: LanguageTag?

    /// A title in a language.
    public init(_ text: String, language: LanguageTag? = nil) {
      (self.text, self.language) = (text, language)
    }
  }

  /// The picture of a chapter.
  public enum Image: Hashable, Sendable {
    /// A JPEG or PNG picture.
    case data(Bytes)
    /// One of so many bytes that the movie has, and that was not read.
    case inMovie(byteCount: UInt64)
    /// One that lies elsewhere, by its URL or the path of a file.
    case reference(String)
  }

  /// The start, in milliseconds of the movie's presentation clock.
  public var startMilliseconds: Int64
  /// The end; `nil` for a chapter that lasts until the next begins or the movie ends.
  public var endMilliseconds: Int64?
  /// The titles, one for each language.
  public var titles: [Title]
  /// The picture that players show with it.
  public var image: Image?
  /// A URL that players offer with it.
  public var link: String?

  /// A chapter with these titles.
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

  /// A chapter with a title.
  public init(startMilliseconds: Int64, title: String, language: LanguageTag? = nil) {
    self.init(startMilliseconds: startMilliseconds, titles: [Title(title, language: language)])
  }

  /// The title that fits a viewer who prefers these languages, the most preferred first: else the one without a
  /// language, else the first.
  public func title(preferring languages: [LanguageTag] = []) -> String? {
    (title(in: languages) ?? otherTitle)?.text
  }

  /// The title for viewers without a preferred language.
  var otherTitle: Title? { titles.first { $0.language == nil } ?? titles.first }

  /// The title in the most preferred of these languages; `nil` where there is none in any.
  func title(in languages: [LanguageTag]) -> Title? {
    for range in languages.lazy.flatMap(\.lookupRanges) {
      if let found = titles.first(where: { $0.language?.isIn(range) == true }) { return found }
    }
    return nil
  }
}

/// The chapters of a movie, or of a file that lists some.
public struct ChapterList: Hashable, Sendable {
  /// One of the places in which a movie has chapters.
  public struct Form: Hashable, Sendable {
    /// The contents of such a place. The raw value is the name that `--json` shows.
    public enum Kind: String, Hashable, Sendable {
      /// A track of text with the titles in one language (`chap`).
      case titles
      /// A track of text with links.
      case links
      /// A track of pictures.
      case images
      /// The list in user data that Nero's programs began with (`chpl`).
      case nero
    }

    /// The contents of the place.
    public let kind: Kind
    /// The track; `nil` for the list in user data.
    public let trackID: UInt32?
    /// The language of the titles; `nil` where none is given.
    public let language: LanguageTag?
    /// The number of its chapters, links or pictures.
    public internal(set) var count: Int
    /// Whether it says something else than ``ChapterList/chapters`` do.
    public internal(set) var differs = false
    /// Whether the texts of a track of links are the titles, so that whoever takes them for these shows the right ones.
    package internal(set) var repeatsTitles = false
  }

  /// Something that was understood otherwise than it stands there, or left out.
  public struct Notice: Hashable, Sendable {
    /// A name for programs.
    public let code: String
    /// The line of a file, from 1; `nil` where none applies.
    public let line: Int?
    /// The track of a movie; `nil` where none applies.
    public let trackID: UInt32?
    /// One sentence.
    public let message: String
    /// The text of a file that is part of no chapter, whole, or `nil` if no text is lost.
    package let lostText: String?

    /// A notice.
    package init(
      _ code: String, line: Int? = nil, trackID: UInt32? = nil, lostText: String? = nil, _ message: String
    ) {
      (self.code, self.line, self.trackID, self.message) = (code, line, trackID, message)
      self.lostText = lostText
    }
  }

  /// The chapters, ordered by their start.
  public var chapters: [Chapter]
  /// The duration of the movie, in milliseconds; `nil` if it is unknown.
  public var durationMilliseconds: Int64?
  /// The forms in which the movie stores chapters; none for a file that lists chapters.
  public internal(set) var forms: [Form] = []
  /// Notices for the user.
  public package(set) var notices: [Notice] = []

  /// The lines of a file at which chapters begin, by their start in milliseconds; empty for formats without lines.
  package internal(set) var lines: [Int64: Int] = [:]

  /// Chapters, which are put in the order of their start.
  public init(_ chapters: [Chapter], durationMilliseconds: Int64? = nil) {
    self.chapters = chapters.ordered
    self.durationMilliseconds = durationMilliseconds
  }

  /// The languages of the titles, in the order in which they come; `nil` stands for none.
  public var languages: [LanguageTag?] {
    var (found, known): ([LanguageTag?], Set<LanguageTag?>) = ([], [])
    for title in chapters.lazy.flatMap(\.titles) where known.insert(title.language).inserted {
      found.append(title.language)
    }
    return found
  }

  /// Returns the end of a chapter: its own, else the start of the next, else the end of the movie; `nil` if none is
  /// known.
  public func end(of index: Int) -> Int64? {
    guard chapters.indices.contains(index) else { return nil }
    if let end = chapters[index].endMilliseconds { return end }
    let start = chapters[index].startMilliseconds
    let next = chapters.partitioningIndex { $0.startMilliseconds > start }  // They are in the order of their start.
    if next < chapters.count { return chapters[next].startMilliseconds }
    return durationMilliseconds.map { Swift.max($0, start) }
  }
}

extension [Chapter] {
  /// The chapters by their start; those of one start keep their order.
  package var ordered: [Chapter] {
    enumerated().sorted { ($0.element.startMilliseconds, $0.offset) < ($1.element.startMilliseconds, $1.offset) }
      .map(\.element)
  }
}

/// Limits for chapters. Input beyond them is rejected.
package enum ChapterLimits {
  /// Chapters of one list. Audio books have hundreds; samples and entries beyond are no chapters that anyone lists.
  package static let count = 20_000
  /// Languages of the titles, each of which is a track of its own. Films for all of Europe have two dozen.
  package static let languageCount = 100
  /// Tracks that are listed as chapters: titles in so many languages, pictures and links.
  package static let trackCount = languageCount + 2
  /// Samples of all these tracks of a movie: a thousand chapters in a hundred languages.
  package static let sampleCount = 100_000
  /// The number of visits to samples for edit lists, in all chapter tracks. Cut movies have a dozen edits.
  package static let visitCount = 4 * sampleCount
  /// Bytes of all titles of a movie, at 64 KiB each.
  package static let textByteCount: UInt64 = 64 << 20
  /// Bytes of all pictures of a movie that are read. Those of podcasts have about 50 KB each.
  package static let imageByteCount: UInt64 = 512 << 20
}

/// A part of a movie that a viewer can go to, by its titles.
///
///     let list = try movie.chapters(from: source)
///     for chapter in list.chapters { print(chapter.startMilliseconds, chapter.title() ?? "") }
public struct Chapter: Hashable, Sendable {
  /// What a chapter is called in a language.
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

  /// When it begins, in milliseconds of the movie's presentation clock.
  public var startMilliseconds: Int64
  /// When it ends; `nil` for one that goes on until the next begins or the movie ends.
  public var endMilliseconds: Int64?
  /// What it is called, in each language once.
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

  /// What it is called where no language is preferred.
  var otherTitle: Title? { titles.first { $0.language == nil } ?? titles.first }

  /// The title in the most preferred of these languages; `nil` where there is none in any.
  func title(in languages: [LanguageTag]) -> Title? {
    for range in languages.lazy.flatMap(\.lookupRanges) {
      if let found = titles.first(where: { $0.language?.isIn(range) == true }) { return found }
    }
    return nil
  }
}

public import MovieBox

/// A fact for a movie or a track to state: what it is about, and what it says.
///
///     if let title = MetadataInput("common/title", "Die Brücke", language: LanguageTag("de")) {
///       try edit.setMetadata(title)
///     }
///     if let rating = MetadataIdentifier("mdta/com.example.rating") {
///       try edit.setMetadata(MetadataInput(rating, .integer(5)))
///     }
public struct MetadataInput: Hashable, Sendable {
  /// What it is about. One of ``/MovieBox/MetadataIdentifier/Space/common`` is a fact in the vocabularies that the type
  /// of the movie has.
  public var identifier: MetadataIdentifier
  /// What it says. Where the item is to have a number, a text that is one will do.
  public var value: MetadataValue
  /// The language that it is in, with a country where that matters; `nil` for one that holds in all.
  public var language: LanguageTag?
  /// The code of the well-known type that it is written as (QTFF "Well-Known Types"); `nil` for that of the item whose
  /// place it takes, or what is usual.
  public var typeCode: UInt32?

  /// A fact.
  public init(
    _ identifier: MetadataIdentifier, _ value: MetadataValue, language: LanguageTag? = nil, typeCode: UInt32? = nil
  ) {
    (self.identifier, self.value, self.language, self.typeCode) = (identifier, value, language, typeCode)
  }

  /// A fact in words; `nil` for an identifier that is none.
  public init?(_ identifier: String, _ text: String, language: LanguageTag? = nil) {
    guard let identifier = MetadataIdentifier(identifier) else { return nil }
    self.init(identifier, .text(text), language: language)
  }
}

extension MetadataInput {
  /// The same with keywords set apart in one way: some vocabularies have them one by one, and all are to read alike.
  package var inOneSpelling: MetadataInput {
    guard identifier == MetadataIdentifier(.common, key: "keywords"), case .text(let text) = value else { return self }
    let words = MetadataValue.keywords(in: text)
    guard !words.isEmpty else { return self }
    return MetadataInput(identifier, .text(words.joined(separator: ", ")), language: language, typeCode: typeCode)
  }
}

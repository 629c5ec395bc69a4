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
  /// The same with a place as ISO 6709 writes it, a date as ISO 8601 does, and keywords set apart in one way, since some
  /// vocabularies have them one by one, and all are to read alike.
  package var limitedToOwnIdentifier: MetadataInput {
    guard case .text(let text) = value, let spelled = spelling(of: text) else { return self }
    return MetadataInput(identifier, .text(spelled), language: language, typeCode: typeCode)
  }

  /// The form in which a text is written, or `nil` for the text as it is.
  private func spelling(of text: String) -> String? {
    switch identifier.expectedForm {
    case .location: return GeographicLocation(text) == nil ? WrittenValue.location(text)?.description : nil
    case .date:
      let date = text.replacing(" ", with: "T")
      return MetadataDate(date) != nil ? date : WrittenValue.date(text)?.description
    case nil: break
    }
    guard identifier == MetadataIdentifier(.common, key: "keywords") else { return nil }
    let words = MetadataValue.keywords(in: text)
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The form that the identifier takes and the value does not have, or `nil` if the value has it.
  ///
  /// Bytes of a type that the caller names are written as they are.
  var missingForm: MetadataIdentifier.ValueForm? {
    guard let form = identifier.expectedForm else { return nil }
    guard let text = value.stringValue else { return typeCode == nil ? form : nil }
    let isFormed =
      switch form {
      case .location: WrittenValue.location(text) != nil
      case .date: WrittenValue.date(text) != nil
      }
    return isFormed ? nil : form
  }
}

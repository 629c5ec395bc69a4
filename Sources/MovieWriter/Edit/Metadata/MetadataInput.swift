public import MovieBox

/// A value to set for a metadata identifier of a movie or a track.
///
///     if let title = MetadataInput("common/title", "Die Brücke", language: LanguageTag("de")) {
///       try edit.setMetadata(title)
///     }
///     if let rating = MetadataIdentifier("mdta/com.example.rating") {
///       try edit.setMetadata(MetadataInput(rating, .integer(5)))
///     }
public struct MetadataInput: Hashable, Sendable {
  /// The identifier. An identifier of ``/MovieBox/MetadataIdentifier/Space/common`` represents its equivalents in the
  /// metadata vocabularies of the movie's type.
  public var identifier: MetadataIdentifier
  /// The value. For an item that stores numbers, a text that contains a number is accepted.
  public var value: MetadataValue
  /// The language, with a country if necessary, or `nil` if the value applies to all languages.
  public var language: LanguageTag?
  /// The code of the well-known type to write (QTFF "Well-Known Types"). If it is `nil`, the item keeps the type of the
  /// replaced item, or gets the usual type if it is new.
  public var typeCode: UInt32?

  /// Creates an input.
  public init(
    _ identifier: MetadataIdentifier, _ value: MetadataValue, language: LanguageTag? = nil, typeCode: UInt32? = nil
  ) {
    (self.identifier, self.value, self.language, self.typeCode) = (identifier, value, language, typeCode)
  }

  /// Creates an input with a text, or returns `nil` if the identifier is malformed.
  public init?(_ identifier: String, _ text: String, language: LanguageTag? = nil) {
    guard let identifier = MetadataIdentifier(identifier) else { return nil }
    self.init(identifier, .text(text), language: language)
  }
}

extension MetadataInput {
  /// A copy in normal form: a location in ISO 6709, a date in ISO 8601, keywords separated by commas.
  ///
  /// Some vocabularies store each keyword in a separate item, and others store all keywords in one text. The normal
  /// form of both values must be equal.
  package var normalized: MetadataInput {
    guard case .text(let text) = value, let normalText = normalForm(of: text) else { return self }
    return MetadataInput(identifier, .text(normalText), language: language, typeCode: typeCode)
  }

  /// Returns the normal form of a text, or `nil` if the text already has this form or no normal form exists.
  private func normalForm(of text: String) -> String? {
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

  /// The form that the identifier requires and the value lacks, or `nil` if the value is valid.
  ///
  /// Bytes with an explicit ``typeCode`` are valid in any form.
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

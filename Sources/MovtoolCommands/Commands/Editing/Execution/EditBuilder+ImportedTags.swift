import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// Sets the facts from a tag file of another program, and lists the dropped tags.
  ///
  /// Throws if the movie is prepared for sharing (`isShared`), because it is unknown where these tags come from.
  mutating func set(_ imported: ImportedTags, of file: String, isShared: Bool) throws {
    guard !isShared else {
      throw UsageError(
        .conflict,
        "--import of tags cannot be combined with --for-sharing; import the tags into the new file afterwards")
    }
    var (identifiers, count): ([MetadataIdentifier], Int) = ([], 0)
    var omittedNames = imported.omittedTags
    for tag in imported.tags {
      let input = MetadataInput(tag.identifier, .text(tag.text), language: tag.language).normalized
      do throws(MovieError) {
        identifiers += try edit.setMetadata(input)
        count += 1
      } catch {
        guard error.code == .invalidEdit else { throw error }
        omittedNames.append("\(tag.name) (\(error.reason))")
        continue
      }
      guard tag.identifier.expectedForm == .date, let date = input.value.stringValue.flatMap({ MetadataDate($0) }),
        date.secondsSince1970 != nil
      else { continue }
      try setHeaderDates(to: date.description, isExact: false)
    }
    if !identifiers.isEmpty {
      changedFacts.append(
        .init(
          action: .set, subject: "\(counted(count, "fact")) as in \(file)",
          identifiers: identifiers.withoutRepetition, trackID: nil))
    }
    guard !omittedNames.isEmpty else { return }
    let rest = omittedNames.count > 200 ? " and \(omittedNames.count - 200) more" : ""
    let list = omittedNames.prefix(200).joined(separator: ", ") + rest
    warnings.append(
      Warning(code: "metadata-left-out", file: file, message: "\(counted(omittedNames.count, "tag")) left out: \(list)")
    )
  }

  /// Returns the tags that another program wrote to a file, or `nil` if the file is the output of `metadata --json`.
  static func tags(in contents: Bytes) throws(MovieError) -> ImportedTags? {
    if let tags = ImportedTags(ffmetadata: contents) { return tags }
    return try ImportedTags(JSONValue(contents))
  }
}

extension Bytes {
  /// The name of a picture format that ffmpeg can convert but that movies cannot contain, and ffmpeg's options. `nil`
  /// for all other formats.
  var convertiblePicture: (name: String, options: String)? {
    if starts(with: "RIFF".utf8), slice(at: 8, count: 4)?.array == Array("WEBP".utf8) { return ("WebP", "") }
    guard slice(at: 4, count: 4)?.array == Array("ftyp".utf8), let brand = slice(at: 8, count: 4)?.array else {
      return nil
    }
    return ["avif", "avis"].contains { Array($0.utf8) == brand } ? (name: "AVIF", options: "-frames:v 1 ") : nil
  }
}

extension EditBuilder {
  /// The names of items that describe the samples and their encoding.
  private static let sampleItemPatterns = [
    "itlk/*.iTunSMPB", "itlk/*.iTunNORM", "itlk/*.Encoding Params", "itsk/©too", "itsk/©enc", "udta/©enc",
  ]

  /// Returns the metadata of another movie. Items that describe its tracks or samples are omitted.
  static func facts(of file: String, in context: Context) throws -> [MetadataItem] {
    do {
      let source = try context.open(file)
      return try Movie(of: source, limits: context.limits.movie).metadata(from: source).filter { item in
        item.trackID == nil && !sampleItemPatterns.contains { item.identifier.matches($0) }
      }
    } catch {
      throw ToolError(error, about: file)
    }
  }

  /// Returns the items in the output of `metadata --json`.
  static func items(ofAnswer contents: Bytes, _ name: String) throws -> [NewMetadataItem] {
    do {
      let answer = try JSONValue(contents)
      guard let items = answer["items"]?.array else {
        throw MovieError(.malformed, in: "JSON", "the member \"items\" is missing; use the output of metadata --json")
      }
      return try items.enumerated().map { try NewMetadataItem($1, number: $0 + 1) }
    } catch {
      throw importError(error, name)
    }
  }

  /// Returns the error for a file to import, with a hint about the supported formats.
  static func importError(_ error: any Error, _ name: String) -> ToolError {
    var error = ToolError(error, about: name)
    if error.exitCode == .badData {
      error.hint =
        "--import reads the output of movtool metadata --json, ffmetadata, exiftool -j and info.json of yt-dlp"
    }
    return error
  }
}

extension NewMetadataItem {
  /// Parses an item from the output of `metadata --json`. A handwritten item may contain `string` without `hex`.
  fileprivate init(_ json: JSONValue, number: Int) throws(MovieError) {
    guard let identifier = json["identifier"]?.string.flatMap({ MetadataIdentifier($0) }) else {
      let known = json["identifier"]?.string.map { "the invalid \"identifier\" \($0)" }
      throw MovieError(
        .malformed, in: "JSON",
        "item \(number) has \(known ?? "no \"identifier\""); write one such as mdta/com.example.id")
    }
    let typeCode = json["typeCode"]?.word
    let trackID = json["track"]?.word
    let language = json["language"]?.string.flatMap { LanguageTag($0) }
    var details: [String: String] = [:]
    if case .object(let members)? = json["details"] { details = members.compactMapValues(\.string) }
    if let bytes = json["hex"]?.string.flatMap({ Hexadecimal.bytes($0.utf8) }) {
      let content = MetadataContent(
        Bytes(bytes), typeCode: typeCode, localeCode: json["localeCode"]?.word, details: details)
      // If text and bytes differ, the user has probably edited only the text, so the text is used.
      if let text = json["string"]?.string, let known = content.value(of: identifier).stringValue, text != known {
        throw MovieError(
          .malformed, in: "JSON",
          "in item \(number), \(identifier), \"string\" and \"hex\" differ; remove \"hex\" to write \"string\""
        )
      }
      self.init(identifier, content, language: language, trackID: trackID)
      return
    }
    guard json["hex"] == nil, let text = json["string"]?.string,
      let content = MetadataContent(
        .text(text), for: identifier, typeCode: identifier.space == .iTunes && typeCode == 0 ? nil : typeCode,
        language: language, details: details)
    else { throw MovieError(.malformed, in: "JSON", "item \(number), \(identifier), has no value that can be written") }
    self.init(identifier, content, language: language, trackID: trackID)
  }
}

import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// Sets the facts in a file of another program's tags, and lists what is left out.
  ///
  /// `isShared` says whether the movie is prepared for sharing, where nobody can say whose the tags are.
  mutating func set(_ imported: ImportedTags, of file: String, isShared: Bool) throws {
    guard !isShared else {
      throw UsageError(
        .conflict, "--import of tags does not go with --for-sharing; import them into the new file afterwards")
    }
    var (identifiers, count): ([MetadataIdentifier], Int) = ([], 0)
    var leftOut = imported.leftOut
    for tag in imported.tags {
      let input = MetadataInput(tag.identifier, .text(tag.text), language: tag.language).limitedToOwnIdentifier
      do throws(MovieError) {
        identifiers += try edit.setMetadata(input)
        count += 1
      } catch {
        guard error.code == .invalidEdit else { throw error }
        leftOut.append("\(tag.name) (\(error.reason))")
        continue
      }
      guard tag.identifier.expectedForm == .date, let date = input.value.stringValue.flatMap({ MetadataDate($0) }),
        date.secondsSince1970 != nil
      else { continue }
      try setHeaderDates(to: date.description, isExact: false)
    }
    if !identifiers.isEmpty {
      facts.append(
        .init(
          action: .set, subject: "\(counted(count, "fact")) as in \(file)",
          identifiers: identifiers.withoutRepetition, trackID: nil))
    }
    guard !leftOut.isEmpty else { return }
    let rest = leftOut.count > 200 ? " and \(leftOut.count - 200) more" : ""
    let list = leftOut.prefix(200).joined(separator: ", ") + rest
    warnings.append(
      Warning(code: "metadata-left-out", file: file, message: "\(counted(leftOut.count, "tag")) left out: \(list)"))
  }

  /// The tags of another program in a file, or `nil` if it is an answer of `metadata --json`.
  static func tags(in contents: Bytes) throws(MovieError) -> ImportedTags? {
    if let tags = ImportedTags(ffmetadata: contents) { return tags }
    return try ImportedTags(JSONValue(contents))
  }
}

extension Bytes {
  /// The name and the suffix of a picture format that movies do not contain and ffmpeg converts; `nil` for others.
  var convertiblePicture: (name: String, options: String)? {
    if starts(with: "RIFF".utf8), slice(at: 8, count: 4)?.array == Array("WEBP".utf8) { return ("WebP", "") }
    guard slice(at: 4, count: 4)?.array == Array("ftyp".utf8), let brand = slice(at: 8, count: 4)?.array else {
      return nil
    }
    return ["avif", "avis"].contains { Array($0.utf8) == brand } ? (name: "AVIF", options: "-frames:v 1 ") : nil
  }
}

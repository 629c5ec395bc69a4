import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// A change of metadata, as it is reported.
  struct ChangedFact: Equatable {
    enum Action: String {
      case set, added, removed
    }

    let action: Action
    /// What stands for it in the summary: the fact that was asked for, or how many items of another file.
    let subject: String
    /// The identifiers of the items.
    let identifiers: [MetadataIdentifier]
    let trackID: UInt32?
  }

  /// Applies the requested changes of metadata, in their order.
  mutating func change(
    _ requests: [MetadataRequest], isExact: Bool, _ source: any RandomAccessSource, in context: Context
  ) throws {
    for request in requests {
      let trackID = try request.track?.track(among: edit.tracks, kind: "track", option: "track").id
      do {
        try apply(request, trackID, isExact: isExact, in: context)
        try warnOfCutLanguage(request)
        if let pattern = request.action.pattern, !isExact { try warnOfWhatStays(pattern, request.action, source) }
      } catch let error as MovieError where error.code == .invalidEdit {
        throw UsageError(.invalidEdit, "\(request.spelling): \(error.reason)")
      }
    }
  }

  private mutating func apply(
    _ request: MetadataRequest, _ trackID: UInt32?, isExact: Bool, in context: Context
  ) throws {
    func report(_ action: ChangedFact.Action, _ subject: String, _ identifiers: [MetadataIdentifier]) {
      facts.append(.init(action: action, subject: subject, identifiers: identifiers, trackID: trackID))
    }
    switch request.action {
    case .set(let identifier, let text):
      let input = MetadataInput(identifier, .text(text), language: request.language, typeCode: request.typeCode)
      report(
        .set, "\(identifier.name) to \(excerpt(text.utf8))",
        try edit.setMetadata(input, ofTrack: trackID, isExact: isExact))
    case .add(let identifier, let text):
      let input = MetadataInput(identifier, .text(text), language: request.language, typeCode: request.typeCode)
      report(.added, "\(identifier.name) \(excerpt(text.utf8))", try edit.addMetadata(input, ofTrack: trackID))
    case .remove(let pattern):
      let gone = edit.removeMetadata(matching: pattern, language: request.language, ofTrack: trackID)
      if !gone.isEmpty { report(.removed, counted(gone.count, "item"), gone.map(\.identifier)) }
    case .artwork(let path): try setArtwork(path, request, trackID, isExact: isExact, in: context)
    case .takeMovie, .takeAnswer:
      let (file, items) = try request.action.items(in: context)
      let left = Set(edit.takeMetadata(items))
      let taken = items.filter { !left.contains($0) }
      if !taken.isEmpty { report(.set, "\(counted(taken.count, "item")) as in \(file)", taken.map(\.identifier)) }
      if !left.isEmpty {
        let names = Set(left.map(\.identifier.description)).sorted()
        let list = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        warnings.append(
          Warning(code: "metadata-left-out", file: file, message: "\(counted(left.count, "item")) left out: \(list)"))
      }
    }
  }

  /// Says what stands where no edit looks, and what stays of the place of a movie when the items about it go.
  private mutating func warnOfWhatStays(
    _ pattern: String, _ action: MetadataRequest.Action, _ source: any RandomAccessSource
  ) throws {
    guard sharing.isEmpty else { return }  // It leaves these out.
    let beside = try edit.movie.metadata(from: source).filter { item in
      item.path == "uuid" || item.path.hasPrefix("meta")
    }.matching(pattern)
    if !beside.isEmpty {
      let places = Set(beside.map(\.path)).sorted().joined(separator: ", ")
      warnings.append(
        Warning(
          code: "metadata-beside", file: movie,
          message: "\(counted(beside.count, "item")) beside the movie atom (\(places)) "
            + (beside.count == 1 ? "stays as it is" : "stay as they are")
            + "; a copy made with --for-sharing has nothing there"))
    }
    guard case .remove = action, pattern == "common/location" else { return }
    let items = edit.movie.metadata
    var others = items.contains { [.xmp, .windows].contains($0.identifier.space) } ? ["XMP or Windows' items"] : []
    others += edit.tracks.filter { $0.mediaType == .metadata }.map { "track \($0.id)" }
    guard !others.isEmpty else { return }
    warnings.append(
      Warning(
        code: "location-elsewhere", file: movie,
        message: "\(others.joined(separator: ", ")) may say the place too; --for-sharing leaves that out"))
  }

  /// Says what of a language an item has no place for.
  private mutating func warnOfCutLanguage(_ request: MetadataRequest) throws {
    guard let tag = request.language, tag.description.split(separator: "-").contains(where: { $0.utf8.count == 4 })
    else {
      return
    }
    warnings.append(
      Warning(
        code: "language-cut", file: movie, message: "\(tag) is written as \(tag.language): items hold no script"))
  }

  private mutating func setArtwork(
    _ path: String, _ request: MetadataRequest, _ trackID: UInt32?, isExact: Bool, in context: Context
  ) throws {
    let picture = try Self.contents(of: path, "a picture", in: context)
    guard let format = PictureFormat(picture) else {
      throw ToolError(.badData, code: "not-a-picture", file: path, "no JPEG, PNG, GIF or BMP picture")
    }
    let input = MetadataInput(MetadataIdentifier(.common, key: "artwork"), .data(picture), language: request.language)
    facts.append(
      .init(
        action: .set,
        subject: "artwork to \(path), a \(format.rawValue) picture of \(Quantity.bytes(UInt64(picture.count)))",
        identifiers: try edit.setMetadata(input, ofTrack: trackID, isExact: isExact), trackID: trackID))
  }
}

extension EditBuilder {
  /// The bytes of a file that is not a movie; the limit is not one that can be raised.
  fileprivate static func contents(of path: String, _ kind: String, in context: Context) throws -> Bytes {
    do {
      return try context.contents(of: path, atMost: 64 << 20, kind)
    } catch let error as SubtitleError {
      throw ToolError(.badData, code: error.code.rawValue, file: path, error.reason)
    } catch {
      throw ToolError(error, about: path)
    }
  }
}

extension MetadataRequest.Action {
  /// What the items are about that the action is for; `nil` where it names none.
  fileprivate var pattern: String? {
    switch self {
    case .set(let identifier, _): identifier.description
    case .artwork: "common/artwork"
    case .remove(let pattern): pattern
    case .add, .takeAnswer, .takeMovie: nil
    }
  }

  /// Items about the samples themselves, and how they were made.
  private static let ofSamples = [
    "itlk/*.iTunSMPB", "itlk/*.iTunNORM", "itlk/*.Encoding Params", "itsk/©too", "itsk/©enc", "udta/©enc",
  ]

  /// The items of another movie, or of an answer about one, and where they were.
  fileprivate func items(in context: Context) throws -> (file: String, items: [NewMetadataItem]) {
    switch self {
    case .takeMovie(let path):
      do {
        let source = try context.open(path)
        let items = try Movie(of: source, limits: context.limits.movie).metadata(from: source)
        // What belongs to the samples of the other movie is no fact about this one.
        let facts = items.filter { item in
          item.trackID == nil && !Self.ofSamples.contains { item.identifier.matches($0) }
        }
        return (path, facts.map { NewMetadataItem($0) })
      } catch {
        throw ToolError(error, about: path)
      }
    case .takeAnswer(let path):
      let file = path == "-" ? "standard input" : path
      do {
        let answer = try JSONValue(EditBuilder.contents(of: path, "an answer", in: context))
        guard let items = answer["items"]?.array else {
          throw MovieError(.malformed, in: "JSON", "no \"items\", which an answer of metadata --json has")
        }
        return (file, try items.enumerated().map { try NewMetadataItem($1, number: $0 + 1) })
      } catch {
        throw ToolError(error, about: file)
      }
    default: return ("", [])
    }
  }
}

extension NewMetadataItem {
  /// Reads an item of an answer of `metadata --json`. One that a person has written may have `string` alone.
  fileprivate init(_ json: JSONValue, number: Int) throws(MovieError) {
    guard let identifier = json["identifier"]?.string.flatMap({ MetadataIdentifier($0) }) else {
      throw MovieError(.malformed, in: "JSON", "item \(number) has no \"identifier\" such as mdta/com.example.id")
    }
    let typeCode = json["typeCode"]?.word
    let trackID = json["track"]?.word
    let language = json["language"]?.string.flatMap { LanguageTag($0) }
    var details: [String: String] = [:]
    if case .object(let members)? = json["details"] { details = members.compactMapValues(\.string) }
    if let bytes = json["hex"]?.string.flatMap({ MetadataValue.hexadecimal($0) }) {
      let content = MetadataContent(
        bytes, typeCode: typeCode, localeCode: json["localeCode"]?.word, details: details)
      // A text that a person has edited beside the bytes must not be lost.
      if let text = json["string"]?.string, let known = content.value(of: identifier).stringValue, text != known {
        throw MovieError(
          .malformed, in: "JSON",
          "item \(number), \(identifier), has a \"string\" that its \"hex\" does not say; leave \"hex\" out to write it"
        )
      }
      self.init(identifier, content, language: language, trackID: trackID)
      return
    }
    guard json["hex"] == nil, let text = json["string"]?.string,
      let content = MetadataContent(
        .text(text), for: identifier, typeCode: typeCode, language: language, details: details)
    else { throw MovieError(.malformed, in: "JSON", "item \(number), \(identifier), has no value that it can say") }
    self.init(identifier, content, language: language, trackID: trackID)
  }
}

extension MetadataIdentifier {
  /// How a fact is called in the summary: `title`, or the identifier.
  fileprivate var name: String { space == .common ? key : description }
}

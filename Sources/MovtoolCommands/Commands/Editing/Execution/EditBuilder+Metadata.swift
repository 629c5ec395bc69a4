import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// A change of metadata, for the report.
  struct ChangedFact: Equatable {
    enum Action: String {
      case set, added, removed, moved
    }

    let action: Action
    /// The subject of the change in the summary: the requested fact, or the number of items imported from a file.
    let subject: String
    /// The identifiers of the changed items.
    let identifiers: [MetadataIdentifier]
    /// The types of changed atoms that are not items, such as headers.
    var atoms: [String] = []
    let trackID: UInt32?
  }

  /// Applies the requested changes of metadata, in order.
  mutating func change(
    _ requests: [MetadataRequest], isExact: Bool, _ source: any RandomAccessSource, in context: Context
  ) throws {
    for request in requests {
      let trackID = try request.track?.track(among: edit.tracks, kind: "track", option: "track").id
      do {
        let details = request.mayReplaceLocation ? edit.locationDetails(ofTrack: trackID) : [:]
        try apply(request, trackID, isExact: isExact, source, in: context)
        reportLostDetails(details, ofTrack: trackID, request)
        try warnOfTruncatedLanguage(request)
        warnOfAmbiguousValue(request)
        if let pattern = request.action.pattern, !isExact {
          try warnOfUnreachableItems(pattern, request.action, source)
        }
      } catch let error as MovieError where error.code == .invalidEdit {
        throw UsageError(.invalidEdit, "\(request.spelling): \(error.reason)")
      }
    }
  }

  /// Reports details of the old location that the new location does not contain.
  private mutating func reportLostDetails(
    _ details: [Int: MetadataIdentifier], ofTrack trackID: UInt32?, _ request: MetadataRequest
  ) {
    if case .remove = request.action { return }
    guard !details.isEmpty else { return }
    let remainingDetails = edit.locationDetails(ofTrack: trackID)
    let lostDetails = details.filter { remainingDetails[$0.key] == nil && !edit.replacesMetadata(at: $0.key) }.sorted {
      $0.key < $1.key
    }
    guard !lostDetails.isEmpty else { return }
    changedFacts.append(
      .init(
        action: .removed, subject: "\(counted(lostDetails.count, "item")) about the old location",
        identifiers: lostDetails.map(\.value), trackID: trackID))
  }

  private mutating func apply(
    _ request: MetadataRequest, _ trackID: UInt32?, isExact: Bool, _ source: any RandomAccessSource, in context: Context
  ) throws {
    func report(_ action: ChangedFact.Action, _ subject: String, _ identifiers: [MetadataIdentifier]) {
      changedFacts.append(.init(action: action, subject: subject, identifiers: identifiers, trackID: trackID))
    }
    switch request.action {
    case .set(let identifier, let text):
      let input = request.input(identifier, text)
      report(
        .set, "\(identifier.name)\(request.inLanguage) to \(excerpt((input.value.stringValue ?? text).utf8))",
        try edit.setMetadata(input, ofTrack: trackID, isExact: isExact))
      if identifier.description == "common/creationDate" {
        try setHeaderDates(to: input.value.stringValue ?? text, request, isExact: isExact)
      }
    case .shiftDates(let shift): try shiftDates(by: shift)
    case .add(let identifier, let text):
      let input = request.input(identifier, text)
      report(
        .added, "\(identifier.name)\(request.inLanguage) \(excerpt((input.value.stringValue ?? text).utf8))",
        try edit.addMetadata(input, ofTrack: trackID))
    case .remove(let pattern):
      let removedItems = edit.removeMetadata(matching: pattern, language: request.language, ofTrack: trackID)
      if !removedItems.isEmpty { report(.removed, counted(removedItems.count, "item"), removedItems.map(\.identifier)) }
    case .artwork(let path): try setArtwork(path, request, trackID, isExact: isExact, in: context)
    case .copyItems(let file):
      let items = try EditBuilder.facts(of: file, in: context)
      try importItems(items.map { NewMetadataItem($0) }, of: file, source) { builder, importedItems in
        let restated = builder.edit.mirrorFacts(of: items.filter { importedItems.contains(NewMetadataItem($0)) })
        builder.warnOfContradictions(restated.contradictions, with: file)
        return restated.identifiers
      }
    case .importItems(let path):
      let file = path == "-" ? "standard input" : path
      let contents = try context.contents(ofOther: path, "an answer")
      do {
        if let tags = try EditBuilder.tags(in: contents) {
          return try set(tags, of: file, isShared: !sharingDecisions.isEmpty)
        }
      } catch let error as MovieError where error.code == .malformed || error.code == .limit {
        throw EditBuilder.importError(error, file)
      }
      try importItems(EditBuilder.items(ofAnswer: contents, file), of: file, source) { builder, importedItems in
        builder.warnOfContradictions(builder.itemsContradicting(importedItems), with: file, isImport: true)
        return []
      }
    }
  }

  /// Imports items from another file. `mirrorFacts` writes the facts of the imported items in the movie's other
  /// vocabularies, and returns the identifiers of the items that it changed.
  private mutating func importItems(
    _ all: [NewMetadataItem], of file: String, _ source: any RandomAccessSource,
    _ mirrorFacts: (inout EditBuilder, Set<NewMetadataItem>) -> [MetadataIdentifier]
  ) throws {
    importedIdentifiers.formUnion(all.map(\.identifier))
    let (items, decisions) = edit.applySharingPolicy(to: all)
    sharingDecisions += decisions.filter { !sharingDecisions.contains($0) }
    let omittedItems = Set(edit.copyMetadata(items, beside: try edit.movie.metadata(from: source)))
    let importedItems = items.filter { !omittedItems.contains($0) }
    if !importedItems.isEmpty {
      let identifiers = importedItems.map(\.identifier) + mirrorFacts(&self, Set(importedItems))
      changedFacts.append(
        .init(
          action: .set, subject: "\(counted(Set(identifiers).count, "item")) as in \(file)", identifiers: identifiers,
          trackID: nil))
    }
    guard !omittedItems.isEmpty else { return }
    let names = Set(omittedItems.map(\.identifier.description)).sorted()
    let list = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    warnings.append(
      Warning(
        code: "metadata-left-out", file: file, message: "\(counted(omittedItems.count, "item")) left out: \(list)"))
  }

  /// Returns the identifiers of movie items that contradict an imported item about the same fact.
  private func itemsContradicting(_ importedItems: Set<NewMetadataItem>) -> [MetadataIdentifier] {
    let identifiers = Set(importedItems.filter { $0.trackID == nil }.map(\.identifier))
    return edit.metadata.filter { item in
      item.trackID == nil && !identifiers.contains(item.identifier)
        && importedItems.contains { new in
          new.trackID == nil && new.identifier.common != nil && new.identifier.common == item.identifier.common
            && new.language == item.language
            && new.content.value(of: new.identifier).stringValue != item.stringValue
        }
    }.map(\.identifier)
  }

  /// Warns about items of the movie that may contradict imported items. The suggested command does not copy the item
  /// `software`, because that item names the encoder of this movie's samples.
  private mutating func warnOfContradictions(_ others: [MetadataIdentifier], with file: String, isImport: Bool = false)
  {
    let names = others.map(\.description).withoutRepetition
    guard !names.isEmpty else { return }
    let areSoftwareItems = others.map { $0.common?.key == "software" }
    var hint = ""
    if !areSoftwareItems.contains(false) {
      hint = ": it names the encoder of \(movie)"
    } else if isImport {
      hint =
        "; --copy-from MOVIE also changes "
        + "\(areSoftwareItems.contains(true) ? "all of them except software" : "all of them")"
    }
    warnings.append(
      Warning(
        code: "said-otherwise", file: movie,
        message: "\(names.joined(separator: ", ")) may differ from the items of \(file), and "
          + (names.count == 1 ? "is kept" : "are kept") + hint))
  }

  /// Warns if a new file will contain removed values in copied free space. Free space left by earlier edits in place is
  /// not searched, because the writer clears it.
  mutating func warnOfFreeSpace(_ source: any RandomAccessSource) throws {
    var search = RemovedValueSearch(edit.removedMetadata.map(\.bytes))
    guard !search.isEmpty else { return }
    var places: [UInt64] = []
    let cleared = try edit.movie.spaceLeftByEdits(in: source)
    for (index, atom) in edit.movie.layout.atoms.enumerated()
    where atom.isFreeSpace && !cleared.contains(index) && atom.payloadRange.count <= search.unreadByteCount {
      if search.isFound(in: try source.readExactly(atom.payloadRange)) { places.append(atom.range.offset) }
    }
    let tree = edit.movie.tree
    for index in tree.root..<tree[tree.root].subtreeEnd
    where FreeSpace.isSpace(index, in: tree) && !FreeSpace.isLeftByItemEdit(index, in: tree) {
      if search.isFound(in: tree.payload(of: index)) { places.append(tree.range(of: index).offset) }
    }
    guard let first = places.first else { return }
    warnings.append(
      Warning(
        code: "removed-in-free-space", file: movie,
        message:
          "free space at byte \(first) still contains removed items and is copied unchanged; --for-sharing omits it"
      ))
  }

  /// Warns about matching items outside of the movie atom, because edits do not change them. If the location is
  /// removed, also warns about data that may contain the location.
  private mutating func warnOfUnreachableItems(
    _ pattern: String, _ action: MetadataRequest.Action, _ source: any RandomAccessSource
  ) throws {
    guard sharingDecisions.isEmpty else { return }  // The sharing policy removes these items.
    // The items are cached after the first request. Otherwise, 400 requests for a movie with 8000 items would decode
    // 3.2 million items.
    let besideMovieAtom =
      try itemsOutsideMovieAtom
      ?? edit.movie.metadata(from: source).filter { $0.path == "uuid" || $0.path.hasPrefix("meta") }
    itemsOutsideMovieAtom = besideMovieAtom
    let unreachableItems = besideMovieAtom.matching(pattern)
    if case .remove = action, unreachableItems.isEmpty, edit.metadata.matching(pattern).isEmpty {
      notes.append(EditNotice(.nothingToDo, "--remove \(pattern) has no effect: no item of \(movie) matches"))
    }
    if !unreachableItems.isEmpty {
      let places = Set(unreachableItems.map(\.path)).sorted().joined(separator: ", ")
      warnings.append(
        Warning(
          code: "metadata-beside", file: movie,
          message: "\(counted(unreachableItems.count, "item")) outside the movie atom (\(places)) "
            + (unreachableItems.count == 1 ? "is unchanged" : "are unchanged")
            + "; --for-sharing writes a copy without such items"))
    }
    guard case .remove = action, pattern == "common/location" else { return }
    let items = edit.metadata
    var otherLocations =
      items.contains { [.xmp, .windows].contains($0.identifier.space) } ? ["XMP or Windows' items"] : []
    let trackIDs = Set(edit.tracks.map(\.id))
    otherLocations += edit.movie.tracks.filter { trackIDs.contains($0.id) && $0.mayContainLocation }.map {
      "track \($0.id)"
    }
    guard !otherLocations.isEmpty else { return }
    warnings.append(
      Warning(
        code: "location-elsewhere", file: movie,
        message: "\(otherLocations.joined(separator: ", ")) may contain the location too; --for-sharing removes it"))
  }

  /// Warns if an item cannot store the complete language tag.
  private mutating func warnOfTruncatedLanguage(_ request: MetadataRequest) throws {
    if case .remove = request.action { return }
    if let warning = Warning(unregistered: request.language, movie) { warnings.append(warning) }
    guard let tag = request.language else { return }
    let untypedIdentifier = changedFacts.last?.identifiers.first { !$0.space.storesValueTypes }
    // This is the language that readers of the item find, because items store an ISO 639-2 code.
    let language = LanguageTag(LanguageCode.iso639_2T(for: tag))?.language ?? tag.language
    let country = tag.region.flatMap { $0.utf8.count == 2 ? $0 : nil }
    let writtenTag = [language, untypedIdentifier == nil ? country : nil].compactMap { $0 }.joined(separator: "-")
    guard tag.ifDetermined != nil, writtenTag != tag.description else { return }
    let isCountryAlone = country.map { tag.description == "\(language)-\($0)" } ?? false
    let reason =
      untypedIdentifier.flatMap {
        isCountryAlone ? "\($0) cannot store a country, and stores one text per language" : nil
      }
      ?? "items can store only a language of ISO 639-2 and a country of two letters"
    warnings.append(
      Warning(code: "language-cut", file: movie, message: "\(tag) is written as \(writtenTag): \(reason)"))
  }

  private mutating func setArtwork(
    _ path: String, _ request: MetadataRequest, _ trackID: UInt32?, isExact: Bool, in context: Context
  ) throws {
    let picture = try context.contents(ofOther: path, "a picture")
    guard let format = PictureFormat(picture) else {
      guard let other = picture.convertiblePicture else {
        throw ToolError(.badData, code: "not-a-picture", file: path, "no JPEG, PNG, GIF or BMP picture")
      }
      throw ToolError(
        .badData, code: "not-a-picture", file: path, "the picture is in \(other.name), which movies cannot contain",
        hint: "try: ffmpeg -i \(ShellWord.path(path)) \(other.options)\(ShellWord.path(Self.pngName(for: path)))")
    }
    let input = MetadataInput(MetadataIdentifier(.common, key: "artwork"), .data(picture), language: request.language)
    let covers = edit.removedMetadata.filter { $0.identifier.common == input.identifier }
    changedFacts.append(
      .init(
        action: .set,
        subject: "artwork to \(path), a \(format.rawValue) picture of \(Quantity.bytes(UInt64(picture.count)))",
        identifiers: try edit.setMetadata(input, ofTrack: trackID, isExact: isExact), trackID: trackID))
    // A song may have several covers. The first cover was replaced, and the other covers were removed.
    let removedPictures = edit.removedMetadata.filter { $0.identifier.common == input.identifier }.dropFirst(
      covers.count)
    guard !removedPictures.isEmpty else { return }
    changedFacts.append(
      .init(
        action: .removed, subject: counted(removedPictures.count, "old picture"),
        identifiers: removedPictures.map(\.identifier),
        trackID: trackID))
  }
}

extension EditBuilder {
  /// Returns the path of a picture with the suffix `.png`.
  fileprivate static func pngName(for path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return path + ".png" }
    return path[..<dot] + ".png"
  }
}

extension MetadataRequest.Action {
  /// The pattern of the affected items, or `nil` if the action has no pattern.
  fileprivate var pattern: String? {
    switch self {
    case .set(let identifier, _): identifier.description
    case .artwork: "common/artwork"
    case .remove(let pattern): pattern
    case .add, .importItems, .copyItems, .shiftDates: nil
    }
  }
}

extension Track {
  /// Whether the track contains timed metadata that may include a location. It contains no location if all its keys are
  /// Apple's and no key names a location.
  fileprivate var mayContainLocation: Bool {
    guard mediaType == .metadata else { return false }
    let keys = sampleDescriptions.entries.flatMap(\.timedMetadataKeys).map(\.identifier)
    let hasKnownKeys = formats.allSatisfy { $0 == "mebx" } && !keys.isEmpty
    return !hasKnownKeys || keys.contains { $0.matches("*location*") || !$0.matches("*/com.apple.quicktime.*") }
  }
}

extension MetadataRequest {
  /// Whether the request may replace the location.
  fileprivate var mayReplaceLocation: Bool {
    switch action {
    case .set(let identifier, _), .add(let identifier, _): identifier.common?.key == "location"
    case .remove, .artwork, .shiftDates: false
    case .copyItems, .importItems: true
    }
  }

  /// Whether the request sets a fact of the whole movie in no particular language.
  var isAboutMovie: Bool { track == nil && language == nil }

  /// Returns the input for the library.
  fileprivate func input(_ identifier: MetadataIdentifier, _ text: String) -> MetadataInput {
    MetadataInput(identifier, .text(text), language: language, typeCode: typeCode).normalized
  }

  /// The language as the end of a phrase, such as ` in German`, or an empty string.
  fileprivate var inLanguage: String { language.map { " in \($0.englishName)" } ?? "" }
}

extension MetadataIdentifier {
  /// The name in the summary: a common fact such as `title`, or else the identifier.
  fileprivate var name: String { space == .common ? key : description }
}

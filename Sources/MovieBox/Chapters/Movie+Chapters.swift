// Reading the chapters of a movie from chapter tracks (`chap`) and from the list in user data (`chpl`). Each chapter
// track contains titles in one language, pictures or links. The reader merges all tracks and lists into one list, and
// reports the tracks and lists that disagree.

import Subtitles

extension Movie {
  /// Returns the chapters of the movie.
  ///
  /// Reads the titles in every language from the chapter tracks (`chap`), with their pictures and links. If no track
  /// contains titles, reads the list in user data (`chpl`) instead. ``ChapterList/forms`` contains each chapter track
  /// and the list in user data, and declares whether its chapters differ. Notices report chapter tracks and lists that
  /// are unreadable.
  ///
  /// The samples of titles are always read. Pictures are read if `readsImages` is `true`; otherwise, only their sizes
  /// are returned. The times of a fragmented movie count from the start of its earliest track. If `keepingStart` is
  /// `true`, they are the times that the file declares.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.sourceChanged` if the source does not contain
  /// this movie, and `.limit` if the pictures exceed the limit.
  ///
  ///     let list = try movie.chapters(from: source)
  ///     for chapter in list.chapters { print(chapter.startMilliseconds, chapter.title() ?? "") }
  public func chapters(
    from source: some RandomAccessSource, readsImages: Bool = false, keepingStart: Bool = false
  ) throws -> ChapterList {
    try reading(source) {
      // Chapter tracks may continue in fragments. The last chapter of a list in user data ends at the end of the
      // fragments.
      guard !chapterTrackIDs.isEmpty || isFragmented && hasNeroChapters else {
        return try readChapters(from: source, readsImages: readsImages)
      }
      let presented: PresentedMovie
      do {
        presented = try self.includingFragments(from: source, keepingStart: keepingStart)
      } catch let error as MovieError where chapterTrackIDs.isEmpty && error.code != .sourceChanged {
        // If the fragments are damaged, read the list in user data without them.
        return try readChapters(from: source, readsImages: readsImages)
      }
      return try presented.movie.readChapters(from: source, readsImages: readsImages, presented.fragments)
    }
  }

  /// Returns the chapters of the movie, but does not check that the source is unchanged.
  ///
  /// `fragments` are the movie's fragments if the caller has already read them.
  package func readChapters(
    from source: some RandomAccessSource, readsImages: Bool = false, _ fragments: MovieFragments? = nil
  ) throws -> ChapterList {
    var reader = MovieChapterReader(self)
    reader.fragments = fragments
    if reader.fragments == nil, !chapterTrackIDs.isEmpty, isFragmented {
      reader.fragments = try readFragments(of: source)
    }
    try reader.readTracks(from: source)
    reader.readNero()
    var list = reader.finish()
    if readsImages { try reader.readImages(of: &list, from: source) }
    return list
  }

  /// Whether the movie's user data contains a list of chapters (`chpl`).
  private var hasNeroChapters: Bool {
    tree.children(of: tree.root, "udta").contains { !tree.children(of: $0, "chpl").isEmpty }
  }

  /// The chapter tracks of the movie, in the order of the track references to them.
  package var chapterTracks: [Track] {
    // A damaged reference may list a million tracks that do not exist, so look up tracks in a dictionary.
    let tracksByID = Dictionary(tracks.map { ($0.id, $0) }) { first, _ in first }
    var seenIDs: Set<UInt32> = []
    return (tracks.flatMap { $0.referenced("chap") } + chapterTrackIDsInUnreadableTracks).compactMap { id in
      tracksByID[id].flatMap { seenIDs.insert(id).inserted ? $0 : nil }
    }
  }
}

/// Reads all chapter tracks and the list in user data, and merges them.
private struct MovieChapterReader {
  let movie: Movie
  var fragments: MovieFragments?
  private var titles: [(track: Track, contents: ChapterTrackReader.Contents)] = []
  private var links: [(track: Track, contents: ChapterTrackReader.Contents)] = []
  private var images: [(track: Track, contents: ChapterTrackReader.Contents)] = []
  private var nero: [Chapter]?
  private var notices: [ChapterList.Notice] = []

  init(_ movie: Movie) {
    self.movie = movie
  }

  // MARK: - Reading

  mutating func readTracks(from source: some RandomAccessSource) throws {
    var texts: [(track: Track, contents: ChapterTrackReader.Contents)] = []
    let listedTracks = movie.chapterTracks
    if listedTracks.count > ChapterLimits.trackCount {
      notices.append(
        .init(
          "unreadable-chapters",
          "\(listedTracks.count) tracks are listed as chapters (chap): only the first \(ChapterLimits.trackCount) are read"
        ))
    }
    var budget = ChapterTrackReader.Budget()
    for track in listedTracks.prefix(ChapterLimits.trackCount) {
      let reader = ChapterTrackReader(track: track, movie: movie, fragments: fragments)
      do {
        if track.mediaType == .video {
          guard track.hasStillPictures else {
            notices.append(
              .init(
                "film-as-chapters", trackID: track.id,
                "track \(track.id) is listed as chapters (chap), but contains a film instead of chapter pictures"))
            continue
          }
          images.append((track, try reader.images(within: &budget)))
        } else if track.hasReadableText, !track.hasClosedCaptions {
          let contents = try reader.titles(from: source, within: &budget)
          notices += contents.notices
          texts.append((track, contents))
        } else {
          notices.append(
            .init(
              "not-chapters", trackID: track.id,
              "track \(track.id) is listed as chapters (chap), but is a \(track.mediaType.name) track"))
        }
      } catch let error as MovieError where error.code != .sourceChanged {
        notices.append(
          .init("unreadable-chapters", trackID: track.id, "track \(track.id) cannot be read: \(error.reason)"))
      }
    }
    // A text track contains links instead of titles if all its texts are links. It also contains links if some of its
    // texts have links and another track contains equal titles. If all text tracks contain links, the first track is
    // used for the titles.
    var titleIDs = Set(texts.filter { !$0.contents.isLinkList }.map(\.track.id))
    let textsWithoutLinks = texts.filter { text in text.contents.entries.allSatisfy { $0.link == nil } }
    for text in texts where text.contents.entries.contains(where: { $0.link != nil }) {
      if textsWithoutLinks.contains(where: { text.contents.repeatsTexts(of: $0.contents) }) {
        titleIDs.remove(text.track.id)
      }
    }
    for (number, text) in texts.enumerated() {
      let containsTitles = titleIDs.isEmpty ? number == 0 : titleIDs.contains(text.track.id)
      if containsTitles { titles.append(text) } else { links.append(text) }
    }
  }

  mutating func readNero() {
    let tree = movie.tree
    for udta in tree.children(of: tree.root, "udta") {
      for chpl in tree.children(of: udta, "chpl") where nero == nil {
        do throws(MovieError) {
          let list = try tree.locating(chpl) { payload throws(MovieError) in try NeroChapters(payload: payload) }
          nero = list.chapters.ordered
          if list.missingCount > 0 {
            notices.append(
              .init(
                "nero-list-short",
                "the list in user data (chpl) declares \(list.missingCount) more chapters than it contains"))
          }
        } catch {
          notices.append(
            .init(
              "unreadable-chapters",
              "the list in user data (chpl) cannot be read: "
                + "\(error.description)"))
        }
      }
    }
  }

  func readImages(of list: inout ChapterList, from source: some RandomAccessSource) throws {
    let imageRanges = list.chapters.map { chapter in images.first?.contents.entry(for: chapter)?.image }
    let total = Set(imageRanges.compactMap { $0 }).reduce(UInt64(0)) { $0.addingClamped($1.count) }
    guard total <= ChapterLimits.imageByteCount else {
      throw MovieError(.limit, "the chapter pictures have \(total) bytes: the limit is \(ChapterLimits.imageByteCount)")
    }
    // Read each picture once. Many chapters may share one picture, such as a cover.
    var pictures: [ByteRange: Bytes] = [:]
    for (index, position) in imageRanges.enumerated() {
      guard let position else { continue }
      let picture = try pictures[position] ?? source.readExactly(position)
      pictures[position] = picture
      list.chapters[index].image = .data(picture)
    }
  }

  // MARK: - Merging

  func finish() -> ChapterList {
    var list = ChapterList(mergedChapters, durationMilliseconds: movie.endMilliseconds(fragments))
    list.notices = notices
    addNoticeAboutChaptersWithoutDuration(in: &list)
    for text in titles {
      let differs = text.contents.entries.map(\.start) != list.chapters.map(\.startMilliseconds)
      addForm(.titles, text.track, text.contents, differs: differs, to: &list)
    }
    for text in links { addForm(.links, text.track, text.contents, differs: false, to: &list) }
    for image in images { addForm(.images, image.track, image.contents, differs: false, to: &list) }
    if let nero {
      let differs = !titles.isEmpty && !nero.agree(with: list.chapters)
      list.forms.append(.init(kind: .nero, trackID: nil, language: nil, count: nero.count, differs: differs))
      if differs {
        list.notices.append(
          .init(
            "chapters-differ",
            "the list in user data (chpl) differs from the chapter track: players disagree about the chapters"
          ))
      }
    }
    for index in list.chapters.indices {
      let chapter = list.chapters[index]
      if let image = images.first?.contents.entry(for: chapter)?.image {
        list.chapters[index].image = .inMovie(byteCount: image.count)
      }
      guard let first = links.first, let link = first.contents.entry(for: chapter) else { continue }
      if let url = list.repeatsTitles(first.track.id) ? link.link : link.url { list.chapters[index].link = url }
    }
    return list
  }

  /// Adds a notice if chapters have no duration. Players skip a chapter without duration or show it for only a moment.
  private func addNoticeAboutChaptersWithoutDuration(in list: inout ChapterList) {
    let chapters = list.chapters
    let affectedIndices = chapters.indices.filter { index in
      let start = chapters[index].startMilliseconds
      if let end = chapters[index].endMilliseconds { return end <= start }
      return index + 1 < chapters.count && chapters[index + 1].startMilliseconds == start
    }
    guard let first = affectedIndices.first else { return }
    let title = chapters[first].title().map { " \"\($0)\"" } ?? ""
    let otherChapters = affectedIndices.count > 1 ? ", and \(affectedIndices.count - 1) more" : ""
    list.notices.append(
      .init(
        "chapter-without-length",
        "chapter \(first + 1)\(title) at \(ChapterTime.text(chapters[first].startMilliseconds)) has no "
          + "duration\(otherChapters): "
          + "most players skip such chapters"))
  }

  private func addForm(
    _ kind: ChapterList.Form.Kind, _ track: Track, _ contents: ChapterTrackReader.Contents, differs: Bool,
    to list: inout ChapterList
  ) {
    var form = ChapterList.Form(
      kind: kind, trackID: track.id, language: track.language, count: contents.entries.count, differs: differs)
    if kind == .links {
      form.repeatsTitles = titles.contains { contents.repeatsTexts(of: $0.contents) }
      form.count = contents.entries.count { (form.repeatsTitles ? $0.link : $0.url) != nil }
    }
    list.forms.append(form)
    guard differs else { return }
    list.notices.append(
      .init(
        "chapters-differ", trackID: track.id,
        "the chapters of track \(track.id) and of the first chapter track begin at different times"))
  }

  /// The chapters of all title tracks or, if there are no title tracks, of the list in user data. Titles that begin at
  /// the same time form one chapter.
  private var mergedChapters: [Chapter] {
    guard let first = titles.first else { return nero ?? [] }
    var chapters = first.contents.entries.map { entry in
      Chapter(
        startMilliseconds: entry.start, endMilliseconds: entry.end,
        titles: entry.text.isEmpty ? [] : [.init(entry.text, language: first.track.language)], link: entry.link)
    }
    for (track, contents) in titles.dropFirst() {
      // Several chapters begin at the same time if some have no duration. In this case, the n-th title at a time
      // belongs to the n-th chapter at the time.
      var places = Dictionary(grouping: chapters.indices) { chapters[$0].startMilliseconds }.mapValues { $0[...] }
      for entry in contents.entries {
        let title = Chapter.Title(entry.text, language: track.language)
        if let position = places[entry.start]?.popFirst() {
          let hasTitle = chapters[position].titles.contains { $0.language == title.language }
          if !hasTitle, !title.text.isEmpty { chapters[position].titles.append(title) }
        } else {
          chapters.append(Chapter(startMilliseconds: entry.start, endMilliseconds: entry.end, titles: [title]))
        }
      }
    }
    return chapters
  }
}

extension ChapterList {
  /// Whether the texts of a link track repeat the titles.
  fileprivate func repeatsTitles(_ trackID: UInt32) -> Bool {
    forms.contains { $0.trackID == trackID && $0.repeatsTitles }
  }
}

extension ChapterTrackReader.Contents {
  /// Returns the entry that is shown when the chapter begins. If no entry is shown then, returns the first entry that
  /// begins within the chapter.
  fileprivate func entry(for chapter: Chapter) -> ChapterTrackReader.Entry? {
    let start = chapter.startMilliseconds
    let firstIndex = entries.partitioningIndex { $0.start >= start }
    if firstIndex < entries.count, entries[firstIndex].start == start { return entries[firstIndex] }
    // Times of tracks with different time scales may differ by a rounding error. So accept an entry that begins 1 ms
    // later than the chapter.
    let position = entries.partitioningIndex { $0.start > start.addingClamped(1) }
    guard position > 0, entries[position - 1].end > start else {
      guard position < entries.count, let end = chapter.endMilliseconds, entries[position].start < end else {
        return nil
      }
      return entries[position]
    }
    return entries[position - 1]
  }
}

/// The tolerance for comparing the times of chapter tracks with the times of the list in user data. A program may have
/// converted the times.
private let roundingMilliseconds: Int64 = 10

extension [Chapter] {
  /// Whether a list in user data agrees with the chapters of tracks.
  ///
  /// The counts must be equal, unless the list has the maximum number of entries. The times must be equal within the
  /// tolerance. Titles must be equal, or one title must be a shortened version of the other.
  fileprivate func agree(with others: [Chapter]) -> Bool {
    guard count == others.count || count == NeroChapters.maximumEntryCount && others.count > count else { return false }
    return zip(self, others).allSatisfy { own, other in
      let distance = (own.startMilliseconds.subtractingReportingOverflow(other.startMilliseconds)).partialValue
      let title = own.title() ?? ""
      return distance.magnitude <= UInt64(roundingMilliseconds)
        && other.titles.contains { $0.text == title || $0.text.utf8.count > 250 && $0.text.hasPrefix(title) }
        || distance.magnitude <= UInt64(roundingMilliseconds) && title.isEmpty && other.titles.isEmpty
    }
  }
}

extension Track {
  /// Whether the track's samples are still pictures.
  package var hasStillPictures: Bool {
    let entries = sampleDescriptions.entries
    return !entries.isEmpty && entries.allSatisfy(\.isStillPicture)
  }
}

extension SampleEntry {
  private static let pictureFormats: Set<FourCC> = ["jpeg", "png ", "gif ", "tiff", "jp2 "]

  /// Whether the sample entry declares still pictures. Its format declares them or, for `mp4v`, the object type in
  /// `esds`.
  fileprivate var isStillPicture: Bool {
    guard format == "mp4v" else { return Self.pictureFormats.contains(format) }
    guard let video = try? VideoDescription(body: body),
      let esds = SampleEntryAtoms(video.tail).atoms.first(where: { $0.type == "esds" }),
      let type = ElementaryStream.plainObjectType(of: esds.payload)
    else { return false }
    return type == .jpeg || type == .png
  }
}

// The chapters of a movie in all its forms: chapter tracks (`chap`), each for one language, pictures or links, and the
// list in user data (`chpl`). Readers see one list, and a notice where the forms differ.

import Subtitles

extension Movie {
  /// The chapters of the movie: from the tracks that others have as their chapter lists (`chap`), in every language, with
  /// pictures and links; where there are no titles in tracks, from the list in user data (`chpl`).
  ///
  /// ``ChapterList/forms`` says where chapters were found, and which of them say something else. A form that cannot be
  /// read is a notice. Reads the samples of titles, and with `readsImages` the pictures; of others only how many bytes
  /// they have. The clock of a fragmented movie starts with its earliest track, or where the file starts it, with
  /// `keepingStart`. Throws what the source throws, and ``MovieError``: `.sourceChanged` for another source than the
  /// movie's, `.limit` for more pictures than memory should take.
  ///
  ///     let list = try movie.chapters(from: source)
  ///     for chapter in list.chapters { print(chapter.startMilliseconds, chapter.title() ?? "") }
  public func chapters(
    from source: some RandomAccessSource, readsImages: Bool = false, keepingStart: Bool = false
  ) throws -> ChapterList {
    try reading(source) {
      // The last chapter of a list in user data ends with the fragments.
      guard !chapterTrackIDs.isEmpty || isFragmented && hasNeroChapters else {
        return try readChapters(from: source, readsImages: readsImages)
      }
      let presented: PresentedMovie
      do {
        presented = try self.presented(from: source, keepingStart: keepingStart)
      } catch let error as MovieError where chapterTrackIDs.isEmpty && error.code != .sourceChanged {
        // The list itself can be read without the damaged fragments.
        return try readChapters(from: source, readsImages: readsImages)
      }
      return try presented.movie.readChapters(from: source, readsImages: readsImages, presented.fragments)
    }
  }

  /// The same from any source that has this movie.
  ///
  /// `fragments` are the movie's, where they have been read.
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

  /// Whether user data of the movie has a list of chapters (`chpl`).
  private var hasNeroChapters: Bool {
    tree.children(of: tree.root, "udta").contains { !tree.children(of: $0, "chpl").isEmpty }
  }

  /// The tracks that others have as their chapter lists and that the movie has, in the order in which they are listed.
  package var chapterTracks: [Track] {
    // A broken reference may list a million tracks that are not there.
    let known = Dictionary(tracks.map { ($0.id, $0) }) { first, _ in first }
    var seen: Set<UInt32> = []
    return (tracks.flatMap { $0.referenced("chap") } + chapterTrackIDsOfLostTracks).compactMap { id in
      known[id].flatMap { seen.insert(id).inserted ? $0 : nil }
    }
  }
}

/// Joins all forms of a movie's chapters.
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
    let listed = movie.chapterTracks
    if listed.count > ChapterLimits.trackCount {
      notices.append(
        .init(
          "unreadable-chapters",
          "of \(listed.count) tracks that are listed as chapters (chap), \(ChapterLimits.trackCount) are read"))
    }
    var budget = ChapterTrackReader.Budget()
    for track in listed.prefix(ChapterLimits.trackCount) {
      let reader = ChapterTrackReader(track: track, movie: movie, fragments: fragments)
      do {
        if track.mediaType == .video {
          guard track.holdsStillPictures else {
            notices.append(
              .init(
                "film-as-chapters", trackID: track.id,
                "track \(track.id) is listed as chapters (chap) and is a film, not pictures of chapters"))
            continue
          }
          images.append((track, try reader.images(within: &budget)))
        } else if track.hasReadableText {
          let contents = try reader.titles(from: source, within: &budget)
          notices += contents.notices
          texts.append((track, contents))
        } else {
          notices.append(
            .init(
              "not-chapters", trackID: track.id,
              "track \(track.id) is listed as chapters (chap) and is \(track.mediaType.name)"))
        }
      } catch let error as MovieError where error.code != .sourceChanged {
        notices.append(
          .init("unreadable-chapters", trackID: track.id, "track \(track.id) cannot be read: \(error.reason)"))
      }
    }
    // A list of which each text is a link is one of links, unless there is no other; so is one that has some, and
    // otherwise the titles of another.
    var titleIDs = Set(texts.filter { !$0.contents.isOfLinks }.map(\.track.id))
    let plain = texts.filter { text in text.contents.entries.allSatisfy { $0.link == nil } }
    for text in texts where text.contents.entries.contains(where: { $0.link != nil }) {
      if plain.contains(where: { text.contents.repeats($0.contents) }) { titleIDs.remove(text.track.id) }
    }
    for (number, text) in texts.enumerated() {
      let isOfTitles = titleIDs.isEmpty ? number == 0 : titleIDs.contains(text.track.id)
      if isOfTitles { titles.append(text) } else { links.append(text) }
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
                "the list in user data (chpl) claims \(list.missingCount) chapters more than can be read"))
          }
        } catch {
          notices.append(.init("unreadable-chapters", "the list in user data cannot be read: \(error.description)"))
        }
      }
    }
  }

  func readImages(of list: inout ChapterList, from source: some RandomAccessSource) throws {
    let places = list.chapters.map { chapter in images.first?.contents.entry(for: chapter)?.image }
    let total = Set(places.compactMap { $0 }).reduce(UInt64(0)) { $0.addingClamped($1.count) }
    guard total <= ChapterLimits.imageByteCount else {
      throw MovieError(.limit, "\(total) bytes of pictures, the limit is \(ChapterLimits.imageByteCount)")
    }
    // A cover may be the picture of every chapter.
    var pictures: [ByteRange: Bytes] = [:]
    for (index, place) in places.enumerated() {
      guard let place else { continue }
      let picture = try pictures[place] ?? source.readExactly(place)
      pictures[place] = picture
      list.chapters[index].image = .data(picture)
    }
  }

  // MARK: - Putting together

  func finish() -> ChapterList {
    var list = ChapterList(merged, durationMilliseconds: movie.endInMilliseconds(fragments))
    list.notices = notices
    noteMoments(in: &list)
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
            "the list in user data (chpl) says something else than the chapter track: players differ in which they show"
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

  /// Reports chapters of no length, which players skip or show for a moment.
  private func noteMoments(in list: inout ChapterList) {
    let chapters = list.chapters
    let moments = chapters.indices.filter { index in
      let start = chapters[index].startMilliseconds
      if let end = chapters[index].endMilliseconds { return end <= start }
      return index + 1 < chapters.count && chapters[index + 1].startMilliseconds == start
    }
    guard let first = moments.first else { return }
    let title = chapters[first].title().map { " \"\($0)\"" } ?? ""
    let others = moments.count > 1 ? ", and \(moments.count - 1) more" : ""
    list.notices.append(
      .init(
        "chapter-without-length",
        "chapter \(first + 1)\(title) at \(ChapterTime.text(chapters[first].startMilliseconds)) has no length\(others): "
          + "most players skip it"))
  }

  private func addForm(
    _ kind: ChapterList.Form.Kind, _ track: Track, _ contents: ChapterTrackReader.Contents, differs: Bool,
    to list: inout ChapterList
  ) {
    var form = ChapterList.Form(
      kind: kind, trackID: track.id, language: track.language, count: contents.entries.count, differs: differs)
    if kind == .links {
      form.repeatsTitles = titles.contains { contents.repeats($0.contents) }
      form.count = contents.entries.count { (form.repeatsTitles ? $0.link : $0.url) != nil }
    }
    list.forms.append(form)
    guard differs else { return }
    list.notices.append(
      .init(
        "chapters-differ", trackID: track.id,
        "track \(track.id) does not begin its chapters when the others do"))
  }

  /// The chapters of all title tracks; titles that begin together form one chapter. Without any, the list in user
  /// data.
  private var merged: [Chapter] {
    guard let first = titles.first else { return nero ?? [] }
    var chapters = first.contents.entries.map { entry in
      Chapter(
        startMilliseconds: entry.start, endMilliseconds: entry.end,
        titles: entry.text.isEmpty ? [] : [.init(entry.text, language: first.track.language)], link: entry.link)
    }
    for (track, contents) in titles.dropFirst() {
      // Chapters of no length begin together: the first title of a time is that of the first.
      var places = Dictionary(grouping: chapters.indices) { chapters[$0].startMilliseconds }.mapValues { $0[...] }
      for entry in contents.entries {
        let title = Chapter.Title(entry.text, language: track.language)
        if let place = places[entry.start]?.popFirst() {
          let hasTitle = chapters[place].titles.contains { $0.language == title.language }
          if !hasTitle, !title.text.isEmpty { chapters[place].titles.append(title) }
        } else {
          chapters.append(Chapter(startMilliseconds: entry.start, endMilliseconds: entry.end, titles: [title]))
        }
      }
    }
    return chapters
  }
}

extension ChapterList {
  /// Whether the texts of a track of links are the titles.
  fileprivate func repeatsTitles(_ trackID: UInt32) -> Bool {
    forms.contains { $0.trackID == trackID && $0.repeatsTitles }
  }
}

extension ChapterTrackReader.Contents {
  /// Returns the first entry that is shown when the chapter begins, or later in it.
  fileprivate func entry(for chapter: Chapter) -> ChapterTrackReader.Entry? {
    let start = chapter.startMilliseconds
    let same = entries.partitioningIndex { $0.start >= start }
    if same < entries.count, entries[same].start == start { return entries[same] }
    // Times of tracks with different scales are rounded differently.
    let place = entries.partitioningIndex { $0.start > start.addingClamped(1) }
    guard place > 0, entries[place - 1].end > start else {
      guard place < entries.count, let end = chapter.endMilliseconds, entries[place].start < end else { return nil }
      return entries[place]
    }
    return entries[place - 1]
  }
}

/// By how much times that mean the same may differ in lists that programs made from one another.
private let roundingInMilliseconds: Int64 = 10

extension [Chapter] {
  /// Whether a list in user data says the same as others do: as many, as far as it holds, at the same times, with titles
  /// that begin so.
  fileprivate func agree(with others: [Chapter]) -> Bool {
    guard count == others.count || count == NeroChapters.largestCount && others.count > count else { return false }
    return zip(self, others).allSatisfy { own, other in
      let distance = (own.startMilliseconds.subtractingReportingOverflow(other.startMilliseconds)).partialValue
      let title = own.title() ?? ""
      return distance.magnitude <= UInt64(roundingInMilliseconds)
        && other.titles.contains { $0.text == title || $0.text.utf8.count > 250 && $0.text.hasPrefix(title) }
        || distance.magnitude <= UInt64(roundingInMilliseconds) && title.isEmpty && other.titles.isEmpty
    }
  }
}

extension Track {
  /// Whether its samples are pictures that stand for themselves.
  package var holdsStillPictures: Bool {
    let entries = sampleDescriptions.entries
    return !entries.isEmpty && entries.allSatisfy(\.isStillPicture)
  }
}

extension SampleEntry {
  private static let pictureFormats: Set<FourCC> = ["jpeg", "png ", "gif ", "tiff", "jp2 "]

  /// Whether it is of pictures that stand for themselves, by its name or, in ISO files, by the number of MPEG-4's `esds`.
  fileprivate var isStillPicture: Bool {
    guard format == "mp4v" else { return Self.pictureFormats.contains(format) }
    guard let video = try? VideoDescription(body: body),
      let esds = SampleEntryAtoms(video.tail).atoms.first(where: { $0.type == "esds" }),
      let type = ElementaryStream.plainObjectType(of: esds.payload)
    else { return false }
    return type == .jpeg || type == .png
  }
}

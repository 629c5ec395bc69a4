import MovieBox
import MovieWriter

// Adds data about the whole presentation: titles, requested facts, chapters, and captions inside the video.
extension StreamPlanner {
  /// Adds the title in each language and the requested facts.
  mutating func addSessionData() {
    let movie = movies[0].movie
    // A value without a language applies to each language that has no value of its own.
    let items = movie.commonMetadata + movie.metadata.filter { $0.trackID == nil && $0.language != nil }
    // An identifier may occur once for each language.
    var knownData: Set<[String?]> = Set(multivariant.sessionData.map { [$0.id, $0.language] })
    func add(_ id: String, common key: String) {
      var common: String?
      for item in items where item.identifier.common?.key == key {
        guard let text = item.stringValue, !text.isEmpty, text != common else { continue }
        if item.language == nil { common = text }
        add(MultivariantPlaylist.SessionData(id: id, language: item.language?.description, content: .value(text)))
      }
    }
    func add(_ item: MultivariantPlaylist.SessionData) {
      if knownData.insert([item.id, item.language]).inserted { multivariant.sessionData.append(item) }
    }
    for requested in options.sessionData {
      if requested.value.hasPrefix(Self.commonPrefix) {
        let count = multivariant.sessionData.count
        add(requested.id, common: String(requested.value.dropFirst(Self.commonPrefix.count)))
        guard multivariant.sessionData.count == count else { continue }
        notices.append(
          StreamPlan.Notice(
            "no-such-item", "the movie has no text for \(requested.value), so \(requested.id) is omitted")
        )
      } else {
        add(MultivariantPlaylist.SessionData(id: requested.id, content: .value(requested.value)))
      }
    }
    // Requested titles replace the movie's titles in all languages.
    if !options.sessionData.contains(where: { $0.id == Self.titleID }) { add(Self.titleID, common: "title") }
  }

  private static let commonPrefix = "common/"
  private static let titleID = "com.apple.hls.title"
  private static let chaptersID = "com.apple.hls.chapters"

  /// Adds files with the chapters, their titles in all languages, and their pictures, unless the caller requested other
  /// chapters.
  ///
  /// Players count chapter times from the start of the first segment. If the first segment begins before the movie, the
  /// difference is added to the times of the chapters.
  mutating func addChapters(from times: PresentationTimeline) throws {
    guard !options.sessionData.contains(where: { $0.id == Self.chaptersID }) else { return }
    let streamed = movies[0]
    var list = try streamed.movie.reading(streamed.source) {
      try streamed.movie.readChapters(from: streamed.source, readsImages: true, streamed.fragments)
    }
    guard !list.chapters.isEmpty else { return }
    if let start = times.startInMicroseconds {
      let delay = Int64(clamping: start / 1_000 + (start % 1_000 >= 500 ? 1 : 0))
      for index in list.chapters.indices {
        let chapter = list.chapters[index]
        list.chapters[index].startMilliseconds = chapter.startMilliseconds.addingClamped(delay)
        list.chapters[index].endMilliseconds = chapter.endMilliseconds?.addingClamped(delay)
      }
    }
    let folder = StreamedMovie.uniqueFolder(["chapters"], in: &folders)
    var names: [Bytes: String] = [:]
    var sizes: [String: (width: UInt16, height: UInt16)] = [:]
    for index in list.chapters.indices {
      guard case .data(let picture)? = list.chapters[index].image else { continue }
      // Players show only JPEG and PNG, so pictures in other formats are omitted.
      guard let format = PictureFormat(picture), let suffix = format == .jpeg ? "jpg" : format == .png ? "png" : nil
      else {
        list.chapters[index].image = nil
        continue
      }
      let name = names[picture] ?? "image-\(names.count + 1).\(suffix)"
      if names.updateValue(name, forKey: picture) == nil {
        addFile(StreamPlan.File("\(folder)/\(name)", .image, format.mediaType, picture))
      }
      list.chapters[index].image = .reference(name)
      sizes[name] = PictureFormat.size(of: picture)
    }
    let path = "\(folder)/chapters.json"
    let bytes = Bytes(list.written(as: .hls, imageSizes: sizes).bytes)
    addFile(StreamPlan.File(path, .data, "application/json", bytes))
    multivariant.sessionData.append(
      MultivariantPlaylist.SessionData(id: Self.chaptersID, content: .file(path)))
  }
}

// The movie atom does not declare captions inside encoded pictures, so some pictures are searched for captions.
extension StreamPlanner {
  /// The largest number of bytes of pictures to search for captions.
  private static let byteCountLimit: UInt64 = 8 << 20

  /// Returns the caption services found in sample pictures (``SegmentedTrack/probes``). Reads these pictures.
  private func captionServices(of streamed: StreamedTrack, _ probes: [ByteRange]) throws -> [String] {
    let movie = movies[streamed.movieIndex]
    let tree = movie.movie.tree
    guard let entry = tree.sampleDescriptions(ofTrack: streamed.track.atom).first,
      let format = PictureCaptions.Format(entry, of: tree)
    else { return [] }
    var services = CaptionServices()
    var captions = PictureCaptions(format)
    var remainingByteCount = Self.byteCountLimit
    for probe in probes where probe.count <= remainingByteCount {
      remainingByteCount -= probe.count
      captions.removeAll()
      // The bytes of the whole picture are available, so the search reads nothing else.
      _ = captions.search(try movie.source.readExactly(probe), ofByteCount: probe.count)
      for triple in captions.triples { services.receive(triple) }
      services.finish()
    }
    return services.names
  }

  /// Adds captions to the playlist. Returns the name of their group, or `nil` if there are none. Their language is the
  /// language of the video, or the language of the audio if the video has no language.
  mutating func addCaptions(
    of picture: StreamedTrack, _ probes: [ByteRange], audioLanguage: LanguageTag?
  ) throws -> String? {
    let names = try captionServices(of: picture, probes)
    guard !names.isEmpty else { return nil }
    let language = picture.track.language ?? audioLanguage
    let origin = picture.track.language == nil ? "audio" : "video"
    for (index, name) in names.enumerated() {
      let words = (language.map(RenditionName.nativeName) ?? "Captions") + " CC"
      multivariant.renditions.append(
        MultivariantPlaylist.Rendition(
          kind: .closedCaptions, group: "captions", name: index == 0 ? words : "\(words) (\(name))",
          language: language?.description ?? "und", isDefault: false, isAutomaticallySelected: index == 0,
          inStreamID: name, path: nil))
    }
    notices.append(
      StreamPlan.Notice(
        "captions", movieIndex: picture.movieIndex, trackID: picture.track.id, isWarning: false,
        "the video contains closed captions (\(names.joined(separator: ", "))); the playlist lists them "
          + (language == nil ? "with an unknown language (und)" : "with the language of the \(origin)")))
    return "captions"
  }
}

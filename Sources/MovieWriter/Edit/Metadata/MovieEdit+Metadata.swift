public import MovieBox

// What a caller requests of metadata. The work is done by `MetadataChange`; here a request is checked against the tracks,
// the conversion and the sharing policy of the edit.
extension MovieEdit {
  /// Whether the edit adds, removes or changes metadata.
  public var changesMetadata: Bool { !changes.metadata.isEmpty }

  /// Sets a fact in every item of the movie that states it, so that no item contradicts another.
  ///
  /// If the movie has no such item, a new one is created. A named identifier is created as it is. An identifier of
  /// ``/MovieBox/MetadataIdentifier/Space/common`` is created in the vocabularies of the movie's type: QuickTime metadata
  /// for `.mov`, ISO user data and iTunes metadata for `.mp4`, iTunes metadata for `.m4v` and `.m4a`, ISO user data for
  /// `.3gp`.
  ///
  /// A fact with a language replaces items in that language alone; translations stay. A fact without a language replaces
  /// items without one, or English items if there are none. A new location also removes the QuickTime items that
  /// describe the old one, such as its accuracy.
  ///
  /// ``/MovieBox/WrittenValue`` reads places and dates, which are stored as ISO 6709 and ISO 8601. An item that changes
  /// keeps its place and its form.
  ///
  /// Returns the identifiers of the items that state the fact. Throws ``/MovieBox/MovieError`` `.invalidEdit` for a
  /// language without an ISO 639-2 code, for a value that the identifier or the form of an item cannot have, for titles
  /// and tags of tracks (see ``setTitle(_:of:)`` and ``addCharacteristics(_:to:)``), and if no track has the ID.
  ///
  /// - Parameters:
  ///   - input: the fact.
  ///   - trackID: the track that it is about, or `nil` for the movie.
  ///   - isExact: whether items with other identifiers that state the same fact stay as they are.
  @discardableResult
  public mutating func setMetadata(
    _ input: MetadataInput, ofTrack trackID: UInt32? = nil, isExact: Bool = false
  ) throws(MovieError) -> [MetadataIdentifier] {
    try requireMetadataTrack(trackID, input.identifier)
    return try changes.metadata.set(input, ofTrack: trackID, isExact: isExact)
  }

  /// Adds an item beside those that state the same fact. An identifier of
  /// ``/MovieBox/MetadataIdentifier/Space/common`` is added in each vocabulary of the movie's type.
  ///
  /// Returns the identifiers of the items. Throws as ``setMetadata(_:ofTrack:isExact:)`` does.
  @discardableResult
  public mutating func addMetadata(
    _ input: MetadataInput, ofTrack trackID: UInt32? = nil
  ) throws(MovieError) -> [MetadataIdentifier] {
    try requireMetadataTrack(trackID, input.identifier)
    return try changes.metadata.add(input, ofTrack: trackID)
  }

  /// Removes the items that match a pattern, and returns them.
  ///
  /// Titles and tags of tracks stay, and so do items outside the movie atom. A removed location takes along the items that
  /// describe it, such as its name. If the movie is edited in place, the bytes of removed items stay in the file as free
  /// space.
  ///
  /// - Parameters:
  ///   - pattern: such as `mdta/com.example.*`; `common/title` matches every identifier of a title.
  ///   - language: the language of the items, or `nil` for all.
  ///   - trackID: the track that the items are about, or `nil` for the movie and all tracks.
  @discardableResult
  public mutating func removeMetadata(
    matching pattern: String, language: LanguageTag? = nil, ofTrack trackID: UInt32? = nil
  ) -> [MetadataItem] {
    changes.metadata.remove(matching: pattern, language: language, ofTrack: trackID, stages.converted)
  }

  /// Copies metadata items of another movie. Items with the same identifiers are replaced; all others stay.
  ///
  /// An item keeps its vocabulary. A fact about the movie is also set in the vocabularies of the movie's type, as
  /// ``setMetadata(_:ofTrack:isExact:)`` does. Items about a track are copied if this movie has a track with the same ID.
  ///
  /// Returns the items that were not copied: lists of chapters, titles and tags of tracks, items about missing tracks,
  /// compressed or encrypted ID3 frames and frames without a place. Items in `own` are not added again, nor is XMP beside
  /// other XMP. After
  /// ``prepareForSharing(keeping:dropping:keepsDates:)``, items that the sharing policy would remove from the other movie
  /// are returned as well.
  ///
  /// - Parameters:
  ///   - items: items of the other movie. The sharing policy judges by them whether a camera recorded that movie.
  ///   - own: the items of this movie, with those outside its movie atom (``/MovieBox/Movie/metadata(from:)``).
  @discardableResult
  public mutating func takeMetadata(_ items: [MetadataItem], beside own: [MetadataItem] = []) -> [MetadataItem] {
    let new = items.map { NewMetadataItem($0) }
    let stay = shareable(among: new).stay
    let left = Set(takeMetadata(stay, beside: own)).union(Set(new).subtracting(stay))
    mirrorFacts(of: zip(items, new).filter { !left.contains($1) }.map(\.0))
    return zip(items, new).filter { left.contains($1) }.map(\.0)
  }

  /// Copies items into the vocabularies that they are in, and returns those that were not copied.
  package mutating func takeMetadata(
    _ items: [NewMetadataItem], beside own: [MetadataItem] = []
  ) -> [NewMetadataItem] {
    changes.metadata.take(items, beside: own, keeping: Set(tracks.compactMap { $0.old?.id }))
  }

  /// Sets the facts of copied items in the vocabularies of the movie's type and in the other items that state them.
  ///
  /// An item in a language replaces the same fact without a language. Only the first item of a fact in a language counts,
  /// with all its values. Software is not mirrored: the movie's own items name what encoded its samples.
  @discardableResult
  package mutating func mirrorFacts(of taken: [MetadataItem]) -> MirroredFacts {
    changes.metadata.mirrorFacts(of: taken, for: changes.sharing)
  }

  /// The metadata items of ``movie``, read once.
  package var metadata: [MetadataItem] { changes.metadata.index.items }

  /// The items of the movie that the edit removes, without those that a conversion has no place for.
  package var removedMetadata: [MetadataItem] {
    let removed = changes.metadata.edits.removed.subtracting(stages.converted?.metadata.removed ?? [])
    return removed.sorted().map { changes.metadata.index.items[$0] }
  }

  /// Whether the edit changes an item of the movie.
  package func statesMetadata(_ number: Int) -> Bool { changes.metadata.edits.replaced[number] != nil }

  /// The items that describe the place beside the location itself, such as its name, and that the edit did not set.
  package func locationDetails(ofTrack trackID: UInt32?) -> [Int: MetadataIdentifier] {
    changes.metadata.locationDetails(ofTrack: trackID)
  }

  private func requireMetadataTrack(_ id: UInt32?, _ identifier: MetadataIdentifier) throws(MovieError) {
    guard let id else { return }
    let place = try onlyIndex(of: id)
    guard tracks[place].old != nil else {
      throw MovieError(.invalidEdit, "track \(id) is new: add it first, then set its metadata")
    }
    guard !identifier.isTrackLabel, identifier.common?.key != "title" else {
      throw MovieError(
        .invalidEdit, "\(identifier) of a track is its title or a tag: change it with the track's labels")
    }
  }
}

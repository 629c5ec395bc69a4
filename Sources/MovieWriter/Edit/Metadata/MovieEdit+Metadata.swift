public import MovieBox

// The requests that change metadata. These functions check a request against the tracks, the conversion and the sharing
// policy of the edit, and then call `MetadataChange`, which depends only on the movie.
extension MovieEdit {
  /// Whether the edit adds, removes or changes metadata.
  public var changesMetadata: Bool { !changes.metadata.isEmpty }

  /// Sets a fact in every item of the movie that contains it, so that no item contradicts another.
  ///
  /// If the movie has no such item, a new item is created. A specific identifier is created unchanged. An identifier of
  /// ``/MovieBox/MetadataIdentifier/Space/common`` is created in the vocabularies of the movie's type: QuickTime metadata
  /// for `.mov`, ISO user data and iTunes metadata for `.mp4`, iTunes metadata for `.m4v` and `.m4a`, ISO user data for
  /// `.3gp`.
  ///
  /// A fact with a language replaces only items in that language; translations are kept. A fact without a language
  /// replaces items without a language, or English items if there are none. A new location also removes the QuickTime
  /// items that describe the old location, such as its accuracy.
  ///
  /// ``/MovieBox/WrittenValue`` parses locations and dates, which are stored as ISO 6709 and ISO 8601. A changed item
  /// keeps its position and its form.
  ///
  /// Returns the identifiers of the items that contain the fact. Throws ``/MovieBox/MovieError`` `.invalidEdit` for a
  /// language without an ISO 639-2 code, for a value that is not valid for the identifier or the form of an item, for
  /// titles and tags of tracks (see ``setTitle(_:of:)`` and ``addCharacteristics(_:to:)``), and if no track has the ID.
  ///
  /// - Parameters:
  ///   - input: the fact.
  ///   - trackID: the ID of the track that the fact describes, or `nil` for the movie.
  ///   - isExact: whether items with other identifiers for the same fact are left unchanged.
  @discardableResult
  public mutating func setMetadata(
    _ input: MetadataInput, ofTrack trackID: UInt32? = nil, isExact: Bool = false
  ) throws(MovieError) -> [MetadataIdentifier] {
    try requireMetadataTrack(trackID, input.identifier)
    return try changes.metadata.set(input, ofTrack: trackID, isExact: isExact)
  }

  /// Adds an item without replacing items that contain the same fact. An identifier of
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
  /// Keeps titles and tags of tracks, and items outside the movie atom. If a location is removed, the items that describe
  /// it, such as its name, are removed as well. If the movie is edited in place, the bytes of removed items remain in the
  /// file as free space.
  ///
  /// - Parameters:
  ///   - pattern: the pattern, such as `mdta/com.example.*`; `common/title` matches every identifier of a title.
  ///   - language: the language of the items, or `nil` for any language.
  ///   - trackID: the ID of the track that the items describe, or `nil` for the movie and all tracks.
  @discardableResult
  public mutating func removeMetadata(
    matching pattern: String, language: LanguageTag? = nil, ofTrack trackID: UInt32? = nil
  ) -> [MetadataItem] {
    changes.metadata.remove(matching: pattern, language: language, ofTrack: trackID, stages.converted)
  }

  /// Copies metadata items of another movie. They replace items with the same identifiers; all other items are kept.
  ///
  /// An item keeps its vocabulary. A fact about the movie is also set in the vocabularies of the movie's type, as
  /// ``setMetadata(_:ofTrack:isExact:)`` does. An item of a track is copied if this movie has a track with the same ID.
  ///
  /// Does not add `ownItems` again, and does not add XMP if the movie has different XMP. Returns the items that were
  /// not copied:
  ///
  /// * chapter lists, and titles and tags of tracks;
  /// * items of tracks that this movie lacks;
  /// * compressed or encrypted ID3 frames, and frames that the movie cannot store;
  /// * after ``prepareForSharing(keeping:dropping:keepsDates:)``, items that the sharing policy would remove from the
  /// other movie.
  ///
  /// - Parameters:
  ///   - items: the items of the other movie. The sharing policy uses them to decide whether a camera recorded that movie.
  ///   - ownItems: the items of this movie, including items outside its movie atom (``/MovieBox/Movie/metadata(from:)``).
  @discardableResult
  public mutating func copyMetadata(_ items: [MetadataItem], beside ownItems: [MetadataItem] = []) -> [MetadataItem] {
    let new = items.map { NewMetadataItem($0) }
    let keptItems = shareable(among: new).kept
    let droppedItems = Set(copyMetadata(keptItems, beside: ownItems)).union(Set(new).subtracting(keptItems))
    mirrorFacts(of: zip(items, new).filter { !droppedItems.contains($1) }.map(\.0))
    return zip(items, new).filter { droppedItems.contains($1) }.map(\.0)
  }

  /// Copies items in their own vocabularies, and returns the items that were not copied.
  package mutating func copyMetadata(
    _ items: [NewMetadataItem], beside ownItems: [MetadataItem] = []
  ) -> [NewMetadataItem] {
    changes.metadata.copy(items, beside: ownItems, keeping: Set(tracks.compactMap { $0.old?.id }))
  }

  /// Sets the facts of copied items in the vocabularies of the movie's type and in other items that contain these facts.
  ///
  /// An item in a language replaces the fact without a language. If several items contain a fact in one language, only
  /// the first is used, with all its values. Software is not mirrored, because the movie's own items name the software
  /// that encoded its samples.
  @discardableResult
  package mutating func mirrorFacts(of importedItems: [MetadataItem]) -> MirroredFacts {
    changes.metadata.mirrorFacts(of: importedItems, for: changes.sharing)
  }

  /// The metadata items of ``movie``, read once.
  package var metadata: [MetadataItem] { changes.metadata.index.items }

  /// The items of the movie that the edit removes, except items that a conversion removes.
  package var removedMetadata: [MetadataItem] {
    let removedByEdit = changes.metadata.edits.removed.subtracting(stages.converted?.metadata.removed ?? [])
    return removedByEdit.sorted().map { changes.metadata.index.items[$0] }
  }

  /// Returns whether the edit replaces the item of the movie at this index.
  package func replacesMetadata(at itemIndex: Int) -> Bool { changes.metadata.edits.replaced[itemIndex] != nil }

  /// Returns the items that describe the location, such as its name, by index. Excludes items that the edit set.
  package func locationDetails(ofTrack trackID: UInt32?) -> [Int: MetadataIdentifier] {
    changes.metadata.locationDetails(ofTrack: trackID)
  }

  private func requireMetadataTrack(_ id: UInt32?, _ identifier: MetadataIdentifier) throws(MovieError) {
    guard let id else { return }
    let index = try uniqueIndex(of: id)
    guard tracks[index].old != nil else {
      throw MovieError(.invalidEdit, "cannot set metadata of track \(id), which is new: write the movie first")
    }
    guard !identifier.isTrackLabel, identifier.common?.key != "title" else {
      throw MovieError(
        .invalidEdit, "\(identifier) of a track is its title or a tag: set the track's labels instead")
    }
  }
}

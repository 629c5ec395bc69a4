public import MovieBox

// The requests that change metadata. These functions check a request against the tracks, the conversion and the sharing
// policy of the edit, and then call `MetadataChange`, which depends only on the movie.
extension MovieEdit {
  /// Whether the edit adds, removes or changes metadata.
  public var changesMetadata: Bool { !changes.metadata.isEmpty }

  /// Sets a fact in every item of the movie that contains it, so that no item contradicts another.
  ///
  /// If the movie has no such item, a new item is created. A specific identifier is created unchanged. An identifier of
  /// ``/MovieBox/MetadataIdentifier/Space/common`` is created in the vocabularies of the movie's type: QuickTime
  /// metadata for `.mov`, ISO user data and iTunes metadata for `.mp4`, iTunes metadata for `.m4v` and `.m4a`, ISO user
  /// data for `.3gp`.
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
  /// Keeps titles and tags of tracks, and items outside the movie atom. If a location is removed, the items that
  /// describe it, such as its name, are removed as well. If the movie is edited in place, the bytes of removed items
  /// remain in the file as free space.
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
  ///   - items: the items of the other movie. They show the sharing policy whether a camera recorded that movie.
  ///   - ownItems: the items of this movie, including items outside its movie atom.
  @discardableResult
  public mutating func copyMetadata(_ items: [MetadataItem], beside ownItems: [MetadataItem] = []) -> [MetadataItem] {
    let new = items.map { NewMetadataItem($0) }
    let keptItems = applySharingPolicy(to: new).kept
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

  /// Writes the facts of copied items into the vocabularies of the movie's type, and into the movie's own items with
  /// these facts.
  ///
  /// A copied fact in a language also replaces the movie's item without a language. If several copied items contain a
  /// fact in one language, all values of the first item's identifier are used, and the other identifiers are ignored.
  /// Software is not mirrored, because the movie's own items name the software that encoded its samples.
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
    let index = try tracks.uniqueIndex(of: id)
    guard tracks[index].old != nil else {
      throw MovieError(.invalidEdit, "cannot set metadata of track \(id), which is new: write the movie first")
    }
    guard !identifier.isTrackLabel, identifier.common?.key != "title" else {
      throw MovieError(
        .invalidEdit, "\(identifier) of a track is its title or a tag: set the track's labels instead")
    }
  }
}

// `mvhd`, `tkhd` and `mdhd` store dates as seconds since 1904 in UTC. Windows, Google Photos and many galleries sort by
// these dates, while Apple's programs read metadata tags. An edit that changes only the headers or only the tags makes
// the dates contradictory.
extension MovieEdit {
  /// Sets the creation dates in the headers of the movie, its tracks and their media, and returns the number of
  /// headers.
  ///
  /// Metadata tags do not change; use ``setMetadata(_:ofTrack:isExact:)`` for them. Throws ``/MovieBox/MovieError``
  /// `.invalidEdit` for a date without a time or time zone, for a date before 1904 or after February 2040, and if the
  /// movie is prepared for sharing without dates.
  @discardableResult
  public mutating func setHeaderDates(to date: MetadataDate) throws(MovieError) -> Int {
    let seconds = try date.secondsSince1904()
    try requireHeaderDates()
    change { $0 = HeaderDateChange(creation: UInt64(seconds)) }
    return datedHeaders.count
  }

  /// Moves all recording dates that have a time, in headers and tags, and returns the identifiers of the tags.
  ///
  /// A tag keeps its format and its time zone. Header dates that are not set do not change. Throws
  /// ``/MovieBox/MovieError`` `.invalidEdit` if the movie has no recording date with a time, if a moved date would not
  /// fit into its field, or if the movie is prepared for sharing.
  @discardableResult
  public mutating func shiftDates(bySeconds seconds: Int64) throws(MovieError) -> [MetadataIdentifier] {
    guard changes.sharing == nil else {
      throw MovieError(
        .invalidEdit, "cannot move dates of a movie that is prepared for sharing: sharing removes the dates")
    }
    guard abs(Int128(seconds)) < 1 << 40 else {
      throw MovieError(.invalidEdit, "cannot move dates by \(seconds) s: the limit is 2⁴⁰ s")
    }
    let change = HeaderDateChange(creation: changes.metadata.edits.headerDates?.creation, shift: seconds)
    for header in datedHeaders {
      for date in [header.creation, header.modification] where !change.canMove(date, version: header.version) {
        throw MovieError(
          .invalidEdit,
          "cannot move \(Quantity.date(secondsSince1904: date)) by \(seconds) s: the result does not fit its header")
      }
    }
    let tags = try shiftedTags(bySeconds: seconds)
    guard !tags.isEmpty || datedHeaders.contains(where: { $0.creation | $0.modification != 0 }) else {
      throw MovieError(.invalidEdit, "cannot move dates: the movie has no date with a time")
    }
    for tag in tags {
      changes.metadata.edits.replace(
        tag.number, of: changes.metadata.index.items, with: tag.content, language: tag.language)
    }
    self.change { $0 = change }
    return tags.map { changes.metadata.index.items[$0.number].identifier }.withoutRepetition
  }

  /// The number of headers whose dates the edit changes.
  package var changedHeaderDateCount: Int {
    guard let change = headerDateChange else { return 0 }
    return datedHeaders.count { header in
      change.dates(header.creation, header.modification) != (header.creation, header.modification)
    }
  }

  /// The change to dates in headers, or `nil` if they do not change or the sharing policy removes all dates.
  var headerDateChange: HeaderDateChange? {
    changes.sharing?.keepsDates == false ? nil : changes.metadata.edits.headerDates
  }

  // MARK: - Headers

  private struct DatedHeader {
    let version: UInt8
    let creation: UInt64
    let modification: UInt64
  }

  /// The headers of the movie and of its kept tracks and their media.
  private var datedHeaders: [DatedHeader] {
    let header = movie.header
    return [DatedHeader(version: header.version, creation: header.creationTime, modification: header.modificationTime)]
      + tracks.compactMap(\.old).flatMap { track in
        [
          DatedHeader(
            version: track.header.version, creation: track.header.creationTime,
            modification: track.header.modificationTime),
          DatedHeader(
            version: track.mediaHeader.version, creation: track.mediaHeader.creationTime,
            modification: track.mediaHeader.modificationTime),
        ]
      }
  }

  private func requireHeaderDates() throws(MovieError) {
    guard changes.sharing?.keepsDates != false else {
      throw MovieError(.invalidEdit, "cannot set header dates of a movie that is prepared for sharing without dates")
    }
  }

  /// Requests a change to the dates in headers. Requests nothing if the headers already have the new dates.
  private mutating func change(_ body: (inout HeaderDateChange) -> Void) {
    var change = HeaderDateChange()
    body(&change)
    changes.metadata.edits.headerDates = change
    if changedHeaderDateCount == 0 { changes.metadata.edits.headerDates = nil }
  }

  // MARK: - Tags

  private struct ShiftedTag {
    let number: Int
    let content: MetadataContent
    let language: LanguageTag?
  }

  /// Returns the tags with a recording date and time, moved by a number of seconds.
  private func shiftedTags(bySeconds seconds: Int64) throws(MovieError) -> [ShiftedTag] {
    var tags: [ShiftedTag] = []
    for (number, item) in changes.metadata.index.items.enumerated() where changes.metadata.canChange(item, number) {
      guard item.identifier.common?.key == "creationDate" || item.identifier.space == .windows,
        let old = changes.metadata.edits.content(of: item, at: number)
      else { continue }
      let current = item.withContent(old)
      guard let date = current.dateValue, date.secondsOfDay != nil else { continue }
      var text = current.stringValue ?? ""
      if MetadataDate(text)?.secondsOfDay == nil { text = date.description }  // Windows stores dates as numbers.
      let content = MetadataDate.shifting(text, bySeconds: seconds).flatMap { text in
        MetadataContent(.text(text), for: item.identifier, replacing: item)
      }
      guard let content else {
        throw MovieError(.invalidEdit, "cannot move \(text) in \(item.identifier) by \(seconds) s")
      }
      tags.append(
        ShiftedTag(
          number: number, content: content, language: changes.metadata.edits.language(of: item, at: number)))
    }
    return tags
  }
}

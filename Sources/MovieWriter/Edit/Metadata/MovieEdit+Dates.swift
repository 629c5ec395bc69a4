public import MovieBox

// `mvhd`, `tkhd` and `mdhd` store dates as seconds since 1904 in UTC. Windows, Google Photos and many galleries sort by
// these dates, while Apple's programs read metadata tags. An edit that changes only the headers or only the tags makes
// the dates contradictory.
extension MovieEdit {
  /// Sets the creation dates in the headers of the movie, its tracks and their media, and returns the number of headers.
  ///
  /// Metadata tags do not change; use ``setMetadata(_:ofTrack:isExact:)`` for them. Throws ``/MovieBox/MovieError``
  /// `.invalidEdit` for a date without a time or time zone, for a date before 1904 or after February 2040, and if the movie
  /// is prepared for sharing without dates.
  @discardableResult
  public mutating func setHeaderDates(to date: MetadataDate) throws(MovieError) -> Int {
    let seconds = try date.secondsSince1904()
    try requireHeaderDates()
    change { $0 = HeaderDateChange(creation: UInt64(seconds)) }
    return headersOfMovie.count
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
    for header in headersOfMovie {
      for date in [header.creation, header.modification] where !change.canMove(date, version: header.version) {
        throw MovieError(
          .invalidEdit,
          "cannot move \(Quantity.date(secondsSince1904: date)) by \(seconds) s: the result does not fit its header")
      }
    }
    let tags = try shiftedTags(bySeconds: seconds)
    guard !tags.isEmpty || headersOfMovie.contains(where: { $0.creation | $0.modification != 0 }) else {
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
    return headersOfMovie.count { header in
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
  private var headersOfMovie: [DatedHeader] {
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

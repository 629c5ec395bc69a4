/// A date in the header of a movie, a track or its media: `mvhd`, `tkhd` or `mdhd`.
///
/// Headers count seconds since 1904 in UTC. The value 0 represents an unset date. Windows, Google Photos and most
/// galleries sort movies by these dates, so the dates matter even if tags contain other dates.
///
///     if let recorded = movie.recordedDate { print(recorded.date, recorded.path) }
public struct HeaderDate: Hashable, Sendable {
  /// The date, in UTC.
  public let date: MetadataDate
  /// The path of the atom that contains the date, such as `moov/mvhd`.
  public let path: String
  /// The ID of the track, or `nil` for the date of the movie.
  public let trackID: UInt32?
  /// The seconds from the start of 1904 to the date.
  package let secondsSince1904: UInt64
  let atom: Int

  /// The seconds from the start of 1904 to the start of 1970.
  package static let secondsFrom1904To1970: Int64 = 2_082_844_800

  /// Creates the date from an atom's field, or returns `nil` if the date is unset or after the year 9999.
  init?(_ secondsSince1904: UInt64, in atom: Int, of tree: AtomTree, trackID: UInt32?) {
    guard 1...Self.latestSeconds ~= secondsSince1904 else { return nil }
    self.secondsSince1904 = secondsSince1904
    date = MetadataDate(secondsSince1970: Int64(secondsSince1904) - Self.secondsFrom1904To1970)
    path = tree.path(of: atom)
    self.trackID = trackID
    self.atom = atom
  }

  /// The end of the year 9999, in seconds since 1904.
  private static let latestSeconds = UInt64(
    MetadataDate.secondsSince1970Limits.upperBound + secondsFrom1904To1970)

  /// The seconds from the start of 1970 to the date.
  var secondsSince1970: Int64 { Int64(secondsSince1904) - Self.secondsFrom1904To1970 }
}

extension MetadataDate {
  /// Returns the seconds since 1904 that a header stores for the date.
  ///
  /// Throws `.invalidEdit` if the date has no time or no zone, or if the number does not fit into the 32 bits of most
  /// headers. These 32 bits are exceeded in February 2040.
  package func secondsSince1904() throws(MovieError) -> UInt32 {
    guard secondsOfDay != nil else { throw MovieError(.invalidEdit, "\(self) has no time of day") }
    guard let seconds = secondsSince1970 else { throw MovieError(.invalidEdit, "\(self) has no zone") }
    let sum = seconds.rounded(.down) + Double(HeaderDate.secondsFrom1904To1970)
    guard let stored = UInt32(exactly: sum), stored > 0 else {
      throw MovieError(.invalidEdit, "\(self) is not between 1904 and February 2040")
    }
    return stored
  }
}

extension Movie {
  /// The creation dates in the headers of the movie, its tracks and their media, in this order. The list omits unset
  /// dates.
  public var headerDates: [HeaderDate] {
    func date(_ seconds: UInt64, _ atom: Int?, _ trackID: UInt32?) -> HeaderDate? {
      atom.flatMap { HeaderDate(seconds, in: $0, of: tree, trackID: trackID) }
    }
    return [date(header.creationTime, tree.child(of: tree.root, "mvhd"), nil)].compactMap { $0 }
      + tracks.flatMap { track in
        [
          date(track.header.creationTime, tree.child(of: track.atom, "tkhd"), track.id),
          date(track.mediaHeader.creationTime, tree.descendant(of: track.atom, "mdia", "mdhd"), track.id),
        ].compactMap { $0 }
      }
  }

  /// The recording date: the first header date of the movie or its tracks, or `nil` if no header has a date.
  public var recordedDate: HeaderDate? { headerDates.first }

  /// The recording date in the headers with the result of its comparison with tags, or `nil` if no header has a date.
  package var recording: RecordedDate? {
    recordedDate.map { date in
      let items = metadata
      return RecordedDate(
        header: date, isTagged: isTagged(date, in: items), contradictingTag: tagContradicting(date, in: items),
        doubt: doubt(about: date))
    }
  }

  /// Whether a tag contains the time of a header date, expressed in any zone.
  private func isTagged(_ date: HeaderDate, in items: [MetadataItem]) -> Bool {
    items.contains { item in
      guard item.trackID == nil, item.identifier.common?.key == "creationDate", let tag = item.dateValue else {
        return false
      }
      return tag.secondsOfDay != nil && agrees(date, with: tag)
    }
  }

  /// Returns the first tag whose date differs from a header date by more than time zones can explain, or `nil` if
  /// there is none.
  func tagContradicting(_ date: HeaderDate, in items: [MetadataItem]) -> MetadataItem? {
    Self.recordingDates(in: items).first { !agrees(date, with: $0.date) }?.item
  }

  /// Returns the recording dates in tags of the movie.
  ///
  /// The list omits release dates: all dates of iTunes and ID3, and dates that consist of only a year. Header dates
  /// are unrelated to releases.
  private static func recordingDates(in items: [MetadataItem]) -> [(item: MetadataItem, date: MetadataDate)] {
    items.compactMap { item in
      guard item.trackID == nil, item.identifier.common?.key == "creationDate",
        ![.iTunes, .id3].contains(item.identifier.space), let date = item.dateValue, date.day != nil
      else { return nil }
      return (item, date)
    }
  }

  /// Whether a header date and a tag may both describe the recording.
  ///
  /// Local time differs from UTC by at most 14 hours. Some cameras store local time in headers, and some cameras
  /// store the time at the end of the recording.
  private func agrees(_ date: HeaderDate, with tag: MetadataDate) -> Bool {
    let scale = Double(max(1, header.timeScale))
    let recording = header.isDurationUnknown ? 0 : min(86_400, Double(header.duration) / scale)
    let (coveredSeconds, tolerance) = (tag.coveredSeconds, 14 * 3600 + 60.0)
    let seconds = Double(date.secondsSince1970)
    return seconds >= coveredSeconds.lowerBound - tolerance
      && seconds <= coveredSeconds.upperBound + tolerance + recording
  }

  /// Returns the reason why a header date is implausible, or `nil` if it is plausible.
  func doubt(about date: HeaderDate) -> String? {
    if 1934...1960 ~= date.date.year {
      let seconds = Int64(date.secondsSince1904)
      return "probably counts from 1970 instead of 1904 and represents "
        + MetadataDate(secondsSince1970: seconds).description
    }
    // An old file date proves nothing, because build tools and archives without times set file dates to 1970, 1980 or
    // 2001 (10⁹ s).
    guard let writingTime = layout.identity.primary.modificationSeconds, writingTime > Self.earliestFileDate,
      date.secondsSince1970 > writingTime.addingReportingOverflow(86_400).partialValue
    else { return nil }
    return "is later than the file's own date, " + MetadataDate(secondsSince1970: writingTime).description
  }

  /// The start of 2005.
  private static let earliestFileDate: Int64 = 1_104_537_600
}

/// The recording date in the headers of a movie, compared with its tags.
package struct RecordedDate: Sendable {
  package let header: HeaderDate
  /// Whether a tag contains the time of this date, expressed in any zone.
  package let isTagged: Bool
  /// A tag whose date differs by more than time zones can explain, or `nil` if there is none.
  package let contradictingTag: MetadataItem?
  /// The reason why the date is implausible, or `nil` if it is plausible.
  package let doubt: String?

  /// Messages about the contradicting tag and the implausible date.
  package var notes: [String] {
    (contradictingTag.map { ["contradicts \($0.identifier)"] } ?? []) + (doubt.map { [$0] } ?? [])
  }
}

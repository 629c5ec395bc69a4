import MovieBox
import MovieWriter
import Subtitles

/// A change of the dates in headers, for the report.
struct ChangedHeaderDates: Equatable {
  /// The new date of the headers, or `nil` if the old dates were shifted.
  let date: MetadataDate?
  /// The shift, or `nil` if the dates were set.
  let shift: ClockShift?
  /// The number of changed headers.
  let headerCount: Int
}

extension EditBuilder {
  /// Sets the dates in headers to `text`, the value of a fact. If the headers remain unchanged, adds a note with the
  /// reason, except for a year.
  ///
  /// A year is usually the date of the work, not of the file. So `--set year=1999` leaves headers unchanged, and adds
  /// no note.
  mutating func setHeaderDates(
    to text: String, _ request: MetadataRequest? = nil, isExact: Bool
  ) throws(MovieError) {
    guard let date = MetadataDate(text), !isExact, request?.isAboutMovie ?? true else {
      return noteUnchangedHeaderDates(
        isExact ? "--only-space does not change header dates" : "the fact applies to a track or has a language")
    }
    do throws(MovieError) {
      let moment = MetadataDate(secondsSince1970: Int64(try date.secondsSince1904()) - HeaderDate.secondsFrom1904To1970)
      try edit.setHeaderDates(to: date)
      let count = edit.changedHeaderDateCount
      guard count > 0 else { return }
      headerDates = ChangedHeaderDates(date: moment, shift: nil, headerCount: count)
      changedFacts.append(
        .init(
          action: .set, subject: "the dates in \(counted(count, "header")) to \(moment)", identifiers: [],
          atoms: ["mvhd", "tkhd", "mdhd"], trackID: nil))
    } catch {
      guard error.code == .invalidEdit else { throw error }
      let isAsked = request?.spelling.hasPrefix("--creation-date") ?? false
      if date.secondsOfDay != nil || isAsked { noteUnchangedHeaderDates(error.reason) }
    }
  }

  private mutating func noteUnchangedHeaderDates(_ reason: String) {
    let headers = edit.movie.headerDates
    let outcome =
      headers.first.map { "the dates in headers are unchanged (\($0.date))" } ?? "the headers still contain no dates"
    notes.append(EditNotice(.headerDatesKept, "\(outcome): \(reason)"))
  }

  /// Shifts every date that includes a time of day.
  mutating func shiftDates(by shift: ClockShift) throws(MovieError) {
    let tags = try edit.shiftDates(bySeconds: shift.seconds)
    let count = edit.changedHeaderDateCount
    headerDates = ChangedHeaderDates(date: nil, shift: shift, headerCount: count)
    let headers = count == 0 ? "" : "the dates in \(counted(count, "header"))"
    let items = tags.isEmpty ? "" : counted(tags.count, "tag")
    changedFacts.append(
      .init(
        action: .moved,
        subject: [headers, items].filter { !$0.isEmpty }.joined(separator: " and ") + " by \(shift.text)",
        identifiers: tags, atoms: count == 0 ? [] : ["mvhd", "tkhd", "mdhd"], trackID: nil))
  }

  /// Warns about a value that other programs may understand differently than the user.
  mutating func warnOfAmbiguousValue(_ request: MetadataRequest) {
    guard case .set(let identifier, let text) = request.action else { return }
    if request.isAmbiguousLocation, let location = GeographicLocation(text) {
      warnings.append(
        Warning(
          code: "place-of-whole-numbers", file: movie,
          message:
            "\(request.spelling) was read as latitude \(location.latitude)° and longitude \(location.longitude)°; "
            + "use a point as the decimal separator"))
    }
    if identifier.expectedForm == .date, let date = MetadataDate(text), date.secondsOfDay != nil,
      date.secondsFromUTC == nil
    {
      warnings.append(
        Warning(
          code: "date-without-zone", file: movie,
          message: "\(date) has no time zone, so programs read it as UTC or as local time; append a time zone, such as "
            + "+0100 or Z"))
    }
  }
}

extension JSONWriter {
  /// Writes the `headerDates` member of an answer.
  mutating func headerDates(_ change: ChangedHeaderDates?) {
    guard let change else { return memberNull("headerDates") }
    object("headerDates") { json in
      json.member("date", change.date?.description)
      json.member("shiftSeconds", change.shift?.seconds)
      json.member("headerCount", change.headerCount)
    }
  }
}

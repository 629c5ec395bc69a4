import Subtitles

extension Rule {
  static let dateRules = [implausibleDate, dateContradictsTags, malformedValue]

  private static let implausibleDate = Rule(
    "movie.date-implausible", .note, clause: "QTFF, \"Movie Header Atoms\"; ISO/IEC 14496-12, 8.2.2",
    effect: "Galleries and file managers sort the movie to a wrong day.",
    fix: [.step(.setMetadata("creationDate", nil))]
  ) { examination, report in
    guard let date = examination.movie.recordedDate, let doubt = examination.movie.doubt(about: date) else { return }
    report.add(date.atom, "the date \(date.date) \(doubt)", fix: [.step(.setMetadata("creationDate", nil))])
  }

  private static let dateContradictsTags = Rule(
    "movie.date-contradicts-tags", .note, clause: "QTFF, \"Movie Header Atoms\"; WWDC14, session 505",
    effect: "One program shows another date of recording than the next.",
    fix: [.step(.setMetadata("creationDate", nil))]
  ) { examination, report in
    guard let date = examination.movie.recordedDate,
      let tag = examination.movie.tagContradicting(date, in: examination.metadata)
    else { return }
    report.add(
      date.atom, "has \(date.date), \(tag.identifier) \(excerpt((tag.stringValue ?? "").utf8))",
      fix: [.step(.setMetadata("creationDate", nil))])
  }

  private static let malformedValue = Rule(
    "metadata.malformed-value", .note, clause: "ISO 6709, annex H; ISO 8601",
    effect: "Players and galleries find no place or no date.",
    fix: [.step(.removeMetadata(nil)), .step(.setMetadata(nil, nil))]
  ) { examination, report in
    for item in examination.metadata {
      guard let atom = item.place.atom, item.isWellFormed, let text = item.stringValue,
        let expected = item.identifier.expectedForm, !expected.isFormed(item)
      else { continue }
      report.add(
        atom, "\(item.identifier) has \(excerpt(text.utf8)), which is no \(expected.name)",
        fix: [.step(.removeMetadata(item.identifier.description))])
    }
  }
}

extension MetadataIdentifier {
  /// A form that the values of an identifier have, whatever their type.
  package enum ValueForm: Hashable, Sendable {
    /// A place, as ISO 6709 writes it.
    case location
    /// A date, as ISO 8601 writes it.
    case date

    /// The name in a message.
    package var name: String {
      switch self {
      case .location: "place such as +48.1370+011.5750+520/ (ISO 6709)"
      case .date: "date such as 2026-01-09T18:32:07+0900 (ISO 8601)"
      }
    }

    func isFormed(_ item: MetadataItem) -> Bool {
      switch self {
      case .location: item.locationValue != nil
      case .date: item.dateValue != nil
      }
    }
  }

  /// The form that values of the identifier have, or `nil` if any text will do.
  ///
  /// iTunes, ID3 and QuickTime's user data have dates as people write them, such as a season.
  package var expectedForm: ValueForm? {
    switch common?.key {
    case "location": .location
    case "creationDate":
      [.common, .quickTimeMetadata].contains(space) || space == .isoUserData && type == "date" ? .date : nil
    default: nil
    }
  }
}

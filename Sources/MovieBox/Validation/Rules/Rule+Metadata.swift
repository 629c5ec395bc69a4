// Rules about metadata items and about dates in headers.

import Subtitles

extension Rule {
  static let metadataRules = [
    listWithoutHandler, itemWithoutKey, valueForm, keyWithoutDomain, contradictoryItems,
  ]

  private static let listWithoutHandler = Rule(
    "metadata.no-handler", .warning, for: [.apple], clause: "QTFF, \"Metadata Handler Atom\"; iTunes",
    effect: "Apple's players show no title, cover or other item of the list.", fix: [.fixAutomatically],
    automatically: .writeMetadataHandler
  ) { examination, report in
    for meta in examination.tree.metadataListsWithoutHandler {
      report.add(meta, "contains iTunes items, but no handler mdir")
    }
  }

  private static let itemWithoutKey = Rule(
    "metadata.item-without-key", .note, clause: "QTFF, \"Metadata Item Keys Atom\"",
    effect: "The meaning of the item is unknown.", fix: [.makeAgain]
  ) { examination, report in
    let tree = examination.tree
    for meta in tree.metadataAtoms {
      guard let keys = tree.keys(of: meta)?.identifiers else { continue }
      for item in tree.children(of: meta, "ilst").flatMap({ Array(tree.children(of: $0)) }) {
        guard MetadataReader.identifier(ofItem: item, in: tree, keys: keys) == nil else { continue }
        report.add(item, "has the key number \(tree[item].type.rawValue), but there are \(keys.count) keys")
      }
    }
  }

  private static let valueForm = Rule(
    "metadata.value-form", .note, clause: "QTFF, \"Well-Known Types\"",
    effect: "Players skip the item or show a wrong value.",
    fix: [.step(.removeMetadata(nil)), .step(.setMetadata(property: nil, language: nil))]
  ) { examination, report in
    for item in examination.metadata where !item.isWellFormed {
      guard let atom = item.atomLocation.atom else { continue }
      report.add(
        atom,
        "\(item.identifier) has \(counted(item.bytes.count, "byte")) that do not form a value of type "
          + "\(item.typeCode ?? 0)",
        fix: [item.removal])
    }
  }

  private static let keyWithoutDomain = Rule(
    "metadata.key-without-domain", .note, for: [.apple],
    clause: "QTFF, \"Metadata Item Keys Atom\"; WWDC14, session 505",
    effect: "Another program may use the same key with another meaning.",
    fix: [.step(.removeMetadata(nil))]
  ) { examination, report in
    for item in examination.metadata {
      guard item.identifier.space == .quickTimeMetadata, !item.identifier.key.contains("."),
        let atom = item.atomLocation.atom
      else { continue }
      report.add(atom, "the key \(item.identifier.key) is not in reverse domain notation", fix: [item.removal])
    }
  }

  private static let contradictoryItems = Rule(
    "metadata.facts-disagree", .note, clause: "WWDC14, session 505",
    effect: "Players disagree about the title, date or location.",
    fix: [.step(.setMetadata(property: nil, language: nil))]
  ) { examination, report in
    for (fact, language, item, reason) in examination.metadata.contradictions {
      if let atom = item.atomLocation.atom {
        report.add(atom, reason, fix: [.step(.setMetadata(property: fact, language: language))])
      }
    }
  }
}

extension AtomTree {
  /// The `meta` atoms that describe the movie or its tracks.
  var metadataAtoms: [Int] {
    ([root] + children(of: root, "trak")).flatMap { parent in
      children(of: parent, "meta") + (child(of: parent, "mdia").map { children(of: $0, "meta") } ?? [])
        + children(of: parent, "udta").flatMap { children(of: $0, "meta") }
    }
  }

  /// The iTunes lists without the handler that Apple's players require.
  package var metadataListsWithoutHandler: [Int] {
    metadataAtoms.filter { meta in
      guard child(of: meta, "keys") == nil, child(of: meta, "hdlr") == nil, let list = child(of: meta, "ilst") else {
        return false
      }
      return children(of: list).contains { child(of: $0, "data") != nil }
    }
  }
}

extension MetadataItem {
  fileprivate var removal: Remedy { .step(.removeMetadata(identifier.description)) }
}

extension Rule {
  static let dateRules = [implausibleDate, dateContradictsTags, malformedValue]

  private static let implausibleDate = Rule(
    "movie.date-implausible", .note, clause: "QTFF, \"Movie Header Atoms\"; ISO/IEC 14496-12, 8.2.2",
    effect: "Galleries and file managers sort the movie under a wrong date.",
    fix: [.step(.setMetadata(property: "creationDate", language: nil))]
  ) { examination, report in
    guard let date = examination.movie.recordedDate, let doubt = examination.movie.doubt(about: date) else { return }
    report.add(
      date.atom, "the date \(date.date) \(doubt)", fix: [.step(.setMetadata(property: "creationDate", language: nil))])
  }

  private static let dateContradictsTags = Rule(
    "movie.date-contradicts-tags", .note, clause: "QTFF, \"Movie Header Atoms\"; WWDC14, session 505",
    effect: "Programs disagree about the recording date.",
    fix: [.step(.setMetadata(property: "creationDate", language: nil))]
  ) { examination, report in
    guard let date = examination.movie.recordedDate,
      let tag = examination.movie.tagContradicting(date, in: examination.metadata)
    else { return }
    report.add(
      date.atom, "has \(date.date), but \(tag.identifier) is \(excerpt((tag.stringValue ?? "").utf8))",
      fix: [.step(.setMetadata(property: "creationDate", language: nil))])
  }

  private static let malformedValue = Rule(
    "metadata.malformed-value", .note, clause: "ISO 6709, annex H; ISO 8601",
    effect: "Players and galleries cannot read the location or date.",
    fix: [.step(.removeMetadata(nil)), .step(.setMetadata(property: nil, language: nil))]
  ) { examination, report in
    for item in examination.metadata {
      guard let atom = item.atomLocation.atom, item.isWellFormed, let text = item.stringValue,
        let expected = item.identifier.expectedForm, !expected.isWellFormed(item)
      else { continue }
      report.add(
        atom, "\(item.identifier) has \(excerpt(text.utf8)), which is not a \(expected.name)",
        fix: [.step(.removeMetadata(item.identifier.description))])
    }
  }
}

extension MetadataIdentifier {
  /// The required format of an identifier's values.
  package enum ValueForm: Hashable, Sendable {
    /// A location in ISO 6709.
    case location
    /// A date in ISO 8601.
    case date

    package var name: String {
      switch self {
      case .location: "location such as +48.1370+011.5750+520/ (ISO 6709)"
      case .date: "date such as 2026-01-09T18:32:07+0900 (ISO 8601)"
      }
    }

    func isWellFormed(_ item: MetadataItem) -> Bool {
      switch self {
      case .location: item.locationValue != nil
      case .date: item.dateValue != nil
      }
    }
  }

  /// The required format of the identifier's values, or `nil` if any text is valid.
  ///
  /// iTunes, ID3 and QuickTime user data permit dates in any wording, such as a season.
  package var expectedForm: ValueForm? {
    switch common?.key {
    case "location": .location
    case "creationDate":
      [.common, .quickTimeMetadata].contains(space) || space == .isoUserData && type == "date" ? .date : nil
    default: nil
    }
  }
}

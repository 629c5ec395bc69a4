import Subtitles

extension Rule {
  static let metadataRules = [
    listWithoutHandler, itemWithoutKey, valueForm, keyWithoutDomain, factsDisagree,
  ]

  private static let listWithoutHandler = Rule(
    "metadata.no-handler", .warning, for: [.apple], clause: "QTFF, \"Metadata Handler Atom\"; iTunes",
    effect: "Apple's players show no title, cover or other item of the list.", fix: [.fixAutomatically],
    automatically: .writeMetadataHandler
  ) { examination, report in
    for meta in examination.tree.listsWithoutHandler { report.add(meta, "has items of iTunes' and no handler mdir") }
  }

  private static let itemWithoutKey = Rule(
    "metadata.item-without-key", .note, clause: "QTFF, \"Metadata Item Keys Atom\"",
    effect: "Nobody can say what the item is about.", fix: [.makeAgain]
  ) { examination, report in
    let tree = examination.tree
    for meta in tree.metadataAtoms {
      guard let keys = tree.keys(of: meta)?.identifiers else { continue }
      for item in tree.children(of: meta, "ilst").flatMap({ Array(tree.children(of: $0)) }) {
        guard MetadataReader.identifier(ofItem: item, in: tree, keys: keys) == nil else { continue }
        report.add(item, "has the number \(tree[item].type.rawValue), the keys have \(keys.count)")
      }
    }
  }

  private static let valueForm = Rule(
    "metadata.value-form", .note, clause: "QTFF, \"Well-Known Types\"",
    effect: "A reader passes over the item, or shows something else.",
    fix: [.step(.removeMetadata(nil)), .step(.setMetadata(nil, nil))]
  ) { examination, report in
    for item in examination.metadata where !item.isWellFormed {
      guard let atom = item.place.atom else { continue }
      report.add(
        atom,
        "\(item.identifier) has \(counted(item.bytes.count, "byte")) that are no value of type \(item.typeCode ?? 0)",
        fix: [item.removal])
    }
  }

  private static let keyWithoutDomain = Rule(
    "metadata.key-without-domain", .note, for: [.apple],
    clause: "QTFF, \"Metadata Item Keys Atom\"; WWDC14, session 505",
    effect: "Another program may mean something else by the same key.",
    fix: [.step(.removeMetadata(nil))]
  ) { examination, report in
    for item in examination.metadata {
      guard item.identifier.space == .quickTimeMetadata, !item.identifier.key.contains("."), let atom = item.place.atom
      else { continue }
      report.add(atom, "the key \(item.identifier.key) is no name in reverse domain notation", fix: [item.removal])
    }
  }

  private static let factsDisagree = Rule(
    "metadata.facts-disagree", .note, clause: "WWDC14, session 505",
    effect: "One player shows another title, date or place than the next.",
    fix: [.step(.setMetadata(nil, nil))]
  ) { examination, report in
    for (fact, language, item, reason) in examination.metadata.contradictions {
      if let atom = item.place.atom { report.add(atom, reason, fix: [.step(.setMetadata(fact, language))]) }
    }
  }
}

extension AtomTree {
  /// The `meta` atoms that are about the movie or its tracks.
  var metadataAtoms: [Int] {
    ([root] + children(of: root, "trak")).flatMap { parent in
      children(of: parent, "meta") + (child(of: parent, "mdia").map { children(of: $0, "meta") } ?? [])
        + children(of: parent, "udta").flatMap { children(of: $0, "meta") }
    }
  }

  /// Those of iTunes' that lack the handler without which nobody at Apple's looks at the list.
  package var listsWithoutHandler: [Int] {
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

// Rules about tagged characteristics (`tagc`), by which players recognize SDH, audio descriptions and forced
// subtitles.

extension Rule {
  static let characteristicRules = [
    tagWithNUL, malformedTag, incompleteSDHTags, storedForcedTag, tagForOtherMediaKind, titleOnlyInNameAtom,
  ]

  private static let tagClause = "QTFF, \"Tagged Media Characteristics\""

  private static let correctTagRemark = "and add the correct tag"

  private static func removeTag(_ tag: String?, _ remark: String? = nil) -> Remedy {
    .change(.noCharacteristic(tag), remark: remark)
  }

  private static let tagWithNUL = Rule(
    "tag.nul", .warning, clause: tagClause + "; GPAC issue 3407",
    effect: "SDH subtitles and audio descriptions are listed as ordinary tracks.",
    fix: [.fixAutomatically], automatically: .writeCharacteristicWithoutNUL
  ) { examination, report in
    examination.forEachTag { _, atom, tag in
      if tag.hasTrailingNUL { report.add(atom, "a tagged characteristic ends with a NUL: players ignore it") }
    }
  }

  private static let malformedTag = Rule(
    "tag.form", .warning, clause: tagClause,
    effect: "Players ignore the tag.", fix: [removeTag(nil, correctTagRemark)]
  ) { examination, report in
    examination.forEachTag { _, atom, tag in
      guard !MediaCharacteristic(rawValue: tag.value).isWellFormed else { return }
      report.add(
        atom, "\"\(tag.value)\" is not a tag; use letters, digits and -._~ after public. or a reversed domain",
        fix: [removeTag(tag.value, correctTagRemark)])
    }
  }

  private static let incompleteSDHTags = Rule(
    "tag.half-sdh", .note, for: [.apple], clause: tagClause + "; WebKit",
    effect: "The subtitles are not listed as SDH.", fix: [.change(.role(.sdh))]
  ) { examination, report in
    for (track, _) in examination.subtitles {
      let half = MediaCharacteristic.sdh.filter(track.taggedCharacteristics.contains)
      guard half.count == 1 else { continue }
      report.add(track.atom, "has only the tag \(half[0].rawValue); SDH subtitles have two tags")
    }
  }

  private static let storedForcedTag = Rule(
    "tag.written-forced", .note, clause: "AVMediaCharacteristic.containsOnlyForcedSubtitles",
    effect: "None: players ignore the tag, and use the display flags instead.",
    fix: [.change(.noCharacteristic(MediaCharacteristic.containsOnlyForcedSubtitles.rawValue))],
    automatically: .removeForcedCharacteristic
  ) { examination, report in
    examination.forEachTag { track, atom, tag in
      guard tag.value == MediaCharacteristic.containsOnlyForcedSubtitles.rawValue else { return }
      report.add(atom, "\(tag.value) must not be written as a tag")
    }
  }

  private static let tagForOtherMediaKind = Rule(
    "tag.other-kind", .warning, clause: tagClause + "; AVMediaCharacteristic",
    effect: "Players ignore the tag, or offer the track to the wrong viewers.", fix: [removeTag(nil)]
  ) { examination, report in
    examination.forEachTag { track, atom, tag in
      let tagged = MediaCharacteristic(rawValue: tag.value)
      guard let kind = track.mediaType.selectionKind, let meant = tagged.mediaKind, meant != kind else { return }
      report.add(
        atom, "\(tag.value) is for \(meant.rawValue) media, not for \(track.mediaType.name) tracks",
        fix: [removeTag(tag.value)])
    }
  }

  private static let titleOnlyInNameAtom = Rule(
    "title.name-only", .note, for: [.apple],
    clause: "the atoms that AVFoundation is known to read (HandBrake's patch A02 of ffmpeg)",
    effect: "Apple's players do not show the title.", fix: [.change(.title)], automatically: .writeTitleInAllAtoms
  ) { examination, report in
    let shownTypes: Set<FourCC> = ["tnam", "titl", "©nam"]
    for track in examination.tracks(.audible) + examination.tracks(.legible) where track.title != nil {
      let items = examination.tree.children(of: track.atom, "udta").flatMap { examination.tree.children(of: $0) }
      guard !items.contains(where: { shownTypes.contains(examination.tree[$0].type) }),
        let name = items.first(where: { examination.tree[$0].type == "name" })
      else { continue }
      report.add(name, "is the only atom with the title, but Apple's players read tnam or titl")
    }
  }
}

extension MovieExamination {
  /// Calls `body` with each tagged characteristic as stored, its track and its atom.
  fileprivate func forEachTag(_ body: (Track, Int, TaggedCharacteristic) -> Void) {
    for track in tracks {
      for udta in tree.children(of: track.atom, "udta") {
        for atom in tree.children(of: udta, "tagc") {
          body(track, atom, TaggedCharacteristic(payload: tree.payload(of: atom)))
        }
      }
    }
  }
}

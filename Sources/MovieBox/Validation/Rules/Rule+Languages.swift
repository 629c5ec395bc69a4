// Rules about languages: the code in `mdhd` and the tag in `elng`.

extension Rule {
  static let languageRules = [
    languagesDisagree, bibliographicCode, unreadableCode, macintoshCode, tagForm, unregisteredSubtag, ambiguousCode,
    undeterminedLanguage,
  ]

  private static let setLanguage = Remedy.change(.language(nil))
  private static let setOtherLanguage = Remedy.change(.language(nil), remark: "if this language is wrong")

  /// Returns the remedy for a malformed language of a track. If no other field declares the language, the user must
  /// set it.
  private static func fix(of track: Track) -> [Remedy]? {
    let isKnown = track.language != nil && track.extendedLanguage.map { LanguageTag($0.tag) != nil } ?? true
    return isKnown ? nil : [setLanguage]
  }

  private static let languagesDisagree = Rule(
    "language.codes-disagree", .warning, clause: "QTFF, \"Extended Language Tag Atom\"",
    effect: "Players disagree about the language of the track.",
    fix: [.fixAutomatically, setOtherLanguage], automatically: .writeCodeOfLanguageTag
  ) { examination, report in
    for track in examination.tracks {
      guard let tag = track.extendedLanguage.flatMap({ LanguageTag($0.tag) }), tag.language != "und",
        let code = MediaLanguage.resolve(mediaHeaderCode: track.mediaHeader.languageCode, extendedTag: nil),
        code.language != tag.language,
        LanguageCode.packed(code.language) != LanguageCode.packed(for: tag),
        LanguageCode.packed(for: code) != LanguageCode.packed(for: tag)
      else { continue }
      report.add(examination.atom(track, "mdia", "elng"), "declares \(tag), but mdhd declares \(code)")
    }
  }

  private static let bibliographicCode = Rule(
    "language.bibliographic-code", .note, clause: "ISO/IEC 14496-12, 8.4.2; ISO 639-2/T",
    effect: "A strict player lists the track under an unknown language.", fix: [.fixAutomatically, setOtherLanguage],
    automatically: .writeTerminologicalCode
  ) { examination, report in
    for track in examination.tracks {
      guard let letters = LanguageCode.letters(packed: track.mediaHeader.languageCode),
        let language = TwoLetterLanguage.all.first(where: { $0.bibliographic == letters })
      else { continue }
      report.add(
        examination.atom(track, "mdia", "mdhd"),
        "has the bibliographic code \(letters) for \(language.englishName) instead of \(language.terminological)",
        fix: fix(of: track))
    }
  }

  private static let unreadableCode = Rule(
    "language.no-code", .note, clause: "QTFF, \"Language Code Values\"; ISO/IEC 14496-12, 8.4.2",
    effect: "The track is listed under an unknown language.", fix: [.fixAutomatically, setOtherLanguage],
    automatically: .writeReadableCode
  ) { examination, report in
    for track in examination.tracks {
      let code = track.mediaHeader.languageCode
      guard code >= LanguageCode.firstPacked, code != LanguageCode.unspecifiedMacintosh,
        LanguageCode.letters(packed: code) == nil
      else { continue }
      report.add(
        examination.atom(track, "mdia", "mdhd"),
        "the language code \(code) represents neither three letters "
          + "nor a Macintosh language",
        fix: fix(of: track))
    }
  }

  private static let macintoshCode = Rule(
    "language.macintosh-code", .warning, for: [.iso], clause: "ISO/IEC 14496-12, 8.4.2",
    effect: "The track is listed under an unknown language.",
    fix: [.step(.fixAutomatically(.iso)), setLanguage], automatically: .writePackedCode
  ) { examination, report in
    // Skip QuickTime files. Macintosh codes are valid in them, and `brand.not-iso` reports that they are not ISO files.
    guard examination.movie.dialect == .iso else { return }
    let sounds = examination.tracks(.audible)
    for track in sounds + examination.tracks(.legible) {
      let code = track.mediaHeader.languageCode
      guard code < LanguageCode.firstPacked || code == LanguageCode.unspecifiedMacintosh else { continue }
      // Accept an undetermined language in the only audio track. Many writers use code 0 for it, and a track without
      // alternatives never appears in a menu.
      let isUndetermined = code == 0 || code == LanguageCode.unspecifiedMacintosh
      guard !isUndetermined || sounds.count > 1 || track.mediaType.isLegible else { continue }
      // Code 0 may represent English or an unset language, so the user must set the language.
      report.add(
        examination.atom(track, "mdia", "mdhd"),
        "has the Macintosh language code \(code) instead of a "
          + "packed ISO 639-2 code",
        fix: code == 0 && track.extendedLanguage == nil ? [setLanguage] : nil)
    }
  }

  private static let tagForm = Rule(
    "language.tag-form", .warning, clause: "QTFF, \"Extended Language Tag Atom\"; BCP 47",
    effect: "Players ignore the tag: es-419 becomes plain Spanish, or no language.",
    fix: [.fixAutomatically, setOtherLanguage], automatically: .writeLanguageTagForm
  ) { examination, report in
    for track in examination.tracks {
      guard let language = track.extendedLanguage else { continue }
      let elng = examination.atom(track, "mdia", "elng")
      let fix = fix(of: track)
      if language.header == nil { report.add(elng, "has no version and flags before the tag", fix: fix) }
      if !language.storedTag.isTerminated { report.add(elng, "the tag does not end with a NUL", fix: fix) }
      if LanguageTag(language.tag) == nil { report.add(elng, "\"\(language.tag)\" is not a language tag", fix: fix) }
    }
  }

  private static let unregisteredSubtag = Rule(
    "language.unregistered-subtag", .warning, clause: "BCP 47 (RFC 5646), 2.2.9; IANA Language Subtag Registry",
    effect: "Players show the tag itself or no language, and do not select the track by its language.",
    fix: [setLanguage]
  ) { examination, report in
    for track in examination.tracks {
      let elng = track.extendedLanguage.flatMap { LanguageTag($0.tag) }
      let letters = LanguageCode.letters(packed: track.mediaHeader.languageCode)
      guard let tag = elng ?? letters.flatMap({ LanguageTag($0) }) else { continue }
      let subtags = tag.unregisteredSubtags.map { "\"\($0)\"" }
      guard !subtags.isEmpty else { continue }
      report.add(
        examination.atom(track, "mdia", elng == nil ? "mdhd" : "elng"),
        "the language \(tag) has \(subtags.joined(separator: ", ")), which is not registered")
    }
  }

  private static let ambiguousCode = Rule(
    "language.ambiguous-code", .warning, for: [.apple],
    clause: "QTFF, \"Extended Language Tag Atom\"; AVAssetWriterInput.extendedLanguageTag",
    effect: "The menu lists only Chinese: a viewer cannot distinguish Simplified from Traditional.",
    fix: [.change(.language(LanguageTag("zh-Hans")), remark: "or zh-Hant")]
  ) { examination, report in
    for track in examination.tracks(.legible) where track.extendedLanguage == nil {
      guard track.language?.description == "zh" else { continue }
      report.add(
        examination.atom(track, "mdia", "mdhd"),
        "declares Chinese without a script; an elng should "
          + "declare it")
    }
  }

  private static let undeterminedLanguage = Rule(
    "language.undetermined", .warning, for: [.apple], clause: "QTFF, \"Media Header Atoms\"; players' menus",
    effect: "The menu lists subtitles in an unknown language, and no player selects them "
      + "automatically.", fix: [setLanguage]
  ) { examination, report in
    for track in examination.tracks(.legible) where track.language == nil {
      report.add(examination.atom(track, "mdia", "mdhd"), "declares no language, and there is no elng")
    }
  }
}

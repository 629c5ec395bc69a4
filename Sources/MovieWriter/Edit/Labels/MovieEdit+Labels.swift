public import MovieBox
import Subtitles

// The labels of a track are its language, title, tags and role. Several atoms repeat each label, so a request changes
// the label, and the writer changes all atoms. Requests may concern new tracks; the last request for a label wins.
extension MovieEdit {
  /// Sets the language of a track. The value `nil` makes the language undetermined.
  ///
  /// Writes the ISO 639-2/T code to `mdhd`, and the tag to `elng` if the code does not express the complete tag. Throws
  /// `.invalidEdit` unless exactly one track has the ID. Also throws it for a track of chapter titles if another track
  /// contains chapter titles in the language.
  public mutating func setLanguage(_ language: LanguageTag?, of id: UInt32) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    if tracks[index].chapterKind == .titles { try requireNoTitles(in: language?.ifDetermined, except: id) }
    tracks[index].labels.language = language?.ifDetermined
  }

  /// Sets the title that players show. The value `nil` removes the title.
  ///
  /// Writes the title to every atom for titles: `name`, `tnam`, in ISO files `titl`, and `©nam` if the track has one.
  /// Replaces the titles in all languages; a warning lists the replaced titles in other languages. The handler name is
  /// unchanged. Throws `.invalidEdit` if the text cannot be stored, for example because it contains a NUL, or if the ID
  /// does not belong to exactly one track.
  public mutating func setTitle(_ title: String?, of id: UInt32) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    guard let title else {
      tracks[index].labels.title = nil
      tracks[index].labels.completesTitle = false
      return
    }
    guard Self.canWriteTitle(title) else {
      throw MovieError(
        .invalidEdit, "the title cannot be stored: it must be non-empty text without NULs and byte order marks")
    }
    tracks[index].labels.title = title
    guard let old = tracks[index].old else { return }
    if title != old.title { noteOtherTitles(of: old) }
    tracks[index].labels.completesTitle =
      title == old.title
      && !TrackTitleAtoms(tracks[index].labels, of: old, in: movie.tree, movie.dialect).areTitleAtoms(
        of: old, in: movie.tree)
  }

  /// Whether reading the written title yields the same text.
  static func canWriteTitle(_ title: String) -> Bool {
    !title.isEmpty && LocalizedTrackName(title, languageCode: 0).text == title && TrackName(title).text == title
  }

  /// Adds tags to a track, after its existing tags.
  ///
  /// Also updates the atoms that repeat tags: `kind` in ISO files, and `txas` for `public.auxiliary-content`. A warning
  /// reports a tag that is intended for another media type. Throws `.invalidEdit` for a tag that must not be written,
  /// and unless exactly one track has the ID.
  public mutating func addCharacteristics(
    _ characteristics: [MediaCharacteristic], to id: UInt32
  ) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    let oldTags = tracks[index].taggedCharacteristics
    let addedTags = try characteristics.written().filter { !oldTags.contains($0) }
    tracks[index].labels.setCharacteristics(oldTags + addedTags, in: movie.dialect)
    for tag in addedTags { warn(of: tag, for: tracks[index]) }
  }

  /// Removes tags from a track and ignores tags that it does not have.
  ///
  /// Also updates the atoms that repeat tags, as ``addCharacteristics(_:to:)`` does. Throws `.invalidEdit` unless
  /// exactly one track has the ID.
  public mutating func removeCharacteristics(
    _ characteristics: [MediaCharacteristic], from id: UInt32
  ) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    let keptTags = tracks[index].taggedCharacteristics.filter { !characteristics.contains($0) }
    tracks[index].labels.setCharacteristics(keptTags, in: movie.dialect)
  }

  /// Sets the role of a track and removes the tags of all other roles.
  ///
  /// Throws `.invalidEdit` if the role belongs to another media type, or if the ID does not belong to exactly one
  /// track. Throws `.unsupported` if the sample descriptions cannot declare forced subtitles.
  public mutating func setRole(_ role: TrackRole, of id: UInt32) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    let media = tracks[index].mediaType
    guard role.suits(media) else {
      throw MovieError(.invalidEdit, "track \(id) cannot have the role \(role.rawValue): its media is \(media.name)")
    }
    let tags = tracks[index].taggedCharacteristics
    let keptTags = tags.filter { role.characteristics.contains($0) || !TrackRole.allCharacteristics.contains($0) }
    let addedTags = role.characteristics.filter { !keptTags.contains($0) }
    if media.isLegible { try setContainsOnlyForcedSubtitles(role == .forced, of: id) }
    tracks[index].labels.setCharacteristics(keptTags + addedTags, in: movie.dialect)
    tracks[index].labels.setRolesByTags(in: movie.dialect)
    if role != .commentary { tracks[index].labels.isExcludedFromAutomaticSelection = false }
  }

  /// Sets whether players show all subtitles of a track even if the viewer turned subtitles off.
  ///
  /// Also updates `kind` in ISO files. Throws `.invalidEdit` if the value is `false` but all cues of a new track are
  /// marked as forced, or if the ID does not belong to exactly one track. Throws `.unsupported` if the format is not
  /// `tx3g`, or if the track is from another movie.
  public mutating func setContainsOnlyForcedSubtitles(_ isForcedOnly: Bool, of id: UInt32) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    guard tracks[index].containsOnlyForcedSubtitles != isForcedOnly else { return }
    if let old = tracks[index].old {
      if let refusal = Self.forcedFlagRefusal(old, id) {
        throw movie.tree.error(.unsupported, at: old.atom, refusal)
      }
    } else if let new = tracks[index].generatedSubtitles {
      tracks[index].encodeAgain(try forced(new, isForcedOnly))
    } else if tracks[index].generated != nil {
      throw MovieError(.invalidEdit, "track \(id) contains no subtitles")
    } else {
      throw MovieError(
        .unsupported,
        "cannot change whether track \(id) is forced: it is from another movie; write the movie first, then change the track"
      )
    }
    tracks[index].labels.setForcedOnly(isForcedOnly, in: movie.dialect)
  }

  /// Returns the reason why a track cannot declare all its subtitles as forced, or `nil` if it can.
  private static func forcedFlagRefusal(_ track: Track, _ id: UInt32) -> String? {
    guard track.formats.isEmpty || track.tx3gDescriptions.count != track.formats.count else { return nil }
    let formats = track.formats.map(\.description).joined(separator: ", ")
    return
      "track \(id) cannot contain only forced subtitles: only tx3g tracks can declare them, and the format of the track is "
      + (formats.isEmpty ? "missing" : formats)
  }

  /// Encodes the new track again. Marks all subtitles as forced, or restores the marks of the cues.
  private func forced(_ new: GeneratedSubtitleTrack, _ isForcedOnly: Bool) throws(MovieError) -> GeneratedSubtitleTrack
  {
    var input = new.input
    input.containsOnlyForcedSubtitles = isForcedOnly
    if let refusal = refusal(of: input) { throw refusal }
    let encoded: GeneratedSubtitleTrack
    do throws(SubtitleError) {
      encoded = try GeneratedSubtitleTrack(input, as: TrackTemplate(self), SubtitleTemplate(self), id: new.id)
    } catch {
      throw MovieError(.invalidEdit, "track \(new.id) cannot be encoded again: \(error.reason)")
    }
    guard encoded.input.containsOnlyForcedSubtitles == isForcedOnly else {
      throw MovieError(
        .invalidEdit, "track \(new.id) cannot become full subtitles, because all its cues are marked as forced")
    }
    return encoded
  }

  /// Reports the titles in other languages that a new title replaces.
  private mutating func noteOtherTitles(of old: Track) {
    let lostTitles = old.localizedTitles(in: movie.tree).filter { $0.text != old.title }
    guard !lostTitles.isEmpty else { return }
    recordOnce(.titlesReplaced(lostTitles.map { "\"\($0.text)\" (\($0.language))" }, track: old.id))
  }

  /// Warns about a tag that is intended for another media type.
  private mutating func warn(of tag: MediaCharacteristic, for track: EditedTrack) {
    guard let meant = tag.mediaKind, let kind = track.mediaType.selectionKind, meant != kind else { return }
    recordOnce(.unfitCharacteristic(tag, for: meant, track: track.id, track.mediaType))
  }

  /// Sets whether players select a track only at the viewer's request (`txas`).
  ///
  /// Throws `.invalidEdit` unless exactly one track has the ID.
  public mutating func setExcludedFromAutomaticSelection(_ isExcluded: Bool, of id: UInt32) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    tracks[index].labels.isExcludedFromAutomaticSelection = isExcluded
  }

  /// Adds the roles (`kind`) that the tags imply to the tracks of an ISO movie, and reports them.
  public mutating func addRolesByTags() {
    for index in tracks.indices {
      let before = tracks[index].labels.roles
      tracks[index].labels.addRolesByTags(in: movie.dialect)
      for role in tracks[index].labels.roles.subtracting(before).sorted() {
        recordedNotices.append(.roleWritten(role, track: tracks[index].id))
      }
    }
  }
}

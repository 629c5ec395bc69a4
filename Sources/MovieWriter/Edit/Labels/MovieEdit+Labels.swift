public import MovieBox
import Subtitles

// What a track says of itself: language, title, tags. New tracks can be edited too, and a track more than once: the
// last setting is written.
extension MovieEdit {
  /// Sets the language of a track; `nil` is undetermined.
  ///
  /// `mdhd` gets the ISO 639-2/T code, `elng` the tag where that says more. Throws `.invalidEdit` when no track has the
  /// ID, or more than one.
  public mutating func setLanguage(_ language: LanguageTag?, of id: UInt32) throws(MovieError) {
    let place = try onlyIndex(of: id)
    tracks[place].labels.language = language?.ifDetermined
  }

  /// Sets the title that players show; `nil` takes it away.
  ///
  /// It is written in every atom that holds a title: `name`, `tnam`, in ISO files `titl`, and `©nam` where the track
  /// has one. In each it takes the place of the titles in all languages; those of other languages are reported by a
  /// warning. The name of the handler stays. Throws `.invalidEdit` for text that cannot be written, such as one with a
  /// NUL, and when no track has the ID, or more than one.
  public mutating func setTitle(_ title: String?, of id: UInt32) throws(MovieError) {
    let place = try onlyIndex(of: id)
    guard let title else {
      tracks[place].labels.title = nil
      tracks[place].labels.completesTitle = false
      return
    }
    guard Self.canWriteTitle(title) else {
      throw MovieError(.invalidEdit, "a title is text without NULs and byte order marks, and not empty")
    }
    tracks[place].labels.title = title
    guard let old = tracks[place].old else { return }
    if title != old.title { noteOtherTitles(of: old) }
    tracks[place].labels.completesTitle =
      title == old.title
      && !TitleAtoms(tracks[place].labels, of: old, in: movie.tree, movie.dialect).areAll(of: old, in: movie.tree)
  }

  /// Whether a title reads back as it was.
  static func canWriteTitle(_ title: String) -> Bool {
    !title.isEmpty && LocalizedTrackName(title, languageCode: 0).text == title && TrackName(title).text == title
  }

  /// Adds tags to a track, after those that it has.
  ///
  /// What says the same is updated with it: `kind` in ISO files; with `public.auxiliary-content` `txas`. A tag for
  /// media of another kind than the track's is written with a warning. Throws `.invalidEdit` for a tag that may not be
  /// written, and when no track has the ID, or more than one.
  public mutating func addCharacteristics(
    _ characteristics: [MediaCharacteristic], to id: UInt32
  ) throws(MovieError) {
    let place = try onlyIndex(of: id)
    let old = tracks[place].taggedCharacteristics
    let added = try Self.written(characteristics).filter { !old.contains($0) }
    tracks[place].labels.setCharacteristics(old + added, in: movie.dialect)
    for tag in added { warn(of: tag, for: tracks[place]) }
  }

  /// Takes tags from a track; those that it does not have change nothing.
  ///
  /// What says the same follows, as in ``addCharacteristics(_:to:)``. Throws `.invalidEdit` when no track has the ID,
  /// or more than one.
  public mutating func removeCharacteristics(
    _ characteristics: [MediaCharacteristic], from id: UInt32
  ) throws(MovieError) {
    let place = try onlyIndex(of: id)
    let kept = tracks[place].taggedCharacteristics.filter { !characteristics.contains($0) }
    tracks[place].labels.setCharacteristics(kept, in: movie.dialect)
  }

  /// Makes a track what the role says, and nothing of what other roles say.
  ///
  /// Throws `.invalidEdit` for a role that tracks of this kind do not have, and when no track has the ID, or more than
  /// one; `.unsupported` where sample descriptions cannot say that all subtitles are forced.
  public mutating func setRole(_ role: TrackRole, of id: UInt32) throws(MovieError) {
    let place = try onlyIndex(of: id)
    let media = tracks[place].mediaType
    guard role.suits(media) else {
      throw MovieError(.invalidEdit, "track \(id) is \(media.name), which cannot be \(role.rawValue)")
    }
    var edit = self
    if media.isLegible { try edit.setForcedOnly(role == .forced, of: id) }
    let tags = tracks[place].taggedCharacteristics
    let kept = tags.filter { role.characteristics.contains($0) || !TrackRole.allCharacteristics.contains($0) }
    let added = role.characteristics.filter { !kept.contains($0) }
    edit.tracks[place].labels.setCharacteristics(kept + added, in: movie.dialect)
    edit.tracks[place].labels.setRolesByTags(in: movie.dialect)
    if role != .commentary { edit.tracks[place].labels.isExcludedFromAutomaticSelection = false }
    self = edit
  }

  /// Says whether every sample of a track must be read even by those who have subtitles off.
  ///
  /// What says the same follows: `kind` in ISO files. Throws `.invalidEdit` for cues of a new track that are all marked
  /// as forced and are not to be, and when no track has the ID, or more than one; `.unsupported` for subtitles that are
  /// no `tx3g`, which cannot say so, and for a track that comes from another movie.
  public mutating func setForcedOnly(_ isForcedOnly: Bool, of id: UInt32) throws(MovieError) {
    let place = try onlyIndex(of: id)
    guard tracks[place].containsOnlyForcedSubtitles != isForcedOnly else { return }
    if let old = tracks[place].old {
      if let refusal = Self.refusalOfForcing(old, id) {
        throw movie.tree.error(.unsupported, at: old.atom, refusal)
      }
    } else if let new = tracks[place].planned as? GeneratedSubtitleTrack {
      tracks[place].encodeAgain(try forced(new, isForcedOnly))
    } else if tracks[place].generated != nil {
      throw MovieError(.invalidEdit, "track \(id) has no subtitles")
    } else {
      throw MovieError(
        .unsupported, "track \(id) comes from another movie as it is: whether it is forced is said once it is added")
    }
    tracks[place].labels.setForcedOnly(isForcedOnly, in: movie.dialect)
  }

  /// Why a track that is made cannot say that all its subtitles are forced; `nil` when it can.
  private static func refusalOfForcing(_ track: Track, _ id: UInt32) -> String? {
    guard track.formats.isEmpty || track.tx3gDescriptions.count != track.formats.count else { return nil }
    let formats = track.formats.map(\.description).joined(separator: ", ")
    return
      "only tx3g subtitles can say that all are forced, track \(id) has \(formats.isEmpty ? "no format" : formats)"
  }

  /// The new track, encoded again with all subtitles forced, or with those alone whose cues are.
  private func forced(_ new: GeneratedSubtitleTrack, _ isForcedOnly: Bool) throws(MovieError) -> GeneratedSubtitleTrack
  {
    var input = new.input
    input.containsOnlyForcedSubtitles = isForcedOnly
    if let refusal = refusal(of: input) { throw refusal }
    let encoded: GeneratedSubtitleTrack
    do throws(SubtitleError) {
      encoded = try GeneratedSubtitleTrack(input, as: TrackTemplate(self), id: new.id)
    } catch {
      throw MovieError(.invalidEdit, "track \(new.id) cannot be encoded again: \(error.reason)")
    }
    guard encoded.input.containsOnlyForcedSubtitles == isForcedOnly else {
      throw MovieError(.invalidEdit, "all cues of track \(new.id) are marked as forced, which makes it forced only")
    }
    return encoded
  }

  /// Says which titles in other languages one takes the place of.
  private mutating func noteOtherTitles(of old: Track) {
    let lost = old.localizedTitles(in: movie.tree).filter { $0.text != old.title }
    guard !lost.isEmpty else { return }
    let shown = lost.prefix(5).map { "\"\($0.text)\" (\($0.language))" }.joined(separator: ", ")
    let list = lost.count > 5 ? "\(shown) and \(lost.count - 5) more" : shown
    let note = EditNotice(
      .titlesReplaced, trackID: old.id, isWarning: true,
      "the new title takes the place of those that track \(old.id) had in other languages: \(list)")
    if !recordedNotices.contains(note) { recordedNotices.append(note) }
  }

  /// Warns of a tag for media of another kind.
  private mutating func warn(of tag: MediaCharacteristic, for track: EditedTrack) {
    guard let meant = tag.mediaKind, let kind = track.mediaType.selectionKind, meant != kind else { return }
    let note = EditNotice(
      .unfitCharacteristic, trackID: track.id, isWarning: true,
      "\(tag.rawValue) is for \(meant.rawValue) media, and track \(track.id) is \(track.mediaType.name): players ignore the "
        + "tag, or offer the track to the wrong viewers")
    if !recordedNotices.contains(note) { recordedNotices.append(note) }
  }

  /// Says whether a player chooses a track only when a viewer picks it (`txas`).
  ///
  /// Throws `.invalidEdit` when no track has the ID, or more than one.
  public mutating func setExcludedFromAutomaticSelection(_ isExcluded: Bool, of id: UInt32) throws(MovieError) {
    let place = try onlyIndex(of: id)
    tracks[place].labels.isExcludedFromAutomaticSelection = isExcluded
  }

  /// Adds to the tracks of an ISO movie the roles (`kind`) that their tags say; says so.
  public mutating func addRolesByTags() {
    for place in tracks.indices {
      let before = tracks[place].labels.roles
      tracks[place].labels.addRolesByTags(in: movie.dialect)
      for role in tracks[place].labels.roles.subtracting(before).sorted() {
        recordedNotices.append(
          EditNotice(.role, trackID: tracks[place].id, "track \(tracks[place].id) says its role as kind too: \(role)"))
      }
    }
  }

  /// Throws `.invalidEdit` unless each of the IDs is that of one track. Costs one pass over all tracks.
  func requireOneTrack(ofEach ids: Set<UInt32>) throws(MovieError) {
    let counts = Dictionary(tracks.lazy.map { ($0.id, 1) }, uniquingKeysWith: +)
    ListPass.end(after: tracks.count)
    for id in ids.sorted() where counts[id] != 1 { _ = try onlyIndex(of: id) }  // Names the fault.
  }

  /// The place of the one track with the ID.
  func onlyIndex(of id: UInt32) throws(MovieError) -> Int {
    let place = try index(of: id)
    guard tracks.count(where: { $0.id == id }) == 1 else {
      throw MovieError(.invalidEdit, "the movie has more than one track \(id)")
    }
    return place
  }
}

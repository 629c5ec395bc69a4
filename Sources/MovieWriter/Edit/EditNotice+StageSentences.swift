import MovieBox
import Subtitles

// The messages about the stages of an edit: flattening and conversion. `EditNotice+Sentences.swift` contains all other
// messages.

// MARK: - Fragments

extension EditNotice {
  /// Returns a notice that the movie was flattened.
  static func flattened(fragmentCount count: Int) -> EditNotice {
    let change =
      count == 0
      ? "it declared fragments, but contained none"
      : "the movie atom now lists the samples of \(counted(count, "fragment"))"
    return EditNotice(.flattened, "the movie is no longer fragmented: \(change)")
  }

  /// The notice that timed events with times relative to a segment are kept, although the movie no longer has segments.
  static let relativeEventsKept = EditNotice(
    .fragments, isWarning: true,
    "timed events (emsg) are kept, but times relative to a segment are meaningless without segments")

  /// Returns a notice that unknown atoms in fragments were dropped.
  static func unknownFragmentAtoms(_ counts: [FourCC: Int]) -> EditNotice {
    let list = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" }
    return EditNotice(
      .fragments, isWarning: true, "unknown atoms in the fragments are dropped: \(list.joined(separator: ", "))")
  }

  /// Returns a notice that fragments contain samples of a track that the movie atom does not declare.
  static func samplesOfUnknownTrack(_ id: UInt32) -> EditNotice {
    EditNotice(
      .fragments, trackID: id, isWarning: true,
      "samples of track \(id) are dropped, because the movie atom does not declare the track")
  }

  /// Returns a notice that the last edit of a track ended with the samples that `moov` lists, so the edit was extended
  /// to the samples of fragments.
  static func lastEditExtended(track id: UInt32) -> EditNotice {
    EditNotice(
      .fragments, trackID: id,
      "the last edit of track \(id) ended with the samples of the movie atom; it is extended to the end of the fragments"
    )
  }

  /// Returns a notice that an edit list ends before the samples of its track.
  static func editListTooShort(by time: String, track id: UInt32) -> EditNotice {
    EditNotice(
      .fragments, trackID: id,
      "the edit list of track \(id) ends \(time) before its samples, so the last samples are not shown")
  }
}

// MARK: - Flattened tracks

extension EditNotice {
  private static func flattenedTrack(_ id: UInt32, isWarning: Bool = false, _ predicate: String) -> EditNotice {
    EditNotice(.fragments, trackID: id, isWarning: isWarning, "track \(id) \(predicate)")
  }

  /// Returns a notice that the first sample of a track is later than the start of the movie.
  static func startsAfterEmptyEdit(at time: String, isExact: Bool, track id: UInt32) -> EditNotice {
    flattenedTrack(
      id, "begins at \(time), after an empty edit" + (isExact ? "" : " that is rounded to a tick of the movie"))
  }

  /// Returns a notice that the first sample of a track is earlier than the start of the movie.
  static func startsBeforeMovie(by time: String, track id: UInt32) -> EditNotice {
    flattenedTrack(id, "begins \(time) before the movie; its edit list hides that part")
  }

  /// Returns a notice that samples are shown before the first sample is decoded. Sample tables cannot express this.
  static func shownBeforeDecoding(ticks: Int64, track id: UInt32) -> EditNotice {
    flattenedTrack(
      id, isWarning: true,
      "has samples that are shown up to \(ticks) ticks before the first sample is decoded; a movie without fragments cannot "
        + "show them")
  }

  /// Returns a notice that there were gaps between the samples of consecutive fragments.
  static func gapsClosed(_ count: Int, track id: UInt32) -> EditNotice {
    flattenedTrack(id, "has \(counted(count, "gap")) between fragments; the sample before each gap is extended")
  }

  /// Returns a notice that fragments overlapped the samples of earlier fragments.
  static func overlapsRemoved(_ count: Int, track id: UInt32) -> EditNotice {
    flattenedTrack(
      id, "has \(counted(count, "overlap")) between fragments; the sample before each overlap is shortened")
  }

  /// Returns a notice that a fragment began before the last sample of the previous fragment.
  static func samplesDelayed(_ count: Int, track id: UInt32) -> EditNotice {
    flattenedTrack(
      id, isWarning: true,
      "has decode times that decrease \(counted(count, "time")); later samples are delayed to keep the order")
  }
}

// MARK: - Converted tracks

extension ConversionLoss {
  /// Describes the loss of bytes in a sound description that are not atoms.
  static func soundBytesDropped(_ count: Int, _ format: FourCC, track id: UInt32) -> ConversionLoss {
    ConversionLoss(
      "stsd", id,
      "\(Quantity.exactBytes(UInt64(count))) in the sound description of track \(id) (\(format)) are dropped: they are not "
        + "atoms")
  }

  /// Describes the loss of an atom that only QuickTime movies can contain.
  static func quickTimeAtomDropped(_ name: String, _ atom: FourCC, track id: UInt32) -> ConversionLoss {
    ConversionLoss(
      atom, id, "the \(name) of track \(id) (\(atom)) is dropped, because only QuickTime movies can contain it")
  }

  /// Describes the loss of apertures (`tapt`) that differ from the size of the track.
  static func aperturesDropped(track id: UInt32) -> ConversionLoss {
    ConversionLoss(
      "tapt", id, "the apertures of track \(id) (tapt) are dropped, because only QuickTime movies can contain them")
  }

  /// Describes the loss of the graphics mode, balance or matrix of a text track.
  static func textDrawingDropped(track id: UInt32) -> ConversionLoss {
    ConversionLoss(
      "gmhd", id,
      "the graphics mode, balance or matrix of track \(id) (gmhd) is dropped, because only QuickTime movies can contain it"
    )
  }

  /// Describes the loss of the end of a handler name that is too long or contains a NUL.
  static func handlerNameShortened(_ type: MovieType, track id: UInt32) -> ConversionLoss {
    ConversionLoss(
      "hdlr", id, "the end of the handler name of track \(id) is dropped: \(type.name) cannot store the whole name")
  }

  /// Describes the loss of properties of a text description that the new format cannot store.
  static func textPropertiesDropped(_ properties: [String], track id: UInt32) -> ConversionLoss {
    ConversionLoss(
      "mdat", id, "dropped from the text description of track \(id): \(properties.joined(separator: ", "))")
  }
}

extension EditNotice {
  private static func conversion(_ id: UInt32, _ message: String) -> EditNotice {
    EditNotice(.converted, trackID: id, message)
  }

  private static func unsupportedFormat(_ id: UInt32, _ message: String) -> EditNotice {
    EditNotice(.foreignFormat, trackID: id, isWarning: true, message)
  }

  private static func quoted(_ format: FourCC) -> String {
    format.description.hasSuffix(" ") ? "\"\(format)\"" : "\(format)"
  }

  /// Returns a notice that the samples are unchanged, but the new type has another name for their format.
  static func formatRenamed(from old: FourCC, to new: FourCC, track id: UInt32) -> EditNotice {
    conversion(id, "the format of track \(id) is now called \(quoted(new)) instead of \(quoted(old))")
  }

  /// Returns a notice that a sound description was converted from the QuickTime form to the ISO form.
  static func soundDescribedForISO(_ format: FourCC, track id: UInt32) -> EditNotice {
    conversion(id, "track \(id) now has an ISO sound description (\(format) without wave)")
  }

  /// Returns a notice that a sound description was converted to the QuickTime form.
  static func soundDescribedForQuickTime(_ format: FourCC, track id: UInt32) -> EditNotice {
    conversion(id, "track \(id) now has a QuickTime sound description (\(format) with wave)")
  }

  /// Returns a notice that a table of sample sizes declared the size 1, as QuickTime allows, and now declares the size
  /// of a sample with all its channels.
  static func soundFramesListed(track id: UInt32) -> EditNotice {
    conversion(id, "the sample sizes of track \(id) now include all channels (stsz)")
  }

  /// Returns a notice that the sound is now described as MP4 PCM.
  ///
  /// - Parameter rate: the sample rate if only `srat` contains it, or `nil` otherwise.
  static func mp4PCM(_ format: FourCC, rate: UInt32?, track id: UInt32) -> EditNotice {
    // ffmpeg 5.1 plays `ipcm`, but not `fpcm`. GStreamer 1.22 plays neither format.
    unsupportedFormat(
      id,
      "track \(id) contains MP4 PCM (\(format)), which older players play as silence"
        + (rate.map { "; its rate of \($0) samples a second is in an atom (srat) that few players read" } ?? ""))
  }

  /// Returns a notice that the handler of the media was replaced, because the new type requires another handler.
  static func handlerChanged(from old: FourCC, to new: FourCC, track id: UInt32) -> EditNotice {
    conversion(id, "the handler of track \(id) is now \(new) instead of \(old)")
  }

  /// Returns a notice that the handler of the new type hides subtitles from Apple's players.
  static func subtitlesHidden(from old: FourCC, to new: FourCC, _ type: MovieType, track id: UInt32) -> EditNotice {
    unsupportedFormat(
      id,
      "the handler of track \(id) is now \(new) instead of \(old), as \(type.name) requires; the menus of Apple's "
        + "players list this track only in .mp4 and .m4v files")
  }

  /// Returns a notice that text samples were written in another format.
  static func textRecoded(from old: [FourCC], to new: FourCC, track id: UInt32) -> EditNotice {
    let formats = Set(old.map(\.description)).sorted().joined(separator: ", ")
    return conversion(
      id,
      "the text of track \(id) is re-encoded as \(new) instead of \(formats); text faces, colors and font sizes are kept"
    )
  }

  /// Returns a notice that no player is known to support a format in QuickTime movies.
  static func unknownInQuickTime(_ format: FourCC, track id: UInt32) -> EditNotice {
    unsupportedFormat(
      id, "track \(id) is in \(quoted(format)), which no player is known to support in QuickTime movies")
  }

  /// Returns a notice that all text samples are sync samples, but `stss` listed only some.
  static func allTextIsSync(track id: UInt32) -> EditNotice {
    conversion(id, "all text samples of track \(id) are now marked as sync samples")
  }

  /// Returns a notice that partial sync samples became a sample group.
  static func partialSyncsGrouped(track id: UInt32) -> EditNotice {
    conversion(id, "the partial sync samples of track \(id) (stps) are now a sample group (rap)")
  }

  /// Returns a notice that a sample group of random access points is listed as partial sync samples as well.
  static func partialSyncsListed(track id: UInt32) -> EditNotice {
    conversion(
      id, "the random access points of track \(id) (rap) are now also listed as partial sync samples (stps)")
  }
}

// MARK: - Conversion

extension EditNotice {
  /// Returns a notice that a conversion cleared track fields that have a different meaning or no meaning in the new
  /// type.
  static func clearedFields(_ fields: [(field: String, list: [UInt32])], _ type: MovieType) -> EditNotice {
    let texts = fields.map { field, list in
      let shown = list.prefix(9).map { String($0) }.joined(separator: ", ") + (list.count > 9 ? ", …" : "")
      return "\(field) of \(list.count == 1 ? "track" : "tracks") \(shown)"
    }
    return EditNotice(
      .converted,
      "these fields were cleared, because \(type.name) uses them differently or not at all: \(texts.joined(separator: "; "))"
    )
  }
}

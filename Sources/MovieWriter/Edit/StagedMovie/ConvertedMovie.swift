import MovieBox

/// A movie after its conversion to another type. It refers to the same samples in the old file, but describes them as
/// the new type requires.
///
/// The planner treats the converted movie like any other movie. Text samples that need another format are stored as the
/// media of another file; see ``MovieEdit/convert(to:from:)``.
struct ConvertedMovie: Sendable {
  /// The movie before the conversion, without fragments.
  let original: Movie
  /// The requested type.
  let type: MovieType
  /// The converted movie.
  let movie: Movie
  /// The tracks whose text samples are written in another format.
  let recodedTracks: Set<UInt32>
  /// The tracks that are removed because the type does not support them.
  let removedTracks: Set<UInt32>
  /// The removed tracks whose removal is reported.
  var omittedTracks: Set<UInt32>
  /// The tracks that the type does not support, with the reasons. The edit must remove them.
  let refusals: [UInt32: MovieError]
  /// The notices about the conversion, including the warnings about ``losses``.
  let notices: [EditNotice]
  /// The contents that the conversion dropped because the type cannot store them.
  let losses: [ConversionLoss]
  /// The descriptions of fields that the conversion cleared, by track.
  var clearedFields: [UInt32: [String]] = [:]
  /// The changes that the conversion makes to the metadata of ``movie``.
  var metadata = MetadataEdits()
  /// The indices of the metadata items whose removal a warning reports. Verification compares them with the removed
  /// items.
  var reportedItems: Set<Int> = []
  /// Whether the chapters in user data (`chpl`) may be missing: a warning reports the loss, or the caller removed the
  /// chapters.
  var omitsChapterList = false

  /// Whether the new file omits a top-level atom. `ftyp` is replaced, and only QuickTime files contain `wide` and
  /// previews.
  func omits(_ atom: FileLayout.TopLevelAtom) -> Bool {
    atom.type == "ftyp" || !type.isQuickTime && Self.quickTimeAtoms.contains(atom.type)
  }

  /// The top-level atoms that only QuickTime movies contain.
  static let quickTimeAtoms: Set<FourCC> = ["wide", "pnot", "PICT", "pict"]

  /// Returns a notice listing the fields that the conversion cleared, or `nil` if it cleared none.
  func clearedFieldsNote(ofTracks ids: [UInt32]) -> EditNotice? {
    var tracks: [(field: String, list: [UInt32])] = []
    for id in ids {
      for field in clearedFields[id] ?? [] {
        if let index = tracks.firstIndex(where: { $0.field == field }) {
          tracks[index].list.append(id)
        } else {
          tracks.append((field, [id]))
        }
      }
    }
    return tracks.isEmpty ? nil : .clearedFields(tracks, type)
  }

  /// The `ftyp` atom of the type.
  var fileTypeAtom: [UInt8] { type.fileType.atom("ftyp") }
}

/// Contents that a conversion dropped because the new type cannot store them.
///
/// The checker allows the removal of these contents only. The value also contains the warning to the user.
struct ConversionLoss: Hashable, Sendable {
  /// The type of the atom whose contents are dropped. `mdat` means the samples.
  let atom: FourCC
  /// The ID of the affected track, or `nil` for the movie itself.
  let trackID: UInt32?
  /// The message of the warning.
  let message: String

  init(_ atom: FourCC, _ trackID: UInt32?, _ message: String) {
    (self.atom, self.trackID, self.message) = (atom, trackID, message)
  }

  /// The warning about the loss.
  var warning: EditNotice { EditNotice(.leftOut, trackID: trackID, isWarning: true, message) }
}

/// The atoms whose contents a conversion dropped, by track.
///
/// The losses are grouped once, because a search of all losses for each atom would take quadratic time in movies with
/// many tracks.
struct DroppedContents {
  private var atoms: [UInt32?: Set<FourCC>] = [:]

  init(_ losses: [ConversionLoss]) {
    for loss in losses { atoms[loss.trackID, default: []].insert(loss.atom) }
  }

  /// Whether contents of atoms of a type were dropped in a track, or in the movie if `id` is `nil`.
  func contains(_ atom: FourCC, ofTrack id: UInt32?) -> Bool { atoms[id]?.contains(atom) ?? false }
}

/// The header of media other than video and audio: `gmhd` in QuickTime movies, `nmhd` in ISO files.
enum PlainMediaHeader {
  /// The media types that both file types support and whose header contains no information.
  static let media: Set<FourCC> = ["text", "sbtl", "clcp", "meta"]

  /// Returns the QuickTime header for a media type.
  static func quickTime(for media: FourCC) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("gmhd") { gmhd in
      gmhd.write(BaseMediaInfo().atom("gmin"))
      if media == "text" { gmhd.write(TextMediaInfo().atom("text")) }
      if media == "tmcd" { gmhd.atom("tmcd") { $0.write(timeCodeInfo) } }
    }
    return writer.bytes
  }

  /// Whether a `gmhd` contains a graphics mode, balance or matrix, or is damaged. ISO files cannot store these
  /// settings.
  static func hasPresentationSettings(_ gmhd: Int, in tree: AtomTree) -> Bool {
    do throws(MovieError) {
      if let gmin = tree.child(of: gmhd, "gmin") {
        let info = try tree.decode(BaseMediaInfo.self, at: gmin)
        // Text is normally drawn with the graphics modes copy (0) and dither copy (0x40).
        if ![0, 0x40].contains(info.graphicsMode) || info.balance != 0 { return true }
      }
      guard let text = tree.child(of: gmhd, "text"), tree.payload(of: text).contains(where: { $0 != 0 }) else {
        return false
      }
      return try tree.decode(TextMediaInfo.self, at: text).matrix != .identity
    } catch {
      return true
    }
  }

  /// The appearance of a time code: system font, 12 points, black on white (QTFF "Timecode Media Information").
  private static var timeCodeInfo: [UInt8] {
    var writer = ByteWriter()
    writer.atom("tcmi") { tcmi in
      tcmi.write(FullAtomHeader())
      for field in [0, 0, 12, 0, 0, 0, 0, 0xFFFF, 0xFFFF, 0xFFFF] as [UInt16] { tcmi.write(field) }
      tcmi.write(UInt8(0))
    }
    return writer.bytes
  }
}

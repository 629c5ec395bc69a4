import MovieBox

/// A movie as it is in a file of another type: the same samples at their places in the old file, described as that type
/// has it.
///
/// To whoever plans an edit it is a movie like any other. Samples of text that are written in another format are media
/// of another file: see ``MovieEdit/convert(to:from:)``.
struct ConvertedMovie: Sendable {
  /// The movie as it was, with all samples in the movie atom.
  let original: Movie
  /// The type that was asked for.
  let type: MovieType
  /// The movie as that type has it.
  let movie: Movie
  /// The tracks whose samples of text are written in another format.
  let recodedTracks: Set<UInt32>
  /// The tracks that are left out, for the type has no form for them.
  let removedTracks: Set<UInt32>
  /// Those of them of which that is reported.
  var omittedTracks: Set<UInt32>
  /// The tracks that the type does not hold, and why: an edit takes them out, or cannot be planned.
  let refusals: [UInt32: MovieError]
  /// What a person should know.
  let notes: [EditNotice]
  /// The fields of tracks that are zero and were not, for people.
  var clearedFields: [UInt32: [String]] = [:]
  /// What becomes of the metadata of ``movie`` by the conversion alone.
  var metadata = MetadataEdits()
  /// The items of it of which a warning says that they are left out, by their numbers: for those who verify the edit.
  var listedItems: Set<Int> = []
  /// Whether a warning lists that the chapters in user data (`chpl`) are left out, or the caller removed them.
  var leavesOutChapters = false

  /// Whether a top-level atom is not in the new file: that of the brands is another one, and only QuickTime knows space
  /// to widen a header (`wide`) and previews.
  func omits(_ atom: FileLayout.TopLevelAtom) -> Bool {
    atom.type == "ftyp" || !type.isQuickTime && Self.quickTimeAtoms.contains(atom.type)
  }

  /// What stands beside the movie atom in QuickTime movies alone.
  static let quickTimeAtoms: Set<FourCC> = ["wide", "pnot", "PICT", "pict"]

  /// Says which fields of these tracks are zero; `nil` where none is that was not. They mean nothing in ISO files, but for
  /// the flag of the poster.
  func clearedFieldsNote(ofTracks ids: [UInt32]) -> EditNotice? {
    var tracks: [(field: String, list: [UInt32])] = []
    for id in ids {
      for field in clearedFields[id] ?? [] {
        if let place = tracks.firstIndex(where: { $0.field == field }) {
          tracks[place].list.append(id)
        } else {
          tracks.append((field, [id]))
        }
      }
    }
    guard !tracks.isEmpty else { return nil }
    let fields = tracks.map { field, list in
      let shown = list.prefix(9).map { String($0) }.joined(separator: ", ") + (list.count > 9 ? ", …" : "")
      return "\(field) of \(list.count == 1 ? "track" : "tracks") \(shown)"
    }
    return EditNotice(
      .converted, "zero in \(type.name), where they mean nothing or something else: \(fields.joined(separator: "; "))")
  }

  /// The atom of the new brands.
  var fileTypeAtom: [UInt8] { type.fileType.atom("ftyp") }
}

extension MovieEdit {
  /// The tracks that the type does not hold, of which that is reported: the edit has them no more, and a person may name
  /// them.
  package var tracksLeftOut: [EditedTrack] {
    guard let conversion = stages.converted else { return [] }
    return conversion.movie.tracks.filter { conversion.omittedTracks.contains($0.id) }.map { EditedTrack($0) }
  }

  /// All tracks that a person may name, in the order of the movie.
  package var tracksWithThoseLeftOut: [EditedTrack] {
    let leftOut = tracksLeftOut
    guard let conversion = stages.converted, !leftOut.isEmpty else { return tracks }
    let places = Dictionary(conversion.movie.tracks.enumerated().map { ($1.id, $0) }) { first, _ in first }
    let all = (tracks + leftOut).enumerated()
    return all.sorted { one, other in
      (places[one.element.id] ?? .max, one.offset) < (places[other.element.id] ?? .max, other.offset)
    }.map(\.element)
  }

  /// Does not report that these are left out: they were to go.
  package mutating func omitNotes(ofTracks ids: Set<UInt32>) { stages.converted?.omittedTracks.subtract(ids) }
}

/// The header of media that is neither pictures nor sound: `gmhd` in QuickTime movies, `nmhd` in ISO files.
enum PlainMediaHeader {
  /// The media that both types have, and of which a header says nothing.
  static let media: Set<FourCC> = ["text", "sbtl", "clcp", "meta"]

  /// That of QuickTime for media of a kind.
  static func quickTime(for media: FourCC) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("gmhd") { gmhd in
      gmhd.write(BaseMediaInfo().atom("gmin"))
      if media == "text" { gmhd.write(TextMediaInfo().atom("text")) }
      if media == "tmcd" { gmhd.atom("tmcd") { $0.write(timeCodeInfo) } }
    }
    return writer.bytes
  }

  /// Whether that of a track has a graphics mode, balance or matrix, which no header in ISO files has; or is damaged.
  static func hasPresentationSettings(_ gmhd: Int, in tree: AtomTree) -> Bool {
    do throws(MovieError) {
      if let gmin = tree.child(of: gmhd, "gmin") {
        let info = try tree.decode(BaseMediaInfo.self, at: gmin)
        // To copy, with dithering or without, is what text does.
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

  /// How a time code is shown: the font of the system, 12 points, black on white (QTFF "Timecode Media Information").
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

import MovieBox
import MovieWriter

/// The view of `--layout`: what lies where in the file.
extension MovieReport {
  /// The lines of the view.
  var layoutLines: [String] {
    guard let layout else { return [] }
    let use = mediaUse
    var table = TextTable([.init("offset", .right), .init("bytes", .right), .init("atom"), .init("what it is")])
    for atom in layout.atoms {
      table.add([
        String(atom.range.offset), String(atom.range.count), atom.type.description, Self.description(atom, movie, use),
      ])
    }
    if let trailing = layout.trailing {
      table.add([
        String(trailing.offset), String(trailing.count), "", "no atom: \(layout.trailingDefect?.reason ?? "")",
      ])
    }
    if let leftover = layout.leftover {
      table.add([String(leftover.offset), String(leftover.count), "free", "left by an interrupted edit"])
    }
    var lines = table.lines
    if let place = movieAtomPlace { lines += ["", "Layout        " + place.description] }
    if let interleaving { lines.append("Interleaving  " + Self.description(interleaving)) }
    if movie?.isFragmented ?? false { lines.append("Interleaving  not measured: samples lie in fragments") }
    return lines
  }

  private static func description(_ atom: FileLayout.TopLevelAtom, _ movie: Movie?, _ use: MediaUse?) -> String {
    if let claimed = atom.claimedByteCount { return "cut off: claims \(claimed) bytes" }
    switch atom.type {
    case "mdat": return mediaWords(atom, use)
    case "moov":
      guard let movie, movie.movieAtom == atom else { return "a movie atom" }
      return movie.tracks.count == 1
        ? "the movie atom, of 1 track" : "the movie atom, of \(movie.tracks.count) tracks"
    case "uuid": return "a vendor's: " + (atom.userType.map(MovieReport.uuid) ?? "without a type")
    default: return names[atom.type] ?? "unknown"
    }
  }

  private static func mediaWords(_ atom: FileLayout.TopLevelAtom, _ use: MediaUse?) -> String {
    guard let use else { return "media data" }
    let ids = use.trackIDs(in: atom)
    var description = "media data"
    if !ids.isEmpty {
      description += (ids.count == 1 ? " of track " : " of tracks ") + ids.map(String.init).joined(separator: ", ")
    }
    let unreferenced = use.unreferencedByteCount(in: atom)
    if unreferenced > 0 {
      description +=
        "; \(unreferenced == 1 ? "1 byte that no sample refers to" : "\(unreferenced) bytes that no sample refers to")"
    }
    return description
  }

  private static func description(_ distance: InterleavingDistance) -> String {
    guard let first = distance.trackIDs.first, let last = distance.trackIDs.last else {
      return "in order"
    }
    let tracks = first == last ? "track \(first)" : "tracks \(first) and \(last)"
    return "distance: \(distance.description) (\(tracks))"
  }

  /// What top-level atoms of a file are.
  private static let names: [FourCC: String] = [
    "ftyp": "the brands", "styp": "the brands of a segment", "free": "free space", "skip": "free space",
    "wide": "room for a 64-bit size of the next atom", "meta": "metadata of the file",
    "moof": "a fragment's tables of samples",
    "mfra": "an index of the fragments", "sidx": "an index of segments", "ssix": "an index of parts of segments",
    "prft": "the clock of the producer", "emsg": "an event", "pdin": "hints for downloading", "udta": "user data",
    "idat": "data of items", "pnot": "a reference to a preview", "PICT": "a preview picture",
  ]
}

public import MovieBox
import MovieWriter

/// Reads all metadata items of a movie with every property of the items.
public func readMetadata(_ bytes: Bytes) {
  let source = MeteredSource(bytes)
  guard let movie = attempt("movie", { try Movie(of: source) }) else { return }
  let items = attempt("metadata", { try movie.metadata(from: source) }) ?? movie.metadata
  for item in items {
    consume((item.stringValue, item.numberValue, item.dataValue, item.locationValue?.description, item.isWellFormed))
    consume(item.dateValue?.secondsSince1970)
    consume((item.identifier.description, item.identifier.common?.description))
  }
  consume((items.disagreeing, movie.commonMetadata, items.matching("*/*a*")))
}

/// Sets, adds and removes metadata items. The edit must either throw or keep all samples.
public func changeMetadata(_ bytes: Bytes) {
  edit(bytes) { edit in
    for fact in [
      "common/title", "common/location", "common/creationDate", "itsk/trkn", "udta/©cmt", "mdta/com.example.id",
      "id3/TPE1", "id3/COMM", "id3/TXXX", "xtra/WM/A",
    ] {
      guard var input = MetadataInput(fact, fact == "common/location" ? "+10.5-020.25+3/" : "7") else { continue }
      consume(attempt("setting") { try edit.setMetadata(input) })
      input.language = LanguageTag("de")
      consume(attempt("setting") { try edit.setMetadata(input) })
      consume(attempt("adding") { try edit.addMetadata(input) })
      if let track = edit.tracks.first {
        consume(attempt("setting") { try edit.setMetadata(input, ofTrack: track.id) })
      }
    }
    consume(edit.removeMetadata(matching: "*/*o*"))
  }
}

/// Copies a movie's own metadata items to the movie, and removes some of them.
public func copyMetadata(_ bytes: Bytes) {
  edit(bytes) { edit in
    let items = edit.movie.metadata
    consume(edit.copyMetadata(items + items.prefix(2)))
    consume(edit.removeMetadata(matching: "id3/*"))
    consume(edit.removeMetadata(matching: "xtra/*A"))
  }
}

/// Prepares a movie for sharing.
public func share(_ bytes: Bytes) {
  edit(bytes) { edit in
    consume(try edit.prepareForSharing(keeping: ["mdta/com.example.*"]).map { $0.subject })
  }
}

import MovieBox

/// The names that ffmpeg, ExifTool, yt-dlp and people have for facts, and the nearest identifier of each.
enum TagNames {
  /// The identifier for a name, whatever its case, blanks, hyphens and underscores; or `nil` if no identifier is near.
  static func identifier(_ name: String) -> MetadataIdentifier? {
    let word = comparable(name)
    if let name = MetadataIdentifier.commonNames.first(where: { comparable($0) == word }) {
      return MetadataIdentifier(.common, key: name)
    }
    // The names of items themselves, such as `trkn`.
    return table[word].flatMap { MetadataIdentifier($0) }
      ?? table.values.filter { $0.hasSuffix("/" + name) }.min().flatMap { MetadataIdentifier($0) }
  }

  /// An identifier as a person writes it: `title`, `itsk/©nrt`.
  static func name(_ identifier: MetadataIdentifier) -> String {
    identifier.space == .common ? identifier.key : identifier.description.replacing("%A9", with: "©")
  }

  private static func comparable(_ name: String) -> String {
    guard name.utf8.count <= 64 else { return "" }
    return String(name.lowercased().filter { !" -_".contains($0) })
  }

  /// Facts that all vocabularies know are beside ``MovieBox/MetadataIdentifier/commonNames``; iTunes has most others.
  private static let table = [
    "album": "common/albumName", "albumtitle": "common/albumName", "performer": "common/artist",
    "contentcreatedate": "common/creationDate", "copyright": "common/copyrights", "license": "common/copyrights",
    "creationtime": "common/creationDate", "date": "common/creationDate", "datetimeoriginal": "common/creationDate",
    "year": "common/creationDate", "genre": "common/type", "gps": "common/location",
    "gpscoordinates": "common/location", "locationeng": "common/location", "place": "common/location",
    "name": "common/title", "summary": "common/description", "tags": "common/keywords", "keyword": "common/keywords",
    "albumartist": "itsk/aART", "beatsperminute": "itsk/tmpo", "bpm": "itsk/tmpo", "compilation": "itsk/cpil",
    "contentrating": "itsk/rtng", "disc": "itsk/disk", "discnumber": "itsk/disk", "disk": "itsk/disk",
    "disknumber": "itsk/disk", "episode": "itsk/tves", "episodeid": "itsk/tven", "episodenumber": "itsk/tves",
    "episodesort": "itsk/tves", "gaplessplayback": "itsk/pgap", "grouping": "itsk/©grp", "hdvideo": "itsk/hdvd",
    "isbn": "itlk/com.apple.iTunes.ISBN", "isrc": "itlk/com.apple.iTunes.ISRC", "longdescription": "itsk/ldes",
    "lyrics": "itsk/©lyr", "mediatype": "itsk/stik", "movement": "itsk/©mvn", "narrator": "itsk/©nrt",
    "network": "itsk/tvnn", "playgap": "itsk/pgap", "podcast": "itsk/pcst", "rtng": "itsk/rtng",
    "season": "itsk/tvsn", "seasonnumber": "itsk/tvsn", "series": "itsk/tvsh", "show": "itsk/tvsh",
    "sortalbum": "itsk/soal", "sortalbumartist": "itsk/soaa", "sortartist": "itsk/soar",
    "sortcomposer": "itsk/soco", "sortname": "itsk/sonm", "sortshow": "itsk/sosn", "synopsis": "itsk/ldes",
    "tempo": "itsk/tmpo", "titlesort": "itsk/sonm", "track": "itsk/trkn", "tracknumber": "itsk/trkn",
    "tvepisode": "itsk/tves", "tvepisodeid": "itsk/tven", "tvnetwork": "itsk/tvnn",
    "tvnetworkname": "itsk/tvnn", "tvseason": "itsk/tvsn", "tvshow": "itsk/tvsh", "work": "itsk/©wrk",
  ]
}

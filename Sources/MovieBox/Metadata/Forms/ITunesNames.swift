/// The names of numeric values in iTunes items: genres (`gnre`), media types (`stik`) and ratings (`rtng`).
enum ITunesNames {
  /// Returns the name of a number, or `nil` if it has none.
  static func name(_ number: Int128, in type: FourCC) -> String? {
    switch type {
    case "gnre": Int(exactly: number - 1).flatMap { genres.indices.contains($0) ? genres[$0] : nil }
    case "stik": kinds.first { $0.number == number }?.name
    case "rtng": ratings.first { $0.number == number }?.name
    default: nil
    }
  }

  /// Returns the number for a name, or `nil` if the name is unknown. Ignores case, blanks and hyphens.
  static func number(named name: String?, in type: FourCC) -> MetadataValue? {
    guard let name, name.utf8.count <= 40 else { return nil }
    let word = comparable(name)
    switch type {
    case "gnre":
      return genres.firstIndex { comparable($0) == word }.map { .unsignedInteger(UInt64($0 + 1)) }
    case "stik": return kinds.first { comparable($0.name) == word }.map { .integer(Int64($0.number)) }
    case "rtng": return ratings.first { comparable($0.name) == word }.map { .integer(Int64($0.number)) }
    default: return nil
    }
  }

  /// Returns the names that an item accepts, or `nil` if its values have no names.
  static func names(in type: FourCC) -> [String]? {
    switch type {
    case "gnre": genres
    case "stik": kinds.map(\.name).withoutRepetition
    case "rtng": ratings.map(\.name).withoutRepetition
    default: nil
    }
  }

  private static func comparable(_ word: String) -> String {
    word.lowercased().filter { !" -_".contains($0) }.replacing("&", with: "and")
  }

  /// The media types. If several numbers share a name, the first number is written.
  private static let kinds: [(number: Int, name: String)] = [
    (9, "Movie"), (1, "Music"), (2, "Audiobook"), (5, "Bookmark"), (6, "Music Video"), (10, "TV Show"),
    (11, "Booklet"), (14, "Ringtone"), (21, "Podcast"), (23, "iTunes U"), (0, "Movie"),
  ]

  private static let ratings: [(number: Int, name: String)] = [
    (0, "None"), (1, "Explicit"), (2, "Clean"), (4, "Explicit"),
  ]

  /// The genres of ID3 version 1 and Winamp, in the order of their numbers. The numbers of `gnre` begin at 1.
  private static let genres = [
    "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz", "Metal", "New Age",
    "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno", "Industrial", "Alternative", "Ska",
    "Death Metal", "Pranks", "Soundtrack", "Euro-Techno", "Ambient", "Trip-Hop", "Vocal", "Jazz+Funk", "Fusion",
    "Trance", "Classical", "Instrumental", "Acid", "House", "Game", "Sound Clip", "Gospel", "Noise", "Alt. Rock",
    "Bass", "Soul", "Punk", "Space", "Meditative", "Instrumental Pop", "Instrumental Rock", "Ethnic", "Gothic",
    "Darkwave", "Techno-Industrial", "Electronic", "Pop-Folk", "Eurodance", "Dream", "Southern Rock", "Comedy",
    "Cult", "Gangsta Rap", "Top 40", "Christian Rap", "Pop/Funk", "Jungle", "Native American", "Cabaret", "New Wave",
    "Psychedelic", "Rave", "Showtunes", "Trailer", "Lo-Fi", "Tribal", "Acid Punk", "Acid Jazz", "Polka", "Retro",
    "Musical", "Rock & Roll", "Hard Rock", "Folk", "Folk-Rock", "National Folk", "Swing", "Fast-Fusion", "Bebop",
    "Latin", "Revival", "Celtic", "Bluegrass", "Avantgarde", "Gothic Rock", "Progressive Rock", "Psychedelic Rock",
    "Symphonic Rock", "Slow Rock", "Big Band", "Chorus", "Easy Listening", "Acoustic", "Humour", "Speech", "Chanson",
    "Opera", "Chamber Music", "Sonata", "Symphony", "Booty Bass", "Primus", "Porn Groove", "Satire", "Slow Jam",
    "Club", "Tango", "Samba", "Folklore", "Ballad", "Power Ballad", "Rhythmic Soul", "Freestyle", "Duet", "Punk Rock",
    "Drum Solo", "A Cappella", "Euro-House", "Dance Hall", "Goa", "Drum & Bass", "Club-House", "Hardcore", "Terror",
    "Indie", "BritPop", "Afro-Punk", "Polsk Punk", "Beat", "Christian Gangsta Rap", "Heavy Metal", "Black Metal",
    "Crossover", "Contemporary Christian", "Christian Rock", "Merengue", "Salsa", "Thrash Metal", "Anime", "JPop",
    "Synthpop",
  ]
}

extension MetadataItem {
  /// The name of the item's number, or `nil` if the item or its number has no name. Examples are `Rock` for 18 in
  /// `gnre`, `TV Show` for 10 in `stik`, and `Explicit` for 1 in `rtng`.
  public var valueName: String? {
    guard identifier.space == .iTunes, let type = identifier.type, let number = value.wholeNumber else { return nil }
    return ITunesNames.name(number, in: type)
  }
}

extension MetadataIdentifier {
  /// The names that items with this identifier accept besides numbers, or `nil` if they accept no names.
  package var valueNames: [String]? {
    space == .iTunes ? type.flatMap { ITunesNames.names(in: $0) } : nil
  }
}

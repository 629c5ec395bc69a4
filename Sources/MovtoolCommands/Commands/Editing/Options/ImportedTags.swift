import MovieBox
import Subtitles

/// The metadata tags in a file of another program: ffmetadata, JSON of ExifTool, or info.json of yt-dlp.
///
/// These programs use the same name for a fact in all vocabularies, and their values have no type. So each tag is
/// treated like an argument of `--set`. Tags that correspond to no identifier are listed for the user.
struct ImportedTags: Equatable {
  /// A tag that corresponds to an identifier.
  struct Tag: Equatable {
    let name: String
    let identifier: MetadataIdentifier
    /// The language of the text, or `nil` if it applies to all languages.
    let language: LanguageTag?
    let text: String
  }

  /// The tags, at most one for each identifier and language. They are in the order of the file. Tags from JSON are in
  /// the order of their names.
  private(set) var tags: [Tag] = []
  /// The names of tags that correspond to no identifier. Tags that describe the file itself, such as its size, are not
  /// included.
  private(set) var omittedTags: [String] = []
  private var omittedNames: Set<String> = []

  /// Reads ffmetadata, or returns `nil` if the bytes lack its signature.
  init?(ffmetadata bytes: Bytes) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes
    guard text.starts(with: ";FFMETADATA".utf8) else { return nil }
    var isInSection = false
    for line in Self.lines(of: String(decoding: text.array, as: UTF8.self)) {
      // The tags of the movie precede all sections. Sections contain the tags of chapters and streams.
      if line.first == "[" {
        isInSection = true
        omit(Self.trimmed(line))
        continue
      }
      guard !isInSection, line.first != ";", line.first != "#" else { continue }
      let (name, value) = Self.splitAtEqualsSign(of: line)
      guard let value else { continue }
      add(name, value)
    }
  }

  /// Reads the JSON of ExifTool or yt-dlp, or returns `nil` for other JSON.
  ///
  /// Throws ``MovieError``, `.malformed`, if ExifTool's output describes more than one file.
  init?(_ json: JSONValue) throws(MovieError) {
    if let files = json.array, files.first?["SourceFile"] != nil {
      guard files.count == 1 else {
        throw MovieError(
          .malformed, in: "JSON", "the file contains tags of \(files.count) files; export the tags of one file")
      }
      readExifTool(files[0])
    } else if json["SourceFile"] != nil {
      readExifTool(json)
    } else if ["webpage_url", "extractor", "upload_date", "_type"].contains(where: { json[$0]?.string != nil }) {
      readYTDLPInfo(json)
    } else {
      return nil
    }
  }

  // MARK: - Tags

  private mutating func omit(_ name: String, because reason: String? = nil) {
    if TagNames.isAboutFile(name) { return }
    if omittedNames.insert(name).inserted { omittedTags.append(name + (reason.map { " (\($0))" } ?? "")) }
  }

  private mutating func add(_ name: String, _ value: String, as identifier: MetadataIdentifier? = nil) {
    let text = Self.trimmed(value)
    let (base, language) = TagNames.parts(of: name)
    guard !text.isEmpty, let identifier = identifier ?? TagNames.identifier(base) else { return omit(name) }
    // ExifTool uses the name `Rating` for the rating of iTunes and for the stars of XMP. The stars are omitted.
    if base == "Rating", !(identifier.valueNames ?? []).contains(where: { $0.lowercased() == text.lowercased() }) {
      return omit(name)
    }
    // If several vocabularies contain a fact, ExifTool lists the fact under several names. The first name is used.
    if let knownTag = tags.first(where: { $0.identifier == identifier && $0.language == language }) {
      if knownTag.text != text { omit(name, because: "\(knownTag.name) has another value") }
      return
    }
    tags.append(Tag(name: name, identifier: identifier, language: language, text: Self.value(text, of: identifier)))
  }

  /// Converts a value of ExifTool to the form that `--set` accepts: `3 of 12` to `3/12`, `Normal (Music)` to `Music`.
  private static func value(_ text: String, of identifier: MetadataIdentifier) -> String {
    switch identifier.type {
    case "pgap" where text == "Insert Gap": "no"
    case "pgap" where text == "No Gap": "yes"
    case "trkn", "disk": text.replacing(" of ", with: "/")
    case "stik" where text == "Normal (Music)": "Music"
    case "cpil", "pgap", "pcst": text.lowercased()
    default: text
    }
  }

  /// Returns the text without leading and trailing whitespace.
  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop { $0.isWhitespace }
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }

  // MARK: - ffmetadata

  /// Returns the lines of a text. A line break after a backslash is part of a value.
  private static func lines(of text: String) -> [Substring] {
    var (lines, start, isEscaped): ([Substring], String.Index, Bool) = ([], text.startIndex, false)
    for index in text.indices {
      if text[index].isNewline, !isEscaped {
        lines.append(text[start..<index])
        start = text.index(after: index)
      }
      isEscaped = text[index] == "\\" && !isEscaped
    }
    return lines + [text[start...]]
  }

  /// Returns the two sides of the first unescaped equals sign, with escapes resolved.
  private static func splitAtEqualsSign(of line: Substring) -> (name: String, value: String?) {
    var (name, value, isEscaped): (String, String?, Bool) = ("", nil, false)
    for character in line {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else if character == "=", !isEscaped, value == nil {
        value = ""
      } else {
        isEscaped = false
        if value == nil { name.append(character) } else { value?.append(character) }
      }
    }
    return (name, value)
  }

  // MARK: - JSON

  private static func members(of json: JSONValue) -> [(name: String, value: JSONValue)] {
    guard case .object(let members) = json else { return [] }
    return members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns the text of a string, a number, a Boolean, or a list of these, or `nil` for other values.
  private static func text(_ json: JSONValue, _ separator: String) -> String? {
    if let flag = json.boolean { return flag ? "yes" : "no" }
    if let list = json.array {
      let texts = list.compactMap { text($0, separator) }
      return texts.count == list.count && !texts.isEmpty ? texts.joined(separator: separator) : nil
    }
    return json.string ?? json.number
  }

  private static func separator(of identifier: MetadataIdentifier?) -> String {
    identifier?.common?.key == "keywords" ? ", " : MetadataValue.listSeparator
  }

  /// Reads tags whose names may have a group before a colon (`-G`).
  private mutating func readExifTool(_ json: JSONValue) {
    // With `-g`, the value of each group is an object that contains its tags.
    let members = Self.members(of: json).flatMap { member in
      if case .object = member.value { Self.members(of: member.value) } else { [member] }
    }
    var headerDate: String?
    for (name, value) in members where name != "SourceFile" {
      let short = name.split(separator: ":").last.map(String.init) ?? name
      let identifier = TagNames.identifier(TagNames.parts(of: short).base)
      if short == "CreateDate", let date = value.string {
        headerDate = date
      } else if identifier != nil, let text = Self.text(value, Self.separator(of: identifier)) {
        add(short, text)
      } else {
        omit(short)
      }
    }
    addLocation(members)
    // The date in the header is in UTC. It is used only if no tag contains a creation date.
    let date = MetadataIdentifier(.common, key: "creationDate")
    guard let headerDate, !tags.contains(where: { $0.identifier == date }), let read = WrittenValue.date(headerDate)
    else { return }
    add("CreateDate", read.secondsFromUTC == nil ? headerDate + "Z" : headerDate, as: date)
  }

  /// If no tag contains a location, adds the location from the values that ExifTool derives from other tags.
  private mutating func addLocation(_ members: [(name: String, value: JSONValue)]) {
    let location = MetadataIdentifier(.common, key: "location")
    guard !tags.contains(where: { $0.identifier == location }) else { return }
    var values: [String: String] = [:]
    for (name, value) in members {
      let short = name.split(separator: ":").last.map(String.init) ?? name
      guard short.hasPrefix("GPS"), values[short] == nil else { continue }
      values[short] = value.string ?? value.number
    }
    var position = values["GPSPosition"]
    if position == nil, let latitude = values["GPSLatitude"], let longitude = values["GPSLongitude"] {
      position = "\(latitude), \(longitude)"
    }
    guard let position else { return }
    if WrittenValue.location(position) == nil {
      omit("GPSPosition (\(position))")
    } else {
      add("GPSPosition", position, as: location)
    }
  }

  /// Reads the description of an online video by yt-dlp. For a song, `track` is the title, and the uploader is the
  /// artist.
  private mutating func readYTDLPInfo(_ json: JSONValue) {
    let facts: [(identifier: String, names: [String])] = [
      ("common/title", ["track", "title", "fulltitle"]),
      ("common/artist", ["artist", "artists", "creator", "uploader", "channel"]),
      ("common/description", ["description"]), ("common/creationDate", ["release_date", "upload_date"]),
      ("common/keywords", ["tags"]), ("common/type", ["genre", "genres", "categories"]),
      ("common/albumName", ["album"]), ("itsk/aART", ["album_artist", "album_artists"]),
      ("common/composer", ["composer", "composers"]), ("common/copyrights", ["license"]),
      ("common/comment", ["webpage_url"]), ("itsk/trkn", ["track_number"]), ("itsk/disk", ["disc_number"]),
      ("itsk/tvsh", ["series"]), ("itsk/tvsn", ["season_number"]), ("itsk/tves", ["episode_number"]),
      ("itsk/tven", ["episode_id"]), ("common/location", ["location"]),
    ]
    var usedNames: Set<String> = []
    for (identifier, names) in facts {
      guard let identifier = MetadataIdentifier(identifier) else { continue }
      for name in names {
        guard let value = json[name], let text = Self.text(value, Self.separator(of: identifier)), !text.isEmpty else {
          continue
        }
        add(name, text, as: identifier)
        usedNames.insert(name)
        break
      }
    }
    for (name, value) in Self.members(of: json) where !usedNames.contains(name) && value != .null { omit(name) }
  }
}

/// The names that ffmpeg, ExifTool, yt-dlp and users give to facts, with the closest identifier for each name.
enum TagNames {
  /// Returns the identifier that is closest to a name, or `nil` if no identifier is close. Case, blanks, hyphens and
  /// underscores are ignored.
  static func identifier(_ name: String) -> MetadataIdentifier? {
    if name.hasPrefix("com.apple.quicktime."), let identifier = MetadataIdentifier("mdta/" + name) {
      return identifier.common ?? identifier
    }
    let word = comparable(name)
    if let name = MetadataIdentifier.commonNames.first(where: { comparable($0) == word }) {
      return MetadataIdentifier(.common, key: name)
    }
    // The type of an item, such as `trkn`, is accepted as a name too.
    return table[word].flatMap { MetadataIdentifier($0) }
      ?? table.values.filter { $0.hasSuffix("/" + name) }.min().flatMap { MetadataIdentifier($0) }
  }

  /// Splits a name into the fact and its language. ffmpeg and ExifTool append an ISO 639-2 code, as in `title-deu`.
  /// ExifTool may append a country too.
  static func parts(of name: String) -> (base: String, language: LanguageTag?) {
    guard let hyphen = name.firstIndex(of: "-") else { return (name, nil) }
    let (base, suffix) = (String(name[..<hyphen]), name[name.index(after: hyphen)...])
    let words = suffix.split(separator: "-", omittingEmptySubsequences: false)
    guard words[0].utf8.count == 3, words.count <= 2, words[0].allSatisfy(\.isLowercase), identifier(base) != nil,
      let language = WrittenValue.language(String(suffix))
    else { return (name, nil) }
    return (base, words[0] == "und" ? nil : language)
  }

  /// Whether a tag of ExifTool or yt-dlp describes the file, or its source on the web, instead of the movie.
  static func isAboutFile(_ name: String) -> Bool { name.hasPrefix("_") || namesAboutFiles.contains(name) }

  /// Returns an identifier in the form that users type: `title`, `itsk/©nrt`.
  static func name(_ identifier: MetadataIdentifier) -> String {
    identifier.space == .common ? identifier.key : identifier.description.replacing("%A9", with: "©")
  }

  private static func comparable(_ name: String) -> String {
    guard name.utf8.count <= 64 else { return "" }
    return String(name.lowercased().filter { !" -_".contains($0) })
  }

  /// Names that ``MovieBox/MetadataIdentifier/commonNames`` does not contain. Most facts that are not common have an
  /// iTunes identifier.
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
    "network": "itsk/tvnn", "rating": "itsk/rtng", "playgap": "itsk/pgap", "podcast": "itsk/pcst", "rtng": "itsk/rtng",
    "season": "itsk/tvsn", "seasonnumber": "itsk/tvsn", "series": "itsk/tvsh", "show": "itsk/tvsh",
    "sortalbum": "itsk/soal", "sortalbumartist": "itsk/soaa", "sortartist": "itsk/soar",
    "sortcomposer": "itsk/soco", "sortname": "itsk/sonm", "sortshow": "itsk/sosn", "synopsis": "itsk/ldes",
    "tempo": "itsk/tmpo", "titlesort": "itsk/sonm", "track": "itsk/trkn", "tracknumber": "itsk/trkn",
    "tvepisode": "itsk/tves", "tvepisodeid": "itsk/tven", "tvnetwork": "itsk/tvnn",
    "tvnetworkname": "itsk/tvnn", "tvseason": "itsk/tvsn", "tvshow": "itsk/tvsh", "work": "itsk/©wrk",
  ]

  private static let namesAboutFiles: Set = [
    // ExifTool: tags about the file, its headers and its tracks, and values that ExifTool derives from other values.
    "AudioBitsPerSample", "AudioChannels", "AudioFormat", "AudioSampleRate", "AverageBitrate", "AvgBitrate", "Balance",
    "BitDepth", "BufferSize", "CleanApertureDimensions", "ColorPrimaries", "ColorProfiles", "ColorRepresentation",
    "CompatibleBrands", "CompressorID", "CompressorName", "CurrentTime", "Directory", "Duration",
    "EncodedPixelsDimensions", "Encoder", "ExifToolVersion", "FileAccessDate", "FileInodeChangeDate", "FileModifyDate",
    "FileName",
    "FilePermissions", "FileSize", "FileType", "FileTypeExtension", "GPSAltitude", "GPSAltitudeRef", "GPSLatitude",
    "GPSLatitudeRef", "GPSLongitude", "GPSLongitudeRef", "GPSPosition", "GraphicsMode", "HandlerClass",
    "HandlerDescription", "HandlerType", "HandlerVendorID", "ImageHeight", "ImageSize", "ImageWidth", "MIMEType",
    "MajorBrand", "MatrixCoefficients", "MatrixStructure", "MaxBitrate", "MediaCreateDate", "MediaDataOffset",
    "MediaDataSize", "MediaDuration", "MediaHeaderVersion", "MediaLanguageCode", "MediaModifyDate", "MediaTimeScale",
    "Megapixels", "MinorVersion", "ModifyDate", "MovieHeaderVersion", "NextTrackID", "OpColor", "PixelAspectRatio",
    "PosterTime", "PreferredRate", "PreferredVolume", "PreviewDuration", "PreviewTime",
    "ProductionApertureDimensions", "Rotation", "SelectionDuration", "SelectionTime", "SourceImageHeight",
    "SourceImageWidth", "TimeScale", "TrackCreateDate", "TrackDuration", "TrackHeaderVersion", "TrackID", "TrackLayer",
    "TrackModifyDate", "TrackVolume", "TransferCharacteristics", "VideoFrameRate", "VideoFullRangeFlag", "XMPToolkit",
    "XResolution", "YResolution",
    // ffmpeg: tags about the file type atom, and about the program that encoded the samples.
    "compatible_brands", "encoder", "major_brand", "minor_version",
    // yt-dlp: the formats that a site offers, their URLs, and numbers of views and comments.
    "abr", "acodec", "age_limit", "aspect_ratio", "asr", "audio_channels", "audio_ext", "automatic_captions",
    "availability", "average_rating", "channel_follower_count", "channel_id", "channel_is_verified", "channel_url",
    "comment_count", "container", "display_id", "downloader_options", "duration", "duration_string", "dynamic_range",
    "epoch", "ext", "extractor", "extractor_key", "filesize", "filesize_approx", "format", "format_id", "format_note",
    "formats", "fps", "fragment_base_url", "fragments", "has_drm", "heatmap", "height", "http_headers", "id",
    "is_live", "like_count", "live_status", "manifest_url", "media_type", "original_url", "playable_in_embed",
    "playlist", "playlist_index", "preference", "protocol", "quality", "release_timestamp", "release_year",
    "requested_formats", "requested_subtitles", "resolution", "source_preference", "stretched_ratio", "subtitles",
    "tbr", "thumbnail", "thumbnails", "timestamp", "uploader_id", "uploader_url", "url", "vbr", "vcodec", "video_ext",
    "view_count", "was_live", "webpage_url_basename", "webpage_url_domain", "width",
  ]
}

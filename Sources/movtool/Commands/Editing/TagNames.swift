import MovieBox
import Subtitles

/// The names that ffmpeg, ExifTool, yt-dlp and people have for facts, and the nearest identifier of each.
enum TagNames {
  /// The identifier for a name, whatever its case, blanks, hyphens and underscores; or `nil` if no identifier is near.
  static func identifier(_ name: String) -> MetadataIdentifier? {
    if name.hasPrefix("com.apple.quicktime."), let identifier = MetadataIdentifier("mdta/" + name) {
      return identifier.common ?? identifier
    }
    let word = comparable(name)
    if let name = MetadataIdentifier.commonNames.first(where: { comparable($0) == word }) {
      return MetadataIdentifier(.common, key: name)
    }
    // The names of items themselves, such as `trkn`.
    return table[word].flatMap { MetadataIdentifier($0) }
      ?? table.values.filter { $0.hasSuffix("/" + name) }.min().flatMap { MetadataIdentifier($0) }
  }

  /// The name of a fact and its language: ffmpeg and ExifTool append an ISO 639-2 code, as in `title-deu`, and ExifTool
  /// may append a country.
  static func parts(of name: String) -> (base: String, language: LanguageTag?) {
    guard let hyphen = name.firstIndex(of: "-") else { return (name, nil) }
    let (base, suffix) = (String(name[..<hyphen]), name[name.index(after: hyphen)...])
    let words = suffix.split(separator: "-", omittingEmptySubsequences: false)
    guard words[0].utf8.count == 3, words.count <= 2, words[0].allSatisfy(\.isLowercase), identifier(base) != nil,
      let language = WrittenValue.language(String(suffix))
    else { return (name, nil) }
    return (base, words[0] == "und" ? nil : language)
  }

  /// Whether a name of ExifTool or yt-dlp is about the file that it was read from, or its place on the web, and not
  /// about the movie.
  static func isAboutFile(_ name: String) -> Bool { name.hasPrefix("_") || namesAboutFiles.contains(name) }

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
    "network": "itsk/tvnn", "rating": "itsk/rtng", "playgap": "itsk/pgap", "podcast": "itsk/pcst", "rtng": "itsk/rtng",
    "season": "itsk/tvsn", "seasonnumber": "itsk/tvsn", "series": "itsk/tvsh", "show": "itsk/tvsh",
    "sortalbum": "itsk/soal", "sortalbumartist": "itsk/soaa", "sortartist": "itsk/soar",
    "sortcomposer": "itsk/soco", "sortname": "itsk/sonm", "sortshow": "itsk/sosn", "synopsis": "itsk/ldes",
    "tempo": "itsk/tmpo", "titlesort": "itsk/sonm", "track": "itsk/trkn", "tracknumber": "itsk/trkn",
    "tvepisode": "itsk/tves", "tvepisodeid": "itsk/tven", "tvnetwork": "itsk/tvnn",
    "tvnetworkname": "itsk/tvnn", "tvseason": "itsk/tvsn", "tvshow": "itsk/tvsh", "work": "itsk/©wrk",
  ]

  private static let namesAboutFiles: Set = [
    // ExifTool: the file, its headers, its tracks, and values that it derives from others.
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
    // ffmpeg: the file type atom, and the program that encoded the samples.
    "compatible_brands", "encoder", "major_brand", "minor_version",
    // yt-dlp: the formats that a site offers, their addresses, and counts.
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

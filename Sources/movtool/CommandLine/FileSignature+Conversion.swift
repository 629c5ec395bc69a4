import MovieBox

extension FileSignature {
  /// The options of ffmpeg that make a movie of the file, and how that movie's name ends; `nil` where it makes none.
  var conversionToMovie: (options: String, suffix: String)? {
    switch self {
    case .matroska, .avi, .transportStream, .programStream, .flashVideo, .mp3, .dolbyDigital: ("-c copy", ".mp4")
    case .advancedSystems: ("", ".mp4")
    case .wave, .aiff: ("-c copy", ".mov")
    case .adts: ("-c copy", ".m4a")
    case .flac, .coreAudio: ("-c:a alac", ".m4a")
    case .ogg: ("-c:a aac", ".m4a")
    default: nil
    }
  }

  /// The same for sound of a presentation, which most players hear only in AAC.
  var conversionToStreamedSound: (options: String, suffix: String)? {
    switch self {
    // Music files may have a cover, which ffmpeg would encode as a film.
    case .mp3, .wave, .aiff, .flac, .coreAudio, .ogg: ("-vn -c:a aac", ".m4a")
    default: conversionToMovie
    }
  }

  /// The options of ffmpeg that make SubRip of the file; `nil` where it makes none.
  var conversionToSubRip: (options: String, suffix: String)? {
    switch self {
    case .subStation, .sami, .subViewer, .scenarist, .lyrics, .microDVD, .mpl2, .tmPlayer, .phoenix, .spruceSTL,
      .realText, .jacoSub, .macCaption:
      ("", ".srt")
    case .matroska, .avi, .transportStream, .ogg: ("-map 0:s:0", ".srt")
    default: nil
    }
  }

  /// The name that ffmpeg has for a format of text, which it mistakes for another where the file's name ends in `.srt`;
  /// `nil` where it needs none.
  var demuxer: String? {
    switch self {
    case .mpl2: "mpl2"
    case .tmPlayer: "vplayer"
    case .phoenix: "pjs"
    case .spruceSTL: "stl"
    case .realText: "realtext"
    case .jacoSub: "jacosub"
    case .macCaption: "mcc"
    default: nil
    }
  }

  /// The way to subtitles that are read here where ffmpeg knows none, or `nil` if there is none.
  var wayToSubtitles: String? {
    switch self {
    case .whisperTable, .whisperJSON: "try: whisper --output_format srt, of the sound; it writes SubRip too"
    case .youTubeXML, .youTubeJSON: "try: yt-dlp --skip-download --write-subs --write-auto-subs --sub-format vtt URL"
    default: nil
    }
  }
}

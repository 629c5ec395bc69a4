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

  /// The options of ffmpeg that make SubRip of the file; `nil` where it makes none.
  var conversionToSubRip: (options: String, suffix: String)? {
    switch self {
    case .subStation, .sami, .subViewer, .scenarist, .lyrics, .microDVD: ("", ".srt")
    case .matroska, .avi, .transportStream, .ogg: ("-map 0:s:0", ".srt")
    default: nil
    }
  }
}

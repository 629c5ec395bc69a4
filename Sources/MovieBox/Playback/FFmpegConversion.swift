/// The ffmpeg options that encode the video or audio of a movie.
///
/// ffmpeg writes caption tracks only into QuickTime movies, but refuses to write formats such as VP9 and Opus into these
/// movies. If a movie contains both, one command must encode the video and the audio.
package struct FFmpegConversion {
  /// The options that encode video to H.264, and audio to AAC.
  static let (videoOptions, audioOptions) = ("-c:v libx264 -pix_fmt yuv420p", "-c:a aac")

  /// The options. Options for formats that the output cannot contain follow the requested options.
  package let options: String
  /// Whether the output must be a QuickTime movie, because the movie contains captions.
  package let isQuickTime: Bool

  /// Prepares a conversion of these tracks by the requested options.
  package init(_ requestedOptions: String, of tracks: [Track]) {
    isQuickTime = tracks.contains { $0.mediaType == .closedCaption }
    var options = [requestedOptions]
    for (stream, encoding, type, formats) in Self.encoders where isQuickTime && !requestedOptions.contains(stream) {
      let needsEncoding = tracks.contains { $0.mediaType == type && $0.formats.contains(where: formats.contains) }
      if needsEncoding { options.append(encoding) }
    }
    self.options = options.joined(separator: " ")
  }

  /// The options for each type of media, and the formats that ffmpeg does not write into QuickTime movies (measured
  /// with ffmpeg 5.1).
  private static let encoders: [(stream: String, encoding: String, type: MediaType, formats: Set<FourCC>)] = [
    ("-c:v", videoOptions, .video, ["vp08", "vp09", "av01"]),
    ("-c:a", audioOptions, .audio, ["Opus", "fLaC", "mlpa"]),
  ]
}

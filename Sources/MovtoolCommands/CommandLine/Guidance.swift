/// The advice for an unknown command or option that other tools use for a task.
///
/// Users may type the words of other tools, such as `trim` or `--rotate`. For such a word, the movtool option with the
/// most similar spelling is often the wrong suggestion. So this table maps each word to a command line for the task. If
/// movtool does not support the task, this is a command line of another program. The tests run all command lines.
struct Guidance: Sendable {
  /// The statement that movtool does not support the task, such as `does not cut movies`, or `nil` if movtool supports
  /// the task.
  let refusal: String?
  /// The command line for the task, or `nil` if there is none.
  let line: String?

  /// Returns the advice for an unknown command or option, or `nil` if there is none.
  static func guidance(for word: String) -> Guidance? {
    let word = String(word.lowercased().map { $0 == "_" ? "-" : $0 })
    return all.first { $0.words.contains(word) }?.guidance
  }

  /// The words that other tools use for a task, with the advice for the task.
  static let all: [(words: Set<String>, guidance: Guidance)] = [
    // Tasks that only other programs support.
    unsupported(
      "trim cut clip shorten start end ss to from until duration", "does not cut movies",
      "ffmpeg -ss 10 -to 60 -i film.mov -map 0 -dn -c copy out.mov"),
    unsupported(
      "join concat concatenate cat append", "does not join movies",
      "printf \"file '%s'\\n\" a.mov b.mov > list.txt && "
        + "ffmpeg -f concat -safe 0 -i list.txt -map 0 -ignore_unknown -dn -c copy out.mov"),
    unsupported(
      "split segment chunk", "does not split movies",
      "ffmpeg -i film.mov -map 0 -dn -c copy -f segment -segment_time 600 -reset_timestamps 1 part%d.mov"),
    unsupported(
      "rotate rotation turn orientation", "does not rotate video", encodingVideo("-filter:v:0 transpose=1")),
    unsupported(
      "flip mirror hflip vflip", "does not change video", encodingVideo("-filter:v:0 hflip")),
    unsupported(
      "crop", "does not change video", encodingVideo("-filter:v:0 'crop=iw:iw*9/21'")),
    unsupported(
      "resize resolution size width height downscale upscale", "does not change video",
      encodingVideo("-filter:v:0 scale=-2:720")),
    unsupported(
      "encode transcode compress reencode re-encode recode codec vcodec bitrate crf quality preset",
      "does not encode", "ffmpeg -i film.mov -map 0 -dn -c copy -c:v:0 libx264 -crf 20 -c:a aac out.mov"),
    unsupported("acodec audio-codec", "does not encode", "ffmpeg -i film.mov -map 0 -dn -c copy -c:a aac out.mov"),
    unsupported(
      "burn hardsub burn-in hardcode hardcoded burn-subtitles", "does not draw subtitles into the video",
      encodingVideo("-filter:v:0 subtitles=film.en.srt")),
    unsupported(
      "fps framerate frame-rate r", "does not change the frame rate of video",
      encodingVideo("-r:v:0 25")),
    unsupported(
      "speed slowmo timelapse", "does not change the speed of a movie",
      "ffmpeg -itsscale 0.5 -i film.mov -i film.mov -map 0:v -map '1:a?' -map '0:s?' "
        + "-c copy -c:a aac -filter:a atempo=2 out.mov"),
    unsupported(
      "audio-delay audio-offset itsoffset delay-audio", "does not shift audio relative to video",
      "ffmpeg -i film.mov -itsoffset 0.5 -i film.mov -map 0:v -map '1:a?' -map '0:s?' -c copy out.mov"),
    unsupported(
      "volume gain loudness normalize loudnorm", "does not change audio",
      "ffmpeg -i film.mov -map 0 -dn -c copy -c:a aac -filter:a volume=2 out.mov"),
    unsupported(
      "thumbnail thumbnails thumb screenshot snapshot frame frames still preview sprite",
      "does not decode pictures", "ffmpeg -ss 10 -i film.mov -frames:v 1 frame.jpg"),
    unsupported(
      "set-timecode start-timecode", "does not make time codes",
      "ffmpeg -i film.mov -map 0 -dn -c copy -timecode 01:00:00:00 out.mov"),
    unsupported(
      "encrypt encryption key-file key-info-file drm aes",
      "does not encrypt; ffmpeg encrypts video and audio, without subtitles",
      "ffmpeg -i film.mov -map 0:v -map '0:a?' -c copy -hls_key_info_file key.info film.m3u8"),
    unsupported("decrypt decryption unlock", "does not decrypt", nil),
    unsupported(
      "dash mpd", "does not make DASH manifests; ffmpeg makes them from video and audio, without subtitles",
      "ffmpeg -i film.mov -map 0:v -map '0:a?' -c copy -f dash film.mpd"),
    unsupported(
      "live event low-latency dvr ll-hls",
      "does not make live playlists, because a presentation contains a complete movie", nil),
    unsupported(
      "download fetch url get upload publish", "does not access a network; movtool serve answers requests", nil),
    unsupported(
      "undo revert restore rollback backup", "does not keep the old movie; -o FILE writes a new file instead", nil),
    unsupported(
      "mkv matroska webm", "writes only QuickTime and MP4 files",
      "ffmpeg -i film.mov -map 0 -dn -c copy -c:s srt out.mkv"),

    // Tasks that movtool supports under another name.
    supported(
      "join-subtitles offset delay shift-subtitles sync-subtitles subtitle-delay",
      "retime film.mov --track subtitle --offset 1.5"),
    supported("timecode timecodes tmcd", "inspect film.mov"),
    supported("cover artwork poster coverart cover-art picture", "metadata film.mov cover.jpg --artwork"),
    supported("recover recovery rescue salvage untrunc recover-movie", "remux film.mov -o out.mov --salvage"),
    supported("repair heal correct sanitize", "validate film.mov --fix"),
    supported(
      "optimize optimise web-optimize qt-faststart",
      "remux film.mov -o out.mov --fast-start --interleave"),
    supported("shrink compact clean cleanup slim", "remux film.mov -o out.mov --compact"),
    supported("unfragment defrag", "remux film.mov -o out.mov --flatten"),
    supported("pair season folder recursive", "add-subtitle --pair ."),
    supported("mute silence no-audio an", "remove film.mov --track audio --all"),
    supported("sn no-subtitles", "remove film.mov --track subtitle --all"),
    supported("language lang", "set film.mov --track audio:1 --language en"),
    supported("default enable disable role sdh forced group", "set film.mov --track subtitle:1 --default"),
    supported("sub subs srt vtt webvtt", "add-subtitle film.mov film.en.srt"),
    supported("caption captions closed-captions cc scc mcc c608 608", "add-captions film.mov film.en.scc"),
    supported("audio sound dub", "add-track film.mov dub.m4a --track audio --language fr --dub"),
    supported(
      "location place gps date dates year artist album genre comment description creation-date", "metadata film.mov"),
    supported("gpx gps-track route track-log telemetry", "timed film.mov --gpx -o route.gpx"),
    supported("private anonymize privacy share sharing scrub", "metadata film.mov --for-sharing -o out.mov"),
    supported("follow folw reference references tref", "link film.mov --auto"),
    supported("hvc1 hev1 codec-tag vtag", "validate film.mov --fix"),
    supported("m3u8 package packager hls-time", "hls film.mov -o film-hls"),
    supported("page website player-page", "html film.mov"),
    supported("server http host watch", "serve film.mov"),
    supported("search grep find", "extract film.mov --grep dear"),
    supported("copy duplicate clone cp", "remux film.mov -o out.mov"),
    supported("ls-atoms boxes atoms dump tree mp4dump", "inspect film.mov --atoms"),
    supported("man manual", "help man"),
  ]

  /// Returns the ffmpeg command that encodes the video with these options and copies all other tracks.
  private static func encodingVideo(_ options: String) -> String {
    "ffmpeg -i film.mov -map 0 -dn -c copy -c:v:0 libx264 \(options) out.mov"
  }

  private static func unsupported(
    _ words: String, _ refusal: String, _ line: String?
  ) -> (words: Set<String>, guidance: Guidance) {
    (Set(words.split(separator: " ").map(String.init)), Guidance(refusal: refusal, line: line))
  }

  private static func supported(_ words: String, _ line: String) -> (words: Set<String>, guidance: Guidance) {
    (Set(words.split(separator: " ").map(String.init)), Guidance(refusal: nil, line: "movtool " + line))
  }
}

extension Guidance {
  /// The end of an error about an unknown word: `; movtool does not cut movies`, or empty if movtool supports the task.
  var clause: String { refusal.map { "; movtool " + $0 } ?? "" }

  /// The hint of an error about an unknown word: `try: ffmpeg …`, or `nil` if there is no command line.
  var hint: String? { line.map { "try: " + $0 } }
}

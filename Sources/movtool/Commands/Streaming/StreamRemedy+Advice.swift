import MovieBox
import MovieStreaming
import MovieWriter

extension StreamRemedy {
  /// The option of `hls`, or the command for the file, that makes the change.
  func advice(about file: String) -> String {
    switch self {
    case .trimmedStart: "--trim-start begins at the next key picture instead"
    case .wholeStart: "leave out --trim-start"
    case .subtractedStart: "leave out --keep-start"
    case .segmentDuration(let milliseconds): "--duration \(milliseconds / 1_000) sets it"
    case .soundOfAnotherFile: "--audio \(ShellWord.path(file)) adds its sound to the presentation of another movie"
    case .renamedFormat: "movtool validate \(ShellWord.path(file)) --fix renames it if the samples allow it"
    case .uprightPicture:
      "ffmpeg -i \(ShellWord.path(file)) -c:a copy \(ShellWord.path(FilePath(file).withoutExtension + "-upright.mp4")) "
        + "encodes it upright"
    }
  }
}

extension StreamInput {
  /// The notice as a warning or note of the command: with the names of added files and the option that avoids it.
  func describing(_ notice: StreamPlan.Notice) -> Warning {
    let owner = file(ofTrack: notice.trackID)
    var message = notice.message
    if let remedy = notice.remedy { message += " (\(remedy.advice(about: owner)))" }
    if let rendition = notice.trackID.flatMap({ renditions[$0] }), rendition.isSound {
      switch notice.code {
      case "sound-too-long": message += "; is it the sound of another film?"
      case "not-on-apple", "not-in-browsers", "no-aac":
        if notice.isWarning, let line = Self.conversionToAAC(owner) { message += "; \(line)" }
      default: break
      }
    }
    return describing(
      Warning(code: notice.code, file: nil, trackID: notice.trackID, message: message))
  }

  /// The line of ffmpeg that makes AAC of the sound of a movie, or `nil` if the file has no name.
  static func conversionToAAC(_ file: String) -> String? {
    guard file != "-" else { return nil }
    let output = FilePath(file).withoutExtension + "-aac.m4a"
    return "try: ffmpeg -i \(ShellWord.path(file)) -vn -c:a aac \(ShellWord.path(output))"
  }
}

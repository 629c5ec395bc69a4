import MovieBox
import MovieWriter
import Subtitles

/// The text of a track of a movie, and what a file's name tells of the track.
struct ExtractedTrack: Sendable {
  let track: Track
  let isChapters: Bool
  let text: TextTrack

  var id: UInt32 { track.id }
  var cues: [Cue] { text.cues }
  /// The tag of the language; `und` where none is given.
  var language: String { track.language?.description ?? "und" }
  /// Language and role: "English SDH".
  var name: String { isChapters ? "chapters" : EditedTrack(track).name }

  /// What distinguishes the track from others in a list.
  var line: String { isChapters ? "id:\(id) is chapters" : EditedTrack(track).line }

  /// The role as names of files spell it; empty for none.
  var role: String {
    if isChapters { return "chapters" }
    let (tags, isForcedOnly) = (track.taggedCharacteristics, track.containsOnlyForcedSubtitles)
    return FileNameHints.trackRoles.filter { $0.isSignalled(by: tags, isForcedOnly: isForcedOnly) }.map(\.rawValue)
      .joined(separator: ".")
  }
}

// MARK: - JSON

extension ExtractedTrack {
  /// The file of `--format json`; `Docs/json.md` has every member.
  var json: SubtitleFile.Written {
    var json = JSONWriter()
    json.object { json in
      json.member("schema", Context.schema)
      json.object("track") { json in
        json.member("id", id)
        json.member("format", track.formats.first?.description)
        json.member("language", track.language?.description)
        json.member("title", track.title)
        json.member("isSDH", track.isSDH)
        json.member("isForcedOnly", track.containsOnlyForcedSubtitles)
        json.member("isChapters", isChapters)
      }
      json.objects("cues", of: cues) { $0.write(to: &$1) }
    }
    return SubtitleFile.Written(bytes: json.bytes + [UInt8(ascii: "\n")], notices: text.inexpressibleNotices)
  }
}

extension Cue {
  /// Writes the members of a cue.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("start", startMilliseconds)
    json.member("end", endMilliseconds)
    json.member("text", text.text)
    json.objects("runs", of: text.runs) { $0.write(to: &$1) }
    switch placement.vertical {
    case .bottom: json.member("vertical", "bottom")
    case .middle: json.member("vertical", "middle")
    case .top: json.member("vertical", "top")
    case .below: json.member("vertical", "below")
    }
    if case .below(let hundredths) = placement.vertical {
      json.member("percentBelowTop", Double(hundredths) / 100)
    } else {
      json.memberNull("percentBelowTop")
    }
    switch placement.horizontal {
    case .left: json.member("horizontal", "left")
    case .center: json.member("horizontal", "center")
    case .right: json.member("horizontal", "right")
    }
    json.member("isForced", isForced)
  }
}

extension StyledText.Run {
  /// Writes the members of a run.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("start", range.lowerBound)
    json.member("end", range.upperBound)
    json.member("isBold", style.isBold)
    json.member("isItalic", style.isItalic)
    json.member("isUnderlined", style.isUnderlined)
    json.member("color", style.color?.hexadecimalText)
    json.member("backgroundColor", style.backgroundColor?.hexadecimalText)
    json.member("voice", style.voice)
    json.member("sizeInPercent", style.sizeInPercent.map { Int64($0) })
  }
}

extension TextColor {
  /// `#rrggbb`, and two more digits for an alpha that is not opaque.
  fileprivate var hexadecimalText: String { "#" + hexadecimal(withAlpha: alpha < 255) }
}
